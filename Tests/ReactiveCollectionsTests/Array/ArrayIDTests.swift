// Access by id: the sources of ids, duplicates, and ids that change.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Track: Equatable {
    var isrc: String
    var plays = 0
}

private struct Item: Identifiable, Equatable {
    var id: Int
    var name = ""
}

private final class Person: Identifiable {
    var id: Int
    init(_ id: Int) { self.id = id }
}

/// Plain bits, so mutations in place compare it.
private struct Score: Identifiable, Equatable {
    var id: Int
    var points = 0
}

/// An id that counts how often ids are hashed and compared.
private struct CountedID: Hashable {
    final class Counts {
        var hashes = 0
        var comparisons = 0
    }

    let number: Int
    let counts: Counts

    static func == (a: CountedID, b: CountedID) -> Bool {
        a.counts.comparisons += 1
        return a.number == b.number
    }

    func hash(into hasher: inout Hasher) {
        counts.hashes += 1
        hasher.combine(number)
    }
}

/// An array whose elements have counted ids.
private struct CountedArray {
    struct Item: Identifiable, Equatable {
        var id: CountedID
        var name = ""

        static func == (a: Item, b: Item) -> Bool { a.id.number == b.id.number && a.name == b.name }
    }

    let counts = CountedID.Counts()
    let items: ObservableArray<Item>

    init(count: Int) {
        items = ObservableArray()
        items += (0..<count).map(item)
    }

    func id(_ number: Int) -> CountedID { CountedID(number: number, counts: counts) }
    func item(_ number: Int) -> Item { Item(id: id(number)) }

    func hashes(_ body: () -> Void) -> Int {
        counts.hashes = 0
        body()
        return counts.hashes
    }

    func comparisons(_ body: () -> Void) -> Int {
        counts.comparisons = 0
        body()
        return counts.comparisons
    }
}

@Suite(.ownGraph, .timeLimit) struct ArrayIDTests {
    @Test func aKeyPathGivesTheIDs() {
        let tracks = ObservableArray(["A", "B"].map { Track(isrc: $0) }, id: \.isrc)
        #expect(tracks[id: "B"] == Track(isrc: "B") && tracks[id: "C"] == nil)
        tracks[id: "B"]?.plays += 1
        tracks[id: "C"] = Track(isrc: "C")
        tracks[id: "A"] = nil
        #expect(tracks == [Track(isrc: "B", plays: 1), Track(isrc: "C")])
        #expect(tracks.index(id: "C") == 1 && tracks.contains(id: "B") && tracks.remove(id: "B")?.plays == 1)
        let empty = ObservableArray<Track>(id: \.isrc)
        empty.append(Track(isrc: "D"))
        #expect(empty.contains(id: "D"))
    }

    @Test func aKeyPathOverridesIdentifiable() {
        let items = ObservableArray([Item(id: 1, name: "one")], id: \.name)
        #expect(items[id: "one"]?.id == 1)
        items.append(Item(id: 2, name: "two"))
        #expect(items[id: "two"]?.id == 2)
    }

    @Test func genericCodeFindsTheIDsOfIdentifiableElements() {
        func find<Element, ID: Hashable>(_ id: ID, in array: ObservableArray<Element>) -> Element? { array[id: id] }
        #expect(find(2, in: ObservableArray([Item(id: 1), Item(id: 2)])) == Item(id: 2))
    }

