// When closures of operators run, when readers of views run, and when results are released.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

/// An element with a number that operators return.
private struct Entry<Value> {
    var value: Value
}

private final class Name: Equatable {
    let text: String
    init(_ text: String) { self.text = text }
    static func == (a: Name, b: Name) -> Bool { a.text == b.text }
}

private final class Object {}

extension ReactiveCollectionsTests {
    @Suite struct OperatorDetailTests {
        /// Returns the number of runs of a view's reader while an element changes.
        private func runs<Value, Result>(
            from first: Value, to second: Value, _ view: (LiveArray<Entry<Value>>) -> LiveArray<Result>
        ) -> Int {
            let array = ObservableArray([Entry(value: first)])
            let view = view(array.live)
            let reaction = autorun { _ = view.elements }
            array[0] = Entry(value: second)
            reaction.cancel()
            return reaction.runCount - 1
        }

        @Test func resultsAreComparedByTheirType() {
            let (number, nan) = (1.5, Double.nan)
            for (first, second) in [(number, number), (nan, nan)] {
                #expect(runs(from: first, to: second) { $0.map { $0.value } } == 0)
                #expect(runs(from: first, to: second) { $0.compactMap { $0.value as Double? } } == 0)
                #expect(runs(from: first, to: second) { $0.flatMap { [$0.value] } } == 0)
            }
            for (first, second) in [(number, 2), (number, nan), (nan, number)] {
                #expect(runs(from: first, to: second) { $0.map { $0.value } } == 1)
                #expect(runs(from: first, to: second) { $0.compactMap { $0.value as Double? } } == 1)
                #expect(runs(from: first, to: second) { $0.flatMap { [$0.value] } } == 1)
            }
            let object = Object()
            for (second, count) in [(object, 0), (Object(), 1)] {
                #expect(runs(from: object, to: second) { $0.map { $0.value } } == count)
                #expect(runs(from: object, to: second) { $0.compactMap { $0.value as Object? } } == count)
                #expect(runs(from: object, to: second) { $0.flatMap { [$0.value] } } == count)
            }
            for (second, count) in [(Name("a"), 0), (Name("b"), 1)] {
                #expect(runs(from: Name("a"), to: second) { $0.map { $0.value } } == count)
                #expect(runs(from: Name("a"), to: second) { $0.compactMap { $0.value as Name? } } == count)
                #expect(runs(from: Name("a"), to: second) { $0.flatMap { [$0.value] } } == count)
            }
        }

        /// Each way in which a result leaves the view.
        @Test func resultsAreReleasedWhenNothingIsLocked() {
            let tracker = LifetimeTracker()
            var isLocked = false
            let array = ObservableArray(0..<10)
            let view = array.live.compactMap { number -> LifetimeTracker.Token? in
                number < 0 ? nil : tracker.token { if GraphHandle.held != nil { isLocked = true } }
            }
            let reaction = autorun { _ = view.count }
            array.remove(at: 3)
            #expect(tracker.alive == 9)
            array[0] = 100
            #expect(tracker.alive == 9)
            array[1] = -1
            #expect(tracker.alive == 8)
            inTransaction {
                array.removeAll()
                array += [1, 2, 3]
            }
            #expect(tracker.alive == 3)
            reaction.cancel()
            #expect(!isLocked)
        }

        @Test func aRowMayMoveAndLoseItsResult() {
            let array = ObservableArray(0..<6)
            let view = array.live.compactMap { $0 < 0 ? nil : $0 * 10 }
            let even = array.live.filter { $0 >= 0 && $0 % 2 == 0 }
            #expect(even[0] == 0)
            let reaction = autorun { _ = (view.elements, even.elements) }
            inTransaction {
                array.swapAt(0, 4)
                array[0] = -1
                array.swapAt(1, 2)
                array[1] = -2
            }
            #expect(view.elements == [10, 30, 0, 50])
            #expect(even.elements == [0])
            array[0] = 8
            array[1] = 6
            #expect(view.elements == [80, 60, 10, 30, 0, 50])
            #expect(even.elements == [8, 6, 0])
            reaction.cancel()
        }

