// Random operations on a store, compared with the model.

import Foundation
import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

/// A store with the nodes of a program, and its operations.
private final class Subject {
    let program: Program
    let store = RecoilStore()
    /// The number of evaluations of each selector.
    private(set) var evaluations: [Int]
    /// The retention of selectors. A selector that is released in between is evaluated again.
    let retention: Retention

    init(_ program: Program, keepsAll: Bool) {
        self.program = program
        retention = keepsAll ? .store : .whileObserved
        evaluations = program.formulas.map { _ in 0 }
    }

    func atom(_ index: Int) -> Atom<Int> { atoms(index) }
    private var atoms: AtomFamily<Int, Int> { atomFamily(named: "atom") { [program] in program.defaults[$0] } }

    func selector(_ index: Int) -> Selector<Int> {
        selectorFamily(named: "selector", retention: retention) { [unowned self] (index: Int, accessor: StateGetter) in
            evaluations[index] += 1
            return try program.formulas[index].value(
                atom: { try accessor.get(atom($0)) }, selector: { try accessor.get(selector($0)) })
        }(index)
    }

    /// An atom behind a selector that adds a number.
    func shifted(_ index: Int) -> MutableSelector<Int> {
        selectorFamily(
            get: { [unowned self] (index: Int, accessor: StateGetter) in try accessor.get(atom(index)) + 100 },
            set: { [unowned self] (index, context, newValue) in context.set(atom(index), newValue - 100) })(index)
    }

    func outcome<Node: RecoilSyncNode>(_ node: Node) -> Outcome where Node.T == Int {
        do {
            return .success(try store.value(node))
        } catch {
            return .failure(error as! Refused)
        }
    }
}

/// An observer of a selector.
private final class Watcher {
    let index: Int
    private(set) var seen: [Outcome] = []
    private var reaction: Reaction?

    init(_ subject: Subject, _ index: Int) {
        self.index = index
        reaction = autorun { [unowned self, unowned subject] in seen.append(subject.outcome(subject.selector(index))) }
    }

    deinit { reaction?.cancel() }
}

@Suite(.ownGraph, .timeLimit) struct OracleTests {
    @Test func aStoreAgreesWithTheModel() {
        for seed in seeds(300) {
            guard agree(seed: seed) else { return }
        }
    }

