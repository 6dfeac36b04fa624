// What apply remembers about the objects of a graph that have several paths, and what it finds.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct SharedIdentitiesTests {
        /// Counts how often objects are encoded.
        private final class Counter: @unchecked Sendable {
            // Sendable because each test uses one thread.
            var encoded = 0
            @TaskLocal static var current: Counter?
        }

        private final class Person: Codable {
            var id = 0
            @Observable var name: String
            @Observable var friends: [Person] = []
            enum CodingKeys: CodingKey { case id, name, friends }

            init(_ name: String) { self.name = name }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                _name = try container.decode(Observable<String>.self, forKey: .name)
                _friends = try container.decode(Observable<[Person]>.self, forKey: .friends)
            }

            func encode(to encoder: any Encoder) throws {
                Counter.current?.encoded += 1
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(_name, forKey: .name)
                try container.encode(_friends, forKey: .friends)
            }
        }

        private final class Club: Codable {
            @Observable var members: [Person] = []
            @Observable var chair: Person?
            @Observable var other: Person?
        }

        /// Applies a patch that replaces one value, and returns how often an object was encoded.
        @discardableResult
        private func replace(_ path: String, _ value: JSONValue, in root: some Codable) throws -> Int {
            let counter = Counter()
            let patch: JSONPatch = [.replace(path: try JSONPointer(path), value: value)]
            try Counter.$current.withValue(counter) { try apply(patch, to: root) }
            return counter.encoded
        }

        @Test func aSearchIsRememberedUntilSomethingElseIsWritten() throws {
            let club = Club()
            club.members = ["Ann", "Bob", "Cid", "Dan"].map(Person.init)
            // The last one is shared, which does not matter for the others.
            club.chair = club.members[3]
            // The first and the last member are encoded on the path, the rest by the search.
            #expect(try replace("/members/0/name", "Eve", in: club) == 5)
            #expect(try replace("/members/0/name", "Flo", in: club) == 1)
            club.members[1].name = "Gus"
            #expect(try replace("/members/0/name", "Hal", in: club) == 5)
            // A value that is decoded anew.
            #expect(try replace("/members/0/id", 7, in: club) == 1)
        }

        @Test func anObservationReplacesTheSearch() throws {
            let club = Club()
            club.members = ["Ann", "Bob", "Cid"].map(Person.init)
            let observer = deepObserve(club) {}
            defer { observer.cancel() }
            #expect(try replace("/members/0/name", "Eve", in: club) == 1)
        }

        @Test func aNewPathToTheContentsOfAReplacedObjectIsNoticed() throws {
            let club = Club()
            let (ann, bob) = (Person("Ann"), Person("Bob"))
            ann.friends = [bob]
            club.members = [ann]
            club.chair = ann
            // The new chair has the same friends as Ann.
            try replace("/chair/name", "Eve", in: club)
            #expect(club.chair?.friends[0] === bob)
            try replace("/chair/friends/0/name", "Rob", in: club)
            #expect(ann.friends[0] === bob && bob.name == "Bob")
        }

        private struct Card: Codable {
            var number = 0
            @Observable var owners: [Person] = []
        }

        private final class Cards: Codable {
            @Observable var first: Card
            @Observable var second: Card
            init(_ card: Card) { (first, second) = (card, card) }
        }

        @Test func aNewPathToTheContentsOfAReplacedMemberIsNoticed() throws {
            let bob = Person("Bob")
            let card = Card()
            card.owners = [bob]
            let cards = Cards(card)
            try replace("/first/number", 7, in: cards)
            #expect(cards.first.owners[0] === bob)
            try replace("/first/owners/0/name", "Rob", in: cards)
            #expect(cards.second.owners[0] === bob && bob.name == "Bob")
        }

        private final class Badge: Codable {
            @Observable var text = "-"
            let owner: Person
            init(of owner: Person) { self.owner = owner }
        }

        private final class Badges: Codable {
            @Observable var first: Badge
            @Observable var second: Badge
            init(_ badge: Badge) { (first, second) = (badge, badge) }
        }

        @Test func aNewPathToAnObjectInAReplacedObjectIsNoticed() throws {
            let bob = Person("Bob")
            let badges = Badges(Badge(of: bob))
            try replace("/first/text", "x", in: badges)
            #expect(badges.first !== badges.second && badges.first.owner === bob && badges.second.owner === bob)
            try replace("/first/owner/name", "Rob", in: badges)
            #expect(badges.second.owner === bob && bob.name == "Bob" && badges.first.owner.name == "Rob")
        }

        // MARK: - Roots

        @Test func eachRootIsSearched() throws {
            let (plain, sharing) = (Club(), Club())
            plain.members = [Person("Ann")]
            let bob = Person("Bob")
            sharing.members = [bob]
            sharing.chair = bob
            try replace("/members/0/name", "Eve", in: plain)
            try replace("/chair/name", "Rob", in: sharing)
            #expect(bob.name == "Bob" && sharing.chair?.name == "Rob")
        }

        private struct One: Codable {
            let first: Club
        }

        private struct Two: Codable {
            let first: Club
            enum CodingKeys: CodingKey { case first, second }
            init(first: Club) { self.first = first }
            init(from decoder: any Decoder) throws {
                first = try decoder.container(keyedBy: CodingKeys.self).decode(Club.self, forKey: .first)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(first, forKey: .first)
                try container.encode(first, forKey: .second)
            }
        }

        @Test func aRootOfADifferentTypeHasItsOwnPaths() throws {
            let club = Club()
            let ann = Person("Ann")
            club.members = [ann]
            try replace("/first/members/0/name", "Eve", in: One(first: club))
            #expect(ann.name == "Eve")
            try replace("/first/members/0/name", "Flo", in: Two(first: club))
            #expect(ann.name == "Eve" && club.members[0].name == "Flo")
        }

        private struct Both: Codable {
            let first: Club
            let second: Club?
        }

        @Test func aRootWithOtherContentsHasItsOwnPaths() throws {
            let club = Club()
            let ann = Person("Ann")
            club.members = [ann]
            try replace("/first/members/0/name", "Eve", in: Both(first: club, second: nil))
            #expect(ann.name == "Eve")
            try replace("/first/members/0/name", "Flo", in: Both(first: club, second: club))
            #expect(ann.name == "Eve" && club.members[0].name == "Flo")
        }

        // MARK: - Objects that the observation does not know

        private static let all = CodingUserInfoKey(rawValue: "all")!

        private struct Page: Codable {
            @Observable var title = "page"
            var hidden = Observable(1)
            enum CodingKeys: CodingKey { case title, hidden }
            init() {}
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _title = try container.decode(Observable<String>.self, forKey: .title)
                hidden = try container.decode(Observable<Int>.self, forKey: .hidden)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(_title, forKey: .title)
                if encoder.userInfo[SharedIdentitiesTests.all] != nil { try container.encode(hidden, forKey: .hidden) }
            }
        }

        private final class Book: Codable {
            @Observable var first: Page
            @Observable var second: Page
            init(_ page: Page) { (first, second) = (page, page) }
        }

        @Test func stateThatOnlyThePatchEncodesIsSearched() throws {
            let page = Page()
            let book = Book(page)
            let observer = deepObserve(book) {}
            defer { observer.cancel() }
            let encoder = JSONEncoder()
            encoder.userInfo[Self.all] = true
            try apply(
                [
                    .replace(path: JSONPointer("/first/title"), value: "x"),
                    .replace(path: JSONPointer("/second/title"), value: "x"),
                    .replace(path: JSONPointer("/first/hidden"), value: 5),
                    .replace(path: JSONPointer("/second/hidden"), value: 5),
                ], to: book, encoder: encoder)
            #expect(book.first.hidden === page.hidden && book.second.hidden === page.hidden && page.hidden.value == 5)
        }

        // MARK: - The search

        private final class Link: Codable {
            var next: Link?
            var leaf: Person?
        }

        private final class Chain: Codable {
            @Observable var first: Link?
            @Observable var leaf: Person?
        }

        /// The links have no observables between them.
        @Test func theStackDoesNotLimitTheSearch() {
            onOtherThread(stackSize: 512 * 1024) {
                let leaf = Person("Ann")
                let links = (0..<20_000).map { _ in Link() }
                for (link, next) in zip(links, links.dropFirst()) { link.next = next }
                links[links.count - 1].leaf = leaf
                // Taken apart, so that freeing the chain does not recurse.
                defer { for link in links { link.next = nil } }
                let chain = Chain()
                chain.first = links[0]
                chain.leaf = leaf
                #expect(throws: Never.self) { try replace("/leaf/name", "Eve", in: chain) }
                #expect(leaf.name == "Ann" && chain.leaf?.name == "Eve")
            }
        }

        private struct Pair: Codable {
            @Observable var name = "pair"
            var other: Observable<[Observable<Int>]?>
            init(other: Observable<[Observable<Int>]?>) { self.other = other }
        }

        @Test func theSearchLeavesStateOfADifferentGraphOut() throws {
            let other = Observable<[Observable<Int>]?>([Observable(1)], named: "stranger")
            let pair = IndependentGraph(named: "pair").run { Pair(other: other) }
            try replace("/name", "both", in: pair)
            #expect(pair.name == "both")
        }
    }
}
