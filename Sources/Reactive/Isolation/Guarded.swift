// A value behind a small lock of its own, for what is shared outside the graph. Held for a few instructions, never around user code.

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
package final class Guarded<State>: @unchecked Sendable {
    // Sendable because `state` is touched only between lock and unlock.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    package init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the state to itself. `body` must not call out.
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Puts a new state in and returns the old one.
    package func exchange(for new: State) -> State {
        withLock { state in
            defer { state = new }
            return state
        }
    }
}
