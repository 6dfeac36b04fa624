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

        @Test func manyPathsToTheSameSourceAreSearchedOnce() {
            let groups = groups()
            let reader = autorun { _ = groups[0] }
            let bottom = pairsOfComputeds(above: Computed { list.rows.values.count }, levels: 40)
            let observer = autorun { _ = bottom.value }
            actor.elsewhere {
                list.set(6, to: 30)
                #expect(bottom.value == 7)
            }
            actor.hops.forEach { $0() }
            [reader, observer].forEach { $0.cancel() }
        }

        // MARK: - Updates

        @Test func aViewIsUpdatedAnyNumberOfTimes() {
            let groups = groups()
            var sum: Int?
            let reader = autorun { sum = groups[0] }
            for step in 1...250 {
                list.set(2, to: 3 * step)
                #expect(sum == 3 * step + 6)
            }
            reader.cancel()
        }

        @Test func aViewThatChangesItselfWithoutEndWaitsForTheNextChange() {
            var isChanging = true
            let groups = ToyGroups(list) { [list] row, value in
                if row == 2, isChanging { list.set(2, to: value + 3) }
                return value % 3
            }
            _ = issues {
                // Its key does not change. A reader of the other key would run, and evaluate the view, again and again.
                let reader = autorun { _ = groups[1] }
                let evaluations = groups.evaluations
                list.set(2, to: 3)
                #expect(groups.evaluations - evaluations == 100)
                isChanging = false
                let before = groups.evaluations
                list.set(2, to: 30)
                #expect(groups.evaluations == before + 1 && groups[0] == 36)
                #if DEBUG
                #expect(GraphHandle.current.brokenInvariants == [])
                #endif
                reader.cancel()
            }
        }

        /// The older view reads a key of the newer one, and so is evaluated twice the first time.
        @Test func aViewThatReadsAKeyOfANewerOneIsUpdatedBehindIt() {
            var newer: ToyGroups?
            let own = ToyList([1, 2])
            let older = ToyGroups(own) { row, value in row == 0 ? (newer?[0] ?? 0) % 2 : value % 2 }
            newer = groups()
            let readers = [autorun { _ = (older[0], older[1]) }, autorun { _ = newer?[0] }]
            var evaluations: [Int] = []
            for step in 1...3 {
                let before = older.evaluations
                inTransaction {
                    list.set(2, to: 3 * step + 3)
                    own.set(1, to: step + 5)
                }
                evaluations.append(older.evaluations - before)
            }
            #expect(evaluations == [2, 1, 1])
            readers.forEach { $0.cancel() }
            newer = nil
        }

        @Test func aPendingRouterThatEndsIsFreed() {
            weak var freed: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "of the view")
                freed = graph
                graph.run {
                    let list = ToyList([1, 2, 3])
                    let groups = ToyGroups(list) { _, value in value % 3 }
                    let reader = autorun { _ = groups[0] }
                    inTransaction {
                        list.set(0, to: 3)
                        reader.cancel()
                    }
                }
            }
            #expect(freed == nil)
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

        @Test func aComputedOfAKeyStopsElsewhereInATransactionThatHasReadOtherState() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (actor, list) = (ToyActor(), ToyList([1, 2, 3]))
                let groups = ToyGroups(list, on: actor) { _, value in value % 3 }
                let other = Computed { list.rows.values.count }
                let next = Computed { (groups[0] ?? 0) + 1 }
                let reader = autorun { _ = (next.value, other.value) }
                actor.elsewhere {
                    inTransaction {
                        list.set(0, to: 3)
                        _ = other.value
                        _ = next.value
                    }
                }
                reader.cancel()
            }
            expectStop(result)
        }

        private func expectStop(_ result: ExitTest.Result?) {
            expectMessage(result, "a reader of a key is stopped")
        }
        #endif
    }
}
