// prefix, suffix and slice; reversed; uniqued.

import TestSupport
import Testing

@testable import ReactiveCollections

@Suite(.ownGraph, .timeLimit) struct WindowTests {
    @Test func changesOutsideTheWindowRunNoObserver() {
        let array = ObservableArray((0..<100).map { ViewItem(id: $0, key: $0) })
        let next = array.live.filter { $0.key % 2 == 0 }.sorted(by: \.key).prefix(10)
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = next.elements
        }
        array[50].key = 200
        array[51].key = 202
        array.remove(at: 70)
        array.append(ViewItem(id: 100, key: 60))
        array.move(from: 40, to: 0)
        array[40].key = 1
        #expect(runs == 1)
        array[60].key = 4
        #expect(runs == 2)
        #expect(next.elements.map(\.key) == [0, 2, 4, 4, 6, 8, 10, 12, 14, 16])
        reaction.cancel()
    }

    @Test func slidesByTheRowsThatEnterAndLeave() {
        let array = ObservableArray(0..<1_000)
        let offset = Observable(100)
        let visible = array.live.slice(from: { offset.value }, count: { 20 })
        #expect(visible.elements == Array(100..<120))
        visible.log.isFollowed = true
        for (start, changed) in [(101, 2), (99, 4), (500, 40), (-5, 20 + 15), (0, 5), (990, 20 + 10), (2_000, 10)] {
            let cursor = visible.log.log.end
            offset.value = start
            #expect(visible.elements == (0..<1_000).filter { $0 >= start && $0 < start + 20 })
            #expect(visible.log.log.end - cursor == changed)
        }
        offset.value = 10
        #expect(visible.first == 10)
        let cursor = visible.log.log.end
        array.insert(-1, at: 0)
        #expect(visible.elements == Array(9..<29))
        #expect(visible.log.log.end - cursor == 2)
    }

    @Test func takesAnyBounds() {
        let array = ObservableArray(0..<10)
        let live = array.live
        #expect(live.prefix(-1).elements == [] && live.suffix(-1).elements == [])
        #expect(live.prefix(.max).elements == Array(0..<10) && live.suffix(.max).elements == Array(0..<10))
        #expect(live.slice(from: -2, count: 5).elements == [0, 1, 2])
        #expect(live.slice(from: 8, count: .max).elements == [8, 9])
        #expect(live.slice(from: .min, count: .max).elements == [])
        #expect(live.slice(from: .max, count: .max).elements == [])
        #expect(live.slice(from: 3, count: .min).elements == [])
    }

    @Test func followsItsBounds() {
        let array = ObservableArray(0..<10)
        let limit = Observable(2)
        let (first, last) = (array.live.prefix { limit.value }, array.live.suffix { limit.value })
        var seen: [[Int]] = []
        let reaction = autorun { seen.append(first.elements + last.elements) }
        limit.value = 3
        limit.value = 0
        limit.value = -1
        array.removeFirst()
        limit.value = 1
        #expect(seen == [[0, 1, 8, 9], [0, 1, 2, 7, 8, 9], [], [1, 9]])
        reaction.cancel()
    }

    @Test func elementsThatMoveInsideTheWindowKeepTheirResults() {
        let array = ObservableArray(0..<10)
        var calls: [Int] = []
        let view = array.live.slice(from: 2, count: 5).map { number -> Int in
            calls.append(number)
            return number
        }
        func expectCalls(_ expected: [Int], _ edit: () -> Void) {
            _ = view.count
            calls = []
            edit()
            #expect(view.elements == Array(array[2..<7]) && calls == expected)
        }
        expectCalls([]) { array.swapAt(3, 5) }
        expectCalls([]) { array.move(from: 2, to: 6) }
        expectCalls([9]) { array.move(from: 9, to: 3) }
        expectCalls([40]) { array[4] = 40 }
        expectCalls([]) { array[0] = 100 }
        expectCalls([41]) {
            inTransaction {
                array.swapAt(3, 4)
                array[3] = 41
                array[8] = 80
            }
        }
        expectCalls([]) { array.swapAt(0, 1) }
        // A row that is used again for a different element.
        expectCalls([50]) {
            inTransaction {
                array.remove(at: 4)
                array.insert(50, at: 4)
            }
        }
        expectCalls([]) {
            inTransaction {
                array.insert(51, at: 4)
                array.remove(at: 4)
            }
        }
    }

    @Test func aWindowThatSlidesFarKeepsTheElementsThatStay() {
        let offset = Observable(0)
        var calls: [Int] = []
        let window = ObservableArray(0..<100).live.slice(from: { offset.value }, count: { 40 })
        let view = window.map { number in
            calls.append(number)
            return number
        }
        #expect(view.count == 40)
        calls = []
        offset.value = 20
        #expect(view.elements == Array(20..<60) && calls == Array(40..<60))
        let log = window.log.log
        #expect(log.reorderTime == 0)
    }

    /// The view above reports only that the row is new.
    @Test func aRowThatIsUsedAgainIsNewInAWindow() {
        let array: ObservableArray = [1, 2, 3]
        let view = array.live.sorted(by: { _ in 0 }).prefix(3).map { $0 * 10 }
        #expect(view.elements == [10, 20, 30])
        array.remove(at: 1)
        array.insert(4, at: 1)
        #expect(view.elements == [10, 40, 30])
    }

    @Test func aSuffixFollowsElementsThatAreAppendedTogether() {
        let array = ObservableArray(0..<20)
        let (last, many) = (array.live.suffix(2), array.live.suffix(10))
        #expect(last.elements == [18, 19] && many.elements == Array(10..<20))
        array += [20, 21, 22]
        #expect(last.elements == [21, 22] && many.elements == Array(13..<23))
    }

    @Test func reversedStoresNothing() {
        let array = ObservableArray(0..<10)
        let live = array.live
        let view = live.reversed()
        #expect(view.elements == Array((0..<10).reversed()))
        #expect(view.stage.node === live.stage.node && view.log === live.log)
        array.append(10)
        #expect(view.first == 10 && view.last == 0 && view[1] == 9 && view.count == 11)
    }

    @Test func theNextOfEqualElementsReplacesTheFirst() {
        let array = ObservableArray(["b1", "a1", "b2", "a2", "b3"])
        var calls = 0
        let view = array.live.uniqued(by: { element -> Character in
            calls += 1
            return element.first!
        })
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = view.elements
        }
        #expect(view.elements == ["b1", "a1"])
        array.remove(at: 0)
        #expect(view.elements == ["a1", "b2"])
        array.insert("b0", at: 0)
        #expect(view.elements == ["b0", "a1"])
        array.move(from: 0, to: 4)
        #expect(view.elements == ["a1", "b2"])
        #expect(calls == 6 && runs == 4)
        array.append("a9")
        array.remove(at: 4)
        #expect(calls == 7 && runs == 4)
        array.sort(by: >)
        #expect(view.elements == ["b3", "a9"])
        #expect(calls == 7 && runs == 5)
        reaction.cancel()
    }

    @Test func readersOfUniqueElementsIgnoreKeysThatStayUnique() {
        let offset = Observable(0)
        let array = ObservableArray([1, 2, 3])
        let view = array.live.uniqued(by: { $0 + ($0 == 2 ? offset.value : 0) })
        let reaction = autorun { _ = view.elements }
        offset.value = 10
        #expect(view.elements == [1, 2, 3] && reaction.runCount == 1)
        offset.value = 1
        #expect(view.elements == [1, 2] && reaction.runCount == 2)
        reaction.cancel()
    }

    @Test func uniqueElementsThatMoveKeepTheirResults() {
        let array = ObservableArray([1, 2, 2, 3])
        var calls: [Int] = []
        let view = array.live.uniqued().map { number -> Int in
            calls.append(number)
            return number
        }
        #expect(view.elements == [1, 2, 3])
        calls = []
        array.swapAt(0, 3)
        #expect(view.elements == [3, 2, 1] && calls == [])
        array.move(from: 0, to: 3)
        #expect(view.elements == [2, 1, 3] && calls == [])
    }

    @Test func groupsOfKeysThatHaveLeftAreUsedAgain() throws {
        let array = ObservableArray([0])
        let unique = array.live.uniqued()
        for number in 1..<100 {
            array[0] = number
            #expect(unique.elements == [number])
        }
        let view = try #require(unique.stage.view as? View<UniqueState<Int>>)
        #expect(view.state.groups.numbers.next <= 2)
    }

    @Test func uniquedFollowsObservablesThatOnlyEqualityReads() {
        final class Mood: Hashable {
            let value: Observable<Int>
            init(_ value: Int) { self.value = Observable(value) }
            static func == (a: Mood, b: Mood) -> Bool { a.value.value == b.value.value }
            func hash(into hasher: inout Hasher) {}
        }
        let moods = ObservableArray((0..<3).map(Mood.init))
        let view = moods.live.uniqued()
        #expect(view.count == 3)
        moods[2].value.value = 0
        #expect(view.elements.map(\.value.value) == [0, 1])
    }

    @Test func uniquedFollowsObservablesThatEqualityReads() {
        let todos = ObservableArray((0..<4).map { ObservedTodo("\($0)", due: $0) })
        let view = todos.live.uniqued()
        #expect(view.count == 4)
        todos[3].due = 1
        #expect(view.elements.map(\.title) == ["0", "1", "2"])
        todos[1].due = 2
        #expect(view.elements.map(\.title) == ["0", "1", "3"])
    }
}
