// A random program: performs each operation on the model, then on the library, and compares.

import Reactive
import TestSupport

struct Program {
    /// The kind of program, which decides how much the model knows.
    enum Style {
        /// Transactions only write. All events agree with the model.
        case orderly
        /// Transactions also read computeds and create reactions. A computed that is read inside a transaction may
        /// change and change back. Its reactions then run once more and see nothing new.
        case peeking
        /// Reactions also write state. They end in the same state, possibly by different runs.
        case writing
    }

    private var random: SplitMix64
    private let blueprint: Blueprint
    private let model: Model
    private let subject: Subject
    private let prefix: String?
    private let style: Style
    private var failure: String?
    private var history: [String] = []

    private struct Failure: Error {}

    init(seed: UInt64, style: Style) {
        random = SplitMix64(seed: seed)
        self.style = style
        let sourceCount = 1 + random.below(5)
        let derivedCount = 1 + random.below(10)
        blueprint = Blueprint(
            sourceCount: sourceCount, derivedCount: derivedCount, withSinks: style == .writing, using: &random)
        prefix = random.oneIn(4) ? "oracle\(seed)." : nil
        model = Model(blueprint)
        subject = Subject(blueprint, model: model, prefix: prefix, checksNecessity: style != .writing)
    }

    /// Runs the program and returns the first difference, if any, with the operations before it.
    mutating func run() -> String? {
        let steps = 20 + random.below(40)
        for _ in 0..<steps where failure == nil { operate(depth: 0) }
        if failure == nil { end() }
        subject.cancelAll()
        return failure.map { "\($0)\n  \(history.joined(separator: "\n  "))\n  \(blueprint)" }
    }

    // MARK: - Operations

    private mutating func operate(depth: Int) {
        let isPeeking = depth == 0 || style != .orderly
        switch random.below(20) {
        case 0...5: write(depth: depth)
        case 6...9: read(random.below(isPeeking ? blueprint.nodes.count : blueprint.sources.count), depth: depth)
        case 10...13: transact(depth: depth)
        case 14...16 where isPeeking: create(depth: depth)
        case 17: cancel(depth: depth)
        default: write(depth: depth)
        }
    }

    private mutating func step(_ text: String, depth: Int, _ body: (inout Program) -> Void) {
        history.append(String(repeating: "  ", count: depth) + text)
        model.beginStep()
        subject.beginStep()
        body(&self)
        compare(depth: depth)
    }

    private mutating func write(depth: Int) {
        let source = random.pick(blueprint.sources)
        let old = model.value(source)
        let kind = blueprint.kind(of: source)
        if random.oneIn(3) {
            let amount = random.below(3)
            if kind == .grownArray, amount == 0 { return }
            step("\(source) += \(amount)", depth: depth) {
                if kind == .assignedArray {
                    $0.model.write(source, old + amount)
                } else {
                    $0.model.mutate(source, to: old + amount)
                }
                $0.subject.add(source, amount)
            }
        } else {
            let value = kind == .grownArray ? old + 1 + random.below(2) : random.below(4)
            step("\(source) = \(value)", depth: depth) {
                if kind == .grownArray { $0.model.mutate(source, to: value) } else { $0.model.write(source, value) }
                $0.subject.write(source, value)
            }
        }
    }

    private mutating func read(_ node: Int, depth: Int) {
        step("read \(node)", depth: depth) {
            let expected = $0.model.value(node)
            let value = $0.subject.value(node)
            if value != expected { $0.fail("node \(node) is \(value) instead of \(expected)") }
        }
    }

    private mutating func transact(depth: Int) {
        if depth >= 3 { return }
        let steps = random.below(6)
        let body = { (program: inout Program) in
            for _ in 0..<steps where program.failure == nil { program.operate(depth: depth + 1) }
        }
        let way = random.below(4)
        model.begin(canRollBack: way == 0 || way == 2)
        switch way {
        case 0:
            history.append(String(repeating: "  ", count: depth) + "transaction that throws")
            try? inTransaction {
                body(&self)
                prepare("roll back", depth: depth) { $0.model.rollBack() }
                throw Failure()
            }
        case 1:
            history.append(String(repeating: "  ", count: depth) + "transaction that commits in spite of an error")
            try? inTransaction(onError: .commit) {
                body(&self)
                prepare("commit", depth: depth) { $0.model.commit() }
                throw Failure()
            }
        case 2:
            history.append(String(repeating: "  ", count: depth) + "transaction that might have thrown")
            try? inTransaction { () throws -> Void in
                body(&self)
                prepare("commit", depth: depth) { $0.model.commit() }
            }
        default:
            history.append(String(repeating: "  ", count: depth) + "transaction")
            inTransaction {
                body(&self)
                prepare("commit", depth: depth) { $0.model.commit() }
            }
        }
        compare(depth: depth, isRollBack: way == 0)
    }

