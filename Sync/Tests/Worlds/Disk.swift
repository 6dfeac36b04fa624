// A simulated disk: what a program sees, and what would be left after a power failure.
//
//     file       cached    the contents that the program sees
//                durable   the contents at the last `fsync` of the file
//                writes    the writes since
//     names      the files that the program sees in the folder
//                durableNames, changes: the names at the last `fsync` of the folder, and what happened to them since
//
// A real folder has the cached contents, so that the system opens, reads, locks and compares the files. This class is
// called before each operation that changes something: it fails the operation, or repeats it in its own books.
//
// A crash is the end of the disk for its program: each later operation fails. The next life of the machine begins with
// the same books if only the program was killed, and with `afterPowerFailure` otherwise, where the disk has forgotten a
// part of what was not synchronised.

#if DEBUG
import Foundation
import SyncTestSupport
import WorldSystem

/// The disk of one life of a machine.
final class Disk {
    /// A write that a power failure may lose.
    enum Write {
        case bytes([UInt8], at: Int)
        case truncation(to: Int)
    }

    struct File {
        var cached: [UInt8] = []
        var durable: [UInt8] = []
        var writes: [Write] = []
    }

    /// The files and their names.
    struct Books {
        var files: [Int: File] = [:]
        var fileCount = 0
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        /// The changes of names, in their order. The parts of a change happen together.
        var changes: [[(name: String, file: Int?)]] = []
    }

    /// An operation that changes the disk.
    enum Operation: String {
        case create, write, truncate, sync, syncFolder, rename, unlink
    }

    let folder: String
    private(set) var books: Books
    private let world: World
    private var files: [Int32: (file: Int, offset: Int)] = [:]
    private var folders: Set<Int32> = []

    /// The number of operations so far.
    private(set) var operationCount = 0
    /// The number of the operation before or after which the life ends.
    var lastOperation = Int.max
    /// Whether the life has ended: no operation has an effect any more.
    private(set) var isDead = false
    /// Whether no byte can be added.
    var isFull = false
    /// Whether operations fail at random.
    var isFailing = false
    /// The number of operations that have failed in this life.
    private(set) var failureCount = 0
    var hasFailed: Bool { failureCount > 0 }

    /// Creates a disk in a new folder.
    init(_ books: Books, in folder: String, of world: World) {
        self.books = books
        self.folder = folder
        self.world = world
        mkdir(folder, 0o700)
        for (name, file) in books.names.sorted(by: { $0.key < $1.key }) {
            let descriptor = world_open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
            precondition(descriptor >= 0)
            let bytes = books.files[file]?.cached ?? []
            precondition(world_write(descriptor, bytes, bytes.count, -1) == bytes.count)
            _ = world_close(descriptor)
        }
    }

    /// Ends the life.
    func die() { isDead = true }

    /// Removes the folder.
    func remove() {
        for name in books.names.keys { _ = world_unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    /// The names of the files.
    var names: [String] { books.names.keys.sorted() }

    // MARK: - Operations

    /// Whether a path is the folder or a file in it.
    func contains(_ path: String) -> Bool { path.hasPrefix(folder) }

    func owns(_ descriptor: Int32) -> Bool { files[descriptor] != nil || folders.contains(descriptor) }

    func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        if isDead { return failure(EIO) }
        let name = name(of: path)
        let isNew = name.map { books.names[$0] == nil } ?? false
        if isNew, flags & O_CREAT == 0 { return failure(ENOENT) }
        if isNew, let number = begin(.create, name ?? "") { return failure(number) }
        let descriptor = world_open(path, flags, mode)
        guard descriptor >= 0 else { return descriptor }
        guard let name else {
            folders.insert(descriptor)
            return descriptor
        }
        if isNew {
            books.fileCount += 1
            books.files[books.fileCount] = File()
            change([(name, books.fileCount)])
        }
        precondition(flags & O_TRUNC == 0)
        files[descriptor] = (books.names[name] ?? 0, 0)
        end(.create)
        return descriptor
    }

    func close(_ descriptor: Int32) -> Int32 {
        files[descriptor] = nil
        folders.remove(descriptor)
        return world_close(descriptor)
    }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at given: Int) -> Int {
        if isDead { return Int(failure(EIO)) }
        guard let (file, position) = files[descriptor] else { return Int(failure(EBADF)) }
        let number = begin(.write, "\(bytes.count) bytes")
        let offset = given < 0 ? position : given
        var count = bytes.count
        if isFull { count = min(count, max(0, (books.files[file]?.cached.count ?? 0) - offset)) }
        // A write may have written less than it was asked to.
        if number != nil || (isFailing && world.oneIn(4)) { count = world.below(count + 1) }
        if count > 0, number == nil || world.oneIn(2) {
            precondition(world_write(descriptor, bytes.baseAddress, count, off_t(offset)) == count)
            record(.bytes(Array(bytes.prefix(count)), at: offset), in: file)
            files[descriptor]?.offset = offset + count
        }
        end(.write)
        if let number { return Int(failure(number)) }
        if isFull, count < bytes.count {
            failureCount += 1
            if count == 0 { return Int(failure(ENOSPC)) }
        }
        return count
    }