        @Test func anElementOnARowThatIsUsedAgainHasAResultOfItsOwn() {
            let array: ObservableArray = [1, 2, 3]
            let view = array.live.map(equals: { _, _ in true }) { $0 * 10 }
            #expect(view.elements == [10, 20, 30])
            array.remove(at: 1)
            array.insert(4, at: 1)
            #expect(view.elements == [10, 40, 30])
        }

        @Test func elementsThatMoveAreReportedAlthoughTheirResultsAreEqual() {
            let array: ObservableArray = [1, 2, 3]
            let digits = array.live.map { $0 % 10 }
            let sorted = digits.sorted { _ in 0 }
            let reaction = autorun { _ = sorted.elements }
            inTransaction {
                array.swapAt(0, 2)
                array[0] = 13
            }
            #expect(sorted.elements == [3, 2, 1])
            inTransaction {
                array.remove(at: 1)
                array.append(12)
            }
            #expect(sorted.elements == [3, 1, 2])
            reaction.cancel()
        }

        @Test func anIterationOfConcatenatedViewsEndsEarly() {
            let view = ObservableArray([1, 2]).live.concatenated(with: ObservableArray([3]).live)
            func visited(_ count: Int) -> [Int] {
                var visited: [Int] = []
                view.stage.withLock {
                    view.stage.refresh()
                    view.forEachRow { _, element in
                        visited.append(element)
                        return visited.count < count
                    }
                }
                return visited
            }
            #expect(visited(1) == [1] && visited(2) == [1, 2] && visited(3) == [1, 2, 3])
        }

        // MARK: - Filters

        @Test func aFilterRunsItsClosureOnlyForElementsThatChange() {
            let limit = Observable(0)
            let array = ObservableArray(0..<40)
            var evaluated: [Int] = []
            let filtered = array.live.filter {
                evaluated.append($0)
                return $0 >= ($0 == 7 ? limit.value : 0)
            }
            var mapped: [Int] = []
            let view = filtered.map {
                mapped.append($0)
                return $0
            }
            let reaction = autorun { _ = view.elements }
            (evaluated, mapped) = ([], [])
            array.swapAt(3, 5)
            array.move(from: 9, to: 2)
            #expect(evaluated == [] && mapped == [])
            inTransaction {
                array.swapAt(array.firstIndex(of: 7)!, 1)
                limit.value = 1
            }
            #expect(evaluated == [7] && mapped == [])
            #expect(view.elements == array.elements)
            reaction.cancel()
        }

        @Test func readersOfAFilterIgnoreElementsOutside() {
            let limit = Observable(10)
            let array = ObservableArray(0..<8)
            let odd = array.live.filter { $0 % 2 == 1 && $0 < ($0 == 3 ? limit.value : 100) }
            let reaction = autorun { _ = odd.elements }
            array.remove(at: 0)
            array[1] = 20
            limit.value = 11
            #expect(reaction.runCount == 1)
            array[0] = 9
            #expect(odd.elements == [9, 3, 5, 7] && reaction.runCount == 2)
            reaction.cancel()
        }

        @Test func aFilterKeepsNothingOfElementsThatHaveLeft() {
            final class Flag {
                let isOn = Observable(true)
                let token: AnyObject
                init(_ token: AnyObject) { self.token = token }
            }
            weak var flag: Observable<Bool>?
            let tracker = LifetimeTracker()
            let array = ObservableArray([Flag(tracker.token()), Flag(tracker.token())])
            flag = array[0].isOn
            let on = array.live.filter { $0.isOn.value }
            let reaction = autorun { _ = on.count }
            array.removeFirst()
            #expect(tracker.alive == 1 && flag == nil)
            reaction.cancel()
        }

        @Test func theOrderOfAFilterIsKeptUpToDate() {
            let rows = ObservableArray(0..<10)
            let even = rows.live.filter { $0 & 1 == 0 }
            let own = even.ordering as? FilterOrdering
            #expect(even[4] == 8 && own?.rows.count == 5)
            rows.insert(12, at: 1)
            #expect(even.count == 6 && own?.rows.count == 6)
            inTransaction {
                rows.removeAll()
                rows += [1, 2]
            }
            #expect(even.count == 1 && own?.rows.count == 0)
            #expect(even[0] == 2)
        }

