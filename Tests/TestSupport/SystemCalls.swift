// Threads on which the kernel lets system calls fail or wait, and programs without the rights of the superuser.

#if os(Linux)
import Foundation

/// A system call that can fail on request.
package enum SystemCall {
    case flock, fsync, fchown, fchmod
    /// The status of an open file.
    case fstat
    /// Opening a folder.
    case openFolder
    case close

    /// The numbers of the call, each with the argument and the flag in it that make it this one.
    private var numbers: [(number: UInt64, flag: (argument: UInt64, bit: UInt64)?)] {
        #if arch(x86_64)
        let numbers: (flock: UInt64, fsync: UInt64, fchown: UInt64, fchmod: UInt64) = (73, 74, 93, 91)
        let (fstat, fstatat, close): (UInt64, UInt64, UInt64) = (5, 262, 3)
        #else
        let numbers: (flock: UInt64, fsync: UInt64, fchown: UInt64, fchmod: UInt64) = (32, 82, 55, 52)
        let (fstat, fstatat, close): (UInt64, UInt64, UInt64) = (80, 79, 57)
        #endif
        let emptyPath: UInt64 = 0x1000
        return switch self {
        case .flock: [(numbers.flock, nil)]
        case .fsync: [(numbers.fsync, nil)]
        case .fchown: [(numbers.fchown, nil)]
        case .fchmod: [(numbers.fchmod, nil)]
        case .fstat: [(fstat, nil), (fstatat, (3, emptyPath))]
        case .openFolder: [(Self.openatNumber, (2, UInt64(O_DIRECTORY)))]
        case .close: [(close, nil)]
        }
    }

    fileprivate static var openatNumber: UInt64 {
        #if arch(x86_64)
        257
        #else
        56
        #endif
    }

    /// The instructions of a filter that let the call fail. They begin and end with the number of the call loaded.
    fileprivate func instructions(failingWith error: Int32) -> [UInt64] {
        numbers.flatMap { number, flag in
            let fail = instruction(0x06, 0x0005_0000 | UInt64(error))
            guard let flag else { return [instruction(0x15, number, ifFalse: 1), fail] }
            return [
                instruction(0x15, number, ifFalse: 4),
                instruction(0x20, 16 + 8 * flag.argument),  // load the argument
                instruction(0x45, flag.bit, ifFalse: 1),  // skip one if the flag is not set
                fail,
                instruction(0x20, 0),
            ]
        }
    }
}

/// Runs `body` on a thread of its own, on which the kernel lets system calls fail with an error number. Throws the
/// error of `body`. Precondition: `body` starts no threads, not even those of a queue, on which the calls would always
/// fail.
package func whereCallsFail<Result>(
    _ failures: KeyValuePairs<SystemCall, Int32>, _ body: @escaping () throws -> Result
) throws -> Result {
    let filter =
        [instruction(0x20, 0)] + failures.flatMap { $0.instructions(failingWith: $1) }
        + [instruction(0x06, 0x7FFF_0000)]
    let result = Shared<Swift.Result<Result, any Error>?>(nil)
    // The caller waits while the other thread runs it.
    let body = Unchecked(body)
    onOtherThread {
        guard installFilter(filter) else { return }
        result.value = Swift.Result { try body.value() }
    }
    guard let result = result.value else { throw POSIXError(.ENOSYS) }
    return try result.get()
}

/// Runs `body` on a thread of its own, which waits before it opens a file until `beforeOpening` has run for the path, on
/// a different thread. Throws the error of `body`.
package func observingOpens<Result>(
    _ beforeOpening: @escaping @Sendable (_ path: String) -> Void, _ body: @escaping () throws -> Result
) throws -> Result {
    let (listener, isOver) = (Shared<Int32>(-1), Shared(false))
    let result = Shared<Swift.Result<Result, any Error>?>(nil)
    let ready = DispatchSemaphore(value: 0)
    // The caller waits while the other thread runs it.
    let body = Unchecked(body)
    onThreads(2) { thread in
        if thread == 0 {
            let openat = SystemCall.openatNumber
            let filter = [
                instruction(0x20, 0), instruction(0x15, openat, ifFalse: 1),
                instruction(0x06, 0x7FC0_0000),  // ask the listener
                instruction(0x06, 0x7FFF_0000),
            ]
            listener.value = installFilter(filter, withListener: true) ?? -1
            ready.signal()
            guard listener.value >= 0 else { return }
            result.value = Swift.Result { try body.value() }
            isOver.value = true
            // Releases the other thread.
            close(open("/", O_RDONLY))
        } else {
            ready.wait()
            guard listener.value >= 0 else { return }
            while !isOver.value { answer(listener.value) { if !isOver.value { beforeOpening($0) } } }
            close(listener.value)
        }
    }
    guard let result = result.value else { throw POSIXError(.ENOSYS) }
    return try result.get()
}

/// Waits until a thread asks whether it may open a file, runs `body`, and lets it open the file.
private func answer(_ listener: Int32, _ body: (_ path: String) -> Void) {
    typealias Control = @convention(c) (Int32, UInt, UnsafeMutableRawPointer) -> Int32
    let control = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "ioctl"), to: Control.self)
    // The question: an identifier, the thread, the call, the processor, an address and the call's arguments.
    var question = [UInt64](repeating: 0, count: 10)
    guard control(listener, 0xC050_2100, &question) == 0 else { return }
    if let path = UnsafePointer<CChar>(bitPattern: UInt(question[5])) { body(String(cString: path)) }
    // The answer: the identifier, a result, and in the upper half of the last word the flag that the call continues.
    var answer: [UInt64] = [question[0], 0, 1 << 32]
    _ = control(listener, 0xC018_2101, &answer)
}

/// Takes the rights of the superuser away from the process, if it has them.
package func becomeOrdinaryUser(group: UInt32 = 65_534) {
    guard getuid() == 0 else { return }
    precondition(setgroups(0, nil) == 0 && setgid(group) == 0 && setuid(65_534) == 0)
}

/// An instruction of a filter: code, the two jumps, and an operand in the upper half.
func instruction(_ code: UInt64, _ operand: UInt64, ifFalse: UInt64 = 0) -> UInt64 {
    code | ifFalse << 24 | operand << 32
}

/// Filters the system calls of this thread and of those that it creates. Returns whether the kernel can.
func installFilter(_ filter: [UInt64]) -> Bool { installFilter(filter, withListener: false) != nil }

/// Filters system calls. Returns 0 or the descriptor of the listener, or `nil` if the kernel cannot.
private func installFilter(_ filter: [UInt64], withListener: Bool) -> Int32? {
    typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    typealias Call = @convention(c) (Int, UInt, UInt, UInt) -> Int
    let control = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "prctl"), to: Control.self)
    let call = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "syscall"), to: Call.self)
    guard control(38, 1, 0, 0, 0) == 0 else { return nil }  // no new privileges
    #if arch(x86_64)
    let seccomp = 317
    #else
    let seccomp = 277
    #endif
    let result = filter.withUnsafeBufferPointer { filter in
        var program = (UInt64(filter.count), UInt64(UInt(bitPattern: filter.baseAddress)))
        return withUnsafePointer(to: &program) { call(seccomp, 1, withListener ? 8 : 0, UInt(bitPattern: $0)) }
    }
    return result < 0 ? nil : Int32(result)
}
#endif
