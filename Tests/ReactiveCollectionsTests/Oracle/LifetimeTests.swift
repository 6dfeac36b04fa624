// Lifetimes of the elements, closures and observers of views.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

/// An element that the tracker counts.
private struct Counted: Hashable {
    var id: Int
    var token: LifetimeTracker.Token

    static func == (a: Counted, b: Counted) -> Bool { a.id == b.id && a.token === b.token }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private final class Line {
    let id: Int
    init(_ id: Int) { self.id = id }
}

extension ReactiveCollectionsTests {
    @Suite struct ViewLifetimeTests {
        /// Elements, closures, views and observers are released with the last reference to them.
        @Test(arguments: [false, true]) func nothingOutlivesItsViews(isObserved: Bool) {
            let tracker = LifetimeTracker()
            do {
                let array = ObservableArray((0..<12).map { Counted(id: $0, token: tracker.token()) })
                let dictionary = ObservableDictionary<Int, Counted>()
                let flag = Observable(0)
                var views: [LiveArray<Counted>] = []
                /// A closure that the tracker counts.
                func closure<Result>(_ body: @escaping (Counted) -> Result) -> (Counted) -> Result {
                    let token = tracker.token()
                    return { element in withExtendedLifetime(token) { body(element) } }
                }
                let live = array.live
                let filtered = live.filter(closure { ($0.id + flag.value) % 3 != 0 })
                let grouped = filtered.grouped(by: closure { $0.id % 4 })
                let reader = closure { Counted(id: $0.id + flag.value, token: $0.token) }
                views += [filtered, live.map(reader), live.compactMap(closure { $0.id % 2 == 0 ? $0 : nil })]
                views += [filtered.sorted(by: closure { -$0.id }), filtered.reversed().prefix(5), live.suffix(5)]
                views += [live.slice(from: { flag.value }, count: { 7 }), live.uniqued(by: closure { $0.id % 7 })]
                views += [live.flatMap(closure { [$0, $0] }), live.flatMap(closure { _ in filtered })]
                views += [filtered.concatenated(with: live), grouped.values.flatMap { $0 }]
                views += [
                    live.joined(with: filtered, on: closure { $0.id }, equals: closure { $0.id }).map { $0.0 },
                    dictionary.live.values, live.indexed(by: closure { $0.id }).values,
                ]
                let sum = live.sum(closure { $0.id })
                var reactions: [Reaction] = []
                if isObserved {
                    for view in views {
                        reactions.append(autorun { _ = view.elements.count + sum.value + (grouped[1]?.count ?? 0) })
                        reactions.append(reaction(to: view) { _ in })
                    }
                    reactions.append(reaction(to: dictionary) { _ in })
                    reactions.append(reaction(to: grouped) { _ in })
                }
                for number in 0..<40 {
                    try? inTransaction {
                        array.append(Counted(id: 100 + number, token: tracker.token()))
                        array.remove(at: number % array.count)
                        array.move(from: 0, to: 9)
                        dictionary[number % 5] = Counted(id: number, token: tracker.token())
                        if number % 4 == 0 { dictionary[number % 3] = nil }
                        flag.value += 1
                        if number % 5 == 0 { array.sort { $0.id % 9 < $1.id % 9 } }
                        if number % 7 == 0 { _ = views.map(\.count) }
                        if number % 9 == 0 { array.removeAll() }
                        if number % 3 == 0 { throw Refusal() }
                    }
                    _ = views.map(\.count)
                }
                for reaction in reactions { reaction.cancel() }
                array.removeAll()
                dictionary.removeAll()
                _ = views.map(\.count)
            }
            #expect(tracker.alive == 0)
        }

        /// An element keeps its object through moves, in all views downstream of `map`.
        // MARK: - Reactions of elements that are gone when they are due

