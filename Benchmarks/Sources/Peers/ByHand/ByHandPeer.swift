// No library: values with lists of listeners. Dependencies are connected by hand, on one thread, without transactions.

import CLimit
import Harness

/// The peer.
package var byHand: Side {
    Side(
        name: "by hand", rows: kairo + operations + memory,
        leftOut: [
            "cellx": "By hand: each change is passed on for each input, so the time doubles with each layer.",
            "dyn": "By hand: who listens to what is fixed when it is wired.",
            "tr ": "By hand: nothing is tracked.",
            "wr append": "By hand: `didSet` looks at the old value, so each append copies the array.",
            "wr write in a transaction": "By hand: there are no transactions.",
            "sbench": "Not written for this peer: the rows cr and wr measure the same.",
            "mem": "By hand: a derived value is a value and a listener.",
        ])
}

private let glitches =
    "With glitches: the observer runs once for each path from the source, with mixed values in between."

// MARK: - Graphs

private var kairo: [Row] {
    [
        Row.kairo("avoidablePropagation") {
            let head = Value(0)
            let end = head.map { $0 }
                .map { _ in 0 }
                .map { value in
                    measure_busy()
                    return value + 1
                }
                .map { $0 + 2 }
                .map { $0 + 3 }
            end.observe { _ in measure_busy() }
            return {
                for i in 0..<1001 {
                    head.value = i
                    check(end.value, 6)
                }
            }
        },
        Row.kairo("broadPropagation") {
            let (head, runs) = (Value(0), Counter())
            let ends = (0..<50).map { i in
                let end = head.map { $0 + i }.map { $0 + 1 }
                end.observe { _ in runs.count += 1 }
                return end
            }
            let last = ends[49]
            return {
                head.value = 1
                runs.count = 0
                for i in 0..<50 {
                    head.value = i
                    check(last.value, i + 50)
                }
                check(runs.count, 2500)
            }
        },
        Row.kairo("deepPropagation") {
            let (head, runs) = (Value(0), Counter())
            var end = head.map { $0 + 1 }
            for _ in 1..<50 { end = end.map { $0 + 1 } }
            end.observe { _ in runs.count += 1 }
            return { [end] in
                for i in 0..<51 {
                    head.value = i
                    check(end.value, i + 50)
                }
            }
        },
        Row.kairo("diamond", remark: glitches) {
            let (head, sum, runs) = (Value(0), Value(0), Counter())
            let branches = (0..<5).map { _ in head.map { $0 + 1 } }
            for branch in branches {
                branch.observe { _ in sum.value = branches.reduce(0) { $0 + $1.value } }
            }
            sum.observe { _ in runs.count += 1 }
            return {
                for i in 0..<501 {
                    head.value = i
                    check(sum.value, (i + 1) * 5)
                }
            }
        },
        Row.kairo("mux") {
            let heads = (0..<100).map { _ in Value(0) }
            let gathered = Value([Int](repeating: 0, count: 100))
            for (i, head) in heads.enumerated() { head.observe { gathered.value[i] = $0 } }
            let split = (0..<100).map { i in gathered.map { $0[i] }.map { $0 + 1 } }
            for value in split { value.observe { measure_sink(Int64($0)) } }
            return {
                for factor in 1...2 {
                    for i in 0..<10 {
                        heads[i].value = i * factor
                        check(split[i].value, i * factor + 1)
                    }
                }
            }
        },
        Row.kairo("repeatedObservers") {
            let (head, runs) = (Value(0), Counter())
            let sum = head.map { [unowned head] _ in
                var sum = 0
                for _ in 0..<30 { sum += head.value }
                return sum
            }
            sum.observe { _ in runs.count += 1 }
            return {
                for i in 0..<101 {
                    head.value = i
                    check(sum.value, i * 30)
                }
            }
        },
        Row.kairo("triangle", remark: glitches) {
            let (head, sum, runs) = (Value(0), Value(0), Counter())
            var chain = [head]
            for _ in 1..<10 { chain.append(chain[chain.count - 1].map { $0 + 1 }) }
            for member in chain {
                member.observe { [chain] _ in sum.value = chain.reduce(0) { $0 + $1.value } }
            }
            sum.observe { _ in runs.count += 1 }
            return {
                for i in 0..<101 {
                    head.value = i
                    check(sum.value, 45 + i * 10)
                }
            }
        },
        Row.kairo("unstable", remark: glitches) {
            let (head, current, runs) = (Value(0), Value(0), Counter())
            let doubled = head.map { $0 * 2 }
            let inverse = head.map { -$0 }
            for part in [doubled, inverse] {
                part.observe { _ in
                    var sum = 0
                    for _ in 0..<20 { sum += head.value % 2 != 0 ? doubled.value : inverse.value }
                    current.value = sum
                }
            }
            current.observe { _ in runs.count += 1 }
            return { for i in 0..<101 { head.value = i } }
        },
    ]
}

