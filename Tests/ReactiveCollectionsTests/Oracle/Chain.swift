// Chains of random operators, and the same chains of the standard library's operators.

import Reactive
import ReactiveCollections
import TestSupport

/// The number of runs of one operator's closure, and the changes it may run for.
final class ClosureRuns {
    let name: String
    var runs = 0
    /// The elements that the operator gets.
    let input: (PlainState) -> [ProgramItem]

    init(_ name: String, _ input: @escaping (PlainState) -> [ProgramItem]) {
        self.name = name
        self.input = input
    }

    /// The maximal number of runs for a change: one for each element that is new to the operator, was written, or whose
    /// observable has changed.
    func limit(from before: PlainState, to after: PlainState, written: Set<Int>) -> Int {
        func counts(_ state: PlainState) -> [[Int]: Int] {
            var counts: [[Int]: Int] = [:]
            for item in input(state) {
                counts[[item.id, item.value, item.flag ?? -1, state.key(item)], default: 0] += 1
            }
            return counts
        }
        let old = counts(before)
        var limit = 0
        for (key, count) in counts(after) {
            limit += written.contains(key[0] % 100_000) ? count : max(0, count - old[key, default: 0])
        }
        return limit
    }
}

/// A view and its expected contents.
struct Chain {
    var view: LiveArray<ProgramItem>
    var plain: (PlainState) -> [ProgramItem]
    var closures: [ClosureRuns] = []
    var name: String
    /// Whether the elements determine how often closures run. They do not for pairs, whose parts are written
    /// separately, and downstream of two views, one of which may be replaced as a whole.
    private var isExact = true

    private init(_ name: String, _ view: LiveArray<ProgramItem>, _ plain: @escaping (PlainState) -> [ProgramItem]) {
        self.name = name
        self.view = view
        self.plain = plain
    }

    /// A random chain of up to `length` operators.
    static func random(_ live: LiveState, _ random: inout SplitMix64, length: Int) -> Chain {
        var chain = source(live, &random)
        for _ in 0..<random.below(length + 1) { chain.add(live, &random) }
        return chain
    }

    private static func source(_ live: LiveState, _ random: inout SplitMix64) -> Chain {
        switch random.below(10) {
        case 3, 4: keyedSource(live)
        case 0: Chain("others", live.others.live, \.others)
        case 1:
            Chain("byKey.values.sorted", live.byKey.live.values.sorted(isolation: nil) { $0.id }) {
                $0.byKey.values.sorted { $0.id < $1.id }
            }
        case 2:
            Chain(
                "numbers.sorted",
                live.numbers.live.map(isolation: nil) { ProgramItem(id: 50_000 + $0, value: $0) }
                    .sorted(isolation: nil) { $0.id }
            ) { $0.numbers.sorted().map { ProgramItem(id: 50_000 + $0, value: $0) } }
        default: Chain("items", live.items.live, \.items)
        }
    }

    /// Views by key, at the end in order of the keys.
    private static func keyedSource(_ live: LiveState) -> Chain {
        let even = live.byKey.live.filter(isolation: nil) { live.key($0.value) % 2 == 0 }
        let changed = live.byKey.live.compactMapValues(isolation: nil) { item -> ProgramItem? in
            live.key(item) % 3 == 0 ? nil : ProgramItem(id: item.id, value: live.key(item) + 1)
        }
        let merged = even.mapValues(isolation: nil) { ProgramItem(id: $0.id, value: live.key($0)) }
            .merging(changed, isolation: nil) { ProgramItem(id: $0.id, value: $0.value + $1.value) }
        var chain = Chain("byKey.merging", merged.values.sorted(isolation: nil) { $0.id }) { state in
            let even = state.byKey.filter { state.key($0.value) % 2 == 0 }
                .mapValues { ProgramItem(id: $0.id, value: state.key($0)) }
            let changed = state.byKey.compactMapValues { item in
                state.key(item) % 3 == 0 ? nil : ProgramItem(id: item.id, value: state.key(item) + 1)
            }
            let merged = even.merging(changed) { ProgramItem(id: $0.id, value: $0.value + $1.value) }
            return merged.values.sorted { $0.id < $1.id }
        }
        chain.isExact = false
        return chain
    }

