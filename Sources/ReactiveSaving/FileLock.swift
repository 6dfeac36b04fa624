// One saver for each file: a lock that ends with its process.
//
// The file `.NAME.lock` is beside the file NAME. A process that saves to NAME holds an exclusive `flock` on the lock
// file, and writes its own name and process number into it. The system releases the lock when the process dies. Each
// saver opens a descriptor of its own, so that two savers in one process exclude each other too.
//
// The holder removes the lock file before it releases the lock. A process that opened the lock file earlier then
// detects that the locked file no longer has the name, and opens the lock file again.

internal import Reactive

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Glibc
#endif

/// The right to save to a file. `release` ends it, and so do the deinitializer and the end of the process.
final class FileLock: Sendable {
    /// The outcome of asking for a lock.
    enum Claim {
        case held(FileLock)
        /// Locks are not available: the file system has none, or this process may not write to the folder.
        case unavailable
        /// The folder does not exist yet.
        case tooEarly
        /// A different saver holds the lock, in this process or a different one.
        case refused(owner: String, isThisProcess: Bool)
    }

    /// The lock files that savers of this process have locked. The number of a process is not sufficient: containers
    /// that share a folder may have equal ones.
    private static let held = Guarded<[FileIdentity]>([])

    /// `nil` after the release.
    private let descriptor: Guarded<Int32?>
    private let path: String

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = Guarded(descriptor)
        self.path = path
        if let identity = FileIdentity(of: descriptor) { Self.held.withLock { $0.append(identity) } }
    }

    deinit { release() }

    /// Releases the file. A saver calls it because a different thread may keep this object for a moment longer.
    func release() {
        guard let descriptor = descriptor.exchange(for: nil) else { return }
        if let identity = FileIdentity(of: descriptor) {
            Self.held.withLock { held in
                if let index = held.firstIndex(where: identity.isSameFile) { held.remove(at: index) }
            }
        }
        // The file is removed before it is unlocked: a process that locks it afterwards must find that it has lost its
        // name.
        if AtomicFile.isFile(descriptor, at: path) { unlink(path) }
        close(descriptor)
    }

    /// Asks for the lock of a file.
    ///
    /// - Parameter target: The path of the file, without symbolic links at its end.
    static func claim(for target: String) -> Claim {
        let path = AtomicFile.companion(of: target, suffix: ".lock")
        for _ in 0..<100 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { return [ENOENT, ENOTDIR].contains(errno) ? .tooEarly : .unavailable }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                let owner = owner(of: descriptor)
                let identity = FileIdentity(of: descriptor)
                close(descriptor)
                // No test sees this never hold: only a file system on a network may interrupt a call that does not
                // wait.
                if number == EINTR { continue }
                guard number == EWOULDBLOCK else { return .unavailable }
                return .refused(owner: owner, isThisProcess: identity.map(isHeld) ?? false)
            }
            guard AtomicFile.isFile(descriptor, at: path) else {
                close(descriptor)
                continue
            }
            let text = Array("\(ProcessInfo.processInfo.processName) (process \(getpid()))".utf8)
            // The text is only for messages, so a full disk does not prevent the lock.
            _ = pwrite(descriptor, text, text.count, 0)
            _ = ftruncate(descriptor, off_t(text.count))
            return .held(FileLock(descriptor, path))
        }
        return .unavailable
    }

    /// Whether a saver of this process holds the lock file with that identity.
    private static func isHeld(_ identity: FileIdentity) -> Bool {
        held.withLock { $0.contains(where: identity.isSameFile) }
    }

    /// Returns the name and the number of the process that holds a lock.
    private static func owner(of descriptor: Int32) -> String {
        for _ in 0..<20 {
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = pread(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return String(decoding: buffer[..<count], as: UTF8.self) }
            // The holder has the lock and is about to write its name.
            // No test sees this left out: it only gives a slow holder time.
            usleep(1_000)
        }
        return "another process"
    }
}