        @Test func readersOfAFirstElementRunIfItChanges() {
            let array = ObservableArray((0..<6).map { Entry(value: $0) })
            let first = array.live.first { $0.value > 1 }
            let reaction = autorun { _ = first.value }
            array[2] = Entry(value: 7)
            #expect(first.value?.value == 7 && reaction.runCount == 2)
            array[4] = Entry(value: 9)
            array.move(from: 2, to: 0)
            #expect(reaction.runCount == 2)
            array[0] = Entry(value: 0)
            #expect(first.value?.value == 3 && reaction.runCount == 3)
            reaction.cancel()
        }

        // MARK: - Flattening

        @Test func viewsOfOneCollectionAreDifferentStages() {
            let kind = Observable(0)
            let inner: ObservableArray = [1, 2, 3]
            let (plain, negative) = (inner.live, inner.live.map { -$0 })
            let flat: LiveArray<Int> = ObservableArray([0]).live.flatMap { _ -> LiveArray<Int> in
                switch kind.value {
                case 0: plain
                case 1: negative
                default: plain.reversed()
                }
            }
            let reaction = autorun { _ = flat.elements }
            for (number, expected) in [(1, [-1, -2, -3]), (0, [1, 2, 3]), (2, [3, 2, 1]), (0, [1, 2, 3])] {
                kind.value = number
                #expect(flat.elements == expected)
            }
            reaction.cancel()
        }

        @Test func flatMapFollowsAStageThatIsReplaced() {
            let (left, right) = (ObservableArray([0, 1]), ObservableArray([2]))
            let inners = (0..<6).map { ObservableArray([$0 * 10, $0 * 10 + 1]) }
            let both = left.live.concatenated(with: right.live)
            let flat: LiveArray<Int> = both.flatMap { inners[$0] }
            let copies: LiveArray<Int> = both.flatMap { [$0, $0] }
            let reaction = autorun { _ = (flat.elements, copies.elements) }
            inTransaction {
                left.removeAll()
                left += [3, 4, 5]
            }
            #expect(flat.elements == [30, 31, 40, 41, 50, 51, 20, 21])
            #expect(copies.elements == [3, 3, 4, 4, 5, 5, 2, 2])
            inners[4].insert(7, at: 1)
            #expect(flat.elements == [30, 31, 40, 7, 41, 50, 51, 20, 21])
            reaction.cancel()
        }

        @Test func elementsOfSequencesAreReleasedWhenNothingIsLocked() {
            let tracker = LifetimeTracker()
            var isLocked = false
            let array: ObservableArray = [1, 2, 3, 4]
            func tokens(_ count: Int) -> [LifetimeTracker.Token] {
                (0..<count).map { _ in tracker.token { if GraphHandle.held != nil { isLocked = true } } }
            }
            let flat: LiveArray<LifetimeTracker.Token> = array.live.flatMap { tokens($0) }
            let reaction = autorun { _ = flat.count }
            array.remove(at: 3)
            #expect(tracker.alive == 6)
            array[0] = 2
            #expect(tracker.alive == 7)
            array[2] = 1
            #expect(tracker.alive == 5)
            inTransaction {
                array.removeAll()
                array += [1, 1]
            }
            #expect(tracker.alive == 2 && !isLocked)
            reaction.cancel()
        }

        @Test func elementsOfASequenceThatStayRunNoClosures() {
            let array: ObservableArray = [[1, 2, 3]]
            let flat: LiveArray<Int> = array.live.flatMap { $0 }
            var evaluated: [Int] = []
            let view = flat.map {
                evaluated.append($0)
                return $0
            }
            let reaction = autorun { _ = view.elements }
            evaluated = []
            array[0] = [7, 2, 8]
            #expect(evaluated == [7, 8] && view.elements == [7, 2, 8])
            reaction.cancel()
        }

