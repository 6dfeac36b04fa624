// A history that stores everything: a picture of the whole graph for each of its positions.

import Testing

struct HistoryModel {
    /// The pictures, from that of the beginning on.
    private(set) var positions: [Picture]
    /// Which of them shows the present.
    private(set) var cursor = 0

    init(_ beginning: Picture) { positions = [beginning] }

    var undoCount: Int { cursor }
    var redoCount: Int { positions.count - 1 - cursor }
    var present: Picture { positions[cursor] }

    /// A step of the user's, which drops what could be redone.
    mutating func record(_ picture: Picture) {
        positions.removeSubrange((cursor + 1)...)
        positions.append(picture)
        cursor += 1
    }

    mutating func undo() { cursor -= 1 }
    mutating func redo() { cursor += 1 }

    /// What was loaded at the end of an array, which is part of all positions.
    mutating func load(_ element: String, at array: Int, _ lines: Picture) {
        for index in positions.indices {
            let line = positions[index][array, default: "[]"]
            let separator = line == "[]" ? "" : ", "
            positions[index][array] = line.dropLast() + separator + element + "]"
            positions[index].merge(lines) { old, _ in old }
        }
    }

    /// A value that no step has written, which is part of all positions.
    mutating func load(_ value: String, at observable: Int) {
        for index in positions.indices { positions[index][observable] = value }
    }
}
