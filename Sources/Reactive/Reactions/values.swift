// `values(of:)`: a tracked expression as an asynchronous sequence.
//
// One reaction feeds one channel, which holds the newest value and its number. Each iterator remembers the number that
// it returned last, and suspends until there is a newer one. An iterator may skip values, but never the newest one.

/// Returns the values of an expression over time: the current value first, then one value after each change.
///
/// ```swift
/// for await score in values(of: { game.score }) {
///     print(score)  // prints "1", "2", "4"
///     if score == 4 { break }
///     game.score = score * 2
/// }
/// ```
///
/// A value that equals the previous one of the sequence is dropped, as by `reaction`; tuples are never equal. An
/// iterator that is slower than the changes skips to the newest value, which may equal the one that it returned last.
/// The subscription ends when the sequence and its iterators have been released; an iteration ends when its task is
/// cancelled. A sequence that is created during a run of a reaction does not end with that run.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - expression: Tracked; runs immediately and after changes, with the graph locked.
/// - Returns: A sequence that never fails. ``IndependentGraph/cancelReactions()`` ends it, and so does the end of the
///   actor that the closure belongs to, at the latest after the next change. Cancelling a task ends its iteration.
@inlinable
public func values<V>(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, of expression: @escaping () -> V
) -> ObservedValues<V> {
    makeValues { end in
        reaction(
            named: name, fireImmediately: true, isolation: isolation, fileID: fileID, line: line,
            { (expression()) }, onChange: { end.channel.send($0) })
    }
}

/// Creates a sequence of the values that the reaction created by `subscribe` sends.
///
/// `subscribe` is compiled where the type of the values is known, so that the reaction does not look up types at run
/// time.
@usableFromInline
func makeValues<V>(_ subscribe: (EndOfValues<V>) -> Reaction) -> ObservedValues<V> {
    let channel = LatestValue<V>()
    // The sequence keeps the reaction, and not the reverse; the reaction owns the channel through its closure.
    // Detached, since it ends with the sequence: if a run created it, its iterators must not be left waiting when that
    // run is over.
    let subscription = detached { subscribe(EndOfValues(channel)) }
    return ObservedValues(channel: channel, subscription: AnyCancellable(subscription))
}

/// Ends the sequence when the reaction that feeds it releases this object, because the reaction was cancelled.
@usableFromInline
final class EndOfValues<Value> {
    @usableFromInline let channel: LatestValue<Value>

    init(_ channel: LatestValue<Value>) { self.channel = channel }

    deinit { channel.finish() }
}

/// The values of an expression over time; see ``values(named:isolation:fileID:line:of:)``.
public struct ObservedValues<Element>: AsyncSequence {
    /// The type of the sequence's errors: it never fails.
    public typealias Failure = Never

    let channel: LatestValue<Element>
    let subscription: AnyCancellable

    /// Returns an independent iterator. Several iterators may run concurrently, and each returns the current value
    /// first.
    public func makeAsyncIterator() -> Iterator {
        Iterator(channel: channel, subscription: subscription)
    }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let channel: LatestValue<Element>
        fileprivate let subscription: AnyCancellable
        private var seen = 0

        fileprivate init(channel: LatestValue<Element>, subscription: AnyCancellable) {
            self.channel = channel
            self.subscription = subscription
        }

        /// Returns the newest value, as soon as there is one that it has not returned; `nil` once the task is cancelled
        /// or the sequence has ended.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// Returns the newest value, as soon as there is one that it has not returned; `nil` once the task is cancelled
        /// or the sequence has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard let (value, number) = await channel.next(after: seen, isolation: actor) else { return nil }
            seen = number
            return value
        }
    }
}

extension ObservedValues: @unchecked Sendable where Element: Sendable {
    // The channel is guarded, and the subscription may be cancelled from anywhere.
}

/// The newest value, numbered, and the continuations that wait for a newer one.
@usableFromInline
final class LatestValue<Value>: @unchecked Sendable {
    // Sendable because the state is guarded. Each iterator receives a value in the isolation that reads it.
    private struct State {
        var value: Value?
        var number = 0
        var isFinished = false
        let waits = Waits()
    }

    /// The waiting iterators. An object, so that `Guarded` does not copy the collections when they change.
    private final class Waits {
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        var tickets = 0
    }

    private let state = Guarded(State())

    @usableFromInline
    func send(_ value: Value) {
        let waiting = state.withLock { state in
            state.value = value
            state.number += 1
            defer { state.waits.waiting = [:] }
            return state.waits.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Ends the sequence: iterators return the newest value if they have not returned it yet, and then `nil`.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waits.waiting = [:] }
            return state.waits.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    func next(after seen: Int, isolation: isolated (any Actor)?) async -> (Value, Int)? {
        while !Task.isCancelled {
            let newest = state.withLock { ($0.value, $0.number, $0.isFinished) }
            if newest.1 > seen, let value = newest.0 { return (value, newest.1) }
            if newest.2 { return nil }
            await waitForNext(after: seen, isolation: isolation)
        }
        return nil
    }

    private func waitForNext(after seen: Int, isolation: isolated (any Actor)?) async {
        let ticket = state.withLock { state in
            state.waits.tickets += 1
            return state.waits.tickets
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustResume = state.withLock { state in
                    // No test sees this block: the explorer of schedules does.
                    if state.number > seen || state.isFinished || state.waits.cancelled.remove(ticket) != nil {
                        return true
                    }
                    state.waits.waiting[ticket] = continuation
                    return false
                }
                // No test sees this: the explorer of schedules does.
                if mustResume { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waits.waiting.removeValue(forKey: ticket)
                // No test sees this: a task that is cancelled just before it waits is the explorer's.
                if continuation == nil { state.waits.cancelled.insert(ticket) }
                return continuation
            }
            continuation?.resume()
        }
        // No test sees this: it only saves the memory of a number.
        _ = state.withLock { $0.waits.cancelled.remove(ticket) }
    }
}
