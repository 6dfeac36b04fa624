// Groups that callers keep: when they are current, what they rerun, and what a roll-back restores.

#if DEBUG
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct GroupStageTests {
        /// A view of the numbers by their last digit.
        private func grouped(_ array: ObservableArray<Int>) -> LiveDictionary<Int, LiveArray<Int>> {
            array.live.grouped { $0 % 10 }
        }

        /// A view of the doubles of numbers.
        ///
        /// - Parameter isEvaluating: Called with each number whose double is computed.
        private func doubles(
            of numbers: LiveArray<Int>, isEvaluating: @escaping (Int) -> Void
        ) -> LiveArray<Int> {
            numbers.map {
                isEvaluating($0)
                return 2 * $0
            }
        }

        private func permutations(of numbers: [Int]) -> [[Int]] {
            guard let last = numbers.last else { return [[]] }
            return permutations(of: numbers.dropLast()).flatMap { shorter in
                (0...shorter.count).map { Array(shorter[..<$0]) + [last] + shorter[$0...] }
            }
        }

        @Test func elementsOfAGroupLeaveInAnyOrder() {
            for order in permutations(of: [10, 20, 30, 40]) {
                let array: ObservableArray = [10, 20, 5, 30, 40]
                let groups = grouped(array)
                let index = array.live.indexed { $0 % 10 }
                _ = issues { #expect(index[0] == 10 && groups.count == 2) }
                for number in order {
                    array.remove(at: array.firstIndex(of: number)!)
                    let rest = array.elements.filter { $0 != 5 }
                    #expect(index[0] == rest.first, "\(order)")
                    // Nobody keeps the group, so each read creates one from the list of its elements.
                    #expect(groups[0]?.elements == (rest.isEmpty ? nil : rest), "\(order)")
                }
            }
        }

        // MARK: - Reading

        @Test func aKeptGroupIsCurrentWhenItIsRead() throws {
            let array: ObservableArray = [10, 5, 20]
            let group = try #require(grouped(array)[0])
            array.append(30)
            #expect(group.elements == [10, 20, 30])
            array.append(40)
            #expect(group.count == 4)
            array.append(50)
            var seen: [[Int]] = []
            let reaction = autorun { seen.append(group.elements) }
            array.append(7)
            array.append(60)
            #expect(seen == [[10, 20, 30, 40, 50], [10, 20, 30, 40, 50, 60]])
            reaction.cancel()
        }

        @Test func aGroupIsUpdatedOnlyWhileItIsObserved() throws {
            let array: ObservableArray = [10, 5, 20]
            var evaluated: [Int] = []
            let groups = array.live.grouped {
                evaluated.append($0)
                return $0 % 10
            }
            let group = try #require(groups[0])
            for next in 3..<6 {
                var seen: [Int] = []
                let reaction = autorun { seen = group.elements }
                evaluated = []
                array.append(100 * next)
                #expect(evaluated == [100 * next] && seen.last == 100 * next)
                reaction.cancel()
                evaluated = []
                array.append(100 * next + 10)
                #expect(evaluated.isEmpty)
            }
            #expect(group.count == 8)
        }

        @Test func aViewOfAGroupKeepsItsResults() throws {
            let array: ObservableArray = [10, 5, 20]
            let group = try #require(grouped(array)[0])
            var mapped: [Int] = []
            let doubles = doubles(of: group) { mapped.append($0) }
            #expect(doubles.elements == [20, 40])
            array.append(30)
            #expect(doubles.elements == [20, 40, 60] && doubles.count == 3)
            array.move(from: 0, to: 2)
            #expect(doubles.elements == [40, 20, 60])
            array.reverse()
            #expect(doubles.elements == [60, 20, 40])
            #expect(mapped == [10, 20, 30])
        }

        @Test func aGroupThatWasOnlyCountedFollowsMoves() throws {
            let array: ObservableArray = [10, 5, 20, 30]
            let group = try #require(grouped(array)[0])
            #expect(group.count == 3 && !group.ordering.contains(0))
            array.swapAt(0, 2)
            #expect(group.count == 3)
            array.reverse()
            #expect(group.count == 3)
            array[0] = 130
            #expect(group.count == 3)
            array.removeLast()
            #expect(group.count == 2)
            #expect(group.elements == [130, 10])
        }

        @Test func anElementMayMoveAndChangeItsGroup() throws {
            let array: ObservableArray = [10, 20, 30, 5]
            let groups = grouped(array)
            let (zeros, fives) = (try #require(groups[0]), try #require(groups[5]))
            #expect(zeros.elements == [10, 20, 30] && fives.elements == [5])
            inTransaction {
                array.swapAt(0, 2)
                array[2] = 15
            }
            #expect(zeros.elements == [30, 20] && fives.elements == [15, 5])
            inTransaction {
                array.reverse()
                array.swapAt(0, 3)
                array[3] = 40
            }
            #expect(array.elements == [30, 15, 20, 40])
            #expect(zeros.elements == [30, 20, 40] && fives.elements == [15])
        }

        // MARK: - Transactions

        @Test func aRollBackRunsNoClosuresForAGroup() throws {
            let array: ObservableArray = [10, 20, 5]
            let group = try #require(grouped(array)[0])
            var mapped: [Int] = []
            let doubles = doubles(of: group) { mapped.append($0) }
            #expect(doubles.elements == [20, 40])
            try? inTransaction {
                array[1] = 120
                #expect(doubles.elements == [20, 240])
                throw Refused.once
            }
            try? inTransaction {
                array.swapAt(0, 1)
                #expect(doubles.elements == [40, 20])
                throw Refused.once
            }
            try? inTransaction {
                array.append(40)
                array.remove(at: 0)
                #expect(doubles.elements == [40, 80])
                throw Refused.once
            }
            mapped = []
            #expect(doubles.elements == [20, 40] && group.elements == [10, 20] && group.count == 2)
            #expect(mapped.isEmpty)
            array.append(60)
            #expect(doubles.elements == [20, 40, 120] && mapped == [60])
        }

        @Test func aGroupMayBeReadInOrderForTheFirstTimeInATransaction() throws {
            let array: ObservableArray = [10, 5, 20]
            let group = try #require(grouped(array)[0])
            #expect(group.count == 2)
            try? inTransaction {
                array[1] = 15
                #expect(group.elements == [10, 20])
                throw Refused.once
            }
            array.remove(at: 2)
            #expect(group.count == 1 && group.elements == [10])
            array.insert(30, at: 0)
            #expect(group.elements == [30, 10])
        }

        @Test func aGroupThatWasCreatedInARollBackHasTheOldElements() {
            let array: ObservableArray = [10, 5, 20]
            let groups = grouped(array)
            #expect(groups.count == 2)
            var kept: [LiveArray<Int>] = []
            try? inTransaction {
                array.append(30)
                array.append(7)
                kept = [0, 5, 7].compactMap { groups[$0] }
                #expect(kept.map(\.elements) == [[10, 20, 30], [5], [7]])
                throw Refused.once
            }
            #expect(kept.map(\.elements) == [[10, 20], [5], []])
            #expect(kept.map(\.count) == [2, 1, 0])
            array.append(17)
            #expect(kept.map(\.elements) == [[10, 20], [5], [17]])
        }

        // MARK: - Numbers of rows

        @Test func aGroupRowThatNeverExistedIsNotContained() {
            var rows = GroupRows()
            #expect(!rows.contains(0))
            #expect(rows.insert(7) == 0)
            #expect(rows.contains(0) && !rows.contains(1))
            rows.remove(0)
            #expect(!rows.contains(0))
        }

        @Test func groupsUseTheNumbersOfRowsThatHaveLeft() throws {
            let array: ObservableArray = [10, 5]
            let groups = grouped(array)
            let group = try #require(groups[0])
            #expect(group.elements == [10])
            for number in 2..<100 {
                array.append(10 * number)
                array.append(number % 4 + 6)
                #expect(group.elements == [10, 10 * number] && groups.count == 3)
                array.removeLast(2)
                #expect(group.elements == [10] && groups.count == 2)
            }
            let stage = try #require(group.stage.node as? GroupStage)
            #expect(stage.contents.groupRows?.rows.count == 2)
            let view = try #require(groups.stage.view as? View<GroupedState<Int>>)
            #expect(view.state.groups.count == 3)
            array.removeLast()
            #expect(groups.count == 1 && view.state.groups.count == 3)
            array.removeLast()
            #expect(groups.isEmpty && view.state.groups.isEmpty)
        }

        /// The table of groups forgets those that nobody keeps.
        @Test func theTableOfGroupsIsBounded() throws {
            let array: ObservableArray = [1]
            let groups = grouped(array)
            #expect(groups.count == 1)
            let grouping = Grouping<Int>()
            grouping.keys.routing.view = try #require(groups.stage.view as? View<GroupedState<Int>>)
            func node(_ key: Int) -> GroupNode<Int> {
                groups.stage.withLock { grouping.node(key, ViewKeys.hash(of: key), upstream: array.ordering) }
            }
            for key in 0..<16 { _ = node(key) }
            #expect(grouping.entries.count == 16)
            let kept = (16..<33).map(node)
            #expect(grouping.entries.count == 17)
            for key in 100..<115 { _ = node(key) }
            #expect(grouping.entries.count == 32)
            _ = node(200)
            #expect(grouping.entries.count == 18)
            for node in kept {
                #expect(groups.stage.withLock { grouping.find(node.key, node.hash) } === node)
            }
            #expect(groups.stage.withLock { grouping.find(3, ViewKeys.hash(of: 3)) } == nil)
        }

        @Test func anIterationOfGroupsEndsEarly() {
            let groups = grouped([1, 2, 3])
            func visited(_ count: Int) -> [Int] {
                var visited: [Int] = []
                groups.stage.withLock {
                    groups.stage.refresh()
                    groups.entries.forEach { _, key, _ in
                        visited.append(key)
                        return visited.count < count
                    }
                }
                return visited
            }
            #expect(visited(1) == [1] && visited(2) == [1, 2] && visited(4) == [1, 2, 3])
        }
    }
}
#endif
