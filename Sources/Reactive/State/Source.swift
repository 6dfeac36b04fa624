// State that is not ours, as a source of the graph.

import CReactive

/// Stands for something outside of the graph that can be read and may change: a user default, a file, a clock, a
/// sensor.
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
/// - ``track()`` says that the value was read: the observer that is running runs again after the next ``changed()``.
/// - ``changed()`` says that the value may differ now. Whoever depends on it looks again: a computed is evaluated, and
///   if its result is equal to the last one, nothing downstream runs.
/// - `onObserved` runs when the first live observer has come: a running reaction, directly or through computeds.
///   `onUnobserved` runs after the last one has gone. Both run when the outermost operation ends and nothing is due
///   any more, so a source that is dropped and taken up again in one change notices nothing. Reads outside of
///   observers, and computeds that nobody observes, do not count.
///
/// A source with hooks hears of changes only while it is observed. So a computed that reads it and that nobody observes
/// is evaluated again by each operation that reads the computed: what it returned last may be wrong by now. A source
/// without hooks is expected to report every change, and such a computed is cached as usual.
///
/// The hooks run outside the library's lock, on the actor that they were created on; created on none, on the thread
/// whose change caused them. They alternate, beginning with `onObserved`.
///
/// A source is not notified of a roll-back, since what it stands for is not rolled back either. May be used from any
/// thread.
public final class Source: _Node, @unchecked Sendable {
    // Sendable because all it has is the header, which the graph's lock guards.

    /// Creates a source in the current graph that is told of every change, whether it is observed or not.
    ///
    /// - Parameters:
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    public init(named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        super.init(flags: [], graph: .current, name: name, fileID: fileID, line: line)
    }

    /// Creates a source in the current graph that is told of changes while it is observed.
    ///
    /// - Parameters:
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - onObserved: Begins what observing takes, such as listening to notifications. Kept as long as the source, so
    ///     it should hold the owner of the source weakly.
    ///   - onUnobserved: Ends that. Kept as long as the source.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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

    /// Says that the value is being read: who observes that depends on the source from now on.
    ///
    /// Outside of observers it does nothing. Call it before the value is read, so that no change in between is lost.
    ///
    /// - Complexity: O(1).
    public func track() { recordRead() }

    /// Says that the value may differ now. In a transaction, observers look when that ends.
    ///
    /// Call it after the value has changed, on any thread.
    ///
    /// - Complexity: O(what depends on the source).
    public func changed() { recordChange() }

    /// Whether a live observer reads the source: a running reaction, directly or through computeds.
    public var isObserved: Bool {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        return node.pointee.observers != nil
    }
}

// What a source without a value has to tell the graph.
extension _Node {
    /// Records a read, if this thread records reads.
    final func recordRead() {
        guard reactive_records_reads() else { return }
        let graph = graph
        graph.enter(for: node)
        graph.noteRead(of: node)
        // Who reads it may keep the result, and nobody will say when that is wrong.
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
    /// Creates state that knows whether it is observed.
    ///
    /// ```swift
    /// let temperature = Observable(20.0, onObserved: { sensor.start() }, onUnobserved: { sensor.stop() })
    /// ```
    ///
    /// For state that costs something to keep current; see ``Source`` for when the hooks run and where.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - equals: The rule; by default the one that the type implies.
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - onObserved: Runs when the first live observer has come. Kept as long as the observable.
    ///   - onUnobserved: Runs after the last live observer has gone. Kept as long as the observable.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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

    /// Creates stand-alone state that knows whether it is observed; see ``Source`` for when the hooks run and where.
    ///
    /// - Parameters:
    ///   - value: The initial value.
    ///   - equals: The rule; by default the one that the type implies.
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - onObserved: Runs when the first live observer has come. Kept as long as the observable.
    ///   - onUnobserved: Runs after the last live observer has gone. Kept as long as the observable.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
