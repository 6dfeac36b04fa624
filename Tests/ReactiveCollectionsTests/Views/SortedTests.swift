import TestSupport
import Testing

@testable import ReactiveCollections

/// An element with an observable property.
final class ObservedTodo: Hashable {
    let title: String
    private let observableDue: Observable<Int>
    var due: Int {
        get { observableDue.value }
        set { observableDue.value = newValue }
    }

    init(_ title: String, due: Int) {
        self.title = title
        observableDue = Observable(due, named: title)
    }

    static func == (a: ObservedTodo, b: ObservedTodo) -> Bool { a.due == b.due }
    func hash(into hasher: inout Hasher) { hasher.combine(due) }
}

extension ObservedTodo: Comparable {
    static func < (a: ObservedTodo, b: ObservedTodo) -> Bool { a.due < b.due }
}

private struct Refusal: Error {}

@Suite(.ownGraph, .timeLimit) struct SortedTests {
    @Test func runsItsClosureOncePerChange() {
        let array = ObservableArray((0..<50).map { ViewItem(id: $0, key: $0 * 7 % 50, cell: $0 % 6) })
        let cells = Cells()
        var calls = 0
        let view = array.live.sorted(by: { item in
            calls += 1
            return cells.key(of: item)
        })
        #expect(calls == 0, "a view does nothing before it is read")
        _ = view.elements
        #expect(calls == 50)
        array[3].key = 20
        #expect(calls == 50, "the view is not read")
        _ = view.elements
        #expect(calls == 51)
        array.move(from: 3, to: 40)
        array.swapAt(1, 2)
        array.reverse()
        _ = view.elements
        #expect(calls == 51)
        cells.values[2].value = 9
        _ = view.elements
        #expect(calls == 51 + array.elements.filter { $0.cell == 2 }.count)
        #expect(view.elements.map(cells.key) == array.elements.map(cells.key).sorted())
    }

    /// With few elements the rows are placed one by one, with many the order is built anew.
    @Test(arguments: [3, 10, 100]) func anOrderThatStaysTheSameNotifiesNobody(_ count: Int) {
        let numbers = ObservableArray(1...count)
        let factor = Observable(1)
        let views = [
            numbers.live.sorted { a, b in a * factor.value < b * factor.value },
            numbers.live.sorted(by: { $0 * factor.value }),
            numbers.live.sorted(by: { -$0 * factor.value }),
        ]
        var runs = 0
        var edits = 0
        var reactions: [Reaction] = []
        for view in views {
            reactions.append(
                autorun {
                    _ = view.elements
                    runs += 1
                })
            reactions.append(reaction(to: view) { _ in edits += 1 })
        }
        factor.value = 2
        #expect(runs == 3)
        factor.value = -1
        #expect((runs, edits) == (6, 3))
        #expect(views[0].elements == (1...count).reversed())
        reactions.forEach { $0.cancel() }
    }

    /// Moves are found for some of the rows whose keys have changed.
    @Test func onlyRowsThatMoveAreEdits() {
        let items = ObservableArray((0..<8).map { ViewItem(id: $0, key: $0 * 10, cell: 0) })
        let view = items.live.sorted(by: \.key)
        var moved: [Int] = []
        let reaction = reaction(to: view) { changes in
            for case .move(let item, _, _) in changes { moved.append(item.id) }
        }
        inTransaction {
            for index in [2, 3, 4] { items[index].key += 1 }
            items[6].key = 5
        }
        #expect(view.elements.map(\.id) == [0, 6, 1, 2, 3, 4, 5, 7])
        #expect(moved == [6])
        reaction.cancel()
    }

