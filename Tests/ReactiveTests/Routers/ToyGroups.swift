// A minimal view by key, for the tests of routers.

import Reactive

/// The node of a key of a view.
final class ToyGroupNode: _StoredSource {
    fileprivate let key: Int
    private let view: ToyGroups

    fileprivate init(_ key: Int, of view: ToyGroups) {
        (self.key, self.view) = (key, view)
        super.init(beside: view, isCounted: true)
        becomeRouted()
    }

    fileprivate func change() {
        keepState(true)
        noteChange()
    }

    override var routingView: _PartedDerivation? { view }

    #if DEBUG
    override var storingNode: _Node? { view }
    #endif

    override func lastEdgeWasRemoved() { view.forget(self) }
}

/// A stand-in for an actor: code runs on it or not as the test says, and a hop arrives when the test calls it.
final class ToyActor: @unchecked Sendable {
    // Sendable because one thread at a time uses it.
    var isHere = true
    var hops: [() -> Void] = []

    /// Runs `body` as code that is not on the actor.
    func elsewhere(_ body: () -> Void) {
        isHere = false
        defer { isHere = true }
        body()
    }
}

/// Elements by key, which a closure computes for each element; a reader of one key depends on that key alone.
final class ToyGroups: _PartedDerivation, @unchecked Sendable {
    // Sendable because the graph's lock guards all of it, and tests give closures that any thread may run.
    private struct State {
        var inputs: [UInt32: Int] = [:]
        var keys: [UInt32: Int] = [:]
        var parts: [UInt32: _DerivationPart] = [:]
        var sums: [Int: Int] = [:]
        var cursor = 0
    }

    private let source: any ToyStage
    private let actor: ToyActor?
    private let keyOf: (UInt32, Int) -> Int
    @exclusivity(unchecked) private var state: State?
    @exclusivity(unchecked) private var nodes: [Int: Unmanaged<ToyGroupNode>] = [:]
    @exclusivity(unchecked) private var router: _Router?
    /// The number of closure runs, and the number of evaluations of the view.
    @exclusivity(unchecked) private(set) var runs = 0
    @exclusivity(unchecked) private(set) var evaluations = 0
    private let freeing = FreeingMark()

    init(
        _ source: any ToyStage, named name: String = "groups", on actor: ToyActor? = nil,
        by keyOf: @escaping (_ row: UInt32, _ value: Int) -> Int
    ) {
        self.source = source
        self.actor = actor
        self.keyOf = keyOf
        super.init(beside: source, named: name, fileID: #fileID, line: #line) {
            unsafeDowncast($0, to: ToyGroups.self).update()
        }
    }

    deinit {
        if FreeingMark.begin() || mustFreeLater { FreeingMark.postpone((state, keyOf, source)) }
    }

    /// The sum of the elements with a key, or `nil` if there are none; subscribes the reader to that key.
    subscript(key: Int) -> Int? {
        enter()
        defer { leave() }
        untracked { noteRead() }
        if isTracked { noteRead(of: key) }
        return state?.sums[key]
    }

    /// All sums; subscribes the reader to everything.
    var all: [Int: Int] { read { state?.sums ?? [:] } }

    /// How many keys have a node. Under the lock.
    var nodeCount: Int { nodes.count }
    var hasRouter: Bool { router != nil }
    var partsInState: Int { state?.parts.count ?? 0 }

    private func noteRead(of key: Int) {
        if let node = nodes[key] {
            return node._withUnsafeGuaranteedRef { $0.noteRead() }
        }
        let node = ToyGroupNode(key, of: self)
        nodes[key] = .passUnretained(node)
        if router == nil { router = _Router(of: self) }
        node.noteRead()
    }

    fileprivate func forget(_ node: ToyGroupNode) {
        nodes[node.key] = nil
        guard nodes.isEmpty, let router else { return }
        self.router = nil
        router.end()
        release(objectLater: router)
    }

    private func update() -> Bool {
        precondition(actor?.isHere != false, "a view is evaluated elsewhere")
        evaluations += 1
        logState(state)
        let source = source.rows
        let old = state
        var new = state ?? State()
        var looked = Set<UInt32>()
        let candidates =
            state == nil
            ? source.values.keys.sorted() : source.log[new.cursor...].filter { looked.insert($0).inserted }
        var dirty = candidates.filter { source.values[$0] != new.inputs[$0] }
        let replaced = Set(dirty)
        for row in Set(takeDueRows()).sorted() where !replaced.contains(row) {
            if let part = new.parts[row], hasChanged(part) { dirty.append(row) }
        }
        new.cursor = source.log.count
        evaluateElements {
            for row in dirty {
                if let value = new.inputs[row], let key = new.keys[row] {
                    new.sums[key, default: 0] -= value
                }
                new.inputs[row] = source.values[row]
                if let value = source.values[row] {
                    runs += 1
                    let (key, part) = run(row: row, part: new.parts[row]) { keyOf(row, value) }
                    new.parts[row] = part
                    new.keys[row] = key
                    new.sums[key, default: 0] += value
                } else {
                    new.parts[row] = nil
                    new.keys[row] = nil
                }
            }
        }
        let used = Set(new.keys.values)
        new.sums = new.sums.filter { used.contains($0.key) }
        state = new
        guard let old else {
            for node in nodes.values { node._withUnsafeGuaranteedRef { $0.change() } }
            return true
        }
        for (key, node) in nodes where old.sums[key] != new.sums[key] {
            node._withUnsafeGuaranteedRef { $0.change() }
        }
        return old.sums != new.sums
    }

    override func hopToActor() -> Hop? {
        guard let actor, !actor.isHere else { return nil }
        return { actor.hops.append($0) }
    }

    override func stopForEvaluationElsewhere() -> Never { fatalError("a reader of a key is stopped") }

    override func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        swap(&self.state, &state.assumingMemoryBound(to: State?.self).pointee)
    }

    override func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: State?.self).move())
    }

    override func forgetState() {
        release(later: state)
        state = nil
    }
}

/// Returns a computed with the value of another. Between them are levels of two computeds, which both read both computeds
/// of the level above.
func pairsOfComputeds(above top: Computed<Int>, levels: Int) -> Computed<Int> {
    var (left, right) = (top, top)
    for _ in 0..<levels {
        let above = (left, right)
        left = Computed { max(above.0.value, above.1.value) }
        right = Computed { min(above.0.value, above.1.value) }
    }
    let last = (left, right)
    return Computed { max(last.0.value, last.1.value) }
}
