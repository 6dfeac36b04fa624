// The oracle: the required behaviour of a reactive program, implemented as simply as possible.
//
// Values of computeds are recomputed at every read. A reaction remembers its reads and their values. It is due if one
// of them differs from the recomputed value. The oldest due reaction runs next, until none is due.

/// A naive reactive engine.
final class Model {
    struct Source {
        var value: Int
        /// A new number for each change; an earlier number if the change is undone.
        var version: Int
    }

    final class Reaction {
        enum Item {
            case reaction(Reaction)
            case cleanup
        }

        let id: Int
        let plan: Plan
        var isLive = true
        var isBusy = false
        var reads: [(node: Int, stamp: Int)] = []
        var tracked: [Item] = []
        var effectful: [Item] = []
        // The effect's state: the newest value if it was not reported yet, and the last reported one.
        var latest: Int?
        var current: Int?
        var hasFired = false
        var runs = 0
        /// Its run was part of a transaction that was rolled back.
        var mustRun = false

        init(id: Int, plan: Plan) {
            self.id = id
            self.plan = plan
        }
    }

    private struct Level {
        let sources: [Int: Source]
        let writes: Int
        let canRollBack: Bool
        /// The reactions that ran in it after a write, and whether that was their first run.
        var runs: [(reaction: Reaction, isFirst: Bool)] = []
    }

    let blueprint: Blueprint
    private(set) var sources: [Int: Source] = [:]
    private(set) var reactions: [Reaction] = []
    private(set) var events: [Event] = []
    /// How often changes have been undone.
    private(set) var reverts = 0
    /// The computeds whose values were needed since `beginStep`, one bit each.
    private(set) var needed: UInt64 = 0

    private var versions = 0
    private var levels: [Level] = []
    private var memo: [Int: (value: Int, needed: UInt64)] = [:]
    /// The number of writes that open transactions have logged.
    private var writes = 0
    private var deferred: [() -> Void] = []
    private var isOutside = false

    init(_ blueprint: Blueprint) {
        self.blueprint = blueprint
        for (index, node) in blueprint.nodes.enumerated() {
            if case .computed = node { continue }
            sources[index] = Source(value: 0, version: 0)
        }
    }

    func beginStep() {
        events = []
        needed = 0
    }

    // MARK: - Values

    func value(_ node: Int) -> Int {
        if let source = sources[node] { return source.value }
        let known = computedValue(node)
        needed |= known.needed
        return known.value
    }

    private func computedValue(_ node: Int) -> (value: Int, needed: UInt64) {
        if let known = memo[node] { return known }
        guard case .computed(let formula) = blueprint.nodes[node] else { preconditionFailure("not a computed") }
        var needed: UInt64 = 1 << UInt64(node)
        let value = formula.value { read in
            if let source = sources[read] { return source.value }
            let known = computedValue(read)
            needed |= known.needed
            return known.value
        }
        memo[node] = (value, needed)
        return (value, needed)
    }

    /// Differs whenever the node counts as changed: a source's version, a computed's value.
    func stamp(_ node: Int) -> Int { sources[node]?.version ?? value(node) }

    /// The reads of a formula's evaluation now, each node once.
    func reads(of formula: Formula) -> [Int] {
        var nodes: [Int] = []
        _ = formula.value { node in
            if !nodes.contains(node) { nodes.append(node) }
            return value(node)
        }
        return nodes
    }

    // MARK: - Operations

    /// Assigns a value.
    func write(_ source: Int, _ value: Int) {
        if change(source, to: value), !levels.isEmpty { writes += 1 }
        flushUnlessNested()
    }

    /// Mutates in place; a transaction logs this before it knows whether anything changes.
    func mutate(_ source: Int, to value: Int) {
        if blueprint.kind(of: source) == .grownArray {
            if levels.contains(where: \.canRollBack) { writes += 1 }
        } else if !levels.isEmpty {
            writes += 1
        }
        change(source, to: value)
        flushUnlessNested()
    }

    @discardableResult
    private func change(_ source: Int, to value: Int) -> Bool {
        if blueprint.kind(of: source).isCompared, sources[source]?.value == value { return false }
        versions += 1
        sources[source] = Source(value: value, version: versions)
        memo = [:]
        return true
    }

    func begin(canRollBack: Bool) {
        levels.append(Level(sources: sources, writes: writes, canRollBack: canRollBack))
    }

    func commit() {
        let level = levels.removeLast()
        if levels.isEmpty {
            for (index, source) in level.sources where blueprint.kind(of: index).isCompared {
                guard let now = sources[index], now.value == source.value, now.version != source.version else {
                    continue
                }
                sources[index] = source
                reverts += 1
                // Readers of the final value have seen the restored value.
                for reaction in reactions {
                    for read in reaction.reads.indices where reaction.reads[read] == (index, now.version) {
                        reaction.reads[read].stamp = source.version
                    }
                }
            }
            writes = 0
        } else {
            levels[levels.count - 1].runs += level.runs
        }
        flushUnlessNested()
    }

    func rollBack() {
        let level = levels.removeLast()
        for (reaction, isFirst) in level.runs {
            reaction.mustRun = true
            // Its first value was rolled back.
            if isFirst { (reaction.current, reaction.latest) = (nil, nil) }
        }
        sources = level.sources
        writes = level.writes
        memo = [:]
        reverts += 1
        flushUnlessNested()
    }

