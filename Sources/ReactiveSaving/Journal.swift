// The format of journals: the changes since a document was written, one per line.
//
//     9c2f…e1 120 journal 1 document 51d0…07        the document with checksum 51d0…07 contains changes 1 to 120
//     04b7…88 121 [{"op":"replace",…}]              change 121: a JSON Patch
//     7aa0…3c 122 […]                               change 122
//     e15b…90 122 through 121 document 83aa…f2      a document with checksum 83aa…f2 contains changes 1 to 121
//     …
//
// A line consists of the checksum of its rest, a number and its content. The numbers of changes are consecutive. The
// first line identifies the document of the journal. Before a document is replaced, a line `through … document …` is
// written. So whichever of the two documents a crash leaves, the journal shows which changes that document lacks.
//
// A last line without an end was being written when the program was killed. No `flush` has returned for it, so it is
// dropped. Every other irregularity is damage.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The lines of a journal.
package struct Journal {
    /// The damage of a journal and its line.
    package struct Damage: Error {
        /// The number of the line, from 1.
        package let line: Int
        package let reason: String
    }

    /// A change: a JSON Patch as text.
    package struct Change {
        /// The number of its line, from 1.
        package let line: Int
        package let number: Int
        package let patch: Data
    }

    /// A document and the number of the last change in it.
    struct Document {
        let checksum: Checksum
        let through: Int
    }

    private(set) var changes: [Change] = []
    /// The documents that the journal names, in the order of writing.
    private(set) var documents: [Document] = []
    /// The number of bytes up to the end of the last complete line.
    private(set) var wholeCount = 0
    /// The number of the last change.
    private(set) var lastNumber = 0

    /// Reads a journal.
    ///
    /// - Throws: ``Damage``.
    package init(parsing data: Data) throws(Damage) {
        var rest = data[...]
        var line = 0
        while !rest.isEmpty {
            line += 1
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                // A complete line with a wrong byte instead of its end is damage, not a line that was cut off.
                if (try? Line(rest.dropLast(), at: line)) != nil {
                    throw Damage(line: line, reason: "it has a wrong byte instead of a line break")
                }
                break
            }
            try add(try Line(rest[..<end], at: line))
            rest = rest[(end + 1)...]
            wholeCount = end + 1 - data.startIndex
        }
        guard !documents.isEmpty else {
            throw Damage(line: 1, reason: "it does not name the journal's document")
        }
    }

    private mutating func add(_ line: Line) throws(Damage) {
        switch line.content {
        case .base(let checksum):
            guard line.position == 1 else { throw Damage(line: line.position, reason: "it starts a second journal") }
            documents = [Document(checksum: checksum, through: line.number)]
            lastNumber = line.number
        case _ where line.position == 1:
            throw Damage(line: 1, reason: "it does not name the journal's document")
        case .document(let checksum, let through):
            guard line.number == lastNumber else { throw outOfOrder(line) }
            documents.append(Document(checksum: checksum, through: through))
        case .change(let patch):
            guard line.number == lastNumber + 1 else { throw outOfOrder(line) }
            lastNumber = line.number
            changes.append(Change(line: line.position, number: line.number, patch: patch))
        }
    }

    private func outOfOrder(_ line: Line) -> Damage {
        Damage(line: line.position, reason: "its number \(line.number) follows number \(lastNumber)")
    }

    /// Returns the changes that a document lacks, or `nil` if the journal does not belong to the document.
    package func changes(since document: Data) -> ArraySlice<Change>? {
        let checksum = Checksum(of: document)
        guard let known = documents.last(where: { $0.checksum == checksum }) else { return nil }
        return changes[(changes.firstIndex { $0.number > known.through } ?? changes.endIndex)...]
    }
}

// MARK: - Lines

/// A line with a valid checksum.
private struct Line {
    enum Content {
        case base(Checksum)
        case document(Checksum, through: Int)
        case change(Data)
    }

    /// The number of the line, from 1.
    let position: Int
    let number: Int
    let content: Content

    init(_ bytes: Data, at position: Int) throws(Journal.Damage) {
        func damage(_ reason: String) -> Journal.Damage { .init(line: position, reason: reason) }
        let body = bytes.dropFirst(17)
        guard bytes.dropFirst(16).first == UInt8(ascii: " "),
            let checksum = Checksum(String(decoding: bytes.prefix(16), as: UTF8.self)), checksum == Checksum(of: body)
        else { throw damage("its checksum is wrong") }
        guard let space = body.firstIndex(of: UInt8(ascii: " ")),
            let number = Int(String(decoding: body[..<space], as: UTF8.self))
        else { throw damage("it has no number") }
        let rest = body[(space + 1)...]
        self.position = position
        self.number = number
        if rest.first == UInt8(ascii: "[") {
            content = .change(rest)
            return
        }
        let words = String(decoding: rest, as: UTF8.self).split(separator: " ")
        if words.count == 4, words[0] == "journal", words[2] == "document", let checksum = Checksum(words[3]) {
            guard words[1] == "1" else { throw damage("this program does not support its format \(words[1])") }
            content = .base(checksum)
        } else if words.count == 4, words[0] == "through", let through = Int(words[1]), words[2] == "document",
            let checksum = Checksum(words[3])
        {
            content = .document(checksum, through: through)
        } else {
            throw damage("this program does not support its kind")
        }
    }
}

extension Journal {
    /// Returns the line of a change.
    package static func line(forChange number: Int, _ patch: Data) -> Data { line(number, patch) }

    /// Returns the first line of a journal.
    static func firstLine(document: Checksum, through number: Int) -> Data {
        line(number, Data("journal 1 document \(document)".utf8))
    }

    /// Returns the line that is written before a document is replaced.
    ///
    /// - Parameter lastNumber: The number of the last change in the journal.
    static func line(after lastNumber: Int, document: Checksum, through number: Int) -> Data {
        line(lastNumber, Data("through \(number) document \(document)".utf8))
    }

    private static func line(_ number: Int, _ content: Data) -> Data {
        let body = Data("\(number) ".utf8) + content
        return Data("\(Checksum(of: body)) ".utf8) + body + [UInt8(ascii: "\n")]
    }
}
