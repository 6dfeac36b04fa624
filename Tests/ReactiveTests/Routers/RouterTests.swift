// Routers: a change of a source of a view by key runs the readers of the affected keys, and no others.

import Reactive
import TestSupport
import Testing

private struct Refused: Error {}

extension ReactiveTests {
    @Suite struct RouterTests {
        private let list = ToyList([1, 2, 3, 4, 5, 6])
        private let shift = Observable(0)

        private func groups() -> ToyGroups {
            ToyGroups(list, named: "groups") { [shift] _, value in (value + shift.value) % 3 }
        }

        @Test func aChangeRunsTheReadersOfItsKeyAlone() {
            let groups = ToyGroups(list) { _, value in value % 3 }
            let readers = (0..<3).map { key in autorun { _ = groups[key] } }
            list.set(0, to: 4)
            #expect(readers.map(\.runCount) == [1, 2, 1])
            list.set(0, to: 5)
            #expect(readers.map(\.runCount) == [1, 3, 2])
            list.set(0, to: nil)
            #expect(readers.map(\.runCount) == [1, 3, 3])
            for reader in readers { reader.cancel() }
        }

        @Test func aThousandReadersOfAThousandKeysCostOneEvaluationEach() {
            let list = ToyList(Array(0..<1_000))
            let groups = ToyGroups(list) { row, _ in Int(row) }
            let readers = (0..<1_000).map { key in autorun { _ = groups[key] } }
            let computeds = (0..<1_000).map { key in Computed { groups[key] ?? 0 } }
            let observers = computeds.map { computed in autorun { _ = computed.value } }
            let (evaluations, runs) = (groups.evaluations, groups.runs)
            for change in 1...10 {
                list.set(7, to: -change)
                #expect(groups.evaluations == evaluations + change)
            }
            #expect(groups.runs == runs + 10)
            #expect((readers + observers).map(\.runCount).reduce(0, +) == 2_000 + 20)
            for reader in readers + observers { reader.cancel() }
        }

        @Test func anUnobservedComputedOfAKeySeesChanges() {
            let groups = groups()
            let sum = Computed { groups[0] ?? 0 }
            #expect(sum.value == 9)
            list.set(2, to: 30)
            #expect(sum.value == 36)
            shift.value = 1
            #expect(sum.value == 7)
        }

        @Test func theRouterEndsWithTheLastReader() {
            let groups = groups()
            #expect(groups[0] == 9 && !groups.hasRouter)
            let first = autorun { _ = groups[0] }
            let second = autorun { _ = groups[1] }
            #expect(groups.hasRouter && groups.isLive && groups.nodeCount == 2)
            first.cancel()
            #expect(groups.hasRouter && groups.nodeCount == 1)
            second.cancel()
            #expect(!groups.hasRouter && !groups.isLive && groups.nodeCount == 0)
            list.set(0, to: 10)
            #expect(groups[1] == 14)
        }

        @Test func aPendingRouterMayEnd() {
            let groups = groups()
            let reader = autorun { _ = groups[0] }
            inTransaction {
                list.set(0, to: 3)
                reader.cancel()
            }
            #expect(!groups.hasRouter)
            #expect(groups[0] == 12)
        }

        @Test func aReaderThatReadsADifferentKeyLeavesNothingBehind() {
            let groups = groups()
            let key = Observable(0)
            var seen: [Int?] = []
            let reader = autorun { seen.append(groups[key.value]) }
            key.value = 1
            list.set(2, to: 6)
            list.set(0, to: 4)
            #expect(seen == [9, 5, 8])
            #expect(groups.nodeCount == 1)
            reader.cancel()
        }

