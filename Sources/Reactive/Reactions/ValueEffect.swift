// What all spellings of `reaction` come down to: a tracked part that yields a value, and an effect that gets it when it
// changed.

@inlinable @inline(__always)
func makeReaction<V>(
    _ name: String?, _ equality: Equality<V>, _ fireImmediately: Bool, _ schedule: Schedule,
    _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt, _ track: @escaping () -> V,
    _ onChange: @escaping (V, V) -> Void
) -> Reaction {
    let effect = ValueEffect.make(equality, firesImmediately: fireImmediately, onChange)
    return .started(
        named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, effect: effect
    ) { ValueEffect.observe(track(), for: effect) }
}

/// Follows a value and hands the newest one to a closure when it differs from the last one handed over: the state of
/// an effect.
///
/// Its parts are used one by one and never together: `change` belongs to the thread that runs the effect, the rest is
/// guarded by the graph's lock.
@frozen @usableFromInline
struct ValueEffect<V> {
    @usableFromInline var equality: Equality<V>
    @usableFromInline var onChange: ChangeHandler<V>
    /// The newest value, if it has not been taken yet.
    @usableFromInline var latest: V?
    /// The last value that was handed over, or the first.
    @usableFromInline var current: V?
    /// The first value is to be handed over too, and has not been.
    @usableFromInline var firstIsPending: Bool
    /// What the effect hands over.
    @usableFromInline var change: (new: V, old: V)?

    @inlinable
    init(_ equality: Equality<V>, firesImmediately: Bool, _ onChange: @escaping (V, V) -> Void) {
        self.equality = equality
        firstIsPending = firesImmediately
        self.onChange = ChangeHandler(call: onChange)
    }

    @inlinable
    static func make(
        _ equality: Equality<V>, firesImmediately: Bool, _ onChange: @escaping (V, V) -> Void
    ) -> TypedEffect {
        let state = UnsafeMutablePointer.allocated(
            with: ValueEffect(equality, firesImmediately: firesImmediately, onChange))
        return TypedEffect(state: state) { step, state in
            let state = state.assumingMemoryBound(to: ValueEffect.self)
            switch step {
            case .take: take(state)
            case .run:
                guard let (new, old) = state.pointee.change else { return }
                state.pointee.change = nil
                TypedEffect.withMoved(&state.pointee.onChange) { $0.call(new, old) }
            case .startOver:
                if let forgotten = state.pointee.current { TypedEffect.release(forgotten) }
                if let forgotten = state.pointee.latest { TypedEffect.release(forgotten) }
                state.pointee.current = nil
                state.pointee.latest = nil
            case .end: break
            case .free: state.deinitialize(count: 1)
            }
        }
    }

    /// Takes note of a value. Under the lock, inside the tracked part.
    @inlinable
    static func observe(_ value: V, for effect: TypedEffect) {
        let state = effect.state.assumingMemoryBound(to: ValueEffect.self)
        guard let current = state.pointee.current else {
            state.pointee.current = value
            if state.pointee.firstIsPending {
                state.pointee.latest = value
                effect.isDue = true
            }
            return
        }
        if let replaced = state.pointee.latest { TypedEffect.release(replaced) }
        if !state.pointee.firstIsPending, areEqual(current, value, in: state) {
            // Back to what was handed over last, before the change in between was.
            state.pointee.latest = nil
            effect.isDue = false
        } else {
            state.pointee.latest = value
            effect.isDue = true
        }
    }

    @inlinable @inline(__always)
    static func areEqual(_ old: V, _ new: V, in state: UnsafeMutablePointer<ValueEffect>) -> Bool {
        // A user's `==` may read observables. Plain bits cannot.
        TypedEffect.withMoved(&state.pointee.equality) { equality in
            _isPOD(V.self) ? equality.areEqual(old, new) : untracked { equality.areEqual(old, new) }
        }
    }

    @inlinable
    static func take(_ state: UnsafeMutablePointer<ValueEffect>) {
        guard let new = state.pointee.latest else { return }
        state.pointee.change = (new, state.pointee.firstIsPending ? new : state.pointee.current ?? new)
        state.pointee.firstIsPending = false
        state.pointee.current = new
        state.pointee.latest = nil
    }
}

/// What a `ValueEffect` calls.
@frozen @usableFromInline
struct ChangeHandler<V> {
    @usableFromInline let call: (_ new: V, _ old: V) -> Void

    @inlinable
    init(call: @escaping (V, V) -> Void) { self.call = call }
}
