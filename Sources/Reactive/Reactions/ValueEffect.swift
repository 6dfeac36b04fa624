// What all spellings of `reaction` come down to: a tracked part that yields a value, and an effect that gets it when it
// changed.

@inlinable @inline(__always)
func makeReaction<V>(
    _ name: String?, _ equality: Equality<V>, _ fireImmediately: Bool, _ schedule: Schedule,
    _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt, _ track: @escaping () -> V,
    _ onChange: ChangeHandler<V>
) -> Reaction {
    .started(
        named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line,
        following: ValueEffect.make(equality, firesImmediately: fireImmediately, track, onChange))
}

/// Follows a value and hands the newest one to a closure when it differs from the last one handed over: the state of
/// an effect.
///
/// Its parts are used one by one and never together: `change` belongs to the thread that runs the effect, the rest is
/// guarded by the graph's lock.
@frozen @usableFromInline
struct ValueEffect<V> {
    /// The tracked closure; `nil` if it belongs to the reaction.
    @usableFromInline var track: Followed?
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

    /// What a `ValueEffect` follows.
    @frozen @usableFromInline
    struct Followed {
        @usableFromInline let call: () -> V

        @inlinable
        init(call: @escaping () -> V) { self.call = call }
    }

    @inlinable
    init(
        _ equality: Equality<V>, firesImmediately: Bool, _ track: (() -> V)?, _ onChange: ChangeHandler<V>
    ) {
        self.track = track.map { Followed(call: $0) }
        self.equality = equality
        firstIsPending = firesImmediately
        self.onChange = onChange
    }

    /// - Parameter track: The tracked closure; without one, the reaction has it, and calls `observe`.
    @inlinable
    static func make(
        _ equality: Equality<V>, firesImmediately: Bool, _ track: (() -> V)?, _ onChange: ChangeHandler<V>
    ) -> TypedEffect {
        let state = UnsafeMutablePointer.allocated(
            with: ValueEffect(equality, firesImmediately: firesImmediately, track, onChange))
        return TypedEffect(state: state) { step, state in
            let state = state.assumingMemoryBound(to: ValueEffect.self)
            switch step {
            case .follow: return isDue(after: follow(&state.pointee.track), in: state)
            case .take: take(state)
            case .run:
                if let (new, old) = state.pointee.change.take() { state.pointee.onChange.call(new, old) }
            case .startOver:
                if let forgotten = state.pointee.current { TypedEffect.release(forgotten) }
                if let forgotten = state.pointee.latest { TypedEffect.release(forgotten) }
                state.pointee.current = nil
                state.pointee.latest = nil
            case .end: break
            case .free: state.endAllocated()
            }
            return false
        }
    }

    @inlinable @inline(__always)
    static func follow(_ track: inout Followed?) -> V {
        withUnsafeMutablePointer(to: &track) { stored in
            let call = stored.move().unsafelyUnwrapped.call
            let value = call()
            stored.initialize(to: Followed(call: call))
            return value
        }
    }

    /// Takes note of a value. Under the lock, inside the tracked part.
    @inlinable
    static func observe(_ value: V, for effect: TypedEffect) {
        effect.isDue = isDue(after: value, in: effect.state.assumingMemoryBound(to: ValueEffect.self))
    }

    /// Takes note of a value, and returns whether there is something to hand over now.
    @inlinable @inline(__always)
    static func isDue(after value: V, in state: UnsafeMutablePointer<ValueEffect>) -> Bool {
        guard let current = state.pointee.current else {
            state.pointee.current = value
            if state.pointee.firstIsPending { state.pointee.latest = value }
            return state.pointee.firstIsPending
        }
        if let replaced = state.pointee.latest { TypedEffect.release(replaced) }
        if !state.pointee.firstIsPending, areEqual(current, value, in: state) {
            // Back to what was handed over last, before the change in between was.
            state.pointee.latest = nil
            return false
        }
        state.pointee.latest = value
        return true
    }

    @inlinable @inline(__always)
    static func areEqual(_ old: V, _ new: V, in state: UnsafeMutablePointer<ValueEffect>) -> Bool {
        withUnsafeMutablePointer(to: &state.pointee.equality) { stored in
            let areEqual = stored.move().areEqual
            // A user's `==` may read observables. Plain bits cannot.
            let result = _isPOD(V.self) ? areEqual(old, new) : untracked { areEqual(old, new) }
            stored.initialize(to: Equality(plain: areEqual))
            return result
        }
    }

    @inlinable
    static func take(_ state: UnsafeMutablePointer<ValueEffect>) {
        guard let new = state.pointee.latest.take() else { return }
        state.pointee.change = (new, state.pointee.firstIsPending ? new : state.pointee.current ?? new)
        state.pointee.firstIsPending = false
        state.pointee.current = new
    }
}

/// What a `ValueEffect` calls.
@frozen @usableFromInline
enum ChangeHandler<V> {
    case newValue((_ new: V) -> Void)
    case nothing(() -> Void)
    case bothValues((_ new: V, _ old: V) -> Void)

    @inlinable @inline(__always)
    mutating func call(_ new: V, _ old: V) {
        withUnsafeMutablePointer(to: &self) { stored in
            switch stored.move() {
            case .newValue(let handler):
                handler(new)
                stored.initialize(to: .newValue(handler))
            case .nothing(let handler):
                handler()
                stored.initialize(to: .nothing(handler))
            case .bothValues(let handler):
                handler(new, old)
                stored.initialize(to: .bothValues(handler))
            }
        }
    }
}
