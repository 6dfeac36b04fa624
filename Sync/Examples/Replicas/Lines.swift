// Notes, changes, conflicts and the status as lines of text. Others write notes, so control characters are replaced.

import Foundation
import ReactiveSync

/// A note as it was printed last.
struct PrintedNote: Equatable {
    let text: String
    let isDone: Bool

    init(_ note: Note) { (text, isDone) = (note.text, note.isDone) }

    /// Returns the lines that report a change of a note.
    static func lines(_ name: String, from old: PrintedNote?, to new: PrintedNote?) -> [String] {
        guard let new else { return old == nil ? [] : [line("removed", name)] }
        var lines: [String] = []
        if new.text != old?.text { lines.append(line(old == nil ? "added" : "changed", name, new.text)) }
        if new.isDone != old?.isDone ?? false { lines.append(line(new.isDone ? "done" : "not done", name)) }
        return lines
    }

    fileprivate static func line(_ word: String, _ name: String, _ text: String? = nil) -> String {
        "\(word.padded(to: 8)) \(name)\(text.map { ": \($0)" } ?? "")".onOneLine
    }
}

extension Notes {
    /// A line for each note, sorted and aligned, and one that counts them.
    var lines: [String] {
        let sorted = notes.elements.sorted { $0.key < $1.key }
        let width = min(20, sorted.map(\.key.count).max() ?? 0)
        let list = sorted.map { name, note in
            "[\(note.isDone ? "x" : " ")] \(name.padded(to: width))  \(note.text)".onOneLine
        }
        let doneCount = sorted.count { $0.value.isDone }
        return list + [sorted.isEmpty ? "no notes; add milk Buy milk adds one" : "\(count), \(doneCount) done"]
    }

    /// Such as `2 notes`.
    var count: String { notes.count.of("note") }
}

extension ReplicaConflict {
    /// A line for each change of this peer that was dropped.
    func lines(in notes: Notes) -> [String] {
        dropped.map { edit in
            // Paths are "/notes/NAME", "/notes/NAME/text" and "/notes/NAME/isDone".
            var name = edit.path.dropFirst("/notes/".count)
            var change = "your note"
            if name.hasSuffix("/text") {
                name = name.dropLast("/text".count)
                change = edit.value.map { "your text \($0)" } ?? "your text"
            } else if name.hasSuffix("/isDone") {
                name = name.dropLast("/isDone".count)
                change = "your done"
            }
            let isThere = notes.notes[String(name)] != nil
            let reason = isThere || isOutcomeUnknown ? edit.reason : "the note was removed"
            return PrintedNote.line(isOutcomeUnknown ? "unclear" : "dropped", "\(name)", "\(change); \(reason)")
        }
    }
}

extension ReplicaStatus {
    var isOffline: Bool { if case .offline = self { true } else { false } }

    /// The status in plain words.
    var line: String {
        switch self {
        case .live: "live: the log has all your changes, and you have all its changes"
        case .behind(let count): "behind: \(count.of("change")) still to be sent or received"
        case .offline(let since, let count):
            "offline since \(since.formatted(date: .omitted, time: .standard)): \(count.of("change")) still to be sent"
        case .refused(let refusal): "refused: \(refusal.description.prefix(200))".onOneLine
        }
    }
}

extension String {
    /// The text without what moves the cursor.
    fileprivate var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "·" : $0 }))
    }

    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Int {
    /// The number of things, such as `1 note` or `2 notes`.
    func of(_ thing: String) -> String { "\(self) \(thing)\(self == 1 ? "" : "s")" }
}