        @Test func aTransactionReadsKeysThatItHasChanged() {
            let groups = groups()
            let sum = Computed { groups[0] ?? 0 }
            let reader = autorun { _ = sum.value }
            try? inTransaction {
                list.set(2, to: 30)
                #expect(sum.value == 36)
                list.set(2, to: 33)
                #expect(groups[0] == 39)
                #expect(sum.value == 39)
                throw Refused()
            }
            #expect(sum.value == 9)
            #expect(reader.runCount == 1)
            reader.cancel()
        }

        /// `reader` is being updated when the computed that it reads writes. `next` depends on `reader`, and is updated
        /// after it, although `newest` observes the computed, too.
        @Test func aViewOfAnUnfinishedViewWaitsThoughOthersAreUpdated() {
            let trigger = Observable(0)
            let writing = Computed {
                if trigger.value > 0 { list.set(0, to: 10 * trigger.value) }
                return trigger.value
            }
            let input = ToyList([3])
            let plain = groups()
            let reader = ToyGroups(input) { _, value in value + writing.value }
            let next = ToyGroups(list) { _, value in value + (reader[4] ?? 0) }
            let newest = ToyGroups(input) { _, value in value + writing.value }
            _ = issues {
                let readers = [plain, reader, next, newest].map { view in autorun { _ = view[4] } }
                trigger.value = 1
                readers.forEach { $0.cancel() }
            }
            #expect(reader.all == [4: 3] && newest.all == [4: 3])
            #expect(next.all.values.reduce(0, +) == plain.all.values.reduce(0, +))
        }

        @Test func aClosureReadsKeysOfAnOlderViewThatItHasChanged() {
            let groups = groups()
            let sum = Computed { groups[0] ?? 0 }
            let input = ToyList([3])
            var (last, runs) = (6, 0)
            let newer = ToyGroups(input) { _, value in
                list.set(2, to: value)
                #expect(sum.value == value + last)
                list.set(5, to: value)
                #expect(sum.value == value + value)
                last = value
                runs += 1
                return 0
            }
            _ = issues {
                let readers = [autorun { _ = sum.value }, autorun { _ = newer[9] }]
                input.set(0, to: 30)
                input.set(0, to: 33)
                readers.forEach { $0.cancel() }
            }
            #expect(runs >= 3)
        }

        @Test func restoringAValueRunsNoReaction() {
            let groups = groups()
            let reader = autorun { _ = groups[0] }
            inTransaction {
                list.set(2, to: 30)
                #expect(groups[0] == 36)
                list.set(2, to: 3)
            }
            #expect(reader.runCount == 1)
            reader.cancel()
        }

        @Test func aScopeReadsKeysThatItsCleanupHasChanged() {
            let isOn = Observable(false)
            let groups = groups()
            let scope = ObserverScope { () -> Int? in
                onCleanup { shift.value = 1 }
                return isOn.value ? groups[0] : groups[0].map { -$0 }
            }
            #expect(scope.output == -(3 + 6))
            inTransaction {
                isOn.value = true
                #expect(scope.output == 2 + 5)
            }
            scope.cancel()
        }

        @Test func aReactionReadsKeysThatItHasChanged() {
            let groups = groups()
            let sum = Computed { groups[0] ?? 0 }
            let input = Observable(3)
            var seen: [Int] = []
            let reader = autorun {
                let value = input.value
                seen.append(sum.value)
                list.set(2, to: value)
                seen.append(sum.value)
                try? inTransaction {
                    list.set(2, to: 300)
                    seen.append(sum.value)
                    throw Refused()
                }
                seen.append(sum.value)
            }
            #expect(seen == [9, 9, 306, 9])
            seen = []
            input.value = 30
            #expect(seen == [9, 36, 306, 36, 36, 36, 306, 36])
            reader.cancel()
        }

        @Test func viewsOfOneStageWhoseClosuresReadComputeds() {
            let half = Computed { [shift] in shift.value / 2 }
            let mapped = ToyView(list) { _, value in value + half.value }
            let first = ToyGroups(mapped, named: "first") { _, value in value % 3 }
            let second = ToyGroups(mapped, named: "second") { _, value in (value + half.value) % 2 }
            let readers = [autorun { _ = first[0] }, autorun { _ = second[0] }]
            inTransaction {
                shift.value = 2
                list.set(0, to: 7)
            }
            #expect(first[0] == 3 + 6 && second[0] == 3 + 5 + 7)
            for reader in readers { reader.cancel() }
        }

