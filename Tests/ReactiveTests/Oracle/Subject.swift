// The same program as the model's, on the library.

import Reactive

/// A value that is plain bits and larger than the transaction log's inline storage.
struct Wide: Equatable {
    var value = 0
    var padding = (1, 2, 3, 4)

    static func == (a: Wide, b: Wide) -> Bool { a.value == b.value }
}

/// State of any kind with an integer interface.
enum Cell {
    case number(Observable<Int>)
    case assigned(Observable<[Int]>)
    case grown(Observable<[Int]>)
    case wide(Observable<Wide>)

    init(_ kind: SourceKind, named name: String?) {
        switch kind {
        case .number: self = .number(Observable(0, named: name))
        case .noisyNumber: self = .number(Observable(0, equals: .never, named: name))
        case .assignedArray: self = .assigned(Observable([0], named: name))
        case .grownArray: self = .grown(Observable([], named: name))
        case .wide: self = .wide(Observable(Wide(), named: name))
        }
    }

    var value: Int {
        switch self {
        case .number(let cell): cell.value
        case .assigned(let cell): cell.value[0]
        case .grown(let cell): cell.value.count
        case .wide(let cell): cell.value.value
        }
    }

    func write(_ value: Int) {
        switch self {
        case .number(let cell): cell.value = value
        case .assigned(let cell): cell.value = [value]
        case .grown(let cell): cell.value.append(contentsOf: repeatElement(0, count: value - cell.value.count))
        case .wide(let cell): cell.value = Wide(value: value)
        }
    }

    /// Adds in place where the kind of state allows it.
    func add(_ amount: Int) {
        switch self {
        case .number(let cell): cell.value += amount
        case .assigned(let cell): cell.value = [cell.value[0] + amount]
        case .grown(let cell): cell.value.append(contentsOf: repeatElement(0, count: amount))
        case .wide(let cell): cell.value.value += amount
        }
    }

    /// The object, to check whether it is freed.
    var object: AnyObject {
        switch self {
        case .number(let cell): cell
        case .assigned(let cell), .grown(let cell): cell
        case .wide(let cell): cell
        }
    }
}

/// The library, driven like the model, with checks of when computeds run.
final class Subject {
    private let blueprint: Blueprint
    private unowned let model: Model
    private let prefix: String?
    private var cells: [Int: Cell] = [:]
    private var computeds: [Int: Computed<Int>] = [:]
    private(set) var reactions: [Reaction] = []
    private var created = 0
    private(set) var events: [Event] = []
    /// Evaluations of computeds that should not have happened.
    private(set) var complaints: [String] = []
    /// The last value of each reaction's tracked part and of each effect.
    private(set) var lastTracked: [Int: Int] = [:]
    private(set) var lastDelivered: [Int: Int] = [:]

    /// The reactions that ran in this operation and saw unchanged values.
    private var idleRuns: Set<Int> = []

    private struct Evaluation {
        var value: Int
        var changes: Int
        var reads: [(node: Int, stamp: Int)]
        var reverts: Int
    }

    private var evaluations: [Int: Evaluation] = [:]
    private var evaluated: [Int] = []
    private let checksNecessity: Bool

    init(_ blueprint: Blueprint, model: Model, prefix: String?, checksNecessity: Bool) {
        self.blueprint = blueprint
        self.model = model
        self.prefix = prefix
        self.checksNecessity = checksNecessity
        for (index, node) in blueprint.nodes.enumerated() {
            switch node {
            case .source(let kind): cells[index] = Cell(kind, named: name(index))
            case .sink: cells[index] = Cell(.number, named: name(index))
            case .computed(let formula):
                computeds[index] = Computed(named: name(index)) { [unowned self] in compute(index, formula) }
            }
        }
    }

    private func name(_ node: Int) -> String? { prefix.map { "\($0)n\(node)" } }

    func beginStep() {
        events = []
        evaluated = []
        idleRuns = []
    }

    // MARK: - Values

    func value(_ node: Int) -> Int { cells[node]?.value ?? computeds[node]!.value }
    func write(_ node: Int, _ value: Int) { cells[node]!.write(value) }
    func add(_ node: Int, _ amount: Int) { cells[node]!.add(amount) }

