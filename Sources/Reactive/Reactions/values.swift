// `values(of:)`: a tracked expression as an asynchronous sequence.
//
// One reaction feeds one channel that holds the newest value and its number. Each iterator remembers the number it saw
// last, and suspends while there is no newer one; values that nobody fetched in time are skipped, the newest never is.

/// The values of an expression over time: the current one first, then one after each change.
///
/// ```swift
/// for await score in values(of: { game.score }) {
///     print(score)  // prints "1", "2", "4"
///     if score == 4 { break }
///     game.score = score * 2
/// }
/// ```
///
/// An iterator that is slower than the changes skips to the newest value. The subscription ends when the sequence and
/// its iterators are gone; an iteration ends when its task is cancelled. Made in a run of a reaction, it does not end
/// with that run.
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - expression: Tracked; runs at once and after changes, with the graph locked.
/// - Returns: A sequence that never fails. It ends only if ``IndependentGraph/cancelReactions()`` ends the
///   subscription.
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

/// Creates a sequence of what the reaction that `subscribe` creates sends.
///
/// `subscribe` is compiled where the type of the values is known, so that the reaction asks for no types at run time.
@usableFromInline
func makeValues<V>(_ subscribe: (EndOfValues<V>) -> Reaction) -> ObservedValues<V> {
    let channel = LatestValue<V>()
    // The sequence keeps the reaction, not the other way round; the reaction owns the channel through its closure.
    // Detached, since it ends with the sequence: made in a run, it must not leave iterators waiting when that run is
    // over.
    let subscription = detached { subscribe(EndOfValues(channel)) }
    return ObservedValues(channel: channel, subscription: AnyCancellable(subscription))
}

/// Ends the sequence when the reaction that feeds it lets it go, because it was cancelled.
@usableFromInline
final class EndOfValues<Value> {
    @usableFromInline let channel: LatestValue<Value>

    init(_ channel: LatestValue<Value>) { self.channel = channel }

    deinit { channel.finish() }
}

/// The values of an expression over time; see ``values(named:isolation:fileID:line:of:)``.
public struct ObservedValues<Element>: AsyncSequence {
    /// It never fails.
    public typealias Failure = Never

    let channel: LatestValue<Element>
    let subscription: AnyCancellable

    /// An iterator of its own: several may run side by side, and each gets the current value first.
    public func makeAsyncIterator() -> Iterator {
        Iterator(channel: channel, subscription: subscription)
    }

    /// Steps through the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let channel: LatestValue<Element>
        fileprivate let subscription: AnyCancellable
        private var seen = 0

        fileprivate init(channel: LatestValue<Element>, subscription: AnyCancellable) {
            self.channel = channel
            self.subscription = subscription
        }

        /// The newest value, as soon as there is one that was not returned yet; `nil` once the task is cancelled or the
        /// sequence has ended.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// The newest value, as soon as there is one that was not returned yet; `nil` once the task is cancelled or the
        /// sequence has ended.
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

/// The newest value of something, numbered, and who waits for a newer one.
@usableFromInline
final class LatestValue<Value>: @unchecked Sendable {
    // Sendable because the state is guarded; a value leaves it to one iterator at a time, in the isolation that reads
    // it.
    private struct State {
        var value: Value?
        var number = 0
        var isFinished = false
        let waits = Waits()
    }

    /// An object, so that `Guarded` keeps no copy of the collections while they change.
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

    /// Ends the sequence: iterators get the newest value, if they have not had it, and then `nil`.
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
                let goesOn = state.withLock { state in
                    if state.number > seen || state.isFinished || state.waits.cancelled.remove(ticket) != nil {
                        return true
                    }
                    state.waits.waiting[ticket] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waits.waiting.removeValue(forKey: ticket)
                if continuation == nil { state.waits.cancelled.insert(ticket) }
                return continuation
            }
            continuation?.resume()
        }
        _ = state.withLock { $0.waits.cancelled.remove(ticket) }
    }
}
