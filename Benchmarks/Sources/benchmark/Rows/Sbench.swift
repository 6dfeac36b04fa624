// The sbench tests of milomg/js-reactivity-benchmark: creating sources, creating observers, updating; including
// freeing. A sample is the sum over a row's cases of the best of ten runs.

import CLimit
import Harness
import Reactive

extension Row {
    static var sbench: [Row] {
        [
            Row(name: "sbench createSignals", unit: .milliseconds) { createSignals },
            Row(name: "sbench createComputations", unit: .milliseconds) { createComputations },
            Row(name: "sbench updateSignals", unit: .milliseconds) { updateSignals },
        ]
    }
}

private let count = 100_000
private typealias Sources = [Observable<Int>]

/// The best of ten runs of `body` on fresh sources.
@inline(__always)
private func best(_ sourceCount: Int, _ body: (inout Sources, Reactions) -> Void) -> Double {
    var best = Double.infinity
    for _ in 0..<10 {
        var sources = (0..<sourceCount).map { Observable($0) }
        for source in sources { for _ in 0..<3 { _ = source.value } }
        let reactions = Reactions()
        best = min(
            best,
            time {
                body(&sources, reactions)
                reactions.cancel()
                sources = []
            })
    }
    return best
}

// MARK: - Observers of one, two, four and 1000 sources

private func observe(_ a: Observable<Int>, by reactions: Reactions) {
    reactions.autorun { measure_sink(Int64(a.value)) }
}

private func observe(_ a: Observable<Int>, _ b: Observable<Int>, by reactions: Reactions) {
    reactions.autorun { measure_sink(Int64(a.value + b.value)) }
}

private func observe(
    _ a: Observable<Int>, _ b: Observable<Int>, _ c: Observable<Int>, _ d: Observable<Int>, by reactions: Reactions
) {
    reactions.autorun { measure_sink(Int64(a.value + b.value + c.value + d.value)) }
}

private func observe(_ sources: ArraySlice<Observable<Int>>, by reactions: Reactions) {
    reactions.autorun {
        var sum = 0
        for source in sources { sum += source.value }
        measure_sink(Int64(sum))
    }
}

private func update(_ source: Observable<Int>, _ times: Int) {
    for i in 0..<times { inTransaction { source.value = i } }
}

// MARK: - The rows

private func createSignals() -> Double {
    best(count) { sources, _ in
        for i in 0..<count { sources[i] = Observable(i) }
    }
}

private func createComputations() -> Double {
    var total = 0.0
    total += best(0) { _, reactions in
        for i in 0..<count { reactions.autorun { measure_sink(Int64(i)) } }
    }
    total += best(count) { sources, reactions in
        for source in sources { observe(source, by: reactions) }
    }
    total += best(count) { sources, reactions in
        for i in stride(from: 0, to: count, by: 2) { observe(sources[i], sources[i + 1], by: reactions) }
    }
    total += best(count) { sources, reactions in
        for i in stride(from: 0, to: count, by: 4) {
            observe(sources[i], sources[i + 1], sources[i + 2], sources[i + 3], by: reactions)
        }
    }
    total += best(count) { sources, reactions in
        for i in stride(from: 0, to: count, by: 1000) { observe(sources[i..<i + 1000], by: reactions) }
    }
    for observers in [2, 4, 8, 1000] {
        total += best(count / observers) { sources, reactions in
            for source in sources { for _ in 0..<observers { observe(source, by: reactions) } }
        }
    }
    return total
}

private func updateSignals() -> Double {
    var total = 0.0
    total += best(1) { sources, reactions in
        observe(sources[0], by: reactions)
        update(sources[0], count * 4)
    }
    total += best(2) { sources, reactions in
        observe(sources[0], sources[1], by: reactions)
        update(sources[0], count * 2)
    }
    total += best(4) { sources, reactions in
        observe(sources[0], sources[1], sources[2], sources[3], by: reactions)
        update(sources[0], count)
    }
    total += best(1000) { sources, reactions in
        observe(sources[...], by: reactions)
        update(sources[0], count / 250)
    }
    for observers in [2, 4, 1000] {
        total += best(1) { sources, reactions in
            for _ in 0..<observers { observe(sources[0], by: reactions) }
            update(sources[0], observers == 1000 ? count / 10 : count)
        }
    }
    return total
}
