// Hooks that follow an asynchronous sequence, by themselves or when a function is called.

/// Follows an asynchronous sequence, and renders its newest element as a phase.
///
/// ```swift
/// let phase = useAsyncSequence(.once) { ticks() }
/// ```
///
/// The phase is `.running` until the first element. Then it is the success of the newest element. If the sequence
/// fails, it is the failure. After the end of the sequence it keeps the last element. A superseded iteration is
/// cancelled. The end of the hook cancels the iteration, too.
///
/// - Parameters:
///   - updateStrategy: When to create the sequence again, and follow the new one.
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

/// Renders the newest element of an asynchronous sequence as a phase, and returns a function that starts to follow it.
///
/// The phase is `.pending` until the first call of `subscribe`. Each call follows a new sequence instead of the
/// previous one.
///
/// - Parameter makeSequence: Returns the sequence. It is iterated in a task of its own.
/// - Returns: The newest element as a phase, and a function that starts to follow the sequence.
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

/// Follows an asynchronous sequence: ``useAsyncSequence(_:_:)`` under SwiftUI Hooks' name for publishers.
///
/// - Parameters:
///   - updateStrategy: When to create the sequence again, and follow the new one.
///   - makeSequence: Returns the sequence. It is iterated in a task of its own.
/// - Returns: The newest element as a phase.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
@discardableResult
public func usePublisher<Sequence: AsyncSequence>(
    _ updateStrategy: HookUpdateStrategy, _ makeSequence: @escaping () -> Sequence
) -> AsyncPhase<Sequence.Element, Sequence.Failure> {
    useAsyncSequence(updateStrategy, makeSequence)
}

/// Follows an asynchronous sequence when a function is called: ``useAsyncSequenceSubscribe(_:)`` under SwiftUI Hooks'
/// name for publishers.
///
/// - Parameter makeSequence: Returns the sequence. It is iterated in a task of its own.
/// - Returns: The newest element as a phase, and a function that starts to follow the sequence.
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
        // Handed over to the task, which alone iterates it.
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
