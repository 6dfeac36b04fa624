// Following a Combine publisher, where Combine exists.

#if canImport(Combine)
import Combine

/// Subscribes to a publisher, and renders the phase that its newest value makes.
///
/// - Parameters:
///   - updateStrategy: When to make the publisher anew, and subscribe to that one.
///   - makePublisher: Returns the publisher. It is subscribed to after the output has been handed to the host.
/// - Returns: `.running` until the first value, then the success of the newest one; at last the failure, if it fails.
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

/// Renders the phase that the newest value of a publisher makes, and returns how to subscribe to it.
///
/// - Parameter makePublisher: Returns the publisher.
/// - Returns: `.pending` until the first call of `subscribe`, then as ``usePublisher(_:_:)`` does; and a function that subscribes, instead of the subscription before.
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
