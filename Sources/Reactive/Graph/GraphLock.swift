// The choice between the two forms of the graphs' lock; they are described in Lock.c.

import CReactive

/// How graphs are locked.
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
    /// Makes every graph do without the system call `membarrier`, from now on and until the program ends.
    ///
    /// When it returns, no thread calls `membarrier` any more. It may be called at any time, also when there are graphs
    /// that other threads use: it waits for transactions in progress. Locking and unlocking then take an atomic
    /// operation each. Calling it again does nothing, and neither does it on systems other than Linux.
    ///
    /// - Precondition: Not called in a transaction or a closure that runs with the graph locked.
    public static func avoidMembarrier() {
        if reactive_avoid_barriers() { return }
        fatalError(
            """
            Reactive: GraphLock.avoidMembarrier() is called inside a transaction, a computed or another closure that runs \
            with the graph locked. It waits for all graphs to be unlocked: call it outside, best at the start of the program.
            """)
    }
}