        @Test func flatMapFollowsTransactionsOfAnInnerArray() {
            let inner: ObservableArray = [1, 2, 3]
            let flat: LiveArray<Int> = ObservableArray([0]).live.flatMap { _ in inner }
            let doubled = flat.map { $0 * 2 }
            let reaction = autorun { _ = doubled.elements }
            func expect(_ expected: [Int], _ body: () -> Void) {
                inTransaction(body)
                #expect(flat.elements == expected && doubled.elements == expected.map { $0 * 2 })
            }
            // A row that comes and leaves.
            expect([1, 2, 3, 8]) {
                inner.append(9)
                inner.append(8)
                inner.remove(at: 3)
            }
            // A row that is used again.
            expect([2, 3, 8, 7]) {
                inner.remove(at: 0)
                inner.append(7)
            }
            expect([5, 6]) {
                inner.removeAll()
                inner += [5, 6]
            }
            expect([4, 6]) { inner[0] = 4 }
            #expect(flat.ordering.count == 2)
            reaction.cancel()
        }

        @Test func innerViewsAreReleasedWhenNothingIsLocked() {
            let tracker = LifetimeTracker()
            var isLocked = false
            let array: ObservableArray = [1, 2, 3]
            let inner: ObservableArray = [1, 2]
            let flat: LiveArray<LifetimeTracker.Token> = array.live.flatMap { _ -> LiveArray<LifetimeTracker.Token> in
                inner.live.map { _ in tracker.token { if GraphHandle.held != nil { isLocked = true } } }
            }
            let reaction = autorun { _ = flat.count }
            #expect(tracker.alive == 6)
            array.removeLast()
            #expect(tracker.alive == 4)
            inTransaction {
                array.removeAll()
                array.append(7)
            }
            #expect(tracker.alive == 2 && !isLocked)
            reaction.cancel()
        }

        // MARK: - Elements that have left

        @Test func viewsKeepNothingOfElementsThatHaveLeft() {
            final class Flag {
                let isOn = Observable(true)
                let inner = ObservableArray([1])
                let token: AnyObject
                init(_ token: AnyObject) { self.token = token }
            }
            let views: [(ObservableArray<Flag>) -> () -> Int] = [
                { array in
                    let view = array.live.grouped { $0.isOn.value }
                    return { view.count }
                },
                { array in
                    let view = array.live.indexed { ObjectIdentifier($0).hashValue + ($0.isOn.value ? 1 : 0) }
                    return { view.count }
                },
                { array in
                    let view: LiveArray<Int> = array.live.flatMap { $0.isOn.value ? [1] : [] }
                    return { view.count }
                },
                { array in
                    let view: LiveArray<Int> = array.live.flatMap { $0.inner }
                    return { view.count }
                },
                { array in
                    let view = array.live.map { $0.isOn.value }
                    return { view.count }
                },
                { array in
                    let view = array.live.sorted(by: { $0.isOn.value ? 1 : 0 })
                    return { view.count }
                },
                { array in
                    let view = array.live.uniqued(by: { ($0.isOn.value, ObjectIdentifier($0)).1 })
                    return { view.count }
                },
                { array in
                    let value = array.live.min(by: { $0.isOn.value ? 1 : 0 })
                    return { value.value == nil ? 0 : 1 }
                },
                { array in
                    let value = array.live.sum { $0.isOn.value ? 1 : 0 }
                    return { value.value }
                },
                { array in
                    let view = array.live.joined(
                        with: ObservableArray([true]).live, on: { $0.isOn.value }, equals: { $0 })
                    return { view.count }
                },
                { array in
                    let view = ObservableArray([true]).live.joined(
                        with: array.live, on: { $0 }, equals: { $0.isOn.value })
                    return { view.count }
                },
            ]
            for view in views {
                let tracker = LifetimeTracker()
                let array = ObservableArray([Flag(tracker.token()), Flag(tracker.token())])
                weak let isOn = array[0].isOn
                weak let inner = array[0].inner
                let read = view(array)
                let reaction = autorun { _ = read() }
                array.removeFirst()
                #expect(tracker.alive == 1 && isOn == nil && inner == nil)
                reaction.cancel()
            }
        }

