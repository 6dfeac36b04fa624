// Apple's Observation: `@Observable` classes, tracking by `withObservationTracking`, computed properties (here
// closures) without a cache.

import CLimit
import Harness
import Observation

/// The peer.
package var observation: Side {
    Side(
        name: "Observation", rows: kairo + operations + memory,
        leftOut: [
            "cellx": "Observation: without caches the time doubles with each of the layers.",
            "dyn": "Observation: without caches the time multiplies with each of the layers.",
            "sbench": "Not written for this peer: the rows cr and wr measure the same.",
            "cr create+free computed": uncached,
            "us untracked": values,
            "wr write in a transaction": "Observation: there are no transactions.",
            "wr ": values,
            "mem": uncached,
        ])
}

private let values = "Not written for this peer: the rows of whole numbers show what it adds."
private let uncached = "Observation: a computed property is a function; there is nothing to create or link."

@Observable
private final class Source {
    var head = 0
}

// MARK: - Graphs

private var kairo: [Row] {
    [
        Row.kairo("avoidablePropagation", iterations: 10) {
            let (loop, source) = (Loop(), Source())
            let c1 = { source.head }
            let c2 = {
                _ = c1()
                return 0
            }
            let c3 = {
                measure_busy()
                return c2() + 1
            }
            let c4 = { c3() + 2 }
            let c5 = { c4() + 3 }
            loop.autorun {
                _ = c5()
                measure_busy()
            }
            return {
                for i in 0..<1001 {
                    source.head = i
                    loop.drain()
                    check(c5(), 6)
                }
            }
        },
        Row.kairo("broadPropagation", iterations: 20) {
            let (loop, source, runs) = (Loop(), Source(), Counter())
            var last = { 0 }
            for i in 0..<50 {
                let first = { source.head + i }
                let second = { first() + 1 }
                loop.autorun {
                    _ = second()
                    runs.count += 1
                }
                last = second
            }
            return { [last] in
                source.head = 1
                loop.drain()
                runs.count = 0
                for i in 0..<50 {
                    source.head = i
                    loop.drain()
                    check(last(), i + 50)
                }
                check(runs.count, 2500)
            }
        },
        Row.kairo("deepPropagation", iterations: 50) {
            let (loop, source) = (Loop(), Source())
            var end = { source.head + 1 }
            for _ in 1..<50 { end = { [end] in end() + 1 } }
            loop.autorun { [end] in _ = end() }
            return { [end] in
                for i in 0..<51 {
                    source.head = i
                    loop.drain()
                    check(end(), i + 50)
                }
            }
        },
        Row.kairo("diamond", iterations: 20) {
            let (loop, source) = (Loop(), Source())
            let branches = (0..<5).map { _ in { source.head + 1 } }
            let sum = { branches.reduce(0) { $0 + $1() } }
            loop.autorun { _ = sum() }
            return {
                for i in 0..<501 {
                    source.head = i
                    loop.drain()
                    check(sum(), (i + 1) * 5)
                }
            }
        },
        Row.kairo("mux", iterations: 2, remark: "Observation: each of the 100 readers gathers all 100 sources.") {
            let loop = Loop()
            let sources = (0..<100).map { _ in Source() }
            let gathered = { sources.map(\.head) }
            let split = (0..<100).map { i in { gathered()[i] + 1 } }
            for value in split { loop.autorun { _ = value() } }
            return {
                for factor in 1...2 {
                    for i in 0..<10 {
                        sources[i].head = i * factor
                        loop.drain()
                        check(split[i](), i * factor + 1)
                    }
                }
            }
        },
        Row.kairo("repeatedObservers", iterations: 50) {
            let (loop, source) = (Loop(), Source())
            let sum = {
                var sum = 0
                for _ in 0..<30 { sum += source.head }
                return sum
            }
            loop.autorun { _ = sum() }
            return {
                for i in 0..<101 {
                    source.head = i
                    loop.drain()
                    check(sum(), i * 30)
                }
            }
        },
        Row.kairo("triangle", iterations: 20) {
            let (loop, source) = (Loop(), Source())
            var chain = [{ source.head }]
            for _ in 1..<10 { chain.append({ [end = chain[chain.count - 1]] in end() + 1 }) }
            let sum = { [chain] in chain.reduce(0) { $0 + $1() } }
            loop.autorun { _ = sum() }
            return {
                for i in 0..<101 {
                    source.head = i
                    loop.drain()
                    check(sum(), 45 + i * 10)
                }
            }
        },
        Row.kairo("unstable", iterations: 50) {
            let (loop, source) = (Loop(), Source())
            let doubled = { source.head * 2 }
            let inverse = { -source.head }
            let current = {
                var sum = 0
                for _ in 0..<20 { sum += source.head % 2 != 0 ? doubled() : inverse() }
                return sum
            }
            loop.autorun { _ = current() }
            return {
                for i in 0..<101 {
                    source.head = i
                    loop.drain()
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
            let source = Source()
            return { for _ in 0..<10 * few { measure_sink(Int64(source.head)) } }
        },
        Row.operation("us untracked computed read", 10 * few) {
            let source = Source()
            let copy = { source.head }
            return { for _ in 0..<10 * few { measure_sink(Int64(copy())) } }
        },
        Row.operation("tr tracked read same", few) {
            let source = Source()
            return {
                withObservationTracking {
                    for _ in 0..<few { measure_sink(Int64(source.head)) }
                } onChange: {
                }
            }
        },
        Row.operation("tr tracked read 1000 deps", 100 * 1000) {
            let sources = (0..<1000).map { _ in Source() }
            let (loop, trigger) = (Loop(), Source())
            loop.autorun {
                _ = trigger.head
                for source in sources { measure_sink(Int64(source.head)) }
            }
            return {
                for _ in 0..<100 {
                    trigger.head += 1
                    loop.drain()
                }
            }
        },
        Row.operation("wr write no observers", 10 * few) {
            let (source, next) = (Source(), Counter())
            return {
                for _ in 0..<10 * few {
                    next.count += 1
                    source.head = next.count
                }
            }
        },
        Row.operation("wr write 1 effect", few) {
            let (loop, source, next) = (Loop(), Source(), Counter())
            loop.autorun { measure_sink(Int64(source.head)) }
            return { write(source, next, loop) }
        },
        Row.operation("wr write 1 computed 1 effect", few) {
            let (loop, source, next) = (Loop(), Source(), Counter())
            let successor = { source.head + 1 }
            loop.autorun { measure_sink(Int64(successor())) }
            return { write(source, next, loop) }
        },
        Row.operation("cr create+free observable", few) {
            {
                var sources: [Source] = []
                for _ in 0..<few { sources.append(Source()) }
                measure_sink(Int64(sources.count))
            }
        },
        Row.operation("cr create+free effect(1 dep)", few / 10) {
            {
                let (loop, source) = (Loop(), Source())
                for _ in 0..<few / 10 { loop.autorun { measure_sink(Int64(source.head)) } }
            }
        },
    ]
}

private func write(_ source: Source, _ next: Counter, _ loop: Loop) {
    for _ in 0..<few {
        next.count += 1
        source.head = next.count
        loop.drain()
    }
}

// MARK: - Memory

private var memory: [Row] {
    [
        Row.memory("mem observable", few) {
            var sources: [Source] = []
            sources.reserveCapacity(few)
            return {
                for _ in 0..<few { sources.append(Source()) }
                return sources
            }
        }
    ]
}