    /// Runs one seed. Returns false if the store and the model differ.
    private func agree(seed: UInt64) -> Bool {
        var random = SplitMix64(seed: seed)
        let program = Program(using: &random)
        let keepsAll = seed % 2 == 0
        let subject = Subject(program, keepsAll: keepsAll)
        let store = subject.store
        var model = Model(program)
        var snapshots: [(RecoilSnapshot, [Outcome])] = []
        var watchers: [Watcher] = []
        let atoms = program.defaults.count
        let selectors = program.formulas.count
        // So that every snapshot contains all atoms.
        for index in 0..<atoms { _ = subject.outcome(subject.atom(index)) }

        for step in 0..<40 {
            let before = model.selectors
            let seen = watchers.map(\.seen.count)
            let evaluations = subject.evaluations
            let atom = Int.random(in: 0..<atoms, using: &random)
            let selector = Int.random(in: 0..<selectors, using: &random)
            let value = Int.random(in: -3...5, using: &random)
            let outcome: Outcome = value < 0 ? .failure(.code(value)) : .success(value)
            /// Whether the step only writes values, so that observers of equal values do not run.
            var isPlain = true
            /// Whether each selector may be evaluated at most once.
            var isSingle = keepsAll
            /// Whether a selector was evaluated in between, so that its observers may run although its value was
            /// restored.
            var hasIntermediates = false
            let operation = Int.random(in: 0..<20, using: &random)
            switch operation {
            case 0, 1, 2:
                store.set(subject.atom(atom), value)
                model.set(atom, value)
            case 3:
                if case .success(let old) = model.atoms[atom] {
                    store.update(subject.atom(atom)) { $0 += value }
                    model.set(atom, old + value)
                }
            case 4:
                store.reset(subject.atom(atom))
                model.reset(atom)
            case 5:
                store.set(subject.shifted(atom), value + 100)
                model.set(atom, value)
            case 6:
                if case .success = model.atoms[atom] {
                    store.reset(subject.shifted(atom))
                    model.reset(atom)
                }
            case 7, 8, 9:
                isSingle = false
                let fails = Bool.random(using: &random)
                // A nested transaction in the middle.
                let isNested = Bool.random(using: &random)
                let innerFails = Bool.random(using: &random)
                hasIntermediates = !fails
                var inside = model
                var agrees = true
                var end: ((inout Model) -> Void)?
                func writeAndRead(_ model: inout Model) {
                    let index = Int.random(in: 0..<atoms, using: &random)
                    let number = Int.random(in: -3...5, using: &random)
                    store.set(subject.atom(index), number)
                    model.set(index, number)
                    let read = Int.random(in: 0..<selectors, using: &random)
                    if subject.outcome(subject.selector(read)) != model.selector(read) { agrees = false }
                }
                try? store.transaction {
                    writeAndRead(&inside)
                    if isNested {
                        var inner = inside
                        try? store.transaction {
                            writeAndRead(&inner)
                            writeAndRead(&inner)
                            if innerFails { throw Refused.once }
                        }
                        if !innerFails { inside = inner }
                    }
                    writeAndRead(&inside)
                    guard fails else { return }
                    // These are not rolled back.
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0:
                        store.release(subject.atom(atom))
                        end = { $0.reset(atom) }
                    case 1:
                        store.override(subject.atom(atom), value: value)
                        end = { $0.overrideAtom(atom, .success(value)) }
                    case 2:
                        store.removeOverride(of: subject.atom(atom))
                        end = { $0.overrideAtom(atom, nil) }
                    default: break
                    }
                    throw Refused.once
                }
                #expect(agrees, "seed \(seed), step \(step): a read in a transaction")
                if !fails { model = inside }
                if let end {
                    end(&model)
                    isPlain = false
                }
            case 10:
                snapshots.append((store.snapshot(), model.atoms))
            case 11:
                if let (snapshot, values) = snapshots.randomElement(using: &random) {
                    store.restore(snapshot)
                    model.restore(values)
                }
            case 12:
                if case .success(let number) = outcome {
                    store.override(subject.atom(atom), value: number)
                } else {
                    store.override(subject.atom(atom), error: Refused.code(value))
                }
                model.overrideAtom(atom, outcome)
                isPlain = false
            case 13:
                let isRemoved = Bool.random(using: &random)
                if isRemoved {
                    store.removeOverride(of: subject.selector(selector))
                } else if case .success(let number) = outcome {
                    store.override(subject.selector(selector), value: number)
                } else {
                    store.override(subject.selector(selector), error: Refused.code(value))
                }
                model.overrideSelector(selector, isRemoved ? nil : outcome)
                (isPlain, isSingle) = (false, false)
            case 14:
                store.removeOverride(of: subject.atom(atom))
                model.overrideAtom(atom, nil)
                isPlain = false
            case 15:
                if Bool.random(using: &random) {
                    store.release(subject.atom(atom))
                    model.reset(atom)
                } else {
                    store.release(subject.selector(selector))
                }
                (isPlain, isSingle) = (false, false)
            case 16:
                // Refreshing tries failed defaults again; a different test covers that.
                let hasFailures = model.atoms.contains { (try? $0.get()) == nil }
                if hasFailures || Bool.random(using: &random) {
                    store.purge()
                } else {
                    store.refresh(subject.selector(selector))
                }
                (isPlain, isSingle) = (false, false)
            case 17:
                if Bool.random(using: &random) {
                    store.override(Atom<Int>.self) { value + (try $0.getValue()) }
                    model.overrideAtoms(shift: value)
                } else {
                    store.removeOverride(of: Atom<Int>.self)
                    model.overrideAtoms(shift: nil)
                }
                for index in 0..<atoms { _ = subject.outcome(subject.atom(index)) }
                (isPlain, isSingle) = (false, false)
            case 18:
                // Uses and releases a member of the family that nothing depends on.
                let member = subject.atom(atoms + 1)
                store.override(member, value: value)
                #expect(subject.outcome(member) == .success(value))
                store.release(member)
                store.removeOverride(of: member)
            default:
                isSingle = false
                if Bool.random(using: &random) || watchers.isEmpty {
                    watchers.append(Watcher(subject, selector))
                } else {
                    watchers.remove(at: Int.random(in: 0..<watchers.count, using: &random))
                }
            }
            // Uses released atoms again, so that snapshots contain them.
            _ = subject.outcome(subject.atom(atom))

            let after = model.selectors
            for (index, watcher) in watchers.enumerated() {
                guard watcher.seen.last == after[watcher.index] else {
                    Issue.record(
                        """
                        seed \(seed), step \(step), operation \(operation) of atom \(atom), \
                        selector \(selector): the watcher of \
                        \(watcher.index) saw \(watcher.seen.suffix(2)), not \(after[watcher.index]); \(program)
                        """)
                    return false
                }
                guard isPlain, index < seen.count, operation < 19 else { continue }
                guard case .success(let old) = before[watcher.index], case .success(let new) = after[watcher.index]
                else { continue }
                let runs = watcher.seen.count - seen[index]
                guard runs == (old == new ? 0 : 1) || (hasIntermediates && runs == 1) else {
                    Issue.record("seed \(seed), step \(step), operation \(operation): notified too often or too rarely")
                    return false
                }
            }
            let found = (0..<selectors).map { subject.outcome(subject.selector($0)) }
            guard found == after else {
                Issue.record("seed \(seed), step \(step), operation \(operation): \(found) is not \(after)")
                return false
            }
            if isSingle, zip(subject.evaluations, evaluations).contains(where: { $0 - $1 > 1 }) {
                Issue.record("seed \(seed), step \(step), operation \(operation): a selector was evaluated twice")
                return false
            }
            if let (snapshot, values) = snapshots.randomElement(using: &random) {
                guard (try? snapshot.value(subject.atom(atom))) == (try? values[atom].get()) else {
                    Issue.record("seed \(seed), step \(step): a snapshot has changed")
                    return false
                }
            }
        }
        return true
    }

    // MARK: - Loading

    /// Asynchronous selectors that read one another, and atoms that change meanwhile: in the end all values follow from
    /// the atoms.
    @Test func loadsEndWithTheValuesOfTheModel() async throws {
        for seed in seeds(60) {
            guard try await agreeInTheEnd(seed: seed) else { return }
        }
    }

    private struct Loader: AsyncSelectorNode {
        let index: Int
        let program: ProgramReference
        let policy: CachePolicy

        static func == (a: Loader, b: Loader) -> Bool { a.index == b.index }
        func hash(into hasher: inout Hasher) { hasher.combine(index) }
        var cache: CachePolicy { policy }

        func getValue(_ accessor: StateGetter) async throws -> Int {
            try await value(program.program.formulas[index], accessor)
        }

        private func value(_ expression: Expression, _ accessor: StateGetter) async throws -> Int {
            switch expression {
            case .constant(let value): return value
            case .atom(let index):
                await Task.yield()
                return try accessor.get(program.atom(index))
            case .selector(let index):
                return try await accessor.get(Loader(index: index, program: program, policy: policy))
            case .sum(let a, let b):
                async let first = value(a, accessor)
                async let second = value(b, accessor)
                return try await first &+ second
            case .parity(let a): return try await abs(value(a, accessor) % 2)
            case .choice(let condition, let a, let b):
                return try await value(condition, accessor) % 2 == 0 ? value(a, accessor) : value(b, accessor)
            case .checked(let a):
                let value = try await value(a, accessor)
                if value < 0 { throw Refused.code(value) }
                return value
            case .recovered(let a, let instead):
                do {
                    return try await value(a, accessor)
                } catch is Refused {
                    return instead
                }
            }
        }
    }

    private final class ProgramReference: Sendable {
        let program: Program
        init(_ program: Program) { self.program = program }
        func atom(_ index: Int) -> Atom<Int> { atoms(index) }
        private var atoms: AtomFamily<Int, Int> { atomFamily { [program] in program.defaults[$0] } }
    }

    private func agreeInTheEnd(seed: UInt64) async throws -> Bool {
        var random = SplitMix64(seed: seed &+ 1_000_000)
        let program = ProgramReference(Program(using: &random))
        let store = RecoilStore()
        var model = Model(program.program)
        let policy: CachePolicy = [.latest, .lru(3), .all].randomElement(using: &random) ?? .latest
        let nodes = program.program.formulas.indices.map { Loader(index: $0, program: program, policy: policy) }
        let reactions = nodes.filter { _ in Bool.random(using: &random) }
            .map { node in autorun(isolation: nil) { _ = store.getOrNil(node) } }
        defer { for reaction in reactions { reaction.cancel() } }
        for step in 0..<12 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<program.program.defaults.count, using: &random)
                let value = Int.random(in: -3...5, using: &random)
                store.set(program.atom(index), value)
                model.set(index, value)
                let node = nodes.randomElement(using: &random) ?? nodes[0]
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1, 2:
                    store.refresh(node)
                case 3:
                    store.release(node)
                case 4:
                    store.purge()
                case 5:
                    try? store.transaction {
                        store.set(program.atom(index), value + 1)
                        _ = store.getOrNil(node)
                        throw Refused.once
                    }
                case 6:
                    let snapshot = store.snapshot()
                    store.set(program.atom(index), value + 1)
                    _ = store.loadable(node)
                    store.restore(snapshot)
                default: break
                }
                for _ in 0..<Int.random(in: 0...5, using: &random) { await Task.yield() }
            }
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            for node in nodes {
                let outcome: Outcome
                do {
                    outcome = .success(try await store.get(node))
                } catch let error as Refused {
                    outcome = .failure(error)
                }
                guard outcome == model.selector(node.index) else {
                    Issue.record("seed \(seed), step \(step): \(outcome) is not \(model.selector(node.index))")
                    return false
                }
            }
        }
        return true
    }
}
