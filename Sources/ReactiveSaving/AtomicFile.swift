// Replaces the contents of a file as a whole: after any failure, the file has the old contents or the new ones.
//
//     open         .name.saving in the same folder, locked       a crash anywhere here
//     write        the new contents                              leaves this file behind,
//     sync         the contents to the disk                      and the next save
//     replace      rename it over the file                       removes it
//     syncFolder   the folder to the disk
//
// The temporary file always has the same name, so that crashes leave at most one behind. Its lock (`flock`, released
// when the process ends) distinguishes a file that is being written from one that a crash has left. A save that finds
// the name taken uses a different name.
//
// Symbolic links are followed: the file at the end of the chain is replaced, and the links remain. The permissions are
// kept, and the owner if the system allows it. Hard links are cut, as by every program that replaces files.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
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

package struct AtomicFile: Sendable {
    /// The operations on a file, in this order.
    package enum Operation: Equatable, Sendable {
        case open
        /// Writes a piece of the contents at an offset.
        case write(offset: Int)
        case sync
        case replace
        case syncFolder
        /// Writes lines to the end of a journal, at an offset.
        case append(offset: Int)
        /// Syncs the journal to the disk.
        case syncJournal
        /// Truncates a journal to its last complete line.
        case cutBack
    }

    /// The path as given by the user, for messages.
    package let path: String
    /// The permissions for a file that does not exist yet.
    private let newFileAccess: NewFileAccess
    /// The number of bytes written by one call.
    package var pieceSize = 1 << 20
    /// Returns an error number with which an operation is to fail, so that tests can simulate full disks. Called before
    /// each operation.
    package var failure: @Sendable (Operation) -> Int32? = { _ in nil }

    package init(path: String, newFileAccess: NewFileAccess = .umask) {
        self.path = path
        self.newFileAccess = newFileAccess
    }

    /// Replaces the contents, or creates the file.
    ///
    /// - Returns: The identity of the new file.
    @discardableResult
    package func replaceContents(with data: Data) throws(SavingError) -> FileIdentity {
        try prepared(with: data).commit()
    }

    /// Writes and syncs new contents to a temporary file, which `commit()` then renames over the old file.
    ///
    /// - Parameter model: A file whose permissions to copy if the target does not exist yet.
    package func prepared(with data: Data, permissionsOf model: String? = nil) throws(SavingError) -> Prepared {
        let target = try resolvedPath()
        var existing = try status(of: target)
        if existing == nil, let model { existing = try status(of: model) }
        let (descriptor, temporary) = try openTemporary(
            for: target, isPrivate: existing != nil || newFileAccess == .ownerOnly)
        let prepared = Prepared(self, target: target, temporary: temporary, descriptor)
        try fill(descriptor, with: data)
        if let existing { try copyAttributes(of: existing, to: descriptor) }
        try perform(.sync, "while syncing it to the disk") { Self.sync(descriptor) }
        return prepared
    }

    /// New contents of a file, synced to a temporary file. The deinitializer removes that file unless it was committed.
    package final class Prepared {
        private let file: AtomicFile
        private let target: String
        private let temporary: String
        private let descriptor: Int32
        private var isReplaced = false

        fileprivate init(_ file: AtomicFile, target: String, temporary: String, _ descriptor: Int32) {
            self.file = file
            self.target = target
            self.temporary = temporary
            self.descriptor = descriptor
        }

        deinit {
            // The file is removed before it is unlocked: otherwise a different process might think that it was left.
            if !isReplaced { unlink(temporary) }
            close(descriptor)
        }

        /// Renames the temporary file over the target.
        ///
        /// - Returns: The identity of the new file.
        package func commit() throws(SavingError) -> FileIdentity {
            let phrase = "while replacing the old file"
            try file.perform(.replace, phrase) { rename(temporary, target) }
            isReplaced = true
            try file.syncFolder(of: target)
            guard let identity = FileIdentity(of: descriptor) else {
                let phrase = "while reading the status of the new file"
                throw SavingError(errno, path: file.path, phrase: phrase, wasReplaced: true)
            }
            return identity
        }
    }

    // MARK: - Steps

    /// Repeats an operation until it is not interrupted.
    @discardableResult
    func perform(
        _ operation: Operation, _ phrase: @autoclosure () -> String, wasReplaced: Bool = false, _ body: () -> Int
    ) throws(SavingError) -> Int {
        var number = failure(operation)
        while number == nil {
            let result = body()
            if result >= 0 { return result }
            if errno != EINTR { number = errno }
        }
        throw SavingError(number ?? 0, path: path, phrase: phrase(), wasReplaced: wasReplaced)
    }

    @discardableResult
    func perform(
        _ operation: Operation, _ phrase: @autoclosure () -> String, wasReplaced: Bool = false, _ body: () -> Int32
    ) throws(SavingError) -> Int {
        try perform(operation, phrase(), wasReplaced: wasReplaced) { Int(body()) }
    }

    private func fill(_ descriptor: Int32, with data: Data) throws(SavingError) {
        var offset = 0
        while offset < data.count {
            let piece = data.dropFirst(offset).prefix(pieceSize)
            offset += try perform(.write(offset: offset), "after \(offset) of \(data.count) bytes") {
                piece.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            }
        }
    }

    static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // On Darwin, `fsync` only reaches the drive's cache.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor)
    }

    /// Syncs the new name to the disk. Skipped on file systems that cannot sync a folder, and for folders that this
    /// process may not read.
    func syncFolder(of target: String) throws(SavingError) {
        try perform(.syncFolder, "while syncing its folder to the disk", wasReplaced: true) {
            let descriptor = open(Self.split(target).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno == EACCES ? 0 : -1 }
            let result = Self.sync(descriptor)
            let number = errno
            close(descriptor)
            // `close` may set it, too.
            errno = number
            return [EINVAL, ENOTSUP, EBADF].contains(number) ? 0 : result
        }
    }

    // MARK: - The existing file

    /// Returns the path at the end of all symbolic links, whether the file exists or not.
    package func resolvedPath() throws(SavingError) -> String {
        guard let target = Self.resolved(path) else {
            throw SavingError(ELOOP, path: path, phrase: "while following its symbolic links")
        }
        return target
    }

    /// Returns the path at the end of all symbolic links, or `nil` if they form a cycle.
    package static func resolved(_ path: String) -> String? {
        var target = path
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(target, &buffer, buffer.count)
            // No test sees this boundary: systems create no link without a destination.
            guard count >= 0 else { return target }
            let destination = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
            let folder = split(target).folder
            target = destination.hasPrefix("/") ? destination : "\(folder)/\(destination)"
        }
        return nil
    }

    /// Returns the one path of a file that may be spelled in several forms: at the end of all symbolic links, those to
    /// its folder included, and without `.`, `..` and empty components. The file need not exist. A path whose folder
    /// does not exist is returned as it is.
    static func canonical(_ path: String) -> String {
        let target = resolved(path) ?? path
        let (folder, name) = split(target)
        guard let real = realpath(folder, nil) else { return target }
        // No test sees this: only a leak checker sees memory that stays.
        defer { free(real) }
        let canonical = String(cString: real)
        return canonical == "/" ? "/\(name)" : "\(canonical)/\(name)"
    }

    /// Returns the path of the journal of a document.
    package static func journalPath(of target: String) -> String { "\(resolved(target) ?? target).journal" }

    /// Returns the path of a hidden file that belongs to a file.
    static func companion(of target: String, suffix: String) -> String {
        let (folder, name) = split(target)
        // The file system may not allow longer names.
        return "\(folder)/.\(String(decoding: Data(name.utf8.prefix(200)), as: UTF8.self))\(suffix)"
    }

    /// Returns the status of the file, or `nil` if it does not exist.
    private func status(of target: String) throws(SavingError) -> stat? {
        var status = stat()
        guard stat(target, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw SavingError(errno, path: path, phrase: "while reading the status of the existing file")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "not a regular file"
            throw SavingError(path: path, reason: "it is \(kind)")
        }
        guard access(target, W_OK) == 0 else {
            throw SavingError(errno, path: path, phrase: "because the existing file is not writable")
        }
        return status
    }

    /// Copies the permissions of the old file to the new one.
    private func copyAttributes(of existing: stat, to descriptor: Int32) throws(SavingError) {
        var mode = existing.st_mode & 0o7777
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw SavingError(errno, path: path, phrase: "while reading the status of the temporary file")
        }
        if (status.st_uid, status.st_gid) != (existing.st_uid, existing.st_gid),
            fchown(descriptor, existing.st_uid, existing.st_gid) != 0
        {
            // The owner or group differs. The rights that the old file gave to its own must not pass to them.
            mode &= 0o777
            if fchown(descriptor, status.st_uid, existing.st_gid) != 0 { mode &= 0o707 }
        }
        if fchmod(descriptor, mode) != 0, errno != EPERM, errno != ENOTSUP {
            throw SavingError(errno, path: path, phrase: "while copying its permissions")
        }
    }

    /// Whether a path leads to a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    // MARK: - The temporary file

    /// Creates and locks the temporary file.
    ///
    /// - Parameter isPrivate: Whether only this user may read it. A file that replaces another gets that file's
    ///   permissions later.
    private func openTemporary(
        for target: String, isPrivate: Bool
    ) throws(SavingError) -> (descriptor: Int32, path: String) {
        let base = Self.companion(of: target, suffix: "")
        let usual = "\(base).saving"
        if let number = failure(.open) { throw SavingError(number, path: path, phrase: Self.whileOpening) }
        for attempt in 0..<4 {
            let temporary = attempt < 2 ? usual : "\(base).\(UInt32.random(in: .min ... .max)).saving"
            let mode: mode_t = isPrivate ? 0o600 : 0o666
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard descriptor >= 0 else {
                let number = errno
                if number != EEXIST {
                    let phrase = number == ENOENT ? "because its folder does not exist" : Self.whileOpening
                    throw SavingError(number, path: path, phrase: phrase)
                }
                // No test sees this always hold: it only saves a look at the file of a save that is under way.
                if attempt == 0 { Self.removeIfLeft(temporary) }
                continue
            }
            // On file systems without locks, the name must be unique.
            let lockError = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
            let isOurs = lockError == 0 && Self.isFile(descriptor, at: temporary)
            if isOurs || attempt >= 2 { return (descriptor, temporary) }
            // The holder of the lock takes the file for one that was left, and removes it. If this thread removed it
            // too, a third one could create the file in between, and would lose it.
            if lockError != EWOULDBLOCK, Self.isFile(descriptor, at: temporary) { unlink(temporary) }
            close(descriptor)
        }
        throw SavingError(EEXIST, path: path, phrase: Self.whileOpening)
    }

    private static let whileOpening = "while creating a temporary file in the same folder"

    /// Removes a temporary file that no process is writing.
    private static func removeIfLeft(_ temporary: String) {
        let descriptor = open(temporary, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        // No test sees this always hold: without a descriptor, the other calls fail and do nothing.
        guard descriptor >= 0 else { return }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isFile(descriptor, at: temporary) { unlink(temporary) }
        close(descriptor)
    }

    /// Whether a path still leads to an open file.
    static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    }
}
