// A value behind a small lock of its own, for data that is shared outside the graph. The lock is held for a few
// instructions, never around user code.
//
// Deinitialisers are user code too, and the parts of the value may have some. So no part of the value is released while
// the lock is held, whatever the operation is: a copy is kept until the lock is released. (Because of that copy,
// changing a collection copies it. Put collections that may grow long into an object.)

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A value that any thread may use, one thread at a time.
@usableFromInline
package final class Guarded<State>: @unchecked Sendable {
    // Sendable because `state` is accessed only between lock and unlock. Exclusivity is unchecked for the same reason.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @exclusivity(unchecked) @usableFromInline final var state: State

    package init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        // No test sees this left out: a mutex owns nothing on most systems.
        pthread_mutex_destroy(mutex)
        // No test sees this left out: only a leak checker sees memory that stays.
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the state. `body` must not call out. Values that it replaces are released
    /// after unlocking.
    @inlinable
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        lock()
        let before = state
        let result = body(&state)
        unlock()
        // No test sees this left out: only optimised code would release it earlier.
        withExtendedLifetime(before) {}
        return result
    }

    @usableFromInline
    final func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline
    final func unlock() { pthread_mutex_unlock(mutex) }

    /// Stores a new state and returns the old one.
    package func exchange(for new: State) -> State {
        withLock { state in
            defer { state = new }
            return state
        }
    }
}
