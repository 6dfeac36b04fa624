// What is walked again after a change, and what the walk calls it.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

/// Counts how often it is encoded.
private struct Item: Encodable {
    @Observable var title = "a"
    let counter: Counter
    var fails = false

    struct Failure: Error {}
    final class Counter { var count = 0 }
    enum CodingKeys: CodingKey { case title }

    func encode(to encoder: any Encoder) throws {
        counter.count += 1
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(_title, forKey: .title)
        if fails { throw Failure() }
    }
}

private struct Items: Encodable {
    @Observable var list: [Item]
    @Observable var table: [String: Item]
    let rows: ObservableArray<Item>

    init(_ counter: Item.Counter) {
        _list = Observable(wrappedValue: (0..<3).map { _ in Item(counter: counter) })
        _table = Observable(wrappedValue: ["a": Item(counter: counter), "b": Item(counter: counter)])
        rows = ObservableArray((0..<3).map { _ in Item(counter: counter) })
    }
}

extension ReactiveCodableTests {
    @Suite struct WalkPartsTests {
        @Test(arguments: [true, false]) func onlyNewPartsAreEncoded(reportsChanges: Bool) {
            let counter = Item.Counter()
            let items = Items(counter)
            let r =
                reportsChanges
                ? deepObserve(items) { (_: DeepChanges) in } : deepObserve(items) {}
            defer { r.cancel() }
            #expect(counter.count == 8)
            let edits: [() -> Void] = [
                { items.list.append(Item(counter: counter)) }, { items.list.insert(Item(counter: counter), at: 0) },
                { items.table["c"] = Item(counter: counter) }, { items.table["b"] = Item(counter: counter) },
                { items.rows.append(Item(counter: counter)) }, { items.rows.insert(Item(counter: counter), at: 0) },
            ]
            for (index, edit) in edits.enumerated() {
                counter.count = 0
                edit()
                #expect(counter.count == 1, "edit \(index)")
            }
        }

        @Test func aFailureNamesItsRow() {
            let counter = Item.Counter()
            let items = Items(counter)
            items.rows.append(Item(counter: counter, fails: true))
            var reactions: [Reaction] = []
            defer { for reaction in reactions { reaction.cancel() } }
            var messages = issues { reactions.append(deepObserve(items) {}) }.map(\.message)
            #expect(messages.count == 1 && messages[0].contains("/rows/3"))
            messages = issues { items.rows.insert(Item(counter: counter, fails: true), at: 1) }.map(\.message)
            #expect(messages.count == 1 && messages[0].contains("/rows/1"))
        }

        @Test func aPartBelowARemovedCollectionIsForgotten() {
            let counter = Item.Counter()
            struct Root: Encodable { @Observable var items: Items? }
            let root = Root(items: Items(counter))
            let items = root.items
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            root.items = nil
            count = 0
            items?.list[0].title = "b"
            items?.table["a"]?.title = "b"
            items?.rows[0].title = "b"
            #expect(count == 0)
        }

        @Test func aSecondRestoredValueIsNoChange() {
            let number = Observable(1)
            var count = 0
            let r = deepObserve([number]) { count += 1 }
            defer { r.cancel() }
            number.value = 2
            number.value = 3
            #expect(count == 2)
            inTransaction {
                number.value = 4
                number.value = 3
            }
            #expect(count == 2)
            number.value = 5
            #expect(count == 3)
        }

        @Test func elementsOfAnArrayInsideAValueHaveTheirOrder() throws {
            struct Pair: Encodable {
                let first = Observable(1)
                let second = Observable(2)
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    try container.encode(first)
                    try container.encode(second)
                }
            }
            struct Root: Encodable {
                let list = [Observable(1), Observable(2)]
                let pair = Pair()
            }
            let root = Root()
            var patches: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in
                patches.append((try? changes.jsonPatch().description) ?? "none")
            }
            defer { r.cancel() }
            root.list[1].value = 3
            // The documents would differ by a move.
            inTransaction { (root.pair.first.value, root.pair.second.value) = (2, 1) }
            #expect(
                patches == [
                    #"[{"op":"replace","path":"/list/1","value":3}]"#,
                    #"[{"op":"replace","path":"/pair/0","value":2},{"op":"replace","path":"/pair/1","value":1}]"#,
                ])
        }

        @Test func keysMayBeNumbers() {
            struct Numbered: Encodable {
                struct Key: CodingKey {
                    let number: Int
                    var stringValue: String { "\(number)" }
                    var intValue: Int? { number }
                    init(_ number: Int) { self.number = number }
                    init?(stringValue: String) { nil }
                    init?(intValue: Int) { nil }
                }
                let numbers = [Observable(1), Observable(2)]
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(numbers[0], forKey: Key(7))
                    try container.encode(numbers[1], forKey: Key(1_000))
                }
            }
            let root = Numbered()
            var pointers: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers += changes.map(\.pointer) }
            defer { r.cancel() }
            for number in root.numbers { number.value += 1 }
            #expect(pointers == ["/7", "/1000"])
        }

        @Test func valuesMayBeDeeperThanTheStack() {
            final class Node: Encodable {
                @Observable var value = 0
                var next: Node?
            }
            onOtherThread(stackSize: 512 << 10) {
                let nodes = (0..<5_000).map { _ in Node() }
                for index in 1..<nodes.count { nodes[index - 1].next = nodes[index] }
                defer { for node in nodes { node.next = nil } }
                var count = 0
                let r = deepObserve(nodes[0]) { count += 1 }
                nodes[4_999].value = 1
                nodes[2_500].value = 1
                #expect(count == 2)
                r.cancel()
            }
        }

        // MARK: - Changes

        @Test func aChangeOfManyObservablesHasAllOldValues() throws {
            let numbers = (0..<20).map { Observable($0) }
            var reported: DeepChanges?
            let r = deepObserve(numbers) { (changes: DeepChanges) in reported = changes }
            defer { r.cancel() }
            let before = try JSONValue(encoding: numbers)
            inTransaction { for number in numbers { number.value += 100 } }
            let changes = try #require(reported)
            #expect(try JSONValue(encoding: changes.before) == before)
            #expect(try JSONValue(encoding: changes.after) == JSONValue(encoding: numbers))
            #expect(changes.count == 20)
        }

        private final class Shared: Encodable { @Observable var value = 0 }

        @Test func omittedPathsAreCountedOnceInADelivery() throws {
            let shared = (0..<3).map { _ in Shared() }
            let root = Observable((0..<90).map { shared[$0 % 3] })
            var counts: [Int] = []
            var kept: DeepChanges?
            let r = deepObserve(root, pathLimit: 2) { changes in
                counts += [changes.count, changes.omittedPathCount]
                kept = changes
            }
            inTransaction { for part in shared { part.value = 1 } }
            r.cancel()
            #expect(counts == [6, 64])
            #expect(kept?.omittedPathCount == 64)
            #expect(kept?.count == 6)
        }

        @Test func aPatchOfOmittedPathsReplacesWhatDiffers() throws {
            let shared = Shared()
            let root = [shared, shared, shared]
            let before = try JSONValue(encoding: root)
            var patch: JSONPatch?
            let r = deepObserve(root, pathLimit: 1) { changes in patch = try? changes.jsonPatch() }
            defer { r.cancel() }
            shared.value = 1
            #expect(try NaiveJSONPatch.apply(#require(patch), to: before) == JSONValue(encoding: root))
        }
    }
}
