// Following an asynchronous sequence, by itself or when told to.

/// Follows an asynchronous sequence, and renders the phase that its newest element makes.
///
/// ```swift
/// let phase = useAsyncSequence(.once) { ticks() }
/// ```
///
/// The phase is `.running` until the first element, then the success of the newest one, and at last the failure, if it fails; a sequence that ends leaves its last element. A superseded
/// iteration is cancelled. The end of the hook cancels it, too.
///
/// - Parameters:
///   - updateStrategy: When to make the sequence anew, and follow that one.
///   - makeSequence: Returns the sequence. It is iterated in a task of its own.
/// - Returns: The newest element as a phase.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
@discardableResult
public func useAsyncSequence<Sequence: AsyncSequence>(
    _ updateStrategy: HookUpdateStrategy, _ makeSequence: @escaping () -> Sequence
) -> AsyncPhase<Sequence.Element, Sequence.Failure> {
    let (run, phase) = useHook(AsyncRunHook<Sequence.Element, Sequence.Failure>(restarting: updateStrategy))
    useEffect(updateStrategy) {
        run.follow(makeSequence(), number: run.number)
        return { run.cancelTask() }
    }
    return phase
}

/// Renders the phase that the newest element of an asynchronous sequence makes, and returns how to begin to follow it.
///
/// The phase is `.pending` until the first call of `subscribe`. Each call follows a new sequence instead of the one before.
///
/// - Parameter makeSequence: Returns the sequence. It is iterated in a task of its own.
/// - Returns: The newest element as a phase, and a function that begins to follow the sequence.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
@discardableResult
public func useAsyncSequenceSubscribe<Sequence: AsyncSequence>(
    _ makeSequence: @escaping () -> Sequence
) -> (phase: AsyncPhase<Sequence.Element, Sequence.Failure>, subscribe: () -> Void) {
    let (run, phase) = useHook(AsyncRunHook<Sequence.Element, Sequence.Failure>(restarting: nil))
    return (
        phase,
        {
            guard let number = run.begin(with: .running) else { return }
            run.follow(makeSequence(), number: number)
        }
    )
}

/// Follows an asynchronous sequence: ``useAsyncSequence(_:_:)`` under the name that SwiftUI Hooks gives it for publishers.
///
/// - Parameters:
///   - updateStrategy: When to make the sequence anew, and follow that one.
///   - makeSequence: Returns the sequence. It is iterated in a task of its own.
/// - Returns: The newest element as a phase.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
@discardableResult
public func usePublisher<Sequence: AsyncSequence>(
    _ updateStrategy: HookUpdateStrategy, _ makeSequence: @escaping () -> Sequence
) -> AsyncPhase<Sequence.Element, Sequence.Failure> {
    useAsyncSequence(updateStrategy, makeSequence)
}

/// Follows an asynchronous sequence when told to: ``useAsyncSequenceSubscribe(_:)`` under the name that SwiftUI Hooks gives it for publishers.
///
/// - Parameter makeSequence: Returns the sequence. It is iterated in a task of its own.
/// - Returns: The newest element as a phase, and a function that begins to follow the sequence.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
@discardableResult
public func usePublisherSubscribe<Sequence: AsyncSequence>(
    _ makeSequence: @escaping () -> Sequence
) -> (phase: AsyncPhase<Sequence.Element, Sequence.Failure>, subscribe: () -> Void) {
    useAsyncSequenceSubscribe(makeSequence)
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension AsyncRun {
    /// Sets the phase to each element in turn.
    fileprivate func follow<Sequence: AsyncSequence>(_ sequence: Sequence, number: Int)
    where Sequence.Element == Success, Sequence.Failure == Failure {
        // Handed over to the task, which is the only one to iterate it.
        let iteration = Carried {
            var iterator = sequence.makeAsyncIterator()
            do throws(Failure) {
                while let element = try await iterator.next(isolation: nil), !Task.isCancelled {
                    self.set(.success(element), by: number)
                }
            } catch {
                self.set(.failure(error), by: number)
            }
        }
        runTask { await iteration.call() }
    }
}
