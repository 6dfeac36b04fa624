// The effect of an `ObserverScope`.

/// The state of an effect that keeps the newest output of a scope and passes it to a handler.
///
/// Its properties are accessed one at a time and never together: `handler` and `delivery` belong to the thread that
/// runs the effect; the graph's lock guards the rest.
@frozen @usableFromInline
struct RenderEffect<Output> {
    /// The closure that receives the outputs of a scope.
    @frozen @usableFromInline
    struct Handler {
        @usableFromInline let call: (Output) -> Void

        @inlinable
        init(call: @escaping (Output) -> Void) { self.call = call }
    }

    /// The closure that a scope tracks.
    @frozen @usableFromInline
    struct Render {
        @usableFromInline let call: () -> Output

        @inlinable
        init(call: @escaping () -> Output) { self.call = call }
    }

    /// The tracked closure; `nil` once the scope has ended, or if it belongs to the reaction.
    @usableFromInline var render: Render?
    /// The handler; `nil` once the scope has ended, and for hosts that read the output themselves.
    @usableFromInline var handler: Handler?
    /// Whether outputs are passed to a handler.
    @usableFromInline var hasHandler: Bool
    @usableFromInline var output: Output?
    /// The replaced output, until it can be released outside the lock.
    @usableFromInline var replaced: Output?
    /// The output that the effect passes to the handler, and the one that it releases.
    @usableFromInline var delivery: (output: Output, replaced: Output?)?

    @inlinable
    init(_ render: (() -> Output)?, _ onRender: ((Output) -> Void)?) {
        self.render = render.map { Render(call: $0) }
        handler = onRender.map { Handler(call: $0) }
        hasHandler = onRender != nil
    }

    /// - Parameter render: The tracked closure; `nil` if the reaction has it, and calls `rendered`.
    @inlinable
    static func make(_ render: (() -> Output)?, _ onRender: ((Output) -> Void)?) -> TypedEffect {
        let state = UnsafeMutablePointer.allocated(with: RenderEffect(render, onRender))
        return TypedEffect(state: state) { operation, state in
            let state = state.assumingMemoryBound(to: RenderEffect.self)
            switch operation {
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
            case .free: state.endAllocated()
            }
            // No test sees this: only `follow` has a result.
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
        withUnsafeMutablePointer(to: &handler) { stored in
            let call = stored.move().unsafelyUnwrapped.call
            call(output)
            stored.initialize(to: Handler(call: call))
        }
    }

    /// Records an output. Under the lock, inside the tracked closure.
    @inlinable
    static func rendered(_ output: Output, for effect: TypedEffect) {
        effect.isDue = isDue(after: output, in: effect.state.assumingMemoryBound(to: RenderEffect.self))
    }

    /// Records an output, and returns whether it is passed to a handler.
    @inlinable @inline(__always)
    static func isDue(after output: Output, in state: UnsafeMutablePointer<RenderEffect>) -> Bool {
        // No test sees this always hold: it only saves an object for plain outputs.
        if !_isPOD(Output.self), let old = state.pointee.output {
            // The effect releases it, if there is an effect and it has no other output to release yet.
            // No test sees this never hold: it only saves an object.
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
