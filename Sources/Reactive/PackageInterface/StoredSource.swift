// Sources that store their values themselves: what a collection is to the graph.
//
// A subclass keeps a value of its own type and tells the graph of each access:
//
//     read     enter, noteRead, copy, leave                                      see `read`
//     write    enter, checkWrite, if needsLogEntry { log }, mutate, noteChangeAndLeave
//
// The log entry has the whole value from before the first write of a transaction. So a value should be cheap to copy, and
// to mutate after it was copied.

import CReactive

/// A source whose value a subclass stores. Public for the compiler's sake; not for use.
open class _StoredSource: _Node {
    /// How many edges lead to it, if it counts them.
    @exclusivity(unchecked) private final var edgeCount = 0

    /// Creates a source in the current graph.
    ///
    /// - Parameters:
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    public init(named name: String?, fileID: StaticString, line: UInt) {
        super.init(flags: [], graph: .current, name: name, fileID: fileID, line: line)
    }

    /// Creates a source in the graph of another node, with its name and source location.
    ///
    /// - Parameters:
    ///   - other: The node.
    ///   - isCounted: Whether ``lastEdgeWasRemoved()`` is to be called.
    public init(beside other: _Node, isCounted: Bool = false) {
        super.init(flags: isCounted ? .counted : [], graph: other.graph, origin: 0)
        NodeName.share(other.node.pointee, with: &node.pointee)
    }

    /// Creates a source in the current graph that is named by ``sourceName`` when somebody asks.
    ///
    /// - Parameter isCounted: Whether ``lastEdgeWasRemoved()`` is to be called.
    public init(isCounted: Bool) {
        super.init(flags: isCounted ? .counted : [], graph: .current, origin: 0)
        beNamed(by: self)
    }

    /// Becomes the source that the next initialization with this source location would create, if it can.
    ///
    /// - Precondition: Only the caller has a reference.
    /// - Returns: False, having done nothing, if the graph knows the source, or is not the current one.
    @usableFromInline
    package final func becomeNew(fileID: StaticString, line: UInt) -> Bool {
        let header = node.pointee
        guard header.flags.isEmpty, header.log_index == 0, header.observers == nil, header.graph == .current,
            let origin = NodeName.packed(fileID, line)
        else { return false }
        node.pointee = reactive_make_node([], header.graph, origin)
        return true
    }

    // MARK: - What a subclass does

    /// The name of a source that is named when somebody asks. On any thread, under any lock.
    open var sourceName: String { "unknown" }

    override final var ownName: String { sourceName }

    /// Swaps the value with one from the transaction log. Under the lock; must run no user code.
    ///
    /// - Parameter state: The address of the logged value.
    open func exchangeState(withLogged state: UnsafeMutableRawPointer) {}

    /// Returns whether a value from the transaction log equals the present one. Under the lock, untracked; may run user code.
    ///
    /// - Parameter state: The address of the logged value.
    open func equalsState(logged state: UnsafeMutableRawPointer) -> Bool { false }

    /// Takes a value out of the transaction log, and releases it once the graph is unlocked. Under the lock; must run no user code.
    ///
    /// - Parameter state: The address of the logged value.
    open func discardState(logged state: UnsafeMutableRawPointer) {}

    /// Nothing reads the source any more: neither a reaction nor a computed, observed or not. Under the lock, in the middle of
    /// walks of the graph and of ``noteRead()`` of other sources; must run no user code.
    ///
    /// A reference keeps the source until the graph is unlocked.
    open func lastEdgeWasRemoved() {}

    /// The view that changes the source, if it is routed. Under the lock.
    open var routingView: _PartedDerivation? { nil }

    override final var viewThatChangesIt: _PartedDerivation? { routingView }

    override final func exchangeValue(withLogged value: UnsafeMutableRawPointer) { exchangeState(withLogged: value) }

    override final func equalsValue(logged value: UnsafeMutableRawPointer) -> Bool {
        untracked { equalsState(logged: value) }
    }

    override final func discardValue(logged value: UnsafeMutableRawPointer) { discardState(logged: value) }

    override final func edgeWasAdded() { edgeCount += 1 }

    override final func edgeWasRemoved() {
        edgeCount -= 1
        if edgeCount == 0 { lastEdgeWasRemoved() }
    }

    // MARK: - The lock

    /// Takes the lock of the node's graph, or counts one level more.
    ///
    /// - Precondition: This thread holds no other graph.
    @inlinable @inline(__always)
    package final func enter() { graph.enter(for: node) }