        @Test func reactionsOfAnElementThatIsRolledBackDoNotRun() {
            let dues: ObservableArray<Int> = []
            let log = Shared<[String]>([])
            func note(_ line: String) { log.withLock { $0.append(line) } }
            let alarms = dues.live.map { due in
                onCleanup { note("end \(due)") }
                return [
                    when({ true }, effect: { note("late \(due)") }),
                    autorun { note("run \(due)") },
                ]
            }
            try? inTransaction {
                dues.append(5)
                _ = alarms.count
                throw Refusal()
            }
            #expect(log.value == ["run 5", "end 5"])
            log.value = []
            inTransaction {
                try? inTransaction {
                    dues.append(6)
                    _ = alarms.count
                    throw Refusal()
                }
            }
            #expect(log.value == ["run 6", "end 6"])
        }

        @Test func reactionsOfAnElementThatLeavesInTheSameTransactionDoNotRun() {
            let dues: ObservableArray<Int> = []
            let ages: ObservableDictionary<String, Int> = [:]
            let log = Shared<[String]>([])
            func note(_ line: String) { log.withLock { $0.append(line) } }
            func alarm(_ due: Int) -> Reaction {
                onCleanup { note("end \(due)") }
                return when({ true }, effect: { note("late \(due)") })
            }
            let (alarms, alarmsOfAges) = (dues.live.map(alarm), ages.live.mapValues(alarm))
            inTransaction {
                dues.append(6)
                _ = alarms.count
                dues.removeAll()
                _ = alarms.count
            }
            #expect(log.value == ["end 6"])
            log.value = []
            inTransaction {
                ages["Ann"] = 7
                _ = alarmsOfAges["Ann"]
                ages["Ann"] = nil
                _ = alarmsOfAges["Ann"]
            }
            #expect(log.value == ["end 7"])
            log.value = []
            // The closure runs again.
            inTransaction {
                dues.append(8)
                _ = alarms.count
                dues[0] = 9
                _ = alarms.count
            }
            #expect(log.value == ["end 8", "late 9"])
        }

        /// Its parts are unlinked when the thread has released the graph that it holds.
        @Test func aViewMayBeReleasedInATransactionOfAnotherGraph() {
            let tracker = LifetimeTracker()
            let factor = Observable(2)
            let array = ObservableArray((1...3).map { Counted(id: $0, token: tracker.token()) })
            var view: LiveArray<LifetimeTracker.Token>? = array.live.map(isolation: nil) { element in
                _ = factor.value
                return element.token
            }
            #expect(view?.count == 3)
            array.removeAll()
            IndependentGraph().run {
                inTransaction { view = nil }
            }
            #expect(tracker.alive == 0)
            factor.value = 3
            #if DEBUG
            #expect(GraphHandle.current.brokenInvariants == [])
            #endif
        }

        @Test func resultsOfMapStayWithTheirElements() {
            let array = ObservableArray(0..<100)
            var runs = 0
            let lines = array.live.map { id in
                runs += 1
                return Line(id)
            }
            let sorted = lines.sorted { -$0.id }
            let groups = lines.grouped { $0.id % 3 }
            let objects = Dictionary(uniqueKeysWithValues: lines.elements.map { ($0.id, $0) })
            func check(_ view: LiveArray<Line>) {
                for line in view.elements { #expect(objects[line.id] === line) }
            }
            var random = SplitMix64(seed: 1)
            for step in 0..<60 {
                switch step % 6 {
                case 0: array.move(from: random.below(100), to: random.below(100))
                case 1: array.swapAt(random.below(100), random.below(100))
                case 2: array.reverse()
                case 3: array.shuffle(using: &random)
                case 4: array.sort()
                default:
                    try? inTransaction {
                        array.removeAll()
                        _ = sorted.count
                        throw Refusal()
                    }
                }
                check(lines)
                check(sorted)
                for key in 0..<3 { if let group = groups[key] { check(group) } }
            }
            #expect(runs == 100)
            #expect(lines.elements.map(\.id) == array.elements)
        }
    }
}
