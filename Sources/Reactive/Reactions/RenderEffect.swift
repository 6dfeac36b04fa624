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

    /// What a scope tracks.
    @frozen @usableFromInline
    struct Render {
        @usableFromInline let call: () -> Output

        @inlinable
        init(call: @escaping () -> Output) { self.call = call }
    }

    /// `nil` once the scope has ended, and if the closure belongs to the reaction.
    @usableFromInline var render: Render?
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
    init(_ render: (() -> Output)?, _ onRender: ((Output) -> Void)?) {
        self.render = render.map { Render(call: $0) }
        handler = onRender.map { Handler(call: $0) }
        hasHandler = onRender != nil
    }

    /// - Parameter render: The tracked closure; without one, the reaction has it, and calls `rendered`.
    @inlinable
    static func make(_ render: (() -> Output)?, _ onRender: ((Output) -> Void)?) -> TypedEffect {
        let state = UnsafeMutablePointer.allocated(with: RenderEffect(render, onRender))
        return TypedEffect(state: state) { step, state in
            let state = state.assumingMemoryBound(to: RenderEffect.self)
            switch step {
            case .follow: return isDue(after: rendered(&state.pointee.render), in: state)
            case .take:
                if let output = state.pointee.output {
                    state.pointee.delivery = (output, state.pointee.replaced.take())
                }
            case .run:
                if let (output, _) = state.pointee.delivery.take() { deliver(output, to: &state.pointee.handler) }
            case .startOver: break
            case .end:
                TypedEffect.end(&state.pointee.render)
                TypedEffect.end(&state.pointee.handler)
                state.pointee.hasHandler = false
            case .free: state.endAllocated()
            }
            return false
        }
    }

    @inlinable @inline(__always)
    static func rendered(_ render: inout Render?) -> Output {
        withUnsafeMutablePointer(to: &render) { stored in
            let call = stored.move().unsafelyUnwrapped.call
            let output = call()
            stored.initialize(to: Render(call: call))
            return output
        }
    }

    @inlinable @inline(__always)
    static func deliver(_ output: Output, to handler: inout Handler?) {
        if handler == nil { return }
        withUnsafeMutablePointer(to: &handler) { stored in
            let call = stored.move().unsafelyUnwrapped.call
            call(output)
            stored.initialize(to: Handler(call: call))
        }
    }

    /// Takes note of an output. Under the lock, inside the tracked part.
    @inlinable
    static func rendered(_ output: Output, for effect: TypedEffect) {
        effect.isDue = isDue(after: output, in: effect.state.assumingMemoryBound(to: RenderEffect.self))
    }

    /// Takes note of an output, and returns whether it is handed over.
    @inlinable @inline(__always)
    static func isDue(after output: Output, in state: UnsafeMutablePointer<RenderEffect>) -> Bool {
        if !_isPOD(Output.self), let old = state.pointee.output {
            // The effect releases it, if there is one that has none to release yet.
            if state.pointee.hasHandler, state.pointee.replaced == nil {
                state.pointee.replaced = old
            } else {
                FreeingMark.postpone(old)
            }
        }
        state.pointee.output = output
        return state.pointee.hasHandler
    }
}
