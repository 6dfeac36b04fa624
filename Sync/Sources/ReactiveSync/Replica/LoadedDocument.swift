// A document that a replica is about to write into its model: a snapshot, and the entries after it.

import Foundation
import ReactiveCodable

/// A document as the entries up to a position have produced it.
struct LoadedDocument: Sendable {
    /// The document.
    private(set) var document: Document
    /// The position of its last entry.
    private(set) var position: Int
    /// The highest version of the schema among its entries.
    private(set) var version: Int
    /// The number of the replica's last entry in the document.
    var lastNumber: Int
    /// The replica's own entries after the snapshot, and the edits of each that did not fit.
    private(set) var returned: [(entry: LogEntry, misfits: [Misfit])] = []

    private let limits: ReplicaLimits

    /// Creates the document of a snapshot.
    ///
    /// - Throws: ``ReplicaRefusal/unfit(_:)`` if the snapshot is not JSON text, or exceeds the limits.
    init(_ snapshot: LogSnapshot, lastNumber: Int, limits: ReplicaLimits) throws(ReplicaRefusal) {
        do {
            document = Document(try JSONValue(parsing: snapshot.content, limits: limits.document))
        } catch {
            throw .unfit("the snapshot at \(snapshot.position) cannot be read: \(error)")
        }
        (position, version) = (snapshot.position, snapshot.version)
        self.lastNumber = lastNumber
        self.limits = limits
    }

    /// Applies the next entries.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - replica: The replica whose entries are recorded in `returned`; `nil` for none.
    mutating func apply(_ entries: [LogEntry], notingThoseOf replica: UUID? = nil) {
        var footprint = Footprint()
        for entry in entries {
            position += 1
            version = max(version, entry.version)
            // An entry that is malformed or too large has no effect in any replica.
            let content = try? EntryContent(parsing: entry.content, limits: limits.entry)
            let misfits = document.apply(content?.edits ?? [], limits: limits.document, touching: &footprint)
            guard entry.replica == replica else { continue }
            lastNumber = max(lastNumber, entry.number)
            returned.append((entry, misfits))
        }
    }
}
