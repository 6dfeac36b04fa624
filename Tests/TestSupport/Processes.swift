// Child processes, and forbidding the process a system call.

#if os(Linux)
import Foundation

/// Makes the kernel end the process as soon as any thread uses the system call `membarrier`. Returns whether the kernel
/// can.
package func forbidMembarrier() -> Bool {
    #if arch(x86_64)
    let membarrier: UInt64 = 324
    #else
    let membarrier: UInt64 = 283
    #endif
    return installFilter([
        instruction(0x20, 0),  // load the call's number
        instruction(0x15, membarrier, ifFalse: 1),  // skip one if it is a different one
        instruction(0x06, 0x8000_0000),  // end the process
        instruction(0x06, 0x7FFF_0000),  // allow
    ])
}
#endif

#if os(Linux) || os(macOS)
import Foundation

/// `fork`, which Swift does not import: returns 0 in the child.
package func forkProcess() -> Int32 {
    typealias Fork = @convention(c) () -> Int32
    return unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork"), to: Fork.self)()
}

/// Waits for a child and returns its exit code, or 128 and the number of the signal that ended it.
package func result(ofChild child: Int32) -> Int32 {
    var status: Int32 = 0
    guard child > 0, waitpid(child, &status, 0) == child else { return -1 }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
}

/// Runs `body` in a child process and returns what it returned; see `result(ofChild:)`. A child that hangs is ended.
package func inForkedChild(_ body: () -> Int32) -> Int32 {
    let child = forkProcess()
    if child == 0 {
        alarm(30)
        _exit(body())
    }
    return result(ofChild: child)
}
#endif
