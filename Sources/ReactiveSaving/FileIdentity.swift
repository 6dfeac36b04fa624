// The identity of a file's contents, as far as the system can determine it without reading them.

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Glibc
#endif

/// The device, inode, size and modification time of a file.
///
/// If two identities of one path are equal, the file was neither replaced nor changed between them.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// The size in bytes.
    package let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(truncatingIfNeeded: status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        seconds = Int(time.tv_sec)
        nanoseconds = Int(time.tv_nsec)
    }

    /// Creates the identity of the file at a path, at the end of its symbolic links. Returns `nil` if it does not
    /// exist.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Creates the identity of an open file.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether both identify the same file, even if it was written to between them.
    func isSameFile(as other: FileIdentity) -> Bool { (device, inode) == (other.device, other.inode) }
}
