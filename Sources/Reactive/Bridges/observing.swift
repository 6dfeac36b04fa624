// The bridge in: this library's observers follow objects that use Apple's Observation.
//
// Such an object notifies once, before the change. So each evaluation that reads such objects creates a source, which
// represents everything that was read:
//
//     observing { model.name }      withObservationTracking, and the observer reads the source
//     model.name = "Bob"            onChange, before the change: a hop to the actor of the closure
//     after the hop                 the source has changed, and the observer runs again: the model, and a new source
//
// From Swift 6.4 on (SE-0506), the objects can also report after the change. Then the source changes synchronously if
// the change is made on the actor of the closure. Elsewhere the object may hold a lock that the closure needs, so a hop
// is still necessary. The library does not know yet which releases of Apple's systems support the report.
//
// No public function ends a tracking, but a change of any of its objects does. So the tracked closure also reads an
// object that belongs to the source, and that is changed when the source is freed. Otherwise the trackings of a model
// that never changes would grow in number with each run.

#if canImport(Observation)
import CReactive
import Observation

/// Reads objects that use Apple's Observation: when they change, the surrounding observer runs again.
///
/// ```swift
/// let greeting = Computed { "Hello, \(observing { profile.name })!" }
/// ```
///
/// Use it in any tracked closure: of an `autorun`, a `reaction`, a `Computed`, a render. Elsewhere it only calls
/// `body`.
///
/// Objects of Apple's Observation report a change before it happens, and not afterwards. So their changes arrive later
/// than those of an ``Observable``:
///
/// - *Objects that belong to an actor*, such as the models of views on the main actor: the change arrives on that actor
///   after the code that makes it has ended or suspended. It is never lost, and several changes until then are one.
///   Until then, computeds have their earlier values.
/// - *Objects of no actor*, which do their own locking: the change arrives soon afterwards, in a task. It is never lost
///   if the object holds its lock from the report until the change is made. Otherwise, if the change takes longer than
///   a moment after the report, it may be seen only with the next change.
///
/// Swift 6.4 and newer, on systems other than Apple's, can report after the change. There, a change on the actor of the
/// closure arrives synchronously, and no change of other objects is lost.
///
/// - Parameters:
///   - isolation: The actor that the objects and the closure belong to; by default the caller's.
///   - fileID: The source file of the read, for diagnostics.
///   - line: The line of the read, for diagnostics.
///   - body: Reads the objects. Called once, immediately.
/// - Returns: The value that `body` returns.
/// - Throws: The error that `body` throws.
/// - Complexity: O(properties that `body` reads).
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public func observing<Value, E: Error>(
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: () throws(E) -> Value
) throws(E) -> Value {
    guard reactive_is_tracking() else { return try body() }
    let objects = ForeignObjects(isolation, fileID: fileID, line: line)
    objects.recordRead()
    return try objects.read(body).get()
}

/// A source that represents the objects that one evaluation has read.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class ForeignObjects: _Node, @unchecked Sendable {
    // Sendable because the graph's lock guards the header, and nothing else changes.
    private let isolation: ClosureIsolation?
    private let end = End()

    init(_ isolation: (any Actor)?, fileID: StaticString, line: UInt) {
        self.isolation = isolation.map { ClosureIsolation($0) }
        super.init(flags: [], graph: .current, name: nil, fileID: fileID, line: line)
    }

    deinit { end.change() }

    /// Runs `body`, and records the next change of the objects that it reads.
    func read<Value, E: Error>(_ body: () throws(E) -> Value) -> Result<Value, E> {
        func readAll() -> Result<Value, E> {
            end.read()
            do throws(E) { return .success(try body()) } catch { return .failure(error) }
        }
        #if compiler(>=6.4) && !canImport(Darwin)
        return withObservationTracking(options: [.didSet], readAll) { [weak self] event in
            event.cancel()
            self?.takeUpChange(isMade: true)
        }
        #else
        return withObservationTracking(readAll) { [weak self] in self?.takeUpChange(isMade: false) }
        #endif
    }

    /// Reports a change. Called by the code that makes it, which may hold locks: of this graph, a different one, or the
    /// object.
    private func takeUpChange(isMade: Bool) {
        if let actor = isolation?.actor {
            if isMade, Isolation.isCurrent(actor) { return recordChange() }
            Isolation.hop(to: actor) { [weak self] in self?.recordChange() }
        } else {
            Task { [weak self] in
                self?.recordChange()
            }
        }
    }
}

/// An object in each tracking. A change of it ends the tracking.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class End: Observation.Observable {
    private let registrar = ObservationRegistrar()
    private var isOver: Bool { false }

    func read() { registrar.access(self, keyPath: \.isOver) }
    func change() { registrar.withMutation(of: self, keyPath: \.isOver) {} }
}
#endif