        @Test func anOlderViewMayReadKeysOfANewerOne() {
            var newer: ToyGroups?
            var computed: Computed<Int>?
            let older = ToyGroups(list, named: "older") { _, value in (computed?.value ?? 0) % 2 == 0 ? 0 : value % 3 }
            newer = groups()
            computed = Computed { newer?[0] ?? 0 }
            let reader = autorun { _ = (older[0], older[1]) }
            for value in [4, 6, 9, 3] {
                list.set(2, to: value)
                let sum = newer?[0] ?? 0
                let all = [1, 2, value, 4, 5, 6].reduce(0, +)
                #expect(older[0] == (sum % 2 == 0 ? all : sum))
            }
            reader.cancel()
            computed = nil
            newer = nil
        }

        /// The view's closure changes its own source in each run. That is reported, and the next change counts.
        @Test func aViewThatLoopsWaitsForTheNextChange() {
            let count = Observable(0)
            let isLoose = Observable(false)
            let groups = ToyGroups(ToyList([1])) { _, _ in
                let now = count.value
                if isLoose.value { count.value = now + 1 }
                return now % 2
            }
            let even = Computed { groups[0] ?? 0 }
            _ = issues {
                #expect(even.value == 1)
                isLoose.value = true
                #expect(groups.evaluations < 1_000)
                isLoose.value = false
                count.value = 2
                #expect(even.value == 1)
                count.value = 3
                #expect(even.value == 0 && groups[1] == 1)
            }
        }

        /// Only the first view follows the list.
        @Test func aChangeGoesThroughALongChainOfKeys() {
            let list = ToyList([1])
            let one = ToyList([1])
            var views = [ToyGroups(list) { _, value in value }]
            for _ in 0..<1_500 {
                guard let last = views.last else { return }
                views.append(ToyGroups(one) { _, _ in last[1] == nil ? 0 : 1 })
                _ = views.last?[1]
            }
            guard let last = views.last else { return }
            let reader = autorun { _ = last[1] }
            let evaluations = last.evaluations
            list.set(0, to: 2)
            #expect(last[1] == nil && last[0] == 1)
            #expect(last.evaluations == evaluations + 1 && reader.runCount == 2)
            reader.cancel()
        }

        @Test func aComputedThatWritesReadsKeysItHasChanged() {
            let groups = groups()
            let sum = Computed { groups[0] ?? 0 }
            let input = Observable(3)
            let writer = Computed { [list] in
                let before = sum.value
                list.set(2, to: input.value)
                return before * 1_000 + sum.value
            }
            _ = issues {
                let reader = autorun { _ = writer.value }
                input.value = 30
                #expect(writer.value == 36_036)
                reader.cancel()
                input.value = 33
                #expect(writer.value == 36_039)
                #expect(sum.value == 39)
            }
        }

        /// When a transaction ends, sources that have their earlier values again have not changed, and views go back to
        /// their earlier states. Those with other sources that have changed must be evaluated again.
        @Test(arguments: [false, true])
        func aComputedReadsKeysAfterATransactionThatRestoresASource(isRolledBack: Bool) {
            let groups = groups()
            let sum = Computed { groups[0] ?? 0 }
            let input = Observable(3)
            let writer = Computed { [list, shift] in
                let number = input.value
                if isRolledBack { list.set(2, to: number) }
                try? inTransaction {
                    shift.value = 1
                    if !isRolledBack { list.set(2, to: number) }
                    shift.value = 0
                    if isRolledBack { throw Refused() }
                }
                return sum.value
            }
            let reader = autorun { _ = groups[1] }
            _ = issues {
                for number in [3, 30, 33] {
                    input.value = number
                    #expect(writer.value == 6 + number)
                }
            }
            reader.cancel()
        }

