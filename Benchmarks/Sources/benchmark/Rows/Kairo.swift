// The kairo tests of milomg/js-reactivity-benchmark: small graphs of typical shapes, 500 iterations per sample.

import CLimit
import Harness
import Reactive

extension Row {
    static var kairo: [Row] {
        [
            kairo("avoidablePropagation", avoidable),
            kairo("broadPropagation", broad),
            kairo("deepPropagation", deep),
            kairo("diamond", diamond),
            kairo("mux", mux),
            kairo("repeatedObservers", repeated),
            kairo("triangle", triangle),
            kairo("unstable", unstable),
        ]
    }

    private static func kairo(_ name: String, _ make: @escaping (Reactions) -> () -> Void) -> Row {
        Row.kairo(name) {
            let reactions = Reactions()
            let iterate = make(reactions)
            return { withExtendedLifetime(reactions) { iterate() } }
        }
    }
}

/// The state of a test.
private struct Source {
    @Observable var head = 0

    /// Writes in a transaction, like the suite.
    @inline(__always)
    func set(_ value: Int) { inTransaction { head = value } }
}

/// A chain with a constant in it: nodes below the constant need not run.
private func avoidable(_ reactions: Reactions) -> () -> Void {
    let source = Source()
    let c1 = Computed { source.head }
    let c2 = Computed {
        _ = c1.value
        return 0
    }
    let c3 = Computed {
        measure_busy()
        return c2.value + 1
    }
    let c4 = Computed { c3.value + 2 }
    let c5 = Computed { c4.value + 3 }
    reactions.autorun {
        _ = c5.value
        measure_busy()
    }
    return {
        source.set(1)
        check(c5.value, 6)
        for i in 0..<1000 {
            source.set(i)
            check(c5.value, 6)
        }
    }
}

/// 50 chains of two below one source.
private func broad(_ reactions: Reactions) -> () -> Void {
    let source = Source()
    let runs = Counter()
    let ends = (0..<50).map { i in
        let first = Computed { source.head + i }
        let second = Computed { first.value + 1 }
        reactions.autorun {
            _ = second.value
            runs.count += 1
        }
        return second
    }
    let last = ends[49]
    return {
        source.set(1)
        runs.count = 0
        for i in 0..<50 {
            source.set(i)
            check(last.value, i + 50)
        }
        check(runs.count, 2500)
    }
}

/// A chain of 50.
private func deep(_ reactions: Reactions) -> () -> Void {
    let source = Source()
    let runs = Counter()
    var end = Computed { source.head + 1 }
    for _ in 1..<50 { end = Computed { [end] in end.value + 1 } }
    let last = end
    reactions.autorun {
        _ = last.value
        runs.count += 1
    }
    return {
        source.set(1)
        runs.count = 0
        for i in 0..<50 {
            source.set(i)
            check(last.value, i + 50)
        }
        check(runs.count, 50)
    }
}

/// Five computeds that meet in a sum.
private func diamond(_ reactions: Reactions) -> () -> Void {
    let source = Source()
    let runs = Counter()
    let branches = (0..<5).map { _ in Computed { source.head + 1 } }
    let sum = Computed {
        var sum = 0
        for branch in branches { sum += branch.value }
        return sum
    }
    reactions.autorun {
        _ = sum.value
        runs.count += 1
    }
    return {
        source.set(1)
        check(sum.value, 10)
        runs.count = 0
        for i in 0..<500 {
            source.set(i)
            check(sum.value, (i + 1) * 5)
        }
        check(runs.count, 500)
    }
}

/// 100 sources collected in an array, and 100 chains that each read one element of it.
private func mux(_ reactions: Reactions) -> () -> Void {
    let sources = (0..<100).map { _ in Source() }
    let gathered = Computed { sources.map { $0.head } }
    let split = (0..<100).map { i in
        let element = Computed { gathered.value[i] }
        return Computed { element.value + 1 }
    }
    for value in split { reactions.autorun { _ = value.value } }
    return {
        for i in 0..<10 {
            sources[i].set(i)
            check(split[i].value, i + 1)
        }
        for i in 0..<10 {
            sources[i].set(i * 2)
            check(split[i].value, i * 2 + 1)
        }
    }
}

/// One source read 30 times by one computed.
private func repeated(_ reactions: Reactions) -> () -> Void {
    let source = Source()
    let runs = Counter()
    let sum = Computed {
        var sum = 0
        for _ in 0..<30 { sum += source.head }
        return sum
    }
    reactions.autorun {
        _ = sum.value
        runs.count += 1
    }
    return {
        source.set(1)
        check(sum.value, 30)
        runs.count = 0
        for i in 0..<100 {
            source.set(i)
            check(sum.value, i * 30)
        }
        check(runs.count, 100)
    }
}

/// A chain of ten, and a sum that reads all of them.
private func triangle(_ reactions: Reactions) -> () -> Void {
    let source = Source()
    let runs = Counter()
    var chain = [Computed { source.head + 1 }]
    for _ in 1..<9 { chain.append(Computed { [end = chain[chain.count - 1]] in end.value + 1 }) }
    let sum = Computed { [chain] in
        var sum = source.head
        for member in chain { sum += member.value }
        return sum
    }
    reactions.autorun {
        _ = sum.value
        runs.count += 1
    }
    return {
        source.set(1)
        check(sum.value, 55)
        runs.count = 0
        for i in 0..<100 {
            source.set(i)
            check(sum.value, 45 + i * 10)
        }
        check(runs.count, 100)
    }
}

/// A computed that alternately reads one of two others.
private func unstable(_ reactions: Reactions) -> () -> Void {
    let source = Source()
    let runs = Counter()
    let doubled = Computed { source.head * 2 }
    let inverse = Computed { -source.head }
    let current = Computed {
        var sum = 0
        for _ in 0..<20 { sum += source.head % 2 != 0 ? doubled.value : inverse.value }
        return sum
    }
    reactions.autorun {
        _ = current.value
        runs.count += 1
    }
    return {
        source.set(1)
        check(current.value, 40)
        runs.count = 0
        for i in 0..<100 { source.set(i) }
        check(runs.count, 100)
    }
}
