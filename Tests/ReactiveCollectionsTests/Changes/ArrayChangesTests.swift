// `reaction(to:)` for arrays and ordered views.

import Reactive
import ReactiveCollections
import TestSupport
import Testing

private final class Table {
    var rows: [Int] = []
    var calls = 0
}

private actor Session {
    var rows: [Int] = []

    func follow(_ array: ObservableArray<Int>) {
        reaction(of: self, to: array) { me, changes in
            me.assertIsolated()
            me.rows.apply(changes)
        }
    }
}

private struct Refused: Error {}
private final class Owner {}

/// An element that cannot be compared.
private struct Line {
    let number: Int
}

extension ReactiveCollectionsTests {
    @Suite struct ArrayChangesTests {
        /// Returns the edits that a reaction delivers, call by call.
        private func edits(
            of array: ObservableArray<Int>, _ body: () throws -> Void
        ) rethrows -> [[CollectionChange<Int>]] {
            var calls: [[CollectionChange<Int>]] = []
            let reaction = reaction(to: array) { calls.append(Array($0)) }
            defer { reaction.cancel() }
            try body()
            return calls
        }

        @Test func eachWriteGivesItsEdits() {
            let array: ObservableArray = [1, 2, 3]
            let calls = edits(of: array) {
                array.append(4)
                array.remove(at: 0)
                array[1] = 30
                array.move(from: 2, to: 0)
                array[0] = 4
            }
            #expect(
                calls == [
                    [.insert(4, at: 3)], [.remove(1, at: 0)], [.update(30, at: 1, was: 3)],
                    [.move(4, from: 2, to: 0)],
                ])
        }

        @Test func reactionsBelongToTheGraphOfTheirCollection() {
            let graph = IndependentGraph()
            let (array, dictionary, set) = graph.run {
                (ObservableArray([1]), ObservableDictionary(["a": 1]), ObservableSet([1]))
            }
            let calls = Shared(0)
            func note<Changes>(_: Changes) { calls.withLock { $0 += 1 } }
            let owner = Owner()
            let reactions = [
                reaction(to: array, note), reaction(to: array.live.sorted(), note), reaction(to: dictionary, note),
                reaction(to: dictionary.live, note), reaction(to: set, note),
                reaction(of: owner, to: array) { _, changes in note(changes) },
                reaction(of: owner, to: array.live.map { $0 }) { _, changes in note(changes) },
                reaction(of: owner, to: dictionary) { _, changes in note(changes) },
                reaction(of: owner, to: dictionary.live) { _, changes in note(changes) },
                reaction(of: owner, to: set) { _, changes in note(changes) },
            ]
            array.append(2)
            dictionary["b"] = 2
            set.insert(2)
            #expect(calls.value == reactions.count)
            graph.cancelReactions()
            array.append(3)
            #expect(calls.value == reactions.count)
        }

