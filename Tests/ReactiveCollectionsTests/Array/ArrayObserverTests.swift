// The dependencies of an array's observers, and when the observers run.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Entry: Identifiable, Equatable {
    var id: Int
    var title: String
}

/// A type without equality.
private struct Opaque {
    var number = 0
}

@Suite(.ownGraph, .timeLimit) struct ArrayObserverTests {
    /// Returns the number of runs of a reaction during `body`.
    private func runs(of tracked: @escaping () -> Void, during body: () -> Void) -> Int {
        var count = -1
        let reaction = autorun {
            count += 1
            tracked()
        }
        body()
        reaction.cancel()
        return count
    }

    @Test func countAndElementsAreDifferentDependencies() {
        let array: ObservableArray = [1, 2, 3]
        #expect(runs(of: { _ = array.count }) { array[0] = 5 } == 0)
        #expect(runs(of: { _ = array.isEmpty }) { array.swapAt(0, 1) } == 0)
        #expect(runs(of: { _ = array.endIndex }) { array.sort() } == 0)
        #expect(runs(of: { _ = array.count }) { array.append(4) } == 1)
        #expect(runs(of: { _ = array.count }) { array.replaceSubrange(0..<2, with: [7, 8]) } == 0)
        #expect(runs(of: { _ = array[0] }) { array[0] = 1 } == 1)
        #expect(runs(of: { _ = array[0] }) { array[1] = 1 } == 1)
        #expect(runs(of: { for _ in array {} }) { array[1] = 2 } == 1)
        #expect(runs(of: { _ = array.elements }) { array.removeLast() } == 1)
        #expect(runs(of: { _ = array.first }) { array.insert(9, at: 1) } == 1)
        #expect(runs(of: { _ = array.last }) { array.insert(8, at: 1) } == 1)
        #expect(runs(of: { _ = array.map { $0 } }) { array.reverse() } == 1)
        #expect(runs(of: { _ = array.contains(9) }) { array.removeAll() } == 1)
        #expect(runs(of: { _ = Array(array) }) { array += [1, 2] } == 1)
        #expect(runs(of: { _ = array[0..<1] }) { array[1] = 7 } == 1)
    }

    @Test func equalWritesAreNoChange() {
        let array: ObservableArray = [1, 2, 3]
        let changes = {
            array[0] = 1
            array[1] += 0
            array.replaceSubrange(0..<3, with: [1, 2, 3])
            array[0..<2] = array[0..<2]
            array.append(contentsOf: [])
            array.removeAll { $0 > 5 }
            array.swapAt(1, 1)
            array.move(from: 2, to: 2)
            array.sort()
            array.removeSubrange(1..<1)
        }
        #expect(runs(of: { _ = array.elements }, during: changes) == 0)
        let numbers = ObservableArray([Double.nan])
        #expect(runs(of: { _ = numbers.elements }) { numbers[0] = .nan } == 0)
        let tracker = LifetimeTracker()
        let objects = ObservableArray([tracker.token()])
        #expect(runs(of: { _ = objects.elements }) { objects[0] = objects[0] } == 0)
        #expect(runs(of: { _ = objects.elements }) { objects[0] = tracker.token() } == 1)
        let opaque = ObservableArray([Opaque()])
        #expect(runs(of: { _ = opaque.elements }) { opaque[0] = Opaque() } == 1)
        let lengths = ObservableArray(["a"], equals: { $0.count == $1.count })
        #expect(runs(of: { _ = lengths.elements }) { lengths[0] = "b" } == 0)
        #expect(lengths == ["a"])
        let literal: ObservableArray = ["a"]
        #expect(runs(of: { _ = literal.elements }) { literal[0] = "a" } == 0)
        let repeated = ObservableArray(repeating: 4, count: 3)
        #expect(runs(of: { _ = repeated.elements }) { repeated[2] = 4 } == 0)
    }

    @Test func eachInitialiserChoosesTheComparison() {
        final class Name: Equatable, Sendable {
            let text: String
            init(_ text: String) { self.text = text }
            static func == (a: Name, b: Name) -> Bool { a.text == b.text }
        }
        final class Object: Sendable {
            var id: Int { 1 }
        }
        func runs<Element>(of array: ObservableArray<Element>, with first: Element, _ second: Element) -> Int {
            array.append(first)
            return self.runs(of: { _ = array.elements }) { array[array.count - 1] = second }
        }
        #expect(runs(of: ObservableArray<String>(), with: "a", "a") == 0)
        #expect(runs(of: ObservableArray<String>(), with: "a", "b") == 1)
        for array in [ObservableArray<Double>(), ObservableArray([1.5])] {
            #expect(runs(of: array, with: .nan, .nan) == 0)
            #expect(runs(of: array, with: 2, 2) == 0)
            #expect(runs(of: array, with: 2, .nan) == 1)
            #expect(runs(of: array, with: .nan, 2) == 1)
        }
        let object = Object()
        for array in [
            ObservableArray<Object>(), ObservableArray<Object>(id: \.id), ObservableArray([object], id: \.id),
        ] {
            array.removeAll()
            #expect(runs(of: array, with: object, object) == 0)
            array.removeAll()
            #expect(runs(of: array, with: object, Object()) == 1)
        }
        for array in [
            ObservableArray<Name>(), ObservableArray([Name("x")]), ObservableArray<Name>(id: \.text),
            ObservableArray([Name("x")], id: \.text),
        ] {
            #expect(runs(of: array, with: Name("a"), Name("a")) == 0)
            #expect(runs(of: array, with: Name("b"), Name("c")) == 1)
        }
        let entry = Entry(id: 1, title: "")
        #expect(runs(of: ObservableArray<Entry>(id: \.id), with: entry, entry) == 0)
        #expect(runs(of: ObservableArray<Opaque>(id: \.number), with: Opaque(), Opaque()) == 1)
    }

