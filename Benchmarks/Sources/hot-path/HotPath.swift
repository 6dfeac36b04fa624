// The hot paths: the most frequent operations of the library.

import CLimit
import Reactive
import ReactiveCollections
import Workloads

/// A hot path: a name, and a setup that returns a closure with repetitions.
struct HotPath {
    let name: String
    /// The number of operations in the shorter of two counted runs; smaller for an expensive path.
    var repetitions = 100_000
    /// Whether its instructions are the same in each run; its allocations always are.
    var hasInstructions = true
    let run: (Int) -> Void

    static var all: [HotPath] { core + collections + above }

    private static var core: [HotPath] {
        [
            HotPath(name: "untracked read", run: readUntracked),
            HotPath(name: "tracked re-read", run: readTracked),
            HotPath(name: "write without observers", run: writeUnobserved),
            HotPath(name: "write with one autorun", run: writeObserved),
            HotPath(name: "write with one autorun, recorded", run: writeRecorded),
            HotPath(name: "write through one computed", run: writeThroughComputed),
            HotPath(name: "increment in place", run: increment),
            HotPath(name: "append to an observed array of 100,000", run: append),
            HotPath(name: "transaction of one write", run: writeInTransaction),
            HotPath(name: "create and free an observable", run: makeObservable),
            HotPath(name: "create and free a computed", repetitions: 10_000, run: makeComputed),
            HotPath(name: "create and free an autorun", repetitions: 10_000, run: makeAutorun),
        ]
    }

    private static var collections: [HotPath] {
        [
            HotPath(name: "element of an array of 1,000", run: writeElement),
            HotPath(
                name: "element of an array of 1,000, through filter", repetitions: 10_000,
                run: writeElementThroughFilter),
            HotPath(
                name: "element of an array of 1,000, through sorted", repetitions: 10_000,
                run: writeElementThroughSorted),
            HotPath(name: "flag that a closure of a view read", repetitions: 10_000, run: flip),
            HotPath(name: "observed key of a dictionary of 1,000", repetitions: 10_000, run: writeKey),
            HotPath(
                name: "one of 1,000 elements in a transaction, through filter", repetitions: 10_000,
                run: writeElementsInTransaction),
        ]
    }

    /// The operations that `above` times.
    private static var above: [HotPath] {
        Workload.all.filter { $0.budget != .none }.map { workload in
            HotPath(
                name: workload.name, repetitions: workload.repetitions,
                hasInstructions: workload.budget == .instructionsAndAllocations
            ) { workload.ours()($0) }
        }
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

/// Three events: the write, the cause of the run, and the run.
private func writeRecorded(_ count: Int) {
    let recording = Diagnostics.record(limit: 100_000)
    // Not by `writeObserved`, which the compiler would no longer optimise for its only call.
    let state = State()
    let observer = autorun { measure_sink(Int64(state.number)) }
    for i in 0..<count { state.number = -i }
    observer.cancel()
    recording.stop()
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

// MARK: - Collections

private func writeElement(_ count: Int) {
    let rows = ObservableArray(0..<1_000)
    for i in 0..<count { rows[i % 1_000] = -i }
}

private func writeElementThroughFilter(_ count: Int) {
    let rows = ObservableArray(0..<1_000)
    let even = rows.live.filter { $0 & 1 == 0 }
    let observer = autorun { measure_sink(Int64(even.count)) }
    for i in 0..<count { rows[i * 7 % 1_000] = -i }
    observer.cancel()
}

private func writeElementThroughSorted(_ count: Int) {
    let rows = ObservableArray(0..<1_000)
    let sorted = rows.live.sorted(by: \.self)
    let observer = autorun { measure_sink(Int64(sorted[0])) }
    for i in 0..<count { rows[i * 7 % 1_000] = i &* 7_919 % 10_007 }
    observer.cancel()
}

private func flip(_ count: Int) {
    let flags = (0..<1_000).map { _ in Observable(false) }
    let rows = ObservableArray(flags)
    let on = rows.live.count { $0.value }
    let observer = autorun { measure_sink(Int64(on.value)) }
    for i in 0..<count { flags[i * 7 % 1_000].value.toggle() }
    observer.cancel()
}

private func writeKey(_ count: Int) {
    let rows = ObservableDictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0) })
    let observer = autorun { measure_sink(Int64(rows[500] ?? 0)) }
    for i in 0..<count { rows[500] = -i }
    observer.cancel()
}

private func writeElementsInTransaction(_ count: Int) {
    let rows = ObservableArray(0..<1_000)
    let even = rows.live.filter { $0 & 1 == 0 }
    let observer = autorun { measure_sink(Int64(even.count)) }
    for i in 0..<max(1, count / 1_000) {
        inTransaction { for j in 0..<1_000 { rows[j * 7 % 1_000] = i &+ j } }
    }
    observer.cancel()
}
