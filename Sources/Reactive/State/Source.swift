// Sources: nodes that represent external state.

import CReactive

/// A node that represents external state that may change: a user default, a file, a clock, a sensor.
///
/// ```swift
/// var seconds: Int {
///     source.track()
///     return ticks.count
/// }
///
/// func tick() {
///     ticks.count += 1
///     source.changed()
/// }
/// ```
///
/// - ``track()`` records a read: the running observer runs again after the next ``changed()``.
/// - ``changed()`` reports that the value may differ now. Reactions that depend on it run, and computeds that depend on
///   it are evaluated again. If a computed's new result equals the previous one, nothing downstream runs.
/// - `onObserved` runs after the source gets its first live observer: a running reaction that reads it directly or
///   through computeds. `onUnobserved` runs after the last one has left. Both run when the outermost operation ends and
///   no work is due. So a change that removes the last observer and adds a new one runs no hook. Reads outside of
///   observers, and computeds without observers, do not count.
///
/// A source with hooks receives changes only while it is observed. So a computed that reads it, and that has no
/// observers, is evaluated again by each operation that reads the computed: its cached result may be out of date. A
/// source without hooks is expected to report every change, so such a computed is cached as usual.
///
/// The hooks run outside the library's lock, on the actor that they were created on. If they were created on none, they
/// run on the thread whose change caused them. They alternate, beginning with `onObserved`.
///
/// A source is not notified of a rollback, because the value that it represents is not rolled back either. May be used
/// from any thread.
public final class Source: _Node, @unchecked Sendable {
    // Sendable because the header is its only state, and the graph's lock guards that.

    /// Creates a source in the current graph that reports every change, whether it is observed or not.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    public init(named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        super.init(flags: [], graph: .current, name: name, fileID: fileID, line: line)
    }

    /// Creates a source in the current graph that reports changes only while it is observed.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - onObserved: Begins the observation, for example by listening to notifications. Kept as long as the source,
    ///     so it should hold the owner of the source weakly.
    ///   - onUnobserved: Ends the observation. Kept as long as the source.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @_disfavoredOverload
    public init(
        named name: String? = nil,
        @_inheritActorContext onObserved: @escaping @isolated(any) @Sendable () -> Void = {},
        @_inheritActorContext onUnobserved: @escaping @isolated(any) @Sendable () -> Void = {},
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        super.init(flags: [], graph: .current, origin: 0)
        NodeName.store(
            name, fileID: fileID, line: line,
            observation: ObservationHooks(onObserved, onUnobserved, followsOnlyObserved: true), in: &header)
    }

    /// Records a read of the value: the running observer depends on the source from now on.
    ///
    /// Outside of observers it does nothing. Call it before the value is read, so that no change in between is lost.
    ///
    /// - Complexity: O(1).
    public func track() { recordRead() }

    /// Reports that the value may differ now. In a transaction, observers react when the transaction ends.
    ///
    /// Call it after the value has changed, on any thread.
    ///
    /// - Complexity: O(dependents of the source).
    public func changed() { recordChange() }

    /// Whether a live observer reads the source: a running reaction, directly or through computeds.
    public var isObserved: Bool {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        return node.pointee.observers != nil
    }
}

// Reads and changes of a source that stores no value.
extension _Node {
    /// Records a read, if this thread tracks reads.
    final func recordRead() {
        // No test sees this always hold: it only saves the lock.
        guard reactive_records_reads() else { return }
        let graph = graph
        graph.enter(for: node)
        graph.noteRead(of: node)
        // The reader may cache the result, and no change will invalidate it.
        // No test sees this always hold: the flush reports only what has changed.
        if node.pointee.observers == nil, node.pointee.flags.contains(.reportsObservation) {
            graph.noteObservation(of: node)
        }
        graph.leave()
    }

    /// Notifies the observers.
    final func recordChange() {
        let graph = graph
        graph.enter(for: node)
        graph.checkWrite(to: node)
        graph.noteChangeAndLeave(of: node)
    }
}

extension Observable {
    /// Creates state that runs closures when it becomes observed and unobserved.
    ///
    /// ```swift
    /// let temperature = Observable(20.0, onObserved: { sensor.start() }, onUnobserved: { sensor.stop() })
    /// ```
    ///
    /// Use it for state that is expensive to keep up to date. See ``Source`` for when and where the hooks run.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - equals: The rule; by default that of the type.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - onObserved: Runs after the first live observer has arrived. Kept as long as the observable.
    ///   - onUnobserved: Runs after the last live observer has left. Kept as long as the observable.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @_disfavoredOverload
    public convenience init(
        wrappedValue: Value, equals: Equality<Value> = .automatic, named name: String? = nil,
        @_inheritActorContext onObserved: @escaping @isolated(any) @Sendable () -> Void = {},
        @_inheritActorContext onUnobserved: @escaping @isolated(any) @Sendable () -> Void = {},
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(stored: wrappedValue, areEqual: equals.areEqual, named: nil, fileID: fileID, line: line)
        NodeName.release(header)
        NodeName.store(
            name, fileID: fileID, line: line,
            observation: ObservationHooks(onObserved, onUnobserved, followsOnlyObserved: false), in: &header)
    }

    /// Creates stand-alone state that runs closures when it becomes observed and unobserved; see ``Source`` for when
    /// and where.
    ///
    /// - Parameters:
    ///   - value: The initial value.
    ///   - equals: The rule; by default that of the type.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - onObserved: Runs after the first live observer has arrived. Kept as long as the observable.
    ///   - onUnobserved: Runs after the last live observer has left. Kept as long as the observable.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @_disfavoredOverload
    public convenience init(
        _ value: Value, equals: Equality<Value> = .automatic, named name: String? = nil,
        @_inheritActorContext onObserved: @escaping @isolated(any) @Sendable () -> Void = {},
        @_inheritActorContext onUnobserved: @escaping @isolated(any) @Sendable () -> Void = {},
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            wrappedValue: value, equals: equals, named: name, onObserved: onObserved, onUnobserved: onUnobserved,
            fileID: fileID, line: line)
    }
}