    /// Ends one ``enter()``. The outermost runs the reactions that are due.
    @inlinable @inline(__always)
    package final func leave() { graph.leave() }

    // MARK: - Reading

    /// Runs `body`, which reads the value, under the lock; subscribes the running evaluation.
    @inlinable @inline(__always)
    package final func read<Result>(_ body: () -> Result) -> Result {
        if reactive_is_known_read(node, .unsettled, []) {
            node.advanceCursor()
            return body()
        }
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        graph.noteRead(of: node)
        return body()
    }

    /// Records a read of the value: subscribes the running evaluation, if there is one. Under the lock.
    ///
    /// May call ``lastEdgeWasRemoved()`` of other sources.
    @inlinable @inline(__always)
    package final func noteRead() { graph.noteRead(of: node) }

    // MARK: - Writing

    /// Refuses a write that overlaps a mutation in place. Under the lock.
    @inlinable @inline(__always)
    package final func checkWrite() { graph.checkWrite(to: node) }

    /// Whether the value has to be logged before this write, with ``log(_:)``. Under the lock, before the value changes.
    @inlinable @inline(__always)
    package final func needsLogEntry() -> Bool { graph.pointee.logging > 0 && readyLogEntry() }

    @usableFromInline @inline(never)
    final func readyLogEntry() -> Bool {
        guard graph.prepareLog(for: node) else { return false }
        guard graph.isLogged(node) else { return true }
        graph.noteRewrite(of: node)
        return false
    }

    /// Keeps the value from before the first write of a transaction. Under the lock, right after ``needsLogEntry()`` said yes.
    ///
    /// - Parameter state: The value. Must be of the same type each time.
    @inlinable
    package final func log<State>(_ state: consuming State) {
        graph.appendLogEntry(
            for: node, size: MemoryLayout<State>.size, alignment: MemoryLayout<State>.alignment,
            needsDestruction: !_isPOD(State.self)
        ).value.initializeMemory(as: State.self, to: state)
    }

    // MARK: - Sources that a view changes

    /// Makes it a source that a view changes in its evaluation, as the node of a key of that view. Before the first change.
    ///
    /// Its value goes back when that of the view does. It is never compared: the next evaluation of the view says what has changed.
    @usableFromInline
    package final func becomeRouted() { node.pointee.flags.insert(.routed) }

    /// Keeps the value as ``_PartedDerivation/logState(_:)`` does that of the view. Under the lock, before each change of a routed source.
    ///
    /// - Parameter state: The value. Must be of the same type each time, and not empty.
    @inlinable @inline(__always)
    package final func keepState<State>(_ state: @autoclosure () -> State) {
        guard graph.pointee.log_count > 0,
            let room = graph.roomForReplacedValue(
                of: node, size: MemoryLayout<State>.size, alignment: MemoryLayout<State>.alignment,
                needsDestruction: !_isPOD(State.self))
        else { return }
        room.initializeMemory(as: State.self, to: state())
    }

    /// Whether something reads the source. Under the lock; only for sources that count their edges.
    @usableFromInline
    package final var hasEdges: Bool { edgeCount > 0 }

    // MARK: - Changes

    /// Gives the change its epoch, and marks the observers. Under the lock.
    ///
    /// In an evaluation it updates views whose keys are read, unless the source is routed itself. So user code may run.
    @inlinable @inline(__always)
    package final func noteChange() {
        if reactive_mark_changed(node) { markObservers() }
    }

    @usableFromInline @inline(never)
    final func markObservers() {
        graph.markObservers(of: node, areOutdated: true)
        if !node.pointee.flags.contains(.routed) { graph.updateRoutersInEvaluation() }
    }

    /// Does what ``noteChange()`` does, and ends one ``enter()``. Where one reaction is all that is due, it runs right away.
    @inlinable @inline(__always)
    package final func noteChangeAndLeave() { graph.noteChangeAndLeave(of: node) }

    // MARK: - Mutating in place

    /// Begins a mutation in place, in which the value is neither read nor written elsewhere. Under the lock, after ``checkWrite()``.
    @inlinable @inline(__always)
    package final func beginModifying() { node.pointee.flags.insert(.modifying) }

    /// Ends a mutation in place; stops the program if the thread has changed meanwhile, which is across an `await`.
    @inlinable @inline(__always)
    package final func endModifying() {
        graph.checkMutationStayed(on: node)
        node.pointee.flags.remove(.modifying)
    }
}
