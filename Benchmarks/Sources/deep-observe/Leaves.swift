// The first walk, the memory for a leaf, and one write to a leaf, which must not depend on the number of leaves.
//
// A leaf is an `Observable<Int>`; an object has eight of them, and the objects are in an observable array.

import CLimit
import Foundation
import Reactive
import ReactiveCodable

private final class Row: Encodable {
    @Observable var a = 0
    @Observable var b = 0
    @Observable var c = 0
    @Observable var d = 0
    @Observable var e = 0
    @Observable var f = 0
    @Observable var g = 0
    @Observable var h = 0
}

private struct Table: Encodable {
    @Observable var rows: [Row]

    init(leaves: Int) { rows = (0..<leaves / 8).map { _ in Row() } }
}

/// Returns the nanoseconds of each of `count` writes to leaves spread over the table.
private func writes(_ rows: [Row], _ count: Int) -> Double {
    let start = measure_now()
    var index = 0
    for number in 1...count {
        rows[index].d = number
        index = (index + 7919) % rows.count
    }
    return (measure_now() - start) * 1e6 / Double(count)
}

/// Returns the minimum of five attempts.
private func least(_ body: () -> Double) -> Double { (0..<5).map { _ in body() }.min() ?? 0 }

/// The table `leaves`.
enum Leaves {
    private static let titles = [
        "   leaves", "walk ns/leaf", "bytes/leaf", "plain write ns", "with a reaction", "deepObserve", "with changes",
        "with a path",
    ]

    static func print(_ sizes: [Int]) {
        Swift.print(titles.joined(separator: "  "))
        for size in sizes { measure(size) }
        Swift.print("")
    }

    private static func measure(_ leaves: Int) {
        let table = Table(leaves: leaves)
        let rows = table.rows
        let count = 200_000
        var calls = 0
        let plain = least { writes(rows, count) }

        // For comparison: the same writes with a separate reaction for each leaf.
        let reactions = rows.map { row in
            reaction({ row.d }, onChange: { (_: Int) in calls += 1 })
        }
        let ordinary = least { writes(rows, count) }
        for reaction in reactions { reaction.cancel() }

        let before = measure_heap()
        let start = measure_now()
        var deep = deepObserve(table) { calls += 1 }
        let walk = (measure_now() - start) * 1e6 / Double(leaves)
        let memory = Double(measure_heap() - before) / Double(leaves)
        let write = least { writes(rows, count) }
        deep.cancel()

        deep = deepObserve(table) { (changes: DeepChanges) in calls += 1 }
        let writeWithChanges = least { writes(rows, count) }
        deep.cancel()

        deep = deepObserve(table) { (changes: DeepChanges) in calls += changes[0].path.count }
        let writeWithPath = least { writes(rows, count) }
        deep.cancel()

        let numbers = [walk, memory, plain, ordinary, write, writeWithChanges, writeWithPath]
        let cells = ["\(leaves)"] + numbers.map { String(format: "%.0f", $0) }
        Swift.print(
            zip(titles, cells).map { title, cell in
                String(repeating: " ", count: max(0, title.count - cell.count)) + cell
            }.joined(separator: "  "))
        fflush(nil)
    }

    /// Runs one operation: observes the graph, or observes it and writes 10,000 times.
    static func profile(_ leaves: Int, _ operation: String) {
        let table = Table(leaves: leaves)
        let rows = table.rows
        var calls = 0
        let reaction = deepObserve(table) { calls += 1 }
        if operation == "write" { _ = writes(rows, 10_000) }
        if operation == "plain" {
            reaction.cancel()
            _ = writes(rows, 10_000)
        }
        exit(0)
    }
}
