// Hooks that follow a Combine publisher, where Combine exists.

#if canImport(Combine)
import Combine

/// Subscribes to a publisher, and renders its newest value as a phase.
///
/// - Parameters:
///   - updateStrategy: When to create the publisher again, and subscribe to the new one.
///   - makePublisher: Returns the publisher. The hook subscribes to it after the host has received the output.
/// - Returns: `.running` until the first value, then the success of the newest one, and the failure if the publisher
///   fails.
@discardableResult
public func usePublisher<P: Publisher>(
    _ updateStrategy: HookUpdateStrategy, _ makePublisher: @escaping () -> P
) -> AsyncPhase<P.Output, P.Failure> {
    let (run, phase) = useHook(AsyncRunHook<P.Output, P.Failure>(restarting: updateStrategy))
    useEffect(updateStrategy) {
        let subscription = run.subscribe(to: makePublisher(), number: run.number)
        return { subscription.cancel() }
    }
    return phase
}

/// Renders the newest value of a publisher as a phase, and returns a function that subscribes to it.
///
/// - Parameter makePublisher: Returns the publisher.
/// - Returns: The phase: `.pending` until the first call of `subscribe`, then as ``usePublisher(_:_:)`` does. And the
///   function `subscribe`, which replaces the previous subscription.
@discardableResult
public func usePublisherSubscribe<P: Publisher>(
    _ makePublisher: @escaping () -> P
) -> (phase: AsyncPhase<P.Output, P.Failure>, subscribe: () -> Void) {
    let (run, phase) = useHook(AsyncRunHook<P.Output, P.Failure>(restarting: nil))
    let subscription = useRef(Optional<AnyCancellable>.none)
    useEffect(.once) { { subscription.current = nil } }
    return (
        phase,
        {
            guard let number = run.begin(with: .running) else { return }
            subscription.current = run.subscribe(to: makePublisher(), number: number)
        }
    )
}

extension AsyncRun {
    fileprivate func subscribe<P: Publisher>(to publisher: P, number: Int) -> AnyCancellable
    where P.Output == Success, P.Failure == Failure {
        publisher.sink { [self] completion in
            if case .failure(let error) = completion { set(.failure(error), by: number) }
        } receiveValue: { [self] value in
            set(.success(value), by: number)
        }
    }
}
#endif
