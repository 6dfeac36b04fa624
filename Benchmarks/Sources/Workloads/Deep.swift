// Observing a whole graph of objects. By hand, an `autorun` reads all of it.

import Harness
import Reactive
import ReactiveCodable

extension Workload {
    static var deep: [Workload] {
        [
            Workload("write to one of 1,000 leaves of deepObserve", repetitions: 5_000) {
                let (table, runs) = (Table(), Counter())
                let observer = autorun {
                    for row in table.rows { runs.count += row.number & 0 }
                    runs.count += 1
                }
                return keeping(observer) { write($0, to: table, runs) }
            } ours: {
                let (table, calls) = (Table(), Counter())
                return keeping(deepObserve(table) { calls.count += 1 }) { write($0, to: table, calls) }
            }
        ]
    }
}

private struct Table: Encodable {
    @Observable var rows = (0..<1_000).map { _ in Row() }

    final class Row: Encodable {
        @Observable var number = 0
    }
}

/// Writes to a leaf whose changes an observer counts.
private func write(_ count: Int, to table: Table, _ calls: Counter) {
    let row = table.rows[500]
    let before = calls.count
    for _ in 0..<count { row.number += 1 }
    check(calls.count - before, count)
}
