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

    /// That is misuse, but must not corrupt the array.
    @Test func idsThatChangeBehindTheArraysBack() {
        let people = ObservableArray((0..<50).map { Person($0) })
        #expect(people.index(id: 7) == 7)
        people[7].id = 100
        people.remove(at: 7)
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
}
