// The hot paths: what programs do with the library all the time.

import CLimit
import Reactive
import ReactiveCodable

/// A path: a name, and how to set it up and follow it a number of times.
struct HotPath {
    let name: String
    let run: (Int) -> Void

    static var all: [HotPath] {
        [
            HotPath(name: "untracked read", run: readUntracked),
            HotPath(name: "tracked re-read", run: readTracked),
            HotPath(name: "write without observers", run: writeUnobserved),
            HotPath(name: "write with one autorun", run: writeObserved),
            HotPath(name: "write through one computed", run: writeThroughComputed),
            HotPath(name: "increment in place", run: increment),
            HotPath(name: "append to an observed array of 100,000", run: append),
            HotPath(name: "transaction of one write", run: writeInTransaction),
            HotPath(name: "create and free an observable", run: makeObservable),
            HotPath(name: "create and free a computed", run: makeComputed),
            HotPath(name: "create and free an autorun", run: makeAutorun),
            HotPath(name: "write to a leaf of deepObserve", run: writeLeaf),
        ]
    }
}

private final class State {
    @Observable var number = 1
    @Observable var trigger = 0
    @Observable var items = Array(0..<100_000)
}

// MARK: - Reads

private func readUntracked(_ count: Int) {
    let state = State()
    for _ in 0..<count { measure_sink(Int64(state.number)) }
}

private func readTracked(_ count: Int) {
    let state = State()
    let reader = autorun {
        _ = state.number
        if state.trigger > 0 {
            for _ in 0..<count { measure_sink(Int64(state.number)) }
        }
    }
    state.trigger = 1
    reader.cancel()
}

// MARK: - Writes

private func writeUnobserved(_ count: Int) {
    let state = State()
    for i in 0..<count { state.number = i }
}

private func writeObserved(_ count: Int) {
    let state = State()
    let observer = autorun { measure_sink(Int64(state.number)) }
    for i in 0..<count { state.number = -i }
    observer.cancel()
}

private func writeThroughComputed(_ count: Int) {
    let state = State()
    let next = Computed { state.number + 1 }
    let observer = autorun { measure_sink(Int64(next.value)) }
    for i in 0..<count { state.number = -i }
    observer.cancel()
}

private func increment(_ count: Int) {
    let state = State()
    for _ in 0..<count { state.number += 1 }
}

private func append(_ count: Int) {
    let state = State()
    state.items.reserveCapacity(100_000 + count)
    let observer = autorun { measure_sink(Int64(state.items.count)) }
    for i in 0..<count { state.items.append(i) }
    observer.cancel()
}

private func writeInTransaction(_ count: Int) {
    let state = State()
    let observer = autorun { measure_sink(Int64(state.number)) }
    for i in 0..<count { inTransaction { state.number = -i } }
    observer.cancel()
}

// MARK: - Creating and freeing

private func makeObservable(_ count: Int) {
    for i in 0..<count { measure_sink(Int64(Observable(i).value)) }
}

private func makeComputed(_ count: Int) {
    let source = Observable(1)
    for _ in 0..<count { measure_sink(Int64(Computed { source.value + 1 }.value)) }
}

private func makeAutorun(_ count: Int) {
    let source = Observable(1)
    for _ in 0..<count { autorun { measure_sink(Int64(source.value)) }.cancel() }
}

// MARK: - Observing a whole graph

private struct Table: Encodable {
    @Observable var rows = (0..<100).map { _ in Row() }
}

private final class Row: Encodable {
    @Observable var number = 0
}

private func writeLeaf(_ count: Int) {
    let table = Table()
    let row = table.rows[50]
    var calls = 0
    let observer = deepObserve(table) { calls += 1 }
    for i in 0..<count { row.number = -1 - i }
    observer.cancel()
    measure_sink(Int64(calls))
}