        /// Views downstream of a computed that is being evaluated wait for it.
        @Test(arguments: [false, true]) func aComputedMayWriteTheSourcesOfItsViews(isReversed: Bool) {
            let input = Observable(1)
            let other = Observable(0)
            let list = list
            let writer = Computed {
                list.set(0, to: input.value)
                return other.value + input.value
            }
            let below = pairsOfComputeds(above: writer, levels: 40)
            let first = ToyGroups(list, named: "first") { _, value in (value + below.value) % 3 }
            let second = ToyGroups(list, named: "second") { _, value in (value + below.value) % 2 }
            _ = issues {
                let views = isReversed ? [second, first] : [first, second]
                let readers = views.map { view in autorun { _ = view[0] } }
                for number in [4, 5] {
                    input.value = number
                    #expect(below.value == number)
                    let sum = { (count: Int) in
                        [number, 2, 3, 4, 5, 6].filter { ($0 + number) % count == 0 }.reduce(0, +)
                    }
                    #expect(first[0] == sum(3))
                    #expect(second[0] == sum(2))
                }
                for reader in readers { reader.cancel() }
            }
        }

        @Test func longChainsOfRoutersNeedNoStack() {
            onOtherThread(stackSize: 512 * 1024) {
                let list = ToyList([1])
                var views: [ToyGroups] = [ToyGroups(list) { _, value in value }]
                var readers: [Computed<Int>] = []
                for _ in 0..<2_000 {
                    guard let last = views.last else { return }
                    let key = Computed { last[1] == nil ? 0 : 1 }
                    _ = key.value
                    readers.append(key)
                    let view = ToyGroups(list) { _, _ in key.value }
                    _ = view[1]
                    views.append(view)
                }
                guard let last = views.last else { return }
                let reader = autorun { _ = last[1] }
                let evaluations = last.evaluations
                list.set(0, to: 2)
                #expect(last[1] == nil && last[0] == 2)
                #expect(last.evaluations <= evaluations + 2)
                reader.cancel()
            }
        }

        @Test func aGraphOfItsOwnHasRoutersOfItsOwn() {
            let graph = IndependentGraph()
            let (list, groups) = graph.run {
                let list = ToyList([1, 2, 3])
                return (list, ToyGroups(list) { _, value in value % 3 })
            }
            let reader = graph.run { autorun { _ = groups[0] } }
            inTransaction { shift.value = 1 }
            list.set(0, to: 4)
            #expect(reader.runCount == 1)
            list.set(0, to: 6)
            #expect(reader.runCount == 2)
            IndependentGraph().run { inTransaction { reader.cancel() } }
            #expect(!groups.hasRouter && groups[0] == 9)
        }

        @Test func threadsWriteAndReadKeys() {
            let list = ToyList(Array(0..<40))
            let groups = ToyGroups(list) { row, _ in Int(row) % 4 }
            let sums = (0..<4).map { key in Computed { groups[key] ?? 0 } }
            let total = Computed { sums.map(\.value).reduce(0, +) }
            let seen = Shared(0)
            let reader = autorun { seen.value = total.value }
            onThreads(4) { thread in
                for step in 0..<200 {
                    let row = UInt32(thread + 4 * (step % 10))
                    if step % 7 == 0 {
                        try? inTransaction {
                            list.set(row, to: -1)
                            _ = sums[thread].value
                            throw Refused()
                        }
                    } else {
                        list.set(row, to: step)
                    }
                    #expect(groups[thread] == sums[thread].value)
                    if step % 50 == 0 { autorun { _ = groups[thread] }.cancel() }
                }
            }
            #expect(seen.value == list.rows.values.values.reduce(0, +))
            reader.cancel()
        }
    }
}