        // MARK: - Groups and indices

        @Test func readersOfAGroupRunIfItAppearsOrDisappears() {
            let array: ObservableArray = [1, 2]
            let groups = array.live.grouped { $0 % 2 }
            var seen: [Bool] = []
            let reaction = autorun { seen.append(groups[0] != nil) }
            array.append(4)
            array.append(6)
            array.removeAll { $0 == 4 || $0 == 6 }
            #expect(seen == [true])
            array.remove(at: 1)
            array.append(8)
            #expect(seen == [true, false, true])
            reaction.cancel()
        }

        @Test func aReaderKeepsTheGroupThatItHasRead() {
            let array: ObservableArray = [1, 2]
            let groups = array.live.grouped { $0 % 2 }
            weak var group: LiveArray<Int>?
            let reaction = autorun {
                group = groups[1]
                _ = group?.count
            }
            #expect(group != nil)
            reaction.cancel()
        }

        @Test func anElementOfAGroupMayMoveAndChange() {
            let array = ObservableArray([0, 2, 4, 1, 6])
            let even = array.live.grouped { $0 % 2 }[0]
            let reaction = autorun { _ = (even?[0], even?.elements) }
            inTransaction {
                array.swapAt(0, 2)
                array[0] = 8
            }
            #expect(even?.elements == [8, 2, 0, 6] && even?[0] == 8)
            array[1] = 4
            #expect(even?.elements == [8, 4, 0, 6] && even?[1] == 4 && even?[3] == 6)
            reaction.cancel()
        }

        @Test func readersOfAGroupIgnoreKeysThatStay() {
            let flag = Observable(0)
            let array: ObservableArray = [1, 2, 3]
            let groups = array.live.grouped { $0 == 2 && flag.value < 5 ? 0 : 1 }
            let reactions = [
                autorun { _ = groups[0]?.elements }, autorun { _ = groups[0] != nil }, autorun { _ = groups.count },
            ]
            flag.value = 1
            #expect(reactions.map(\.runCount) == [1, 1, 1])
            flag.value = 5
            #expect(reactions.map(\.runCount) == [2, 2, 2] && groups[1]?.count == 3)
            reactions.forEach { $0.cancel() }
        }

        @Test func anIndexFollowsARowThatIsUsedAgain() {
            let array = ObservableArray([(1, "a"), (2, "b")].map { Entry(value: $0) })
            var evaluated: [Int] = []
            let index = array.live.indexed {
                evaluated.append($0.value.0)
                return $0.value.0
            }
            var seen: [String?] = []
            let reaction = autorun { seen.append(index[1]?.value.1) }
            evaluated = []
            inTransaction {
                array.remove(at: 0)
                array.append(Entry(value: (1, "c")))
            }
            #expect(seen == ["a", "c"])
            array.swapAt(0, 1)
            #expect(seen == ["a", "c"] && evaluated == [1])
            reaction.cancel()
        }

        @Test func anIndexFollowsTheFirstOfSeveralElements() {
            let flag = Observable(0)
            let array = ObservableArray([(1, "a"), (2, "x"), (3, "y"), (4, "z")].map { Entry(value: $0) })
            let index = array.live.indexed { $0.value.0 + (flag.value > 5 ? 100 : 0) }
            var seen: [String?] = []
            let reaction = autorun { seen.append(index[1]?.value.1) }
            flag.value = 1
            #expect(seen == ["a"])
            let found = issues { array.append(Entry(value: (1, "b"))) }
            #expect(found.map(\.kind) == [.misuse])
            array.swapAt(0, 4)
            #expect(seen == ["a", "b"])
            // The first element stays the first, although both move, or the other one changes.
            inTransaction {
                array.swapAt(0, 1)
                array.swapAt(3, 4)
            }
            inTransaction {
                array.swapAt(0, 1)
                array[3] = Entry(value: (1, "c"))
            }
            #expect(seen == ["a", "b"])
            array[0] = Entry(value: (1, "d"))
            array.remove(at: 0)
            #expect(seen == ["a", "b", "d", "c"])
            reaction.cancel()
        }
    }
}
