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
    // Each instruction of the filter is a word: code, the two jumps, and an operand in the upper half.
    func instruction(_ code: UInt64, _ operand: UInt64, ifFalse: UInt64 = 0) -> UInt64 {
        code | ifFalse << 24 | operand << 32
    }
    var filter = [
        instruction(0x20, 0),  // load the call's number
        instruction(0x15, membarrier, ifFalse: 1),  // skip one if it is a different one
        instruction(0x06, 0x8000_0000),  // end the process
        instruction(0x06, 0x7FFF_0000),  // allow
    ]
    typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    let control = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "prctl"), to: Control.self)
    guard control(38, 1, 0, 0, 0) == 0 else { return false }  // no new privileges
    return filter.withUnsafeMutableBufferPointer { filter in
        var program = (UInt64(filter.count), UInt64(UInt(bitPattern: filter.baseAddress)))
        return withUnsafePointer(to: &program) { control(22, 2, UInt(bitPattern: $0), 0, 0) == 0 }
    }
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