    private func compute(_ index: Int, _ formula: Formula) -> Int {
        if evaluated.contains(index), checksNecessity { complaints.append("computed \(index) ran twice") }
        evaluated.append(index)
        let last = evaluations[index]
        if checksNecessity, let last, last.reverts == model.reverts,
            last.reads.allSatisfy({ stamp($0.node) == $0.stamp })
        {
            complaints.append("computed \(index) ran although nothing it had read changed")
        }
        var reads: [(node: Int, stamp: Int)] = []
        let value = formula.value { node in
            let value = self.value(node)
            reads.append((node, stamp(node)))
            return value
        }
        // Where changes were undone, the library may have restored an earlier value, so this one counts as different.
        let isUnchanged = last.map { $0.value == value && $0.reverts == model.reverts } ?? true
        let changes = (last?.changes ?? 0) + (isUnchanged ? 0 : 1)
        evaluations[index] = Evaluation(value: value, changes: changes, reads: reads, reverts: model.reverts)
        return value
    }

    /// Differs once a node has changed: a source's version, or the number of evaluations of a computed with a different
    /// result.
    private func stamp(_ node: Int) -> Int {
        cells[node] == nil ? evaluations[node]?.changes ?? -1 : model.stamp(node)
    }

    /// Compares the computeds that ran in this operation with those whose value was needed.
    func checkLaziness(needed: UInt64) {
        for index in evaluated where needed & (1 << UInt64(index)) == 0 {
            complaints.append("computed \(index) ran although nobody needed it")
        }
    }

    // MARK: - Reactions

    func create(_ plan: Plan) { _ = make(plan) }
    func cancel(_ id: Int) { reactions[id].cancel() }

    private func make(_ plan: Plan) -> Reaction {
        let id = created
        created += 1
        let name = prefix.map { "\($0)r\(id)" }
        let track: () -> Int = { [unowned self] in
            let value = plan.formula.value { self.value($0) }
            if plan.cleansUp { onCleanup { self.events.append(.cleanedUp(id)) } }
            if lastTracked.updateValue(value, forKey: id) == value { idleRuns.insert(id) }
            return value
        }
        let result: Reaction
        switch plan.action {
        case .effect(let firesImmediately):
            result = reaction(named: name, fireImmediately: firesImmediately, track) { [unowned self] new, old in
                changed(id, old, new)
            }
        case .ownInEffect(let child):
            result = reaction(named: name, track) { [unowned self] new, old in
                changed(id, old, new)
                _ = make(child)
            }
        case .writeInEffect(let sink):
            result = reaction(named: name, fireImmediately: true, track) { [unowned self] new, old in
                changed(id, old, new)
                write(sink, new)
            }
        default:
            result = autorun(named: name) { [unowned self] in act(plan.action, id, track()) }
        }
        register(result, id)
        return result
    }

    /// Forgets runs that the model considers unnecessary and that saw unchanged values.
    func forgetIdleRuns(_ needed: [Event]) {
        let idle = idleRuns.subtracting(needed.compactMap(\.runner))
        events.removeAll { $0.runner.map(idle.contains) ?? false }
    }

    private func changed(_ id: Int, _ old: Int, _ new: Int) {
        lastDelivered[id] = new
        events.append(.changed(id, from: old, to: new))
    }

    private func act(_ action: Plan.Action, _ id: Int, _ value: Int) {
        var logged = value
        if case .log(let nodes) = action {
            logged += 1000 * untracked { nodes.reduce(0) { $0 + self.value($1) } }
        }
        events.append(.ran(id, value: logged))
        switch action {
        case .own(let child): _ = make(child)
        case .write(let sink): write(sink, value)
        case .cancel(let offset):
            let target = (value + offset) % created
            if value % 2 != 0 { cancelEvenDuringCreation(target) }
        default: break
        }
    }

    // MARK: - Reactions during their creation

    /// Reactions by number; a reaction whose first run is in progress is not known yet.
    private var known: [Int: Reaction] = [:]
    private var cancelledInFirstRun: Set<Int> = []

    private func register(_ reaction: Reaction, _ id: Int) {
        known[id] = reaction
        while let next = known[reactions.count] { reactions.append(next) }
        if cancelledInFirstRun.contains(id) { reaction.cancel() }
    }

    private func cancelEvenDuringCreation(_ id: Int) {
        if let reaction = known[id] { reaction.cancel() } else { cancelledInFirstRun.insert(id) }
    }

    func cancelAll() { for reaction in reactions { reaction.cancel() } }

    var objects: [AnyObject] { cells.values.map(\.object) + Array(computeds.values) }
}