    func truncate(_ descriptor: Int32, _ count: Int) -> Int32 {
        guard let (file, _) = files[descriptor] else { return failure(EBADF) }
        if let number = begin(.truncate, "\(count)") { return failure(number) }
        let result = world_truncate(descriptor, off_t(count))
        if result == 0 { record(.truncation(to: count), in: file) }
        end(.truncate)
        return result
    }

    func sync(_ descriptor: Int32) -> Int32 {
        if folders.contains(descriptor) {
            if let number = begin(.syncFolder, "") { return failure(number) }
            if world.fault != .folderIsNotSynced {
                books.durableNames = books.names
                books.changes = []
            }
            end(.syncFolder)
            return 0
        }
        guard let (file, _) = files[descriptor] else { return failure(EBADF) }
        if let number = begin(.sync, "") {
            // The system drops some of the writes, and a later `fsync` does not try them again.
            if number == EIO, !isDead, let count = books.files[file]?.writes.count, count > 0 {
                books.files[file]?.writes.removeLast(world.below(count + 1))
            }
            return failure(number)
        }
        let isSynced =
            switch world.fault {
            case .documentIsNotSynced: books.names.first { $0.value == file }?.key.hasSuffix(".saving") != true
            case .journalIsNotSynced: books.names.first { $0.value == file }?.key.hasSuffix(".journal") != true
            default: true
            }
        if isSynced, var contents = books.files[file] {
            for write in contents.writes { write.apply(to: &contents.durable) }
            contents.writes = []
            books.files[file] = contents
        }
        end(.sync)
        return 0
    }

    func rename(_ old: String, _ new: String) -> Int32 {
        guard let from = name(of: old), let to = name(of: new), let file = books.names[from] else {
            return failure(ENOENT)
        }
        if let number = begin(.rename, "\(from) → \(to)") { return failure(number) }
        let result = world_rename(old, new)
        if result == 0 {
            if world.fault == .renameIsNotAtomic {
                change([(to, nil)])
                change([(from, nil)])
                change([(to, file)])
            } else {
                change([(from, nil), (to, file)])
            }
        }
        end(.rename)
        return result
    }

    func unlink(_ path: String) -> Int32 {
        if isDead { return failure(EIO) }
        guard let name = name(of: path), books.names[name] != nil else { return failure(ENOENT) }
        if let number = begin(.unlink, name) { return failure(number) }
        let result = world_unlink(path)
        if result == 0 { change([(name, nil)]) }
        end(.unlink)
        return result
    }

    /// Returns the name of a file in the folder, or `nil` for the folder itself.
    private func name(of path: String) -> String? {
        path.count > folder.count + 1 ? String(path.dropFirst(folder.count + 1)) : nil
    }

    private func failure(_ number: Int32) -> Int32 {
        errno = number
        return -1
    }

    // MARK: - Failures

    /// The end of the life comes before the operation, or after it.
    private var endsAfterwards = false

    /// Counts an operation. Returns the number of its error if it fails.
    private func begin(_ operation: Operation, _ detail: @autoclosure () -> String) -> Int32? {
        if isDead { return EIO }
        operationCount += 1
        world.note("disk \(folder.suffix(3)): \(operationCount) \(operation) \(detail())")
        if operationCount >= lastOperation {
            endsAfterwards = world.oneIn(2)
            if !endsAfterwards {
                die()
                return EIO
            }
            return nil
        }
        if isFull, operation == .create, world.oneIn(3) {
            failureCount += 1
            return ENOSPC
        }
        if isFailing, operation != .unlink, world.oneIn(4) {
            failureCount += 1
            return EIO
        }
        return nil
    }

    private func end(_ operation: Operation) { if endsAfterwards { die() } }

    // MARK: - Books

    private func record(_ write: Write, in file: Int) {
        guard var contents = books.files[file] else { return }
        write.apply(to: &contents.cached)
        contents.writes.append(write)
        books.files[file] = contents
    }

    private func change(_ parts: [(name: String, file: Int?)]) {
        for (name, file) in parts { books.names[name] = file }
        books.changes.append(parts)
    }
}

extension Disk.Write {
    /// Applies the write. Bytes between the end of the file and the write are zeros.
    func apply(to contents: inout [UInt8]) {
        switch self {
        case .truncation(let count):
            if contents.count > count { contents.removeLast(contents.count - count) }
            if contents.count < count { contents += [UInt8](repeating: 0, count: count - contents.count) }
        case .bytes(let bytes, let offset):
            if contents.count < offset { contents += [UInt8](repeating: 0, count: offset - contents.count) }
            contents.replaceSubrange(offset..<min(contents.count, offset + bytes.count), with: bytes)
        }
    }
}
#endif
