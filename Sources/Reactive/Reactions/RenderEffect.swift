// The effect of an `ObserverScope`.

/// Keeps the newest output of a scope and hands it over: the state of an effect.
///
/// Its parts are used one by one and never together: `handler` and `delivery` belong to the thread that runs the
/// effect, the rest is guarded by the graph's lock.
@frozen @usableFromInline
struct RenderEffect<Output> {
    /// What a scope calls.
    @frozen @usableFromInline
    struct Handler {
        @usableFromInline let call: (Output) -> Void

        @inlinable
        init(call: @escaping (Output) -> Void) { self.call = call }
    }

    /// `nil` once the scope has ended, and for hosts that take the output themselves.
    @usableFromInline var handler: Handler?
    /// Whether outputs are handed over.
    @usableFromInline var hasHandler: Bool
    @usableFromInline var output: Output?
    /// The output that this one has replaced, until it can be released outside the lock.
    @usableFromInline var replaced: Output?
    /// What the effect hands over, and what it releases.
    @usableFromInline var delivery: (output: Output, replaced: Output?)?

    @inlinable
    init(_ onRender: ((Output) -> Void)?) {
        handler = onRender.map { Handler(call: $0) }
        hasHandler = onRender != nil
    }

    @inlinable
    static func make(_ onRender: ((Output) -> Void)?) -> TypedEffect {
        let state = UnsafeMutablePointer.allocated(with: RenderEffect(onRender))
        return TypedEffect(state: state) { step, state in
            let state = state.assumingMemoryBound(to: RenderEffect.self)
            switch step {
            case .take:
                guard let output = state.pointee.output else { return }
                state.pointee.delivery = (output, state.pointee.replaced)
                state.pointee.replaced = nil
            case .run:
                guard let (output, _) = state.pointee.delivery else { return }
                state.pointee.delivery = nil
                TypedEffect.withMoved(&state.pointee.handler) { $0?.call(output) }
            case .startOver: break
            case .end:
                if let handler = state.pointee.handler { FreeingMark.postpone(handler) }
                state.pointee.handler = nil
                state.pointee.hasHandler = false
            case .free: state.deinitialize(count: 1)
            }
        }
    }

    /// Takes note of an output. Under the lock, inside the tracked part.
    @inlinable
    static func rendered(_ output: Output, for effect: TypedEffect) {
        let state = effect.state.assumingMemoryBound(to: RenderEffect.self)
        if !_isPOD(Output.self), let old = state.pointee.output {
            // The effect releases it, if there is one that has none to release yet.
            if state.pointee.hasHandler, state.pointee.replaced == nil {
                state.pointee.replaced = old
            } else {
                FreeingMark.postpone(old)
            }
        }
        state.pointee.output = output
        effect.isDue = state.pointee.hasHandler
    }
}