// MARK: - Operations

private let many = 1_000_000

private var operations: [Row] {
    [
        Row.operation("us untracked read", many) {
            let source = Value(1)
            return { for _ in 0..<many { measure_sink(Int64(source.value)) } }
        },
        Row.operation("us untracked computed read", many) {
            let copy = Value(1).map { $0 }
            return { for _ in 0..<many { measure_sink(Int64(copy.value)) } }
        },
        Row.operation("wr write no observers", many) {
            let (source, next) = (Value(0), Counter())
            return { write(source, next) }
        },
        Row.operation("wr write 1 effect", many) {
            let (source, next) = (Value(0), Counter())
            source.observe { measure_sink(Int64($0)) }
            return { write(source, next) }
        },
        Row.operation("wr write 1 computed 1 effect", many) {
            let (source, next) = (Value(0), Counter())
            source.map { $0 + 1 }.observe { measure_sink(Int64($0)) }
            return { write(source, next) }
        },
        Row.operation("us untracked String read", many) {
            let source = Value(texts[0])
            return { for _ in 0..<many { measure_sink(Int64(source.value.utf8.count)) } }
        },
        Row.operation("us untracked class read", many) {
            let source = Value(objects[0])
            return { for _ in 0..<many { measure_sink(Int64(source.value.number)) } }
        },
        Row.operation("wr write String", many) {
            let source = Value(texts[0])
            return { write(texts[1], texts[0], to: source) }
        },
        Row.operation("wr write class", many) {
            let source = Value(objects[0])
            return { write(objects[1], objects[0], to: source) }
        },
        Row.operation("wr increment", many) {
            let source = Value(0)
            return { for _ in 0..<many { source.value += 1 } }
        },
        Row.operation("cr create+free observable", many) {
            {
                var sources: [Value<Int>] = []
                for i in 0..<many { sources.append(Value(i)) }
                measure_sink(Int64(sources.count))
            }
        },
        Row.operation("cr create+free computed(1 dep)", many / 10) {
            {
                let source = Value(0)
                for _ in 0..<many / 10 { _ = source.map { $0 + 1 } }
            }
        },
        Row.operation("cr create+free effect(1 dep)", many / 10) {
            {
                let source = Value(0)
                for _ in 0..<many / 10 { source.observe { measure_sink(Int64($0)) } }
            }
        },
    ]
}

private let texts = (0..<2).map { "a text that takes an allocation of its own, number \($0)" }
private let objects = [Object(1), Object(2)]

private final class Object: Sendable, Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }

    static func == (left: Object, right: Object) -> Bool { left === right }
}

private func write<Wrapped>(_ first: Wrapped, _ second: Wrapped, to source: Value<Wrapped>) {
    for _ in 0..<many / 2 {
        source.value = first
        source.value = second
    }
}

private func write(_ source: Value<Int>, _ next: Counter) {
    for _ in 0..<many {
        next.count += 1
        source.value = next.count
    }
}

// MARK: - Memory

private var memory: [Row] {
    [
        Row.memory("mem observable", 100_000) {
            var sources: [Value<Int>] = []
            sources.reserveCapacity(100_000)
            return {
                for i in 0..<100_000 { sources.append(Value(i)) }
                return sources
            }
        },
        Row.memory("mem effect (1 edge)", 100_000) {
            let sources = (0..<100_000).map { Value($0) }
            return {
                for source in sources { source.observe { measure_sink(Int64($0)) } }
                return sources
            }
        },
    ]
}
