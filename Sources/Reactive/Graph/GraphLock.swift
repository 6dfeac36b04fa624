// The choice between the two forms of the graphs' lock; they are described in Lock.c.

import CReactive

/// The form of lock that graphs use.
///
/// On Linux, threads that take turns with a graph use the system call `membarrier`, so that a thread that has a graph
/// to itself needs no atomic operation. The library finds out at the start of the program whether the kernel allows the
/// call. If a sandbox forbids it later, the lock can no longer be correct, and the program stops. A program that
/// restricts its own system calls can choose:
///
/// - Call ``avoidMembarrier()`` before it enters the sandbox.
/// - Start with the environment variable `REACTIVE_NO_MEMBARRIER=1`, which has the same effect from the beginning.
/// - Allow `membarrier` in the sandbox.
public enum GraphLock {
    /// Makes every graph work without the system call `membarrier`, from now on and until the program ends.
    ///
    /// After it returns, no thread calls `membarrier` any more. It may be called at any time, even while other threads
    /// use graphs: it waits for transactions in progress. Afterwards, locking and unlocking take an atomic operation
    /// each. Calling it again does nothing, and on systems other than Linux it does nothing either.
    ///
    /// - Precondition: Not called in a transaction or a closure that runs with the graph locked.
    public static func avoidMembarrier() {
        if reactive_avoid_barriers() { return }
        fatalError(
            """
            Reactive: GraphLock.avoidMembarrier() is called inside a transaction, a computed or another closure that \
            runs with the graph locked. It would wait forever for this graph to be unlocked. Call it at the start of \
            the program.
            """)
    }
}
