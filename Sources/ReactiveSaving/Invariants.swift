// The invariants of a journal and of its document, as code. Only in debug builds, for tests.
//
// They hold while no thread is writing. Broken invariants are returned as sentences, so that a test can break one and
// expect its sentence.

#if DEBUG
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Autosave {
    /// A sentence for each broken invariant of the waiting contents and of the files; empty if none is, or if saving has
    /// ended. Waits for a save in progress.
    ///
    /// - Complexity: O(*n*) for the document and the journal.
    package var brokenInvariants: [String] { saver.withoutWriters { saver.contents.brokenInvariants } ?? [] }
}

extension SavedContents {
    package var brokenInvariants: [String] { [] }
}

extension JournalFile {
    /// A sentence for each broken invariant; empty if none is. Files that something else has replaced are not checked.
    package var brokenInvariants: [String] {
        guard isIntact, let target = try? file.resolvedPath() else { return [] }
        func contents(_ path: String) -> Data { (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data() }
        let (document, lines) = (contents(target), contents(AtomicFile.journalPath(of: target)))
        var broken: [String] = []
        if document.count != documentCount {
            broken.append("The document has \(document.count) bytes, and counts as \(documentCount).")
        }
        do {
            let journal = try Journal(parsing: lines)
            if journal.wholeCount != count || lines.count != count {
                broken.append(
                    "The journal has \(journal.wholeCount) bytes of lines in \(lines.count), and counts as \(count).")
            }
            if journal.lastNumber != lastNumber {
                broken.append("The journal ends with change \(journal.lastNumber), and counts as \(lastNumber).")
            }
            if journal.changes(since: document) == nil { broken.append("The journal does not name its document.") }
            broken += journal.brokenInvariants
        } catch {
            broken.append("Line \(error.line) of the journal is damaged: \(error.reason).")
        }
        return broken
    }
}

extension Journal {
    /// A sentence for each broken invariant of the lines, besides those that parsing checks.
    package var brokenInvariants: [String] {
        var broken: [String] = []
        if let first = documents.first, let change = changes.first, change.number != first.through + 1 {
            broken.append("The first change is \(change.number), and the first document ends with \(first.through).")
        }
        for (document, next) in zip(documents, documents.dropFirst()) where next.through < document.through {
            broken.append("A document ends with \(next.through), and an earlier one with \(document.through).")
        }
        for document in documents where document.through > lastNumber {
            broken.append("A document ends with \(document.through), and the journal with \(lastNumber).")
        }
        return broken
    }
}
#endif
