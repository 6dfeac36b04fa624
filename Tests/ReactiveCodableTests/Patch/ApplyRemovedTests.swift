// Patches that remove what they have changed, or what must not be removed, and the operations that errors name.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ApplyRemovedTests {
        private final class Item: Codable {
            @Observable var title: String
            init(_ title: String) { self.title = title }
        }

        private struct Inner: Codable {
            @Observable var title = "inner"
        }

        /// Can be encoded only.
        private struct Source: Encodable {
            var x = 1
        }

        private struct Root: Codable {
            @Observable var name = "root"
            @Observable var items = [Item("Milk"), Item("Bread")]
            var inner = Inner()
            var source = Observable(Source())
            enum CodingKeys: CodingKey { case name, items, inner, source }
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(_name, forKey: .name)
                try container.encode(_items, forKey: .items)
                try container.encode(inner, forKey: .inner)
                try container.encode(source, forKey: .source)
            }
        }

        @Test func anElementThatIsRemovedIsNotWritten() throws {
            let root = Root()
            let item = root.items[0]
            try apply(
                JSONPatch(
                    parsing: """
                        [{"op":"replace","path":"/items/0/title","value":"x"},{"op":"remove","path":"/items/0"}]
                        """), to: root)
            #expect(item.title == "Milk" && root.items.count == 1)
        }

        @Test func anElementWithoutAPropertyCanBeRemoved() throws {
            let root = Root()
            try apply(
                [.remove(path: JSONPointer("/items/0/title")), .remove(path: JSONPointer("/items/0"))], to: root)
            #expect(root.items.map(\.title) == ["Bread"])
        }

        @Test func theErrorNamesTheOperationThatRemovedAProperty() throws {
            let root = Root()
            let error = try #require(throws: JSONPatchError.self) {
                try apply(
                    [
                        .remove(path: JSONPointer("/inner/title")),
                        .replace(path: JSONPointer("/name"), value: "x"),
                    ], to: root)
            }
            #expect(error.index == 0 && error.path?.description == "/inner/title")
            #expect(error.reason.contains("not in an @Observable"))
        }

        @Test func theErrorNamesTheOperationWhoseValueCannotBeDecoded() throws {
            let root = Root()
            let error = try #require(throws: JSONPatchError.self) {
                try apply(
                    [
                        .replace(path: JSONPointer("/name"), value: "x"),
                        .replace(path: JSONPointer("/source/x"), value: 2),
                    ], to: root)
            }
            #expect(error.index == 1 && error.reason.contains("not Decodable"))
            #expect(root.name == "root")
        }

        private struct Pair: Codable {
            @Observable var own: Int? = 5
            var other: Observable<Int?>
            init(other: Observable<Int?>) { self.other = other }
        }

        @Test func aValueIsNotMovedIntoADifferentGraph() throws {
            let other = Observable<Int?>(1, named: "stranger")
            let pair = IndependentGraph(named: "pair").run { Pair(other: other) }
            let error = try #require(throws: JSONPatchError.self) {
                try apply([.move(from: JSONPointer("/own"), path: JSONPointer("/other"))], to: pair)
            }
            #expect(error.index == 0 && error.reason.contains("stranger belongs to"))
            #expect(pair.own == 5 && other.value == 1)
        }
    }
}