    @Test func restoresItsStateWhenATransactionIsRolledBack() {
        let array = ObservableArray((0..<50).map { ViewItem(id: $0, key: $0 * 7 % 50, cell: $0 % 6) })
        let cells = Cells()
        var calls = 0
        let view = array.live.sorted(by: { item in
            calls += 1
            return cells.key(of: item)
        })
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = view.elements
        }
        let before = view.elements
        try? inTransaction {
            array[3].key = 20
            array.remove(at: 7)
            cells.values[2].value = 9
            #expect(view.count == 49)
            calls = 0
            throw Refusal()
        }
        #expect(view.elements == before)
        #expect(calls == 0 && runs == 1)
        reaction.cancel()
    }

    @Test func breaksTiesByTheOrderOfItsSource() {
        let array = ObservableArray([2, 1, 2, 1, 2].enumerated().map { ViewItem(id: $0, key: $1) })
        let view = array.live.sorted(by: \.key)
        #expect(view.elements.map(\.id) == [1, 3, 0, 2, 4])
        array.move(from: 4, to: 0)
        #expect(view.elements.map(\.id) == [1, 3, 4, 0, 2])
        array.reverse()
        #expect(view.elements.map(\.id) == [3, 1, 2, 0, 4])
    }

    @Test func reportsNothingIfTheOrderStays() {
        let array = ObservableArray((0..<10).map { ViewItem(id: $0, key: 10 * $0, cell: $0 < 6 ? $0 : nil) })
        let cells = Cells()
        let view = array.live.sorted(by: { cells.key(of: $0) })
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = view.elements
        }
        cells.values[0].value = 5
        array.move(from: 0, to: 9)
        #expect(runs == 1)
        cells.values[0].value = 15
        #expect(runs == 2)
        #expect(view.elements.map(\.id) == [1, 0, 2, 3, 4, 5, 6, 7, 8, 9])
        reaction.cancel()
    }

    @Test func followsObservablesThatItsPredicateReads() {
        let todos = ObservableArray(["a", "b", "c"].enumerated().map { ObservedTodo($1, due: $0) })
        let isDescending = Observable(false)
        let view = todos.live.sorted { isDescending.value ? $0.due > $1.due : $0.due < $1.due }
        var titles = ""
        let reaction = autorun { titles = view.elements.map(\.title).joined() }
        todos[0].due = 5
        #expect(titles == "bca")
        isDescending.value = true
        #expect(titles == "acb")
        todos[1].due = 9
        #expect(titles == "bac")
        reaction.cancel()
    }

    @Test func followsObservablesThatComparisonsOfElementsRead() {
        let todos = ObservableArray((0..<4).map { ObservedTodo("\($0)", due: $0) })
        let view = todos.live.sorted()
        #expect(view.elements.map(\.title) == ["0", "1", "2", "3"])
        todos[0].due = 9
        #expect(view.elements.map(\.title) == ["1", "2", "3", "0"])
    }

    @Test func takesKeyPathsThatAreValues() {
        let array = ObservableArray([3, 1, 2].map { ViewItem(id: $0, key: -$0) })
        let keyPath: KeyPath<ViewItem, Int> & Sendable = \.key
        #expect(array.live.sorted(by: keyPath).elements.map(\.id) == [3, 2, 1])
        #expect(array.live.sorted(by: keyPath, >).elements.map(\.id) == [1, 2, 3])
        #expect(array.live.uniqued(by: keyPath).count == 3)
    }

    @Test func putsNaNLast() {
        let array = ObservableArray<Double>([3, .nan, 1, .nan, 2])
        let views = [array.live.sorted(), array.live.sorted(by: \.self), array.live.sorted(by: \.magnitude)]
        func check() {
            let numbers = array.elements.filter { !$0.isNaN }.sorted()
            for view in views {
                #expect(Array(view.elements.prefix(numbers.count)) == numbers)
                #expect(view.elements.dropFirst(numbers.count).allSatisfy { $0.isNaN })
                #expect(view.count == array.count)
            }
        }
        check()
        for value in [Double.nan, 5, .nan, 0, 7] {
            array.insert(value, at: 2)
            array.removeLast()
            check()
        }
        array.removeAll { $0.isNaN }
        check()
    }

    @Test func equalNumbersAreInTheOrderOfTheSource() {
        let array = ObservableArray((0..<60).map { (id: $0, number: [1, .nan, 0][$0 % 3]) })
        let view = array.live.sorted(by: { $0.number })
        func check() {
            let ranks = array.elements.map { (id: $0.id, rank: $0.number.isNaN ? 2 : Int($0.number)) }
            let expected = (0...2).flatMap { rank in ranks.filter { $0.rank == rank }.map(\.id) }
            #expect(view.elements.map(\.id) == expected)
        }
        check()
        for (id, number) in [(60, 1), (61, .nan), (62, 0)] {
            array.append((id: id, number: number))
            check()
        }
    }

    @Test func anElementFindsItsPositionAfterAllWereReplaced() {
        let array = ObservableArray((0..<1_000).reversed())
        let view = array.live.sorted()
        #expect(view.first == 0)
        for number in stride(from: 50, to: 1_000, by: 100) {
            array.append(number)
            #expect(view.count == array.count)
        }
        inTransaction {
            array.removeAll()
            array += (0..<1_000).reversed().map { $0 * 10 }
        }
        #expect(view.last == 9_990)
        array.append(4_995)
        #expect(view.elements == array.elements.sorted())
    }

    @Test func survivesAPredicateThatIsNoOrder() {
        let array = ObservableArray(0..<100)
        var random = SplitMix64(seed: 1)
        let view = array.live.sorted { _, _ in random.oneIn(2) }
        for _ in 0..<100 {
            array[random.below(100)] = random.below(100)
            #expect(view.elements.sorted() == array.elements.sorted())
        }
    }

    /// While the view searches the position of one element, it does not know that a different element is gone.
    @Test func survivesClosuresThatWrite() {
        let array = ObservableArray((0..<40).map { ViewItem(id: $0, key: $0 % 2) })
        let trigger = Observable(0)
        func key(_ item: ViewItem) -> Int {
            if item.id == 20, trigger.value > 0, untracked({ array.count }) > 10 { array.removeSubrange(0..<5) }
            return item.key
        }
        let views = [
            array.live.sorted(by: key), array.live.uniqued(by: { key($0) + $0.id / 4 }),
            array.live.sorted { key($0) < key($1) },
        ]
        _ = issues {
            for view in views { _ = view.elements }
            trigger.value = 1
            array[15].key = 1
            array.reverse()
            #expect(views[0].elements == array.elements.sorted { $0.key < $1.key })
            #expect(views[1].count == Set(array.elements.map { $0.key + $0.id / 4 }).count)
            #expect(views[2].elements == array.elements.sorted { $0.key < $1.key })
        }
    }

    /// While the view groups all elements again, it does not know the new one yet.
    @Test func survivesClosuresThatAppend() {
        let array = ObservableArray((0..<40).map { ViewItem(id: $0, key: $0 % 2) })
        let trigger = Observable(0)
        let view = array.live.uniqued(by: { item in
            if item.id == 20, trigger.value > 0, untracked({ array.count }) == 40 {
                array.append(ViewItem(id: 100, key: 9))
            }
            return item.key + item.id / 4
        })
        _ = issues {
            _ = view.count
            inTransaction {
                array.reverse()
                trigger.value = 1
            }
            #expect(view.count == Set(array.elements.map { $0.key + $0.id / 4 }).count)
            #expect(view.elements.last?.id == 100)
        }
    }

    /// While the view sorts all elements again, it does not know the new one yet.
    @Test func survivesClosuresThatAppendWhileAllElementsMove() {
        let array = ObservableArray(0..<40)
        let trigger = Observable(0)
        let view = array.live.sorted(by: { number in
            if number == 20, trigger.value > 0, untracked({ array.count }) == 40 { array.append(-1) }
            return number
        })
        _ = issues {
            _ = view.count
            inTransaction {
                array.reverse()
                trigger.value = 1
            }
            #expect(view.elements == Array(-1..<40))
        }
    }

    /// The removed element has become the first one with its key in the same update.
    @Test func survivesClosuresThatRemove() {
        let array = ObservableArray((0..<40).map { ViewItem(id: $0, key: 0) })
        let trigger = Observable(0)
        let view = array.live.uniqued(by: { item in
            if item.id == 20, trigger.value > 0, untracked({ array.count }) == 40 { array.remove(at: 2) }
            return item.id == 2 && trigger.value == 0 ? 1 : item.id
        })
        _ = issues {
            #expect(view.count == 39)
            trigger.value = 1
            #expect(view.elements == array.elements)
        }
    }

    @Test func releasesTheKeyOfEachElementThatLeaves() {
        struct Key: Comparable {
            let number: Int
            let token: LifetimeTracker.Token
            static func < (a: Key, b: Key) -> Bool { a.number < b.number }
            static func == (a: Key, b: Key) -> Bool { a.number == b.number }
        }
        let tracker = LifetimeTracker()
        let array = ObservableArray(0..<1_000)
        let view = array.live.sorted(by: { Key(number: -$0, token: tracker.token()) })
        #expect(view.count == 1_000)
        for number in [100, 500, 900] {
            array.append(number)
            #expect(view.count == array.count)
        }
        for _ in 0..<600 {
            array.removeFirst()
            #expect(view.count == array.count)
        }
        #expect(tracker.alive == array.count)
    }

    @Test func releasesElementsAndKeys() {
        let tracker = LifetimeTracker()
        do {
            let array = ObservableArray((0..<100).map { _ in tracker.token() }, equals: .never)
            let byKey = array.live.sorted(by: { [$0.number: $0] }, { $0.keys.first! < $1.keys.first! })
            let byElement = array.live.sorted { $0.number > $1.number }
            let unique = array.live.uniqued(by: { ObjectIdentifier($0) }).reversed().prefix(3)
            func read() { _ = (byKey.count, byElement.count, unique.count) }
            read()
            array.removeLast(90)
            read()
            #expect(tracker.alive == 10)
            try? inTransaction {
                array[0] = tracker.token()
                read()
                throw Refusal()
            }
            #expect(tracker.alive == 10)
            array.removeAll()
            read()
            #expect(tracker.alive == 0)
            array.append(tracker.token())
            read()
        }
        #expect(tracker.alive == 0)
    }

    @Test func isReadByManyThreads() {
        let array = ObservableArray(0..<200)
        let views = Unchecked(
            [
                array.live.sorted(isolation: nil, by: { $0 % 10 }), array.live.sorted(by: >).prefix(20),
                array.live.uniqued(by: { $0 % 50 }).reversed(),
            ])
        onThreads(4) { thread in
            var random = SplitMix64(seed: UInt64(thread))
            for _ in 0..<200 {
                if thread < 2 {
                    inTransaction { array[random.below(200)] = random.below(1_000) }
                } else {
                    let elements = random.pick(views.value).elements
                    #expect(elements.count >= 20)
                }
            }
        }
        #expect(views.value[0].elements == array.elements.sorted { $0 % 10 < $1 % 10 })
        #expect(views.value[1].elements == Array(array.elements.sorted(by: >).prefix(20)))
        #expect(Set(views.value[2].elements.map { $0 % 50 }).count == views.value[2].count)
    }
}