    @Test func theFirstOfSeveralElementsCounts() {
        let items = ObservableArray([Item(id: 1, name: "a"), Item(id: 2), Item(id: 1, name: "b")], named: "items")
        let found = issues { #expect(items[id: 1]?.name == "a") }
        #expect(found.count == 1 && found.first?.message.contains("items has several elements with the id 1") == true)
        #expect(found.first?.kind == .misuse)
        var seen: [String?] = []
        let reaction = autorun { seen.append(items[id: 1]?.name) }
        defer { reaction.cancel() }
        #expect(issues { items.reverse() }.isEmpty)
        items.removeFirst()
        items[0].id = 1
        items.removeAll { $0.id == 1 }
        #expect(seen == ["a", "b", "a", "", nil])
    }

    @Test func idsThatChangeInPlaceAreFollowed() {
        let items = ObservableArray([Item(id: 1), Item(id: 2)])
        var seen: [Bool] = []
        let reaction = autorun { seen.append(items.contains(id: 3)) }
        defer { reaction.cancel() }
        items[1].id = 3
        items[id: 3]?.name = "three"
        items[0] = Item(id: 4)
        items[1] = Item(id: 5)
        #expect(seen == [false, true, false] || seen == [false, true, true, false])
        #expect(items.index(id: 5) == 1 && !items.contains(id: 1))
    }

    @Test func aMutationHashesOnlyTheIDsThatItChanges() {
        let array = CountedArray(count: 100)
        let items = array.items
        #expect(array.hashes { _ = items.index(id: array.id(7)) } == 101)
        func expect(_ count: Int, _ location: SourceLocation = #_sourceLocation, _ body: () -> Void) {
            #expect(array.hashes(body) == count, sourceLocation: location)
            // The index is still there.
            #expect(array.hashes { _ = items.index(id: array.id(7)) } == 1, sourceLocation: location)
        }
        expect(0) { items[3] = CountedArray.Item(id: array.id(3), name: "three") }
        expect(2) { items[3] = array.item(300) }
        #expect(items.index(id: array.id(300)) == 3 && !items.contains(id: array.id(3)))
        expect(2) { items[4].name += "four" }
        expect(1) { items.append(array.item(100)) }
        expect(1) { items.insert(array.item(101), at: 5) }
        expect(1) { items.remove(at: 0) }
        expect(0) { items.swapAt(20, 30) }
        expect(0) { items.reverse() }
        // Rebuilding the index of so much is cheaper.
        #expect(array.hashes { items.replaceSubrange(0..<60, with: (400..<460).map(array.item)) } == 0)
        #expect(array.hashes { _ = items.index(id: array.id(7)) } == 102)
        #expect(array.hashes { items.remove(atOffsets: stride(from: 1, to: 101, by: 2)) } == 0)
        #expect(array.hashes { _ = items.index(id: array.id(430)) } == 52)
    }

    @Test func aMutationChecksOnlyTheObservedIDsThatItChanges() {
        let array = CountedArray(count: 100)
        let items = array.items
        let reaction = autorun { for number in 0..<50 { _ = items[id: array.id(number)] } }
        defer { reaction.cancel() }
        func expect(_ hashes: Int, _ body: () -> Void) {
            array.counts.comparisons = 0
            #expect(array.hashes(body) <= hashes)
            #expect(array.counts.comparisons < 10)
        }
        expect(4) { items[80].name = "eighty" }
        expect(1) { items[80] = CountedArray.Item(id: array.id(80), name: "") }
        expect(4) { items[80] = array.item(800) }
        expect(2) { items.append(array.item(801)) }
        expect(2) { items.removeLast() }
        expect(0) { items.swapAt(2, 60) }
        // The index is rebuilt: each id is hashed once.
        #expect(array.hashes { items += (900..<1_000).map(array.item) } == 200)
        #expect(reaction.runCount == 1)
    }

    /// The index of a view's rows is rebuilt without new rows.
    @Test func duplicatesCostViewsNothing() {
        let items = ObservableArray((0..<10).map { Item(id: $0) })
        var evaluated: [String] = []
        let names = items.live.map {
            evaluated.append($0.name)
            return $0.name
        }
        let reaction = autorun { _ = (names.elements, items[id: 3]) }
        defer { reaction.cancel() }
        evaluated = []
        _ = issues {
            items.append(Item(id: 1, name: "duplicate"))
            items.append(Item(id: 20, name: "other"))
        }
        #expect(evaluated == ["duplicate", "other"])
        #expect(items.index(id: 20) == 11)
    }

    @Test func observersOfAnIDLearnOfItWhileOthersAreDuplicate() {
        let arrivals: [(ObservableArray<Item>) -> Void] = [
            { $0[1] = Item(id: 7, name: "new") },
            { $0[1] = Item(id: 7, name: "new") },
            {
                func change(_ item: inout Item) { item = Item(id: 7, name: "new") }
                change(&$0[1])
            },
            { $0.append(Item(id: 7, name: "new")) },
            { $0.replaceSubrange(1..<2, with: [Item(id: 7, name: "new")]) },
        ]
        for arrive in arrivals {
            let items = ObservableArray([Item(id: 1), Item(id: 2), Item(id: 3)])
            var seen: [String?] = []
            let reaction = autorun { seen.append(items[id: 7]?.name) }
            _ = issues {
                items.append(Item(id: 1))
                arrive(items)
            }
            #expect(seen == [nil, "new"])
            reaction.cancel()
        }
    }

    @Test func theFirstOfSeveralElementsChangesWithTheOrder() {
        let items = ObservableArray([Item(id: 1, name: "a"), Item(id: 2), Item(id: 1, name: "b")])
        var seen: [String?] = []
        _ = issues {
            let reaction = autorun { seen.append(items[id: 1]?.name) }
            items.swapAt(0, 2)
            items.move(from: 0, to: 2)
            items[1].name = "c"
            items[2] = Item(id: 1, name: "d")
            items.remove(at: 1)
            reaction.cancel()
        }
        #expect(seen == ["a", "b", "a", "c", "d"])
    }

    @Test func aMutationThatChangesNothingKeepsNothingAlive() {
        weak var array: ObservableArray<Score>?
        do {
            let scores = ObservableArray([Score(id: 1)])
            let reaction = autorun { _ = scores[id: 1] }
            scores[0].points += 0
            #expect(reaction.runCount == 1)
            reaction.cancel()
            array = scores
        }
        #expect(array == nil)
    }

    /// That is misuse, but must not corrupt the array.
    @Test func idsThatChangeBehindTheArraysBack() {
        let people = ObservableArray((0..<50).map { Person($0) })
        #expect(people.index(id: 7) == 7)
        people[7].id = 100
        people.remove(at: 7)
        #expect(people[id: 7] == nil)
        people.removeSubrange(0..<3)
        #expect(people.index(id: 8) == 4 && people.count == 46)
        people[10].id = 200
        people.swapAt(10, 11)
        people.removeAll()
        people.append(Person(3))
        #expect(people.index(id: 3) == 0 && people[id: 200] == nil)
    }

    @Test func assigningAnElementWithADifferentID() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let items = ObservableArray([Item(id: 1)])
            items[id: 1] = Item(id: 2)
        }
        expectMessage(result, "assigned for the id 1 has a different id")
    }

    @Test func readingByAnIdTheArrayDoesNotHave() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = ObservableArray([1, 2], named: "numbers")
            _ = numbers[id: "x"]
        }
        expectMessage(result, "numbers has no ids of type String. Create it with a key path to the ids")
    }

    @Test func readingByAnIDOfTheWrongType() async {
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObservableArray([Item(id: 1)], named: "items")[id: "x"]
        }
        expectMessage(result, "items has no ids of type String. Create it with a key path to the ids")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObservableArray([Item(id: 1, name: "one")], id: \.name, named: "items")[id: 1]
        }
        expectMessage(result, "items has no ids of type Int. Create it with a key path to the ids")
    }
}
