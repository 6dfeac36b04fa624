// Views by key whose closures belong to an actor. A test decides which code is on it, and when a hop arrives.

import Foundation
import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct HoppingTests {
        private let actor = ToyActor()
        private let list = ToyList([1, 2, 3, 4, 5, 6])

        private func groups() -> ToyGroups { ToyGroups(list, on: actor) { _, value in value % 3 } }

        private func set(_ row: UInt32, to value: Int) { actor.elsewhere { list.set(row, to: value) } }

        @Test func theArrivalOfAHopRunsReaders() {
            let groups = groups()
            var seen: [Int?] = []
            let reader = autorun { seen.append(groups[0]) }
            set(2, to: 30)
            set(5, to: 60)
            #expect(seen == [9] && actor.hops.count == 1)
            actor.hops.removeLast()()
            #expect(seen == [9, 90])
            reader.cancel()
        }

        @Test func theFirstCodeOnTheActorUpdatesTheViews() {
            let groups = groups()
            let double = Computed { groups[0].map { 2 * $0 } }
            let other = Observable(0)
            var seen: [Int?] = []
            let reader = autorun { seen.append(double.value) }
            set(2, to: 6)
            #expect(double.value == 24 && seen == [18, 24])
            set(2, to: 9)
            #expect(groups[0] == 15 && seen == [18, 24, 30])
            set(2, to: 12)
            other.value = 1
            #expect(seen == [18, 24, 30, 36])
            set(2, to: 15)
            inTransaction { #expect(double.value == 42) }
            #expect(seen.count == 5)
            actor.hops.forEach { $0() }
            #expect(seen.count == 5)
            reader.cancel()
        }

        @Test func severalViewsHop() {
            let views = (0..<4).map { number in
                ToyGroups(list, on: actor) { _, value in (value + number) % 3 }
            }
            let elsewhere = ToyActor()
            let last = ToyGroups(list, on: elsewhere) { _, value in value % 3 }
            var runs = 0
            let readers = (views + [last]).map { view in
                autorun {
                    _ = view[0]
                    runs += 1
                }
            }
            let evaluations = views.map(\.evaluations)
            elsewhere.elsewhere {
                set(2, to: 30)
                // The views of the first actor are updated, and the last one still waits.
                inTransaction {}
                #expect(views.map(\.evaluations) == evaluations.map { $0 + 1 })
                #expect(last.evaluations == 1)
            }
            inTransaction {}
            #expect(last.evaluations == 2)
            #expect(last[0] == 36)
            (actor.hops + elsewhere.hops).forEach { $0() }
            readers.forEach { $0.cancel() }
        }

        @Test func aRouterMayEndBeforeItsHopArrives() {
            weak var freed: ToyGroups?
            do {
                let groups = groups()
                freed = groups
                let reader = autorun { _ = groups[0] }
                set(2, to: 30)
                reader.cancel()
                #expect(!groups.hasRouter)
            }
            inTransaction {}
            #expect(freed == nil)
            actor.hops.forEach { $0() }
        }

        @Test func aHopKeepsTheGraphUntilItArrives() {
            weak var freed: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "of the view")
                freed = graph
                graph.run {
                    let list = ToyList([1, 2, 3])
                    let groups = ToyGroups(list, on: actor) { _, value in value % 3 }
                    let reader = autorun { _ = groups[0] }
                    actor.elsewhere { list.set(0, to: 3) }
                    reader.cancel()
                }
            }
            #expect(freed != nil && actor.hops.count == 1)
            actor.hops.removeLast()()
            #expect(freed == nil)
        }

        @Test func derivationsThatDependOnNoKeyAreReadElsewhere() {
            let groups = groups()
            let reader = autorun { _ = groups[0] }
            let shift = Observable(1)
            let total = Computed { list.rows.values.values.reduce(shift.value, +) }
            let double = Computed { 2 * total.value + shift.value }
            let view = ToyView(list) { _, value in value * shift.value }
            let observer = autorun { _ = (double.value, view.sum) }
            actor.elsewhere {
                list.set(2, to: 30)
                #expect(double.value == 2 * 49 + 1 && view.sum == 48)
                shift.value = 2
                #expect(double.value == 2 * 50 + 2 && view.sum == 96)
            }
            #expect(groups[0] == 36)
            actor.hops.forEach { $0() }
            [reader, observer].forEach { $0.cancel() }
        }

        #if os(Linux) || os(macOS) || os(Windows)
        @Test func aComputedOfAKeyStopsElsewhere() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (actor, list) = (ToyActor(), ToyList([1, 2, 3]))
                let groups = ToyGroups(list, on: actor) { _, value in value % 3 }
                let next = Computed { (groups[0] ?? 0) + 1 }
                let last = Computed { next.value + 1 }
                let reader = autorun { _ = last.value }
                actor.elsewhere {
                    list.set(0, to: 3)
                    _ = last.value
                }
                reader.cancel()
            }
            expectStop(result)
        }

        @Test func aViewWithAClosureThatReadsAKeyStopsElsewhere() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (actor, list, other) = (ToyActor(), ToyList([1, 2, 3]), ToyList([1, 2]))
                let groups = ToyGroups(list, on: actor) { _, value in value % 3 }
                let second = ToyGroups(other) { _, value in groups[value] ?? 0 }
                let sum = Computed { second[3] ?? 0 }
                let reader = autorun { _ = sum.value }
                actor.elsewhere {
                    list.set(0, to: 3)
                    _ = sum.value
                }
                reader.cancel()
            }
            expectStop(result)
        }

        private func expectStop(_ result: ExitTest.Result?) {
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(message.contains("a reader of a key is stopped"), "\(message)")
        }
        #endif
    }
}