    @Test func aMutationInPlaceComparesSmallPlainValues() {
        struct Words<Rest> {
            var words: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
            var rest: Rest
        }
        func runs<Rest>(with rest: Rest) -> Int {
            let array = ObservableArray([Words(rest: rest)], equals: { _, _ in true })
            return self.runs(of: { _ = array.elements }) { array[0].words.0 += 1 }
        }
        #expect(runs(with: 0) == 0)
        #expect(runs(with: (0, 0)) == 1)
        #expect(runs(with: "") == 1)
    }

    @Test func replacingARangeChangesOnlyDifferentElements() {
        let array = ObservableArray([1, 2, 3, 4])
        var evaluated: [Int] = []
        let squares = array.live.map {
            evaluated.append($0)
            return $0 * $0
        }
        let reaction = autorun { _ = squares.elements }
        defer { reaction.cancel() }
        evaluated = []
        array.replaceSubrange(0..<4, with: [1, 2, 9, 4])
        #expect(evaluated == [9])
        #expect(squares.elements == [1, 4, 81, 16])
    }

    @Test func writesInAnObserverSubscribeItToNothing() {
        let source = Observable(1)
        let log = ObservableArray<Int>()
        #expect(
            runs(of: { log.append(source.value) }) {
                source.value = 2
                log.append(5)
                _ = log.popLast()
                log.removeAll { $0 == 1 }
            } == 1)
        #expect(log == [2])
    }

    @Test func mutatingPlainValuesInPlaceIsARead() {
        let array = ObservableArray([1])
        let source = Observable(1)
        var count = 0
        let reaction = autorun {
            count += 1
            if count < 3 { array[0] += source.value }
        }
        defer { reaction.cancel() }
        #expect(count == 3)
    }

    @Test func mutatingOtherValuesInPlaceIsNoRead() {
        let array = ObservableArray(["a"])
        let count = runs(of: { array[0] += "b" }) { array[0] = "c" }
        #expect(count == 0 && array == ["c"])
    }

    @Test func comparisonsAreUntracked() {
        struct Rounded: Equatable {
            var number: Int
            let unit: Observable<Int>

            static func == (a: Rounded, b: Rounded) -> Bool { a.number / a.unit.value == b.number / b.unit.value }
        }
        let unit = Observable(10)
        let array = ObservableArray([Rounded(number: 11, unit: unit)])
        #expect(runs(of: { array[0] = Rounded(number: 12, unit: unit) }) { unit.value = 5 } == 0)
        #expect(array[0].number == 11)
    }

    @Test func aSecondViewCostsTheFirstNothing() {
        let array = ObservableArray(0..<10)
        var evaluated: [Int] = []
        let squares = array.live.map {
            evaluated.append($0)
            return $0 * $0
        }
        let reaction = autorun { _ = squares.elements }
        defer { reaction.cancel() }
        array.swapAt(2, 7)
        evaluated = []
        let even = array.live.filter { $0 % 2 == 0 }
        array[0] = 20
        #expect(evaluated == [20])
        #expect(even.elements == [20, 4, 6, 2, 8])
    }

    @Test func closuresOfMutationsAreUntracked() {
        let limit = Observable(2)
        let array: ObservableArray = [1, 2, 3]
        let other: ObservableArray = [7]
        #expect(
            runs(of: {
                array.removeAll { $0 > limit.value }
                array.sort { $0 < $1 + limit.value * 0 }
                array.append(contentsOf: other)
            }) {
                limit.value = 1
                other.append(8)
            } == 0)
    }

    @Test func anElementIsADependencyOfItsOwn() {
        let todos = ObservableArray((0..<100).map { Entry(id: $0, title: "\($0)") })
        let read = { _ = todos[id: 5]?.title }
        #expect(runs(of: read) { todos[4].title = "x" } == 0)
        #expect(runs(of: read) { todos[5].title = "x" } == 1)
        #expect(runs(of: read) { todos[5] = Entry(id: 5, title: "x") } == 0)
        #expect(runs(of: read) { todos[id: 5]?.title = "y" } == 1)
        #expect(runs(of: read) { todos.insert(Entry(id: 100, title: "x"), at: 0) } == 0)
        #expect(runs(of: read) { todos.reverse() } == 0)
        #expect(runs(of: read) { todos.remove(id: 5) } == 1)
        #expect(todos[id: 5] == nil && !todos.contains(id: 5))
        #expect(runs(of: read) { todos.append(Entry(id: 5, title: "z")) } == 1)
        #expect(runs(of: { _ = todos.contains(id: 7) }) { todos.remove(id: 8) } == 0)
        #expect(runs(of: { _ = todos.index(id: 7) }) { todos.removeFirst() } == 1)
        #expect(runs(of: read) { todos.removeAll() } == 1)
    }

    @Test func anIdThatIsNoLongerReadHasNoNode() {
        let todos = ObservableArray((0..<10).map { Entry(id: $0, title: "\($0)") })
        let reaction = autorun { for id in 0..<20 { _ = todos[id: id] } }
        #expect(todos.ids?.hasNodes == true)
        reaction.cancel()
        #expect(todos.ids?.hasNodes == false)
        do {
            let computed = Computed { todos[id: 3]?.title }
            #expect(computed.value == "3")
            #expect(todos.ids?.hasNodes == true)
            todos[3].title = "three"
            #expect(computed.value == "three")
        }
        #expect(todos.ids?.hasNodes == false)
        _ = todos[id: 3]
        #expect(todos.ids?.hasNodes == false)
    }

    @Test func observersOfAnIdKeepTheArray() {
        let tracker = LifetimeTracker()
        do {
            struct Owner: Identifiable {
                var id: Int
                var token: AnyObject
            }
            let computed: Computed<Int?>
            do {
                let array = ObservableArray([Owner(id: 1, token: tracker.token())])
                computed = Computed { [unowned array] in array[id: 1]?.id }
                #expect(computed.value == 1)
            }
            #expect(tracker.alive == 1)
            #expect(computed.value == 1)
        }
        #expect(tracker.alive == 0)
    }

    @Test func snapshotsDoNotChange() {
        let array = ObservableArray(0..<1_000)
        let (slice, snapshot) = (array[10..<20], array.snapshot)
        var iterator = array.makeIterator()
        #expect(iterator.next() == 0)
        for element in array where element % 3 == 0 { array.append(-element) }
        array.removeAll { $0 % 2 == 1 }
        #expect(Array(slice) == Array(10..<20))
        #expect(slice[15] == 15 && slice.startIndex == 10 && slice.dropFirst(2).first == 12)
        #expect(snapshot.elementsEqual(0..<1_000))
        #expect(iterator.next() == 1)
    }

    @Test func anObservableArrayReadsAsACollection() {
        let array = ObservableArray(0..<300)
        let plain = Array(0..<300)
        #expect(array.count == 300 && array.indices == plain.indices)
        #expect(array.first == 0 && array.last == 299)
        #expect(ObservableArray<Int>().first == nil && ObservableArray<Int>().last == nil)
        #expect(array.prefix(3) == ObservableArray(0..<3).snapshot)
        #expect(Array(array.suffix(200)) == Array(100..<300))
        #expect(Array(array.dropFirst(290)) == Array(290..<300) && Array(array.dropLast(290)) == Array(0..<10))
        #expect(array.firstIndex(of: 200) == 200 && array.lastIndex { $0 < 7 } == 6)
        #expect(array.last { $0 % 2 == 0 } == 298 && array.firstIndex { $0 == 400 } == nil)
        #expect(Array(array.reversed()) == plain.reversed())
        #expect(array.filter { $0 > 297 } == [298, 299] && array.map { $0 + 1 } == plain.map { $0 + 1 })
        #expect(array.reduce(0, +) == plain.reduce(0, +) && array.sorted(by: >) == plain.sorted(by: >))
        #expect(array.randomElement() != nil && ObservableArray<Int>().randomElement() == nil)
        #expect(array == plain && array != [1] && array == ObservableArray(plain))
        #expect(array != ObservableArray(plain.dropLast()) && !(array != ObservableArray(plain)))
        #expect(array[5...7].elementsEqual(5...7) && array[...].count == 300)
        #expect(array.snapshot.hashValue == ObservableArray(plain).snapshot.hashValue)
        #expect("\(array.prefix(3))" == "[0, 1, 2]")
    }

    @Test func aComputedFollows() {
        let array: ObservableArray = [1, 2, 3]
        let sum = Computed { array.reduce(0, +) }
        #expect(sum.value == 6)
        array[1] = 5
        #expect(sum.value == 9)
        let reaction = autorun { _ = sum.value }
        array.append(1)
        #expect(sum.value == 10)
        reaction.cancel()
        array.removeAll()
        #expect(sum.value == 0)
    }
}
