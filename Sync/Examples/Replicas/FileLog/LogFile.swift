// Entries and snapshots in a file: a line of JSON for each call that had an effect.
//
//     {"entries":{"of":[…]}}        an append: one line, so that a torn write has no effect at all
//     {"snapshot":{"of":{…}}}       a snapshot; the entries up to its position are not needed any more
//     {"pruned":{"count":…}}        the first line of a rewritten file: the number of dropped entries, and the last
//                                   number of each replica, so that none of these entries is appended again
//
// A line is on the disk before its call returns, and before a reader sees its entries. So no reader has seen an entry
// that is lost when the process is killed. The rest of a torn write after the last whole line is removed before the
// next line.
//
// The file is rewritten if that at least halves it: as `pruned`, the latest snapshot, and the entries after it.

import Foundation
import ReactiveSync

/// A log in a file. One process at a time may open it.
///
/// Its functions keep the promises of `ReplicaLog`, and block. They may be called from any thread.
package final class LogFile: @unchecked Sendable {
    // Sendable because the condition guards the state.
    private let condition = NSCondition()
    private let url: URL
    private let smallestPruned: Int
    private var file: FileHandle
    /// The size in bytes of all whole lines.
    private var size: Int

    /// The entries after the pruned ones.
    private var entries: [LogEntry] = []
    private var pruned = 0
    /// The number of the last entry of each replica.
    private var numbers: [UUID: Int] = [:]
    private var snapshot: LogSnapshot?

    private enum Line: Codable {
        case entries(of: [LogEntry])
        case snapshot(of: LogSnapshot)
        case pruned(count: Int, numbers: [UUID: Int])
    }

    /// Opens a file, or creates it.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - smallestPruned: The size in bytes below which the file is never rewritten.
    /// - Throws: ``LogFileError``; the error of opening or reading the file.
    /// - Complexity: O(*n*) for the size of the file.
    package init(at url: URL, smallestPruned: Int = 1 << 20) throws {
        self.url = url
        self.smallestPruned = smallestPruned
        file = try FileHandle(locking: url)
        let contents = try file.readToEnd() ?? Data()
        let lines = contents.split(separator: newline, omittingEmptySubsequences: false)
        size = contents.count - (lines.last?.count ?? 0)
        // A file with only half a line is the rest of a log's first line, or a file of a different kind.
        guard size > 0 || contents.first ?? UInt8(ascii: "{") == UInt8(ascii: "{") else {
            throw LogFileError.damaged(url, line: 1)
        }
        for (index, line) in lines.dropLast().enumerated() {
            guard let line = try? value(Line.self, in: line) else { throw LogFileError.damaged(url, line: index + 1) }
            take(line)
        }
        try synchronizeFolder()
    }

    /// The number of entries that were pruned.
    package var prunedCount: Int { condition.withLock { pruned } }

    private var end: Int { pruned + entries.count }

    package func start(of replica: UUID) -> LogStart {
        condition.withLock { LogStart(snapshot: snapshot, end: end, lastNumber: numbers[replica, default: 0]) }
    }

    package func entries(after position: Int, limit: Int) throws(LogError) -> [LogEntry] {
        condition.lock()
        defer { condition.unlock() }
        if position > end { throw .unknownPosition }
        if position < pruned { throw .pruned }
        return Array(entries.dropFirst(position - pruned).prefix(max(0, limit)))
    }

    /// Waits until there are entries after a position, or until a time.
    package func waitForEntries(after position: Int, until time: Date) {
        condition.withLock {
            while end <= position, condition.wait(until: time) {}
        }
    }

    package func append(_ sent: [LogEntry]) throws {
        try condition.withLock {
            let new = sent.filter { $0.number > numbers[$0.replica, default: 0] }
            if new.count < sent.count { try checkContents(of: sent) }
            guard let replica = new.first?.replica else { return }
            let next = numbers[replica, default: 0] + 1
            guard zip(new, next...).allSatisfy({ $0.replica == replica && $0.number == $1 }) else {
                throw LogError.refused("the entries skip a number, or belong to several replicas")
            }
            try keep(.entries(of: new))
            condition.broadcast()
        }
    }

    /// Throws if an entry is sent again, and the log has different content for its identity.
    private func checkContents(of sent: [LogEntry]) throws(LogError) {
        let contents = Dictionary(sent.map { ($0.number, $0.content) }) { first, _ in first }
        for entry in entries where entry.replica == sent.first?.replica {
            if let content = contents[entry.number], content != entry.content { throw .identityInUse }
        }
    }

    package func save(_ new: LogSnapshot) throws {
        try condition.withLock {
            // Readers begin with the latest snapshot. Of two at one position, the first one stays.
            if let snapshot, snapshot.position >= new.position { return }
            guard new.position <= end else { throw LogError.refused("the snapshot has more entries than the log") }
            try keep(.snapshot(of: new))
            // The snapshot is durable already. Rewriting is tried again after the next one.
            if isWorthPruning { try? prune() }
        }
    }

    // MARK: - The file

    /// Writes a line, and applies it after it is on the disk.
    private func keep(_ line: Line) throws {
        let bytes = try FileLog.line(line)
        try file.truncate(atOffset: UInt64(size))
        try file.write(contentsOf: bytes)
        try file.synchronize()
        size += bytes.count
        take(line)
    }

    /// Applies a line of the file.
    private func take(_ line: Line) {
        switch line {
        case .entries(let new):
            entries += new
            for entry in new { numbers[entry.replica] = entry.number }
        case .snapshot(let new): snapshot = new
        case .pruned(let count, let numbers): (pruned, self.numbers) = (count, numbers)
        }
    }

    /// The entries that the snapshot does not contain.
    private var entriesBehindSnapshot: ArraySlice<LogEntry> { entries.dropFirst((snapshot?.position ?? 0) - pruned) }

    private var isWorthPruning: Bool {
        let needed = entriesBehindSnapshot.reduce(snapshot?.content.utf8.count ?? 0) { $0 + $1.content.utf8.count }
        return size > max(smallestPruned, 2 * needed)
    }

    /// Rewrites the file, without the entries that the snapshot contains.
    private func prune() throws {
        guard let snapshot else { return }
        let kept = Array(entriesBehindSnapshot)
        let lines: [Line] = [.pruned(count: snapshot.position, numbers: numbers), .snapshot(of: snapshot)]
        let bytes = try (lines + (kept.isEmpty ? [] : [.entries(of: kept)])).reduce(Data()) { try $0 + line($1) }

        let draft = url.appendingPathExtension("new")
        let new = try FileHandle(locking: draft)
        try new.truncate(atOffset: 0)
        try new.write(contentsOf: bytes)
        try new.synchronize()
        guard rename(draft.path, url.path) == 0 else { throw POSIXError.last }
        (file, size) = (new, bytes.count)
        (entries, pruned) = (kept, snapshot.position)
        try synchronizeFolder()
    }

    /// Makes the name of the file durable.
    private func synchronizeFolder() throws {
        let descriptor = open(url.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.last }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError.last }
    }
}

/// The error of a file that cannot be opened as a log.
package enum LogFileError: Error, CustomStringConvertible {
    /// A line is not a line of a log.
    case damaged(URL, line: Int)
    /// A different process has opened the file.
    case inUse(URL)

    package var description: String {
        switch self {
        case .damaged(let url, let line): "line \(line) of \(url.path) is not a valid line of a log"
        case .inUse(let url): "\(url.path) is in use by a different log process"
        }
    }
}

extension FileHandle {
    /// Opens a file, or creates it, for this process alone.
    fileprivate convenience init(locking url: URL) throws {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
        self.init(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw LogFileError.inUse(url) }
        // If a log was rewritten between the two calls, it is in a new file.
        var (locked, present) = (stat(), stat())
        guard fstat(descriptor, &locked) == 0, stat(url.path, &present) == 0, locked.st_ino == present.st_ino else {
            throw LogFileError.inUse(url)
        }
    }
}

extension POSIXError {
    /// The error of the last system call of this thread.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