        @Test func aReactionThatIsCreatedInATransactionOfAnotherGraphStopsTheProgram() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let graph = IndependentGraph(named: "room")
                let items = graph.run { ObservableArray([1]) }
                inTransaction { _ = reaction(to: items) { _ in } }
            }
            expectMessage(result, "room")
        }

        @Test func aTransactionGivesOneCall() {
            let array: ObservableArray = [1, 2, 3]
            let calls = edits(of: array) {
                inTransaction {
                    array.append(4)
                    array[3] = 5
                    array.remove(at: 0)
                    array.append(6)
                    array.removeLast()
                }
            }
            #expect(calls == [[.remove(1, at: 0), .insert(5, at: 2)]])
        }

        @Test func aTransactionWithoutNetEffectAndARollBackGiveNoCall() {
            let array: ObservableArray = [1, 2, 3]
            let calls = edits(of: array) {
                inTransaction {
                    array.append(4)
                    array.removeLast()
                }
                try? inTransaction {
                    array.removeAll()
                    throw Refused()
                }
            }
            #expect(calls.isEmpty)
            let later = edits(of: array) { array.append(4) }
            #expect(later == [[.insert(4, at: 3)]])
        }

        @Test func elementsThatMoveThereAndBackGiveNoCall() {
            let array = ObservableArray((0..<3).map { Line(number: $0) })
            var calls: [String] = []
            let reaction = reaction(to: array) { calls.append("\($0.map(\.description))") }
            inTransaction {
                array.move(from: 0, to: 2)
                array.move(from: 2, to: 0)
            }
            #expect(calls.isEmpty)
            reaction.cancel()
        }

        @Test func aMoveIsReportedAsItWasMade() {
            let array: ObservableArray = [3, 1, 2]
            let calls = edits(of: array) {
                array.sort()
                array.move(from: 0, to: 1)
                inTransaction {
                    array[1] = 10
                    array[2] = 30
                    array.move(from: 0, to: 1)
                }
            }
            #expect(
                calls == [
                    [.move(3, from: 0, to: 2)], [.move(1, from: 0, to: 1)],
                    [.move(2, from: 0, to: 1), .update(10, at: 0, was: 1), .update(30, at: 2, was: 3)],
                ])
        }

        @Test func anElementThatIsUpdatedAndMovesIsReportedWithBothValues() {
            let array: ObservableArray = [3, 1, 2]
            let calls = edits(of: array) {
                inTransaction {
                    array[0] = 4
                    array.sort()
                }
            }
            #expect(calls == [[.move(3, from: 0, to: 2), .update(4, at: 2, was: 3)]])
        }

        @Test func replacingAllElementsRemovesAndInsertsThem() {
            let array: ObservableArray = [1, 2, 3]
            let calls = edits(of: array) {
                array.replaceSubrange(0..<3, with: [4, 5])
                array.replaceSubrange(0..<2, with: [6, 7, 8])
            }
            #expect(
                calls == [
                    [.remove(3, at: 2), .remove(2, at: 1), .remove(1, at: 0), .insert(4, at: 0), .insert(5, at: 1)],
                    [.remove(5, at: 1), .remove(4, at: 0), .insert(6, at: 0), .insert(7, at: 1), .insert(8, at: 2)],
                ])
        }

        @Test func elementsAreFollowedThroughAFlip() {
            final class Item {
                let id: Int
                @Observable var isOn = true
                init(_ id: Int) { self.id = id }
            }
            let items = (0..<3).map { Item($0) }
            let array = ObservableArray(items)
            var calls: [String] = []
            let reaction = reaction(to: array.live.filter { $0.isOn }.map { $0.id }) { calls.append("\($0)") }
            items[1].isOn = false
            items[1].isOn = true
            array.swapAt(0, 2)
            reaction.cancel()
            items[2].isOn = false
            #expect(
                calls == [
                    "[remove(1, at: 1)]", "[insert(1, at: 1)]", "[move(2, from: 2, to: 0), move(0, from: 1, to: 2)]",
                ])
        }

        @Test func aReactionEndsWithItsOwner() {
            let array: ObservableArray = [1]
            var table: Table? = Table()
            weak let weakTable = table
            if let table {
                reaction(of: table, to: array) {
                    $0.rows.apply($1)
                    $0.calls += 1
                }
            }
            table?.rows = [1]
            array.append(2)
            #expect(table?.rows == [1, 2])
            table = nil
            #expect(weakTable == nil)
            array.append(3)
        }

        @Test func aReactionMayWriteTheArray() {
            let array: ObservableArray = [1]
            var rows = [1]
            let reaction = reaction(to: array) { changes in
                rows.apply(changes)
                if array.count < 5 { array.append(array.count) }
            }
            array.append(9)
            #expect(rows == [1, 9, 2, 3, 4])
            reaction.cancel()
        }

        @Test func aReactionCreatedInARolledBackTransactionStartsAgain() {
            let array: ObservableArray = [1]
            var rows: [[CollectionChange<Int>]] = []
            try? inTransaction {
                array.append(2)
                reaction(to: array) { rows.append(Array($0)) }
                throw Refused()
            }
            array.append(3)
            #expect(rows == [[.insert(3, at: 1)]])
        }

        @Test func anActorGetsTheEditsOnItself() async {
            let array: ObservableArray<Int> = []
            let session = Session()
            await session.follow(array)
            for number in 0..<100 { array.insert(number, at: number / 2) }
            while await session.rows.count < 100 { await Task.yield() }
            #expect(await session.rows == array.elements)
        }

        @Test func threadsNeverLoseEdits() {
            let array: ObservableArray<Int> = []
            let rows = Shared<[Int]>([])
            let reaction = reaction(to: array, isolation: nil) { changes in rows.withLock { $0.apply(changes) } }
            onThreads(4) { thread in
                var random = SplitMix64(seed: UInt64(thread))
                for number in 0..<200 {
                    inTransaction {
                        array.insert(number, at: random.below(array.count + 1))
                        if random.oneIn(3) { array.move(from: 0, to: array.count - 1) }
                        if random.oneIn(3) { array.remove(at: random.below(array.count)) }
                        if random.oneIn(9) { array.sort() }
                    }
                }
            }
            // The thread that held the reaction last has delivered the newest edits.
            #expect(rows.value == array.elements)
            reaction.cancel()
        }

        @Test func removedElementsAreReleasedAfterTheDelivery() {
            let tracker = LifetimeTracker()
            let array = ObservableArray((0..<3).map { _ in tracker.token() })
            let reaction = reaction(to: array) { _ in }
            array.remove(at: 1)
            #expect(tracker.alive == 2)
            reaction.cancel()
        }

        /// The reaction holds the last reference to an element that its first run has read.
        @Test func elementsOfARolledBackFirstRunAreReleasedOutsideTheLock() {
            let tracker = LifetimeTracker()
            let array = ObservableArray<LifetimeTracker.Token>()
            try? inTransaction {
                array.append(tracker.token { #expect(GraphHandle.held == nil) })
                reaction(to: array) { _ in }
                array.removeAll()
                throw Refused()
            }
            #expect(tracker.alive == 0)
        }

        @Test func elementsAreReleasedWithTheReaction() {
            let tracker = LifetimeTracker()
            let array = ObservableArray((0..<10).map { _ in tracker.token() })
            let reaction = reaction(to: array.live.filter { $0.number.isMultiple(of: 2) }) { _ in }
            array.removeSubrange(0..<5)
            array.reverse()
            #expect(tracker.alive == 5)
            reaction.cancel()
            array.removeAll()
            #expect(tracker.alive == 0)
        }
    }
}
