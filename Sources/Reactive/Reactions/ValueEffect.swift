// The common part of all forms of `reaction`: a tracked closure that returns a value, and an effect that receives the
// value when it has changed.

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

/// The state of an effect that follows a value, and passes the newest one to a closure if it differs from the last one
/// passed.
///
/// Its properties are accessed one at a time and never together: `change` belongs to the thread that runs the effect;
/// the graph's lock guards the rest.
@frozen @usableFromInline
struct ValueEffect<V> {
    /// The tracked closure; `nil` if it belongs to the reaction.
    @usableFromInline var track: Followed?
    @usableFromInline var equality: Equality<V>
    @usableFromInline var onChange: ChangeHandler<V>
    /// The newest value, until the effect takes it.
    @usableFromInline var latest: V?
    /// The last value that was passed to the closure, or the first value.
    @usableFromInline var current: V?
    /// Whether the first value must still be passed to the closure.
    @usableFromInline var firstIsPending: Bool
    /// The values that the effect passes to the closure.
    @usableFromInline var change: (new: V, old: V)?

    /// The tracked closure of a `ValueEffect`.
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

    /// - Parameter track: The tracked closure; `nil` if the reaction has it, and calls `observe`.
    @inlinable
    static func make(
        _ equality: Equality<V>, firesImmediately: Bool, _ track: (() -> V)?, _ onChange: ChangeHandler<V>
    ) -> TypedEffect {
        let state = UnsafeMutablePointer.allocated(
            with: ValueEffect(equality, firesImmediately: firesImmediately, track, onChange))
        return TypedEffect(state: state) { operation, state in
            let state = state.assumingMemoryBound(to: ValueEffect.self)
            switch operation {
            case .follow: return isDue(after: follow(&state.pointee.track), in: state)
            case .take: take(state)
            case .run:
                if let (new, old) = state.pointee.change.take() { state.pointee.onChange.call(new, old) }
            case .startOver:
                if let forgotten = state.pointee.current { TypedEffect.release(forgotten) }
                state.pointee.current = nil
                // The first value, too, if any.
                state.pointee.latest = nil
            case .end: break
            case .free: state.endAllocated()
            }
            // No test sees this: only `follow` has a result.
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

    /// Records a value. Under the lock, inside the tracked closure.
    @inlinable
    static func observe(_ value: V, for effect: TypedEffect) {
        effect.isDue = isDue(after: value, in: effect.state.assumingMemoryBound(to: ValueEffect.self))
    }

    /// Records a value, and returns whether the effect is now due.
    @inlinable @inline(__always)
    static func isDue(after value: V, in state: UnsafeMutablePointer<ValueEffect>) -> Bool {
        guard let current = state.pointee.current else {
            state.pointee.current = value
            // No test sees this always hold: what is not due is replaced before it is taken.
            if state.pointee.firstIsPending { state.pointee.latest = value }
            return state.pointee.firstIsPending
        }
        // This is the first value, if any: others are taken before the next run.
        if let replaced = state.pointee.latest { TypedEffect.release(replaced) }
        if !state.pointee.firstIsPending, areEqual(current, value, in: state) { return false }
        state.pointee.latest = value
        return true
    }

    @inlinable @inline(__always)
    static func areEqual(_ old: V, _ new: V, in state: UnsafeMutablePointer<ValueEffect>) -> Bool {
        withUnsafeMutablePointer(to: &state.pointee.equality) { stored in
            let areEqual = stored.move().areEqual
            // A user's `==` may read observables. Plain bits cannot.
            // No test sees this never hold: it only saves a call.
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

/// The closure that a `ValueEffect` calls.
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