    func create(_ plan: Plan) {
        _ = make(plan)
        flushUnlessNested()
    }

    func cancel(_ id: Int) {
        cancel(reactions[id])
        flushUnlessNested()
    }

    // MARK: - Reactions

    private func make(_ plan: Plan) -> Reaction {
        let reaction = Reaction(id: reactions.count, plan: plan)
        reactions.append(reaction)
        run(reaction)
        return reaction
    }

    private func isStale(_ reaction: Reaction) -> Bool {
        reaction.mustRun || reaction.reads.contains { stamp($0.node) != $0.stamp }
    }

    private func run(_ reaction: Reaction) {
        reaction.reads = []
        reaction.mustRun = false
        reaction.runs += 1
        reaction.isBusy = true
        let wasOutside = isOutside
        isOutside = false
        let value = reaction.plan.formula.value { node in
            if !reaction.reads.contains(where: { $0.node == node }) { reaction.reads.append((node, stamp(node))) }
            return self.value(node)
        }
        if reaction.plan.cleansUp { reaction.tracked.append(.cleanup) }
        track(value, by: reaction)
        isOutside = wasOutside
        reaction.isBusy = false
        if !levels.isEmpty, writes > 0 { levels[levels.count - 1].runs.append((reaction, reaction.runs == 1)) }
        if !reaction.isLive {
            let items = abandoned(reaction)
            if !items.isEmpty { deferred.append { self.dispose(items, of: reaction) } }
        }
    }

    private func track(_ value: Int, by reaction: Reaction) {
        switch reaction.plan.action {
        case .log(let untracked):
            events.append(.ran(reaction.id, value: value + 1000 * untracked.reduce(0) { $0 + self.value($1) }))
        case .own(let child):
            events.append(.ran(reaction.id, value: value))
            reaction.tracked.append(.reaction(make(child)))
        case .cancel(let offset):
            events.append(.ran(reaction.id, value: value))
            if value % 2 != 0 { cancel(reactions[(value + offset) % reactions.count]) }
        case .write(let sink):
            events.append(.ran(reaction.id, value: value))
            write(sink, value)
        case .effect(let firesImmediately):
            observe(value, reaction, firesImmediately)
        case .ownInEffect:
            observe(value, reaction, false)
        case .writeInEffect:
            observe(value, reaction, true)
        }
    }

    private func observe(_ value: Int, _ reaction: Reaction, _ firesImmediately: Bool) {
        guard let current = reaction.current else {
            reaction.current = value
            if firesImmediately { reaction.latest = value }
            return
        }
        let isFirst = firesImmediately && !reaction.hasFired
        reaction.latest = !isFirst && current == value ? nil : value
        if isFirst { reaction.current = value }
    }

    private func deliver(_ reaction: Reaction) {
        guard let new = reaction.latest, let old = reaction.current else { return }
        reaction.latest = nil
        reaction.current = new
        reaction.hasFired = true
        reaction.isBusy = true
        isOutside = true
        let items = reaction.effectful
        reaction.effectful = []
        dispose(items, of: reaction)
        events.append(.changed(reaction.id, from: old, to: new))
        switch reaction.plan.action {
        case .ownInEffect(let child): reaction.effectful.append(.reaction(make(child)))
        case .writeInEffect(let sink): write(sink, new)
        default: break
        }
        reaction.isBusy = false
        if !reaction.isLive { dispose(abandoned(reaction), of: reaction) }
        isOutside = false
    }

    private func cancel(_ reaction: Reaction) {
        guard reaction.isLive else { return }
        reaction.isLive = false
        if reaction.isBusy { return }
        let items = abandoned(reaction)
        if isOutside {
            dispose(items, of: reaction)
        } else {
            deferred.append { self.dispose(items, of: reaction) }
        }
    }

    private func abandoned(_ reaction: Reaction) -> [Reaction.Item] {
        defer {
            reaction.tracked = []
            reaction.effectful = []
        }
        return reaction.tracked + reaction.effectful
    }

    private func dispose(_ items: [Reaction.Item], of owner: Reaction) {
        for item in items.reversed() {
            switch item {
            case .reaction(let reaction): cancel(reaction)
            case .cleanup: events.append(.cleanedUp(owner.id))
            }
        }
    }

    // MARK: - Flushing

    private var isFlushing = false

    private func flushUnlessNested() {
        guard levels.isEmpty, !isFlushing else { return }
        isFlushing = true
        while true {
            if !deferred.isEmpty {
                let actions = deferred
                deferred = []
                isOutside = true
                for action in actions { action() }
                isOutside = false
            } else if let due = reactions.first(where: { $0.isLive && ($0.latest != nil || isStale($0)) }) {
                step(due)
            } else {
                break
            }
        }
        isFlushing = false
    }

    private func step(_ reaction: Reaction) {
        if isStale(reaction) {
            let items = reaction.tracked
            reaction.tracked = []
            isOutside = true
            dispose(items, of: reaction)
            isOutside = false
            if reaction.isLive { run(reaction) }
        }
        if reaction.isLive, reaction.latest != nil { deliver(reaction) }
    }
}
