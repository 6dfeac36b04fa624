// Sources that store their values themselves: the graph's view of a collection.
//
// A subclass stores a value of its own type and notifies the graph of each access:
//
//     read     enter, noteRead, copy, leave                                      see `read`
//     write    enter, checkWrite, if needsLogEntry { log }, mutate, noteChangeAndLeave
//
// The log entry contains the whole value from before the first write of a transaction. So a value should be cheap to
// copy, and cheap to mutate after it was copied.

import CReactive

/// A source whose value a subclass stores. Public only for the compiler; do not use it directly.
open class _StoredSource: _Node {
    /// The number of edges to it, if it counts them.
    @exclusivity(unchecked) private final var edgeCount = 0

    /// Creates a source in the current graph.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    public init(named name: String?, fileID: StaticString, line: UInt) {
        super.init(flags: [], graph: .current, name: name, fileID: fileID, line: line)
    }

    /// Creates a source in the graph of another node, with its name and source location.
    ///
    /// - Parameters:
    ///   - other: The node.
    ///   - isCounted: Whether ``lastEdgeWasRemoved()`` must be called.
    public init(beside other: _Node, isCounted: Bool = false) {
        // No test sees this always hold: it only saves the count.
        super.init(flags: isCounted ? .counted : [], graph: other.graph, origin: 0)
        NodeName.share(other.node.pointee, with: &node.pointee)
        // No test sees this always hold: it only saves steps.
        if reactive_is_recording() { recordCreation() }
    }

    /// Creates a source in the current graph whose name is computed when it is asked for, by ``sourceName``.
    ///
    /// - Parameter isCounted: Whether ``lastEdgeWasRemoved()`` must be called.
    public init(isCounted: Bool) {
        // No test sees this always hold: it only saves the count.
        super.init(flags: isCounted ? .counted : [], graph: .current, origin: 0)
        beNamed(by: self)
    }

    /// Turns the source into the one that the next initialization with this source location would create, if possible.
    ///
    /// - Precondition: Only the caller has a reference.
    /// - Returns: False, without any effect, if the graph knows the source, or is not the current one.
    @usableFromInline
    // No test sees this block: a new source would do as well, and the graph does not know one that has no owner.
    package final func becomeNew(fileID: StaticString, line: UInt) -> Bool {
        let header = node.pointee
        guard header.flags.isEmpty, header.log_index == 0, header.observers == nil, header.graph == .current,
            let origin = NodeName.packed(fileID, line)
        else { return false }
        node.pointee = reactive_make_node([], header.graph, origin)
        return true
    }

    // MARK: - What a subclass does

    /// The name of a source whose name is computed when it is asked for. Called on any thread, under any lock.
    open var sourceName: String { "unknown" }

    override final var ownName: String { sourceName }

    /// Swaps the value with one from the transaction log. Under the lock; must run no user code.
    ///
    /// - Parameter state: The address of the logged value.
    open func exchangeState(withLogged state: UnsafeMutableRawPointer) {}

    /// Returns whether a value from the transaction log equals the current one. Under the lock, untracked; may run user
    /// code.
    ///
    /// - Parameter state: The address of the logged value.
    // No test sees this: a source without it is routed, and the next evaluation of the view decides.
    open func equalsState(logged state: UnsafeMutableRawPointer) -> Bool { false }

    /// Removes a value from the transaction log, and releases it once the graph is unlocked. Under the lock; must run
    /// no user code.
    ///
    /// - Parameter state: The address of the logged value.
    open func discardState(logged state: UnsafeMutableRawPointer) {}

    /// Called when the last reader is gone: no reaction and no computed reads the source, observed or not. Called under
    /// the lock, during walks of the graph and during ``noteRead()`` of other sources; must run no user code.
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

    /// Takes the lock of the node's graph, or increments its depth.
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
        // No test sees this never hold: it only saves the lock.
        if reactive_is_known_read(node, .notCurrent, []) {
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

    /// Stops the program if a write overlaps an in-place mutation. Under the lock.
    @inlinable @inline(__always)
    package final func checkWrite() { graph.checkWrite(to: node) }

    /// Whether the value must be logged before this write, with ``log(_:)``. Under the lock, before the value changes.
    @inlinable @inline(__always)
    package final func needsLogEntry() -> Bool {
        // No test sees this always hold: `prepareLog` looks again.
        // No test sees this boundary: as above.
        graph.pointee.logging > 0 && readyLogEntry()
    }

    /// Whether the transaction has already logged the value. Under the lock.
    @inlinable @inline(__always)
    package final var isLogged: Bool { graph.isLogged(node) }

    @usableFromInline @inline(never)
    final func readyLogEntry() -> Bool {
        guard graph.prepareLog(for: node) else { return false }
        guard graph.isLogged(node) else { return true }
        graph.noteRewrite(of: node)
        return false
    }

    /// Logs the value from before the first write of a transaction. Under the lock, right after ``needsLogEntry()``
    /// returned true.
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

    /// Makes this a source that a view changes in its evaluation, as the node of a key of that view. Called before the
    /// first change.
    ///
    /// Its value is rolled back when that of the view is. It must not override ``equalsState(logged:)``: the next
    /// evaluation of the view determines the changes.
    @usableFromInline
    package final func becomeRouted() { changeNewHeader { $0.flags.insert(.routed) } }

    /// Logs the value as ``_PartedDerivation/logState(_:)`` logs that of the view. Under the lock, before each change
    /// of a routed source.
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

    /// Whether an observer reads the source. Under the lock; only for sources that count their edges.
    @usableFromInline
    package final var hasEdges: Bool { edgeCount > 0 }

    // MARK: - Changes

    /// Gives the change an epoch, and marks the observers. Under the lock.
    ///
    /// In an evaluation, this updates views whose keys are read, and so may run user code. A source that is routed
    /// itself does not.
    @inlinable @inline(__always)
    package final func noteChange() {
        if reactive_mark_changed(node) { markObservers() }
    }

    @usableFromInline @inline(never)
    final func markObservers() {
        // No test sees this: it only saves a look at the source.
        graph.markObservers(of: node, areOutdated: true)
        // No test sees this always hold: the views that are pending are updated earlier then.
        if !node.pointee.flags.contains(.routed) { graph.updateRoutersInEvaluation() }
    }

    /// Does what ``noteChange()`` does, and ends one ``enter()``. If only one reaction is due, it runs immediately.
    @inlinable @inline(__always)
    package final func noteChangeAndLeave() { graph.noteChangeAndLeave(of: node) }

    // MARK: - Mutating in place

    /// Begins an in-place mutation, during which the value is neither read nor written elsewhere. Under the lock, after
    /// ``checkWrite()``.
    @inlinable @inline(__always)
    package final func beginModifying() { node.pointee.flags.insert(.modifying) }

    /// Ends an in-place mutation. Stops the program if the thread has changed meanwhile, which happens across an
    /// `await`.
    @inlinable @inline(__always)
    package final func endModifying() {
        graph.checkMutationStayed(on: node)
        node.pointee.flags.remove(.modifying)
    }

    /// Ends an in-place mutation that cannot have suspended.
    @inlinable @inline(__always)
    package final func endModifyingSynchronously() { node.pointee.flags.remove(.modifying) }
}
