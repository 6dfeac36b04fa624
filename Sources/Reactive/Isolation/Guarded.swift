// A value behind a small lock of its own, for what is shared outside the graph. Held for a few instructions, never around user code.
//
// Deinitialisers are user code too, and what the value consists of may have some. So nothing that it consisted of is released while the
// lock is held, whatever is done to it: a copy is kept until the lock is free. (The copy makes a collection that changes be copied.
// Where one may grow long, put it into an object.)

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A value that any thread may use, one at a time.
@usableFromInline
package final class Guarded<State>: @unchecked Sendable {
    // Sendable because `state` is touched only between lock and unlock, which is why exclusivity is unchecked, too.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @exclusivity(unchecked) @usableFromInline final var state: State

    package init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the state to itself. `body` must not call out. What it replaces is released once the lock is free.
    @inlinable
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        lock()
        let before = state
        let result = body(&state)
        unlock()
        withExtendedLifetime(before) {}
        return result
    }

    @usableFromInline
    final func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline
    final func unlock() { pthread_mutex_unlock(mutex) }

    /// Puts a new state in and returns the old one.
    package func exchange(for new: State) -> State {
        withLock { state in
            defer { state = new }
            return state
        }
    }
}
