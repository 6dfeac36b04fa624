// Callbacks that use a store without rendering.

import Reactive
import ReactiveAtoms
import ReactiveHooks

/// Returns a function that reads and writes the store. Its reads do not subscribe the render.
///
/// ```swift
/// let add = useRecoilCallback { (context, price: Int) in
///     context.update(prices) { $0.append(price) }
/// }
/// ```
///
/// Work that the function keeps with `store(in: context)` is cancelled when the scope ends.
///
/// - Parameter body: Receives a context, and the arguments of the function.
/// - Returns: A function that calls the `body` of this render.
public func useRecoilCallback<each Parameter, Result>(
    _ body: @escaping (RecoilCallbackContext, repeat each Parameter) -> Result
) -> (repeat each Parameter) -> Result {
    let context = useHook(CallbackHook(store: nearestStore(for: "useRecoilCallback")))
    return { (parameters: repeat each Parameter) in
        untracked { body(context, repeat each parameters) }
    }
}

/// Returns an asynchronous function that reads and writes the store. Its reads do not subscribe the render.
///
/// Work that the function keeps with `store(in: context)` is cancelled when the scope ends. A call in progress
/// continues.
///
/// - Parameter body: Receives a context, and the arguments of the function.
/// - Returns: A function that calls the `body` of this render.
public func useRecoilCallback<each Parameter, Result>(
    _ body: @escaping (RecoilCallbackContext, repeat each Parameter) async throws -> Result
) -> (repeat each Parameter) async throws -> Result {
    let context = useHook(CallbackHook(store: nearestStore(for: "useRecoilCallback")))
    return { (parameters: repeat each Parameter) in
        try await body(context, repeat each parameters)
    }
}

private struct CallbackHook: Hook {
    let store: RecoilStore
    var updateStrategy: HookUpdateStrategy? { .once }

    func makeState() -> KeptWork { KeptWork() }

    func value(coordinator: Coordinator) -> RecoilCallbackContext {
        let kept = coordinator.state
        return RecoilCallbackContext(accessor: StateAccessor(store)) { kept.add($0) }
    }

    func dispose(state: KeptWork) { state.end() }
}

/// The work that callbacks keep running until their hook ends.
private final class KeptWork {
    /// An object, so that `Guarded` does not copy the array while it grows.
    private final class Running {
        var work: [AnyCancellable] = []
    }

    /// `nil` after the end.
    private let running = Guarded<Running?>(Running())

    func add(_ work: AnyCancellable) {
        let isOver = running.withLock { running in
            running?.work.append(work)
            return running == nil
        }
        if isOver { work.cancel() }
    }

    func end() {
        for work in running.exchange(for: nil)?.work ?? [] { work.cancel() }
    }
}
