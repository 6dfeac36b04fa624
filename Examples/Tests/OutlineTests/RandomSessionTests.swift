// Random sessions, compared with a model without reactivity: a tree of plain values. All lines are compared after each
// edit.

import Foundation
import ProgramSupport
import ReactiveCodable
import Testing

/// An outline of plain values, edited in the simplest way.
private struct PlainItem: Equatable {
    var title: String
    var isDone = false
    var items: [PlainItem] = []

    /// Accesses the items below the one at a path.
    mutating func editItems(at place: ArraySlice<Int>, _ edit: (inout [PlainItem]) -> Void) {
        guard let first = place.first else { return edit(&items) }
        items[first].editItems(at: place.dropFirst(), edit)
    }

    mutating func mark(_ isDone: Bool) {
        self.isDone = isDone
        for index in items.indices { items[index].mark(isDone) }
    }

    var all: [PlainItem] { items.flatMap { [$0] + $0.all } }

    /// The paths of all items below, in order.
    var places: [[Int]] { items.indices.flatMap { index in [[index]] + items[index].places.map { [index] + $0 } } }

    subscript(place: [Int]) -> PlainItem { place.reduce(self) { $0.items[$1] } }

    /// The line of each item, by its number.
    var lines: [String: String] {
        var lines: [String: String] = [:]
        for place in places {
            let item = self[place]
            let number = place.map { "\($0 + 1)" }.joined(separator: ".")
            let indentation = String(repeating: "  ", count: place.count - 1)
            let count = item.items.isEmpty ? "" : " (\(item.all.count(where: \.isDone))/\(item.all.count))"
            lines[number] = "\(indentation)\(number) [\(item.isDone ? "x" : " ")] \(item.title)\(count)"
        }
        return lines
    }

    var json: JSONValue {
        ["title": .string(title), "isDone": .bool(isDone), "items": .array(JSONArray(items.map(\.json)))]
    }

    /// The outline in the form of a file.
    var outlineJSON: JSONValue { ["items": .array(JSONArray(items.map(\.json)))] }
}

@Suite(.alone) struct RandomSessionTests {
    private let seed = UInt64.random(in: 0...UInt64.max)

    @Test func everySessionPrintsTheDifferencesAndCanBeUndone() throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: seed)
        for _ in 0..<10 {
            let (commands, states) = try randomSession(editCount: 40, &random)
            let path = try folder.file("random.json", "\(states[0].outlineJSON)")
            let undone = states.dropLast().reversed()
            let all =
                ["patch on"] + commands + Array(repeating: "undo", count: states.count - 1)
                + Array(repeating: "redo", count: states.count - 1)
            let expected = states.dropFirst() + undone + states.dropFirst()
            var output = try replies(to: all, on: path)[...]

            var before = states[0]
            for after in expected {
                try check(&output, from: before, to: after)
                before = after
            }
            #expect(output.isEmpty, "seed \(seed)")
            #expect(
                try JSONValue(parsing: Data(contentsOf: URL(fileURLWithPath: path))) == states.last?.outlineJSON,
                "seed \(seed)")
        }
    }

    /// Checks the printed lines and the patch of a change.
    private func check(_ output: inout ArraySlice<String>, from before: PlainItem, to after: PlainItem) throws {
        let lines = Array(output.prefix { !$0.hasPrefix("[") })
        output = output.dropFirst(lines.count)
        var shown = before.lines
        for line in lines {
            let text = line.drop { $0 == " " }
            let number = String(text.prefix { $0 != " " })
            #expect(shown[number] != line, "seed \(seed): printed, but not different: \(line)")
            if text.hasSuffix(" gone") {
                for below in shown.keys where below == number || below.hasPrefix(number + ".") { shown[below] = nil }
            } else {
                shown[number] = line
            }
        }
        #expect(shown == after.lines, "seed \(seed)")
        let patch = try JSONPatch(parsing: output.popFirst() ?? "nothing, seed \(seed)")
        #expect(try patch.applying(to: before.outlineJSON) == after.outlineJSON, "seed \(seed)")
    }

    /// Creates random edits and transactions, each of which changes the outline, and all states from the first to the
    /// last.
    private func randomSession(
        editCount: Int, _ random: inout SplitMix64
    ) throws -> ([String], [PlainItem]) {
        var plain = PlainItem(title: "")
        var fresh = 0
        for _ in 0..<Int.random(in: 0..<12, using: &random) { _ = randomAddition(to: &plain, &fresh, &random) }
        var states = [plain]
        var commands: [String] = []
        while states.count <= editCount {
            var edits: [String] = []
            for _ in 0..<(Bool.random(using: &random) ? 1 : Int.random(in: 2...5, using: &random)) {
                let before = plain
                let command = randomEdit(of: &plain, &fresh, &random)
                if plain != before { edits.append(command) }
            }
            if plain == states.last { continue }
            commands += edits.count == 1 ? edits : ["begin"] + edits + ["commit"]
            states.append(plain)
        }
        return (commands, states)
    }

    private func randomAddition(
        to plain: inout PlainItem, _ fresh: inout Int, _ random: inout SplitMix64
    ) -> String {
        fresh += 1
        let title = "item \(fresh)"
        let place = ([[]] + plain.places).randomElement(using: &random) ?? []
        plain.editItems(at: place[...]) { $0.append(PlainItem(title: title)) }
        return place.isEmpty ? "add \(title)" : "add \(number(place)): \(title)"
    }

    private func randomEdit(of plain: inout PlainItem, _ fresh: inout Int, _ random: inout SplitMix64) -> String {
        guard let place = plain.places.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
            return randomAddition(to: &plain, &fresh, &random)
        }
        let (parent, index) = (place.dropLast(), place[place.count - 1])
        let name = number(place)
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            fresh += 1
            plain.editItems(at: parent) { $0[index].title = "renamed \(fresh)" }
            return "rename \(name) renamed \(fresh)"
        case 1:
            let isDone = Bool.random(using: &random)
            plain.editItems(at: parent) { $0[index].mark(isDone) }
            return "\(isDone ? "done" : "undone") \(name)"
        case 2:
            plain.editItems(at: parent) { $0.remove(at: index) }
            return "delete \(name)"
        default:
            return randomMove(of: place, in: &plain, &random)
        }
    }

    /// Marks the target with an empty title before it moves the item, so that no index needs a correction.
    private func randomMove(of place: [Int], in plain: inout PlainItem, _ random: inout SplitMix64) -> String {
        guard let anchor = plain.places.filter({ !$0.starts(with: place) }).randomElement(using: &random) else {
            return ""
        }
        let hole = PlainItem(title: "hole")
        let item = plain[place]
        let preposition = ["before", "after", "into"].randomElement(using: &random) ?? "into"
        plain.editItems(at: place.dropLast()) { $0[place[place.count - 1]] = hole }
        let index = anchor[anchor.count - 1]
        switch preposition {
        case "before": plain.editItems(at: anchor.dropLast()) { $0.insert(item, at: index) }
        case "after": plain.editItems(at: anchor.dropLast()) { $0.insert(item, at: index + 1) }
        default: plain.editItems(at: anchor[...]) { $0.append(item) }
        }
        if let found = plain.places.first(where: { plain[$0] == hole }) {
            plain.editItems(at: found.dropLast()) { $0.remove(at: found[found.count - 1]) }
        }
        return "move \(number(place)) \(preposition) \(number(anchor))"
    }

    private func number(_ place: [Int]) -> String { place.map { "\($0 + 1)" }.joined(separator: ".") }
}