    /// Adds an operator.
    mutating func add(_ live: LiveState, _ random: inout SplitMix64) {
        let input = plain
        func closure(_ name: String) -> ClosureRuns {
            let closure = ClosureRuns("\(self.name).\(name)", input)
            if isExact { closures.append(closure) }
            return closure
        }
        let number = random.below(4)
        switch random.below(15) {
        case 13:
            let (first, none) = (live.others.live.prefix(2), live.others.live.prefix(0))
            view = view.flatMap(isolation: nil) { live.key($0) % 3 == 0 ? first : none }
            plain = { state in
                input(state).flatMap { state.key($0) % 3 == 0 ? Array(state.others.prefix(2)) : [] }
            }
            isExact = false
            name += ".flatMap(live)"
        case 0, 1:
            let closure = closure("filter")
            view = view.filter(isolation: nil) {
                closure.runs += 1
                return live.key($0) % 4 != number
            }
            plain = { state in input(state).filter { state.key($0) % 4 != number } }
            name += ".filter"
        case 2:
            let closure = closure("map")
            view = view.map(isolation: nil) {
                closure.runs += 1
                return ProgramItem(id: $0.id, value: live.key($0) * 3 % 11, flag: $0.flag)
            }
            plain = { state in
                input(state).map { ProgramItem(id: $0.id, value: state.key($0) * 3 % 11, flag: $0.flag) }
            }
            name += ".map"
        case 3:
            let closure = closure("compactMap")
            view = view.compactMap(isolation: nil) {
                closure.runs += 1
                return live.key($0) % 3 == 0 ? nil : ProgramItem(id: $0.id, value: $0.value + 1)
            }
            plain = { state in
                input(state).compactMap { state.key($0) % 3 == 0 ? nil : ProgramItem(id: $0.id, value: $0.value + 1) }
            }
            name += ".compactMap"
        case 4, 5:
            let closure = closure("sorted")
            view = view.sorted(isolation: nil) {
                closure.runs += 1
                return live.key($0)
            }
            plain = { state in input(state).sorted { state.key($0) < state.key($1) } }
            name += ".sorted"
        case 6:
            view = view.reversed()
            plain = { input($0).reversed() }
            name += ".reversed"
        case 7:
            view = view.prefix(number)
            plain = { Array(input($0).prefix(number)) }
            name += ".prefix"
        case 8:
            view = view.suffix(number)
            plain = { Array(input($0).suffix(number)) }
            name += ".suffix"
        case 9:
            view = view.slice(isolation: nil, from: { live.start.value }, count: { live.length.value })
            plain = { state in Array(input(state).dropFirst(state.start).prefix(state.length)) }
            name += ".slice"
        case 10:
            let closure = closure("uniqued")
            view = view.uniqued(isolation: nil) {
                closure.runs += 1
                return live.key($0)
            }
            plain = { state in
                var seen: Set<Int> = []
                return input(state).filter { seen.insert(state.key($0)).inserted }
            }
            name += ".uniqued"
        case 11:
            let closure = closure("flatMap")
            func copies(_ item: ProgramItem, _ key: Int) -> [ProgramItem] {
                (0..<key % 3).map {
                    ProgramItem(id: (item.id + ($0 + 1) * 100_000) % 10_000_000, value: item.value + $0)
                }
            }
            view = view.flatMap(isolation: nil) { item -> [ProgramItem] in
                closure.runs += 1
                return copies(item, live.key(item))
            }
            plain = { state in input(state).flatMap { copies($0, state.key($0)) } }
            name += ".flatMap"
        case 12:
            let other = Chain.random(live, &random, length: 1)
            view = view.concatenated(with: other.view)
            plain = { input($0) + other.plain($0) }
            closures += other.closures
            isExact = false
            name += ".concatenated(\(other.name))"
        default:
            let other = Chain.random(live, &random, length: 1)
            view = view.prefix(20).joined(
                with: other.view.prefix(20), on: { $0.value % 5 }, equals: { $0.value % 5 }, isolation: nil
            ).map(isolation: nil) { ProgramItem(id: $0.id, value: $0.value + $1.value) }
            plain = { state in
                let others = other.plain(state).prefix(20)
                return input(state).prefix(20).flatMap { item in
                    others.filter { $0.value % 5 == item.value % 5 }
                        .map { ProgramItem(id: item.id, value: item.value + $0.value) }
                }
            }
            closures += other.closures
            isExact = false
            name += ".joined(\(other.name))"
        }
    }
}