    /// Ends a transaction on the model, directly before the library ends its own.
    private mutating func prepare(_ text: String, depth: Int, _ body: (inout Program) -> Void) {
        history.append(String(repeating: "  ", count: depth) + text)
        model.beginStep()
        subject.beginStep()
        body(&self)
    }

    private mutating func create(depth: Int) {
        let plan =
            switch style {
            case .orderly: blueprint.plan(depth: 2, using: &random)
            case .peeking: blueprint.plainPlan(using: &random)
            case .writing: writingPlan()
            }
        step("create \(model.reactions.count): \(plan)", depth: depth) {
            $0.model.create(plan)
            $0.subject.create(plan)
        }
    }

    private mutating func writingPlan() -> Plan {
        let free = blueprint.sinks.filter { sink in !model.reactions.contains { $0.isLive && $0.plan.sink == sink } }
        if free.isEmpty || random.oneIn(2) { return blueprint.plainPlan(using: &random) }
        let sink = random.pick(free)
        return Plan(
            formula: blueprint.sinkFormula(sink),
            action: random.oneIn(2) ? .write(sink: sink) : .writeInEffect(sink: sink), cleansUp: false)
    }

    private mutating func cancel(depth: Int) {
        guard !model.reactions.isEmpty else { return }
        let id = random.below(model.reactions.count)
        step("cancel \(id)", depth: depth) {
            $0.model.cancel(id)
            $0.subject.cancel(id)
        }
    }

    // MARK: - Comparing

    private mutating func fail(_ text: String) { failure = failure ?? text }

    private mutating func compare(depth: Int, isRollBack: Bool = false) {
        #if DEBUG
        for broken in GraphHandle.current.brokenInvariants { fail(broken) }
        #endif
        if let complaint = subject.complaints.first { fail(complaint) }
        if style == .writing {
            if depth == 0 { compareFlushed() }
            return
        }
        if style == .peeking, !isRollBack { subject.forgetIdleRuns(model.events) }
        if subject.events != model.events { fail("events are \(subject.events) instead of \(model.events)") }
        subject.checkLaziness(needed: model.needed)
        if let complaint = subject.complaints.first { fail(complaint) }
        if depth == 0, prefix != nil, random.oneIn(4) { compareGraph() }
        let cancelled = subject.reactions.map(\.isCancelled)
        let expected = model.reactions.map { !$0.isLive }
        if cancelled != expected { fail("cancelled are \(cancelled) instead of \(expected)") }
    }

    /// Every live reaction has seen, and every effect has received, the current value of its formula.
    private mutating func compareFlushed() {
        for node in blueprint.sinks where subject.value(node) != model.value(node) {
            fail("sink \(node) is \(subject.value(node)) instead of \(model.value(node))")
        }
        for reaction in model.reactions where reaction.isLive {
            let expected = reaction.plan.formula.value { model.value($0) }
            if subject.lastTracked[reaction.id] != expected {
                fail("reaction \(reaction.id) saw \(subject.lastTracked[reaction.id] as Any) instead of \(expected)")
            }
            if let delivered = subject.lastDelivered[reaction.id], delivered != expected {
                fail("effect \(reaction.id) was given \(delivered) instead of \(expected)")
            }
        }
    }

    /// The nodes and edges that the library shows are the reads of the model's reactions.
    private mutating func compareGraph() {
        let snapshot = Diagnostics.graph()
        let names = snapshot.nodes.map(\.name)
        let edges = snapshot.edges
            .map { "\(names[$0.source])→\(names[$0.observer])" }
            .filter { $0.hasPrefix(prefix!) }
        var expected: [String] = []
        var pending: [Int] = []
        for reaction in model.reactions where reaction.isLive {
            expected += reaction.reads.map { "\(prefix!)n\($0.node)→\(prefix!)r\(reaction.id)" }
            pending += reaction.reads.map(\.node)
        }
        var visited: Set<Int> = []
        while let node = pending.popLast() {
            guard case .computed(let formula) = blueprint.nodes[node], visited.insert(node).inserted else { continue }
            let reads = model.reads(of: formula)
            expected += reads.map { "\(prefix!)n\($0)→\(prefix!)n\(node)" }
            pending += reads
        }
        if edges.sorted() != expected.sorted() { fail("edges are \(edges.sorted()) instead of \(expected.sorted())") }
    }

    /// When everything is cancelled, nothing is left in the graph.
    private mutating func end() {
        while failure == nil, let live = model.reactions.first(where: \.isLive) {
            let id = live.id
            step("cancel \(id) at last", depth: 0) {
                $0.model.cancel(id)
                $0.subject.cancel(id)
            }
        }
        guard let prefix else { return }
        let left = Diagnostics.graph().nodes.map(\.name).filter { $0.hasPrefix(prefix) }
        if !left.isEmpty { fail("\(left) are still in the graph") }
    }
}

extension Plan {
    /// The sink that the reaction writes.
    var sink: Int? {
        switch action {
        case .write(let sink), .writeInEffect(let sink): sink
        default: nil
        }
    }
}
