// Insertions into a source file. Positions are offsets in the original text, so their order does not matter.

/// A text and what is to be inserted into it.
///
/// Insertions belong to pieces of the text, which are nested: a piece that begins at the same place as another and was
/// added before it contains that one.
struct Edits {
    private struct Insertion {
        let offset: Int
        let isClosing: Bool
        let order: Int
        let text: String
    }

    private let source: [UInt8]
    /// Where the lines begin.
    private let lines: [Int]
    private var insertions: [Insertion] = []

    init(of source: String) {
        let bytes = Array(source.utf8)
        self.source = bytes
        lines = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// Puts text in front of and behind a piece of the source.
    mutating func wrap(_ piece: Range<Int>, in before: String, _ after: String) {
        let order = insertions.count
        if !before.isEmpty {
            insertions.append(Insertion(offset: piece.lowerBound, isClosing: false, order: order, text: before))
        }
        if !after.isEmpty {
            insertions.append(Insertion(offset: piece.upperBound, isClosing: true, order: order, text: after))
        }
    }

    /// The original text of a piece.
    func text(_ piece: Range<Int>) -> String { String(decoding: source[piece], as: UTF8.self) }

    /// The line and the column of an offset, both counted from 1.
    func place(of offset: Int) -> (line: Int, column: Int) {
        var (low, high) = (0, lines.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lines[middle] <= offset { low = middle } else { high = middle }
        }
        return (low + 1, offset - lines[low] + 1)
    }

    /// The text with all insertions.
    func applied() -> String {
        // Inner pieces end first, and outer ones begin first.
        let sorted = insertions.sorted { first, second in
            if first.offset != second.offset { return first.offset < second.offset }
            if first.isClosing != second.isClosing { return first.isClosing }
            return first.isClosing ? first.order > second.order : first.order < second.order
        }
        var result: [UInt8] = []
        var copied = 0
        for insertion in sorted {
            result += source[copied..<insertion.offset]
            result += insertion.text.utf8
            copied = insertion.offset
        }
        result += source[copied...]
        return String(decoding: result, as: UTF8.self)
    }
}
