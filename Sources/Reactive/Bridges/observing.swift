// In: our observers follow objects that are observable in the sense of Apple's Observation.
//
// What such an object lets others know is little: once, and before the change. So each evaluation that reads such
// objects gets a source of its own, which stands for all that was read:
//
//     observing { model.name }      withObservationTracking, and the observer reads the source
//     model.name = "Bob"            onChange, before the change: a hop to where the closure belongs
//     after the hop                 the source has changed, and the observer runs again: the model, and a new source
//
// From Swift 6.4 on (SE-0506), the objects can also report after the change. Then the source changes synchronously if
// the code that makes the change runs on the actor of the closure. Elsewhere the object may hold a lock that the closure
// waits for, so there remains a hop. The library does not know yet which release of Apple's systems brings the report.
//
// There is no public way to end a tracking, but any of its objects does when it changes. So the tracked closure also
// reads an object of the source's own, which is changed when the source is freed. Else the trackings of a model that
// never changes would become more with each run.

#if canImport(Observation)
import CReactive
import Observation

/// Reads objects that are observable in the sense of Apple's Observation: when they change, the observer around it runs
/// again.
///
/// ```swift
/// let greeting = Computed { "Hello, \(observing { profile.name })!" }
/// ```
///
/// Use it in any tracked closure: of an `autorun`, a `reaction`, a `Computed`, a render. Elsewhere it just calls
/// `body`.
///
/// Objects of Apple's Observation report that they are about to change, and not that they have changed. So their
/// changes arrive later than those of an ``Observable``:
///
/// - *Objects that belong to an actor*, such as the models of views on the main actor: the change is taken up on that
///   actor after the code that makes it has ended or suspended. It is never lost, and several changes up to then are
///   one. Until then, computeds have their earlier values.
/// - *Objects of no actor*, which lock by themselves: the change is taken up by a task soon afterwards. It is never lost
///   if the object holds its lock while it reports and makes the change. Otherwise a change that takes more than a
///   moment between both may be seen only with the next one.
///
/// Swift 6.4 and newer, on systems other than Apple's, can report after the change. There, a change on the actor of the
/// closure arrives synchronously, and no change of other objects is lost.
///
/// - Parameters:
///   - isolation: The actor that the objects and the closure belong to; by default the caller's.
///   - fileID: The file that reads them, for diagnostics.
///   - line: The line that reads them.
///   - body: Reads the objects. Called once, immediately.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
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

/// The objects that one evaluation has read, as a source.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class ForeignObjects: _Node, @unchecked Sendable {
    // Sendable because the header is guarded by the graph's lock, and nothing else changes.
    private let isolation: ClosureIsolation?
    private let end = End()

    init(_ isolation: (any Actor)?, fileID: StaticString, line: UInt) {
        self.isolation = isolation.map { ClosureIsolation($0) }
        super.init(flags: [], graph: .current, name: nil, fileID: fileID, line: line)
    }

    deinit { end.change() }

    /// Runs `body`, and takes up the next change of what it reads.
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

    /// Called by the code that makes the change, which may hold locks: of this graph, a different one, or the object.
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

/// Something in each tracking that can be changed, which ends it.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class End: Observation.Observable {
    private let registrar = ObservationRegistrar()
    private var isOver: Bool { false }

    func read() { registrar.access(self, keyPath: \.isOver) }
    func change() { registrar.withMutation(of: self, keyPath: \.isOver) {} }
}
#endif
