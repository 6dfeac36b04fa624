// OpenCombine, which is Combine for all platforms: subjects, operators and sinks. It has no `combineLatest`, so a value
// of several publishers is a subject that a sink on each of them writes.

import CLimit
import Harness
import OpenCombine

/// The peer.
package var openCombine: Side {
    Side(
        name: "OpenCombine", rows: kairo + operations + memory,
        leftOut: [
            "mux": "OpenCombine: there is nothing that gathers an array of publishers.",
            "unstable": dynamic,
            "dyn": dynamic,
            "cellx":
                "OpenCombine: each change is passed on for each input, so the time doubles with each layer.",
            "us untracked computed": "OpenCombine: a publisher has no value to read.",
            "us untracked": values,
            "tr ": "OpenCombine: nothing is tracked.",
            "wr write in a transaction": "OpenCombine: there are no transactions.",
            "wr ": values,
            "sbench": "Not written for this peer: the rows cr and wr measure the same.",
            "cr create+free computed": unlinked,
            "mem computed": unlinked,
            "mem edge": unlinked,
        ])
}

private let values = "Not written for this peer: the rows of whole numbers show what it adds."
private let dynamic = "OpenCombine: what a publisher depends on is fixed when it is made."
private let unlinked = "OpenCombine: an operator is a description; only subscribing makes something of it."
private let glitches =
    "With glitches: the observer runs once for each path from the source, with mixed values in between."

private typealias Subject = CurrentValueSubject<Int, Never>
private typealias Sink = OpenCombine.AnyCancellable
private typealias Publisher = AnyPublisher<Int, Never>

// MARK: - Graphs

private var kairo: [Row] {
    [
        Row.kairo("avoidablePropagation", iterations: 50) {
            let (head, seen) = (Subject(0), Counter())
            let end = head.map { _ in 0 }
                .removeDuplicates()
                .map { value in
                    measure_busy()
                    return value + 1
                }
                .map { $0 + 2 }
                .map { $0 + 3 }
            let sink = end.sink {
                seen.count = $0
                measure_busy()
            }
            return {
                withExtendedLifetime(sink) {
                    for i in 0..<1001 {
                        head.value = i
                        check(seen.count, 6)
                    }
                }
            }
        },
        Row.kairo("broadPropagation", iterations: 50) {
            let (head, last, runs) = (Subject(0), Counter(), Counter())
            let sinks = (0..<50).map { i in
                head.map { $0 + i }.map { $0 + 1 }.sink {
                    last.count = $0
                    runs.count += 1
                }
            }
            return {
                withExtendedLifetime(sinks) {
                    runs.count = 0
                    for i in 0..<50 {
                        head.value = i
                        check(runs.count, (i + 1) * 50)
                    }
                }
            }
        },
        Row.kairo("deepPropagation", iterations: 50) {
            let (head, last) = (Subject(0), Counter())
            var end: Publisher = head.map { $0 + 1 }.eraseToAnyPublisher()
            for _ in 1..<50 { end = end.map { $0 + 1 }.eraseToAnyPublisher() }
            let sink = end.sink { last.count = $0 }
            return {
                withExtendedLifetime(sink) {
                    for i in 0..<51 {
                        head.value = i
                        check(last.count, i + 50)
                    }
                }
            }
        },
        Row.kairo("diamond", iterations: 20, remark: glitches) {
            let (head, sum, runs) = (Subject(0), Subject(0), Counter())
            let branches = (0..<5).map { _ in Subject(0) }
            var sinks = branches.map { branch in head.sink { branch.value = $0 + 1 } }
            for branch in branches {
                sinks.append(branch.sink { _ in sum.value = branches.reduce(0) { $0 + $1.value } })
            }
            sinks.append(sum.sink { _ in runs.count += 1 })
            return { [sinks] in
                withExtendedLifetime(sinks) {
                    for i in 0..<501 {
                        head.value = i
                        check(sum.value, (i + 1) * 5)
                    }
                }
            }
        },
        Row.kairo("repeatedObservers", iterations: 50) {
            let (head, last) = (Subject(0), Counter())
            let sum = head.map { _ in
                var sum = 0
                for _ in 0..<30 { sum += head.value }
                return sum
            }
            let sink = sum.sink { last.count = $0 }
            return {
                withExtendedLifetime(sink) {
                    for i in 0..<101 {
                        head.value = i
                        check(last.count, i * 30)
                    }
                }
            }
        },
        Row.kairo("triangle", iterations: 20, remark: glitches) {
            let (head, sum, runs) = (Subject(0), Subject(0), Counter())
            var chain = [head]
            var sinks: [Sink] = []
            for i in 1..<10 {
                let next = Subject(0)
                sinks.append(chain[i - 1].sink { next.value = $0 + 1 })
                chain.append(next)
            }
            for member in chain {
                sinks.append(member.sink { [chain] _ in sum.value = chain.reduce(0) { $0 + $1.value } })
            }
            sinks.append(sum.sink { _ in runs.count += 1 })
            return { [sinks] in
                withExtendedLifetime(sinks) {
                    for i in 0..<101 {
                        head.value = i
                        check(sum.value, 45 + i * 10)
                    }
                }
            }
        },
    ]
}

// MARK: - Operations

private let few = 100_000

private var operations: [Row] {
    [
        Row.operation("us untracked read", 10 * few) {
            let source = Subject(1)
            return { for _ in 0..<10 * few { measure_sink(Int64(source.value)) } }
        },
        Row.operation("wr write no observers", 10 * few) {
            let (source, next) = (Subject(0), Counter())
            return {
                for _ in 0..<10 * few {
                    next.count += 1
                    source.value = next.count
                }
            }
        },
        Row.operation("wr write 1 effect", few) {
            let (source, next) = (Subject(0), Counter())
            let sink = source.sink { measure_sink(Int64($0)) }
            return { withExtendedLifetime(sink) { write(source, next) } }
        },
        Row.operation("wr write 1 computed 1 effect", few) {
            let (source, next) = (Subject(0), Counter())
            let sink = source.map { $0 + 1 }.sink { measure_sink(Int64($0)) }
            return { withExtendedLifetime(sink) { write(source, next) } }
        },
        Row.operation("cr create+free observable", few) {
            {
                var sources: [Subject] = []
                for i in 0..<few { sources.append(Subject(i)) }
                measure_sink(Int64(sources.count))
            }
        },
        Row.operation("cr create+free effect(1 dep)", few / 10) {
            {
                let source = Subject(0)
                var sinks: [Sink] = []
                for _ in 0..<few / 10 { sinks.append(source.sink { measure_sink(Int64($0)) }) }
            }
        },
    ]
}

private func write(_ source: Subject, _ next: Counter) {
    for _ in 0..<few {
        next.count += 1
        source.value = next.count
    }
}

// MARK: - Memory

private var memory: [Row] {
    [
        Row.memory("mem observable", few) {
            var sources: [Subject] = []
            sources.reserveCapacity(few)
            return {
                for i in 0..<few { sources.append(Subject(i)) }
                return sources
            }
        },
        Row.memory("mem effect (1 edge)", few) {
            let sources = (0..<few).map { Subject($0) }
            var sinks: [Sink] = []
            sinks.reserveCapacity(few)
            return {
                for source in sources { sinks.append(source.sink { measure_sink(Int64($0)) }) }
                return sinks
            }
        },
    ]
}
