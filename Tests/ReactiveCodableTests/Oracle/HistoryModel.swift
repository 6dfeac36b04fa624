// A history that stores everything: a picture of the whole graph for each of its positions.

import Testing

struct HistoryModel {
    /// The pictures, from the first position on.
    private(set) var positions: [Picture]
    /// The index of the present picture.
    private(set) var cursor = 0

    init(_ beginning: Picture) { positions = [beginning] }

    var undoCount: Int { cursor }
    var redoCount: Int { positions.count - 1 - cursor }
    var present: Picture { positions[cursor] }

    /// A user's step, which drops the redoable steps.
    mutating func record(_ picture: Picture) {
        positions.removeSubrange((cursor + 1)...)
        positions.append(picture)
        cursor += 1
    }

    mutating func undo() { cursor -= 1 }
    mutating func redo() { cursor += 1 }

    /// Elements that were loaded at the end of an array, which belong to all positions.
    mutating func load(_ element: String, at array: Int, _ lines: Picture) {
        for index in positions.indices {
            let line = positions[index][array, default: "[]"]
            let separator = line == "[]" ? "" : ", "
            positions[index][array] = line.dropLast() + separator + element + "]"
            positions[index].merge(lines) { old, _ in old }
        }
    }

    /// A value that no step has written, which belongs to all positions.
    mutating func load(_ value: String, at observable: Int) {
        for index in positions.indices { positions[index][observable] = value }
    }
}
