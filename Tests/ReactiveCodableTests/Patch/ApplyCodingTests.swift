// Applying patches to types that are encoded and decoded by hand.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ApplyCodingTests {
        // MARK: - null

        @Test func aNilThatIsEncodedByHandIsNull() {
            struct Nils: Codable {
                init() {}
                init(from decoder: any Decoder) throws {}
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: AnyKey.self)
                    try container.encodeNil(forKey: AnyKey("none"))
                    var list = container.nestedUnkeyedContainer(forKey: AnyKey("list"))
                    try list.encodeNil()
                    var single = container.superEncoder(forKey: AnyKey("single")).singleValueContainer()
                    try single.encodeNil()
                }
            }
            struct Generic<Value: Codable>: Codable {
                @Observable var value: Value
            }
            struct Root: Codable {
                @Observable var nils = Nils()
                @Observable var generic = Generic<Int?>(value: nil)
            }
            for path in ["/nils/none", "/nils/list/0", "/nils/single", "/generic/value"] {
                #expect(throws: Never.self) { try apply([.test(path: JSONPointer(path), value: .null)], to: Root()) }
            }
        }

        /// Asks whether values are `nil` before it decodes them.
        private final class Careful: Codable {
            let id: Int
            let member: Observable<JSONValue>
            let single: Observable<JSONValue>
            let elements: [Observable<JSONValue>]
            private(set) var nils: [Bool] = []

            init() {
                id = 0
                member = Observable(.null)
                single = Observable(.null)
                elements = [Observable(.null), Observable(1)]
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                id = try container.decode(Int.self, forKey: AnyKey("id"))
                nils.append(try container.decodeNil(forKey: AnyKey("member")))
                member = try container.decode(Observable<JSONValue>.self, forKey: AnyKey("member"))
                let inner = try container.superDecoder(forKey: AnyKey("single")).singleValueContainer()
                nils.append(inner.decodeNil())
                single = try inner.decode(Observable<JSONValue>.self)
                var list = try container.nestedUnkeyedContainer(forKey: AnyKey("list"))
                nils.append(try list.decodeNil())
                nils.append(try list.decodeNil())
                elements = [Observable(.null), try list.decode(Observable<JSONValue>.self)]
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(id, forKey: AnyKey("id"))
                try container.encode(member, forKey: AnyKey("member"))
                var inner = container.superEncoder(forKey: AnyKey("single")).singleValueContainer()
                try inner.encode(single)
                var list = container.nestedUnkeyedContainer(forKey: AnyKey("list"))
                for element in elements { try list.encode(element) }
            }
        }

        private struct Holder<Value: Codable>: Codable {
            @Observable var value: Value
        }

        @Test func askingForNilReadsTheObservableAndKeepsIt() throws {
            let old = Careful()
            let root = Holder(value: old)
            try apply([.replace(path: JSONPointer("/value/id"), value: 7)], to: root)
            #expect(root.value.id == 7)
            #expect(root.value.nils == [true, true, true, false])
            #expect(root.value.member === old.member)
            #expect(root.value.single === old.single)
            #expect(root.value.elements[1] === old.elements[1])
        }

        // MARK: - Values without their observables

        private final class Part: Codable {
            var number = 1
        }

        /// Decodes the values of its observables, and makes new observables.
        private final class Renewing: Codable {
            let id: Int
            let part: Observable<Part>
            let count: Observable<Int>

            init() {
                id = 0
                part = Observable(Part())
                count = Observable(5)
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                id = try container.decode(Int.self, forKey: AnyKey("id"))
                part = Observable(try container.decode(Part.self, forKey: AnyKey("part")))
                count = Observable(try container.decode(Int.self, forKey: AnyKey("count")))
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(id, forKey: AnyKey("id"))
                try container.encode(part, forKey: AnyKey("part"))
                try container.encode(count, forKey: AnyKey("count"))
            }
        }

        @Test func theValueOfAnObservableStaysTheSameObject() throws {
            let root = Holder(value: Renewing())
            let part = root.value.part.value
            try apply([.replace(path: JSONPointer("/value/id"), value: 7)], to: root)
            #expect(root.value.id == 7)
            #expect(root.value.part.value === part)
            #expect(root.value.count.value == 5)
        }

        // MARK: - Values that are encoded as their observable

        private class Note: Codable {
            var text: String
            init(_ text: String) { self.text = text }
        }

        /// Encoded as the note that it refers to.
        private final class Pin: Note {
            let note: Observable<Note?>

            init(to note: Observable<Note?>) {
                self.note = note
                super.init("a pin")
            }

            required init(from decoder: any Decoder) throws {
                note = try decoder.singleValueContainer().decode(Observable<Note?>.self)
                super.init("a pin")
            }

            override func encode(to encoder: any Encoder) throws { try note.encode(to: encoder) }
        }

        private struct Pinned: Codable {
            var id = 0
            let pin: Pin
        }

        private func pinned(_ note: Observable<Note?>) -> Pinned { Pinned(pin: Pin(to: note)) }

        @Test func theContentsOfAValueOutsideItsObservableAreWritten() throws {
            let root = pinned(Observable(Note("a")))
            try apply([.replace(path: JSONPointer("/pin/text"), value: "b")], to: root)
            #expect(root.pin.note.value?.text == "b")
        }

        @Test func aValueOutsideItsObservableStaysTheSameObject() throws {
            let root = Holder(value: pinned(Observable(Note("a"))))
            let pin = root.value.pin
            try apply([.replace(path: JSONPointer("/value/id"), value: 1)], to: root)
            #expect(root.value.id == 1)
            #expect(root.value.pin === pin)
        }

        @Test func theContentsOfAnObservableMoveWithoutTheValueOutside() throws {
            struct Root: Codable {
                @Observable var list: [Note] = []
                let pin: Pin
            }
            let note = Note("a")
            let root = Root(pin: Pin(to: Observable(note)))
            try apply([.move(from: JSONPointer("/pin"), path: JSONPointer("/list/0"))], to: root)
            #expect(root.list.count == 1 && root.list.first === note)
            #expect(root.pin.note.value == nil)
        }

        @Test func anObservableThatSeveralValuesAreEncodedAsIsShared() throws {
            struct Root: Codable {
                @Observable var first: Pinned
                @Observable var second: Pinned
            }
            let note = Observable<Note?>(Note("a"))
            let root = Root(first: pinned(note), second: pinned(note))
            try apply([.replace(path: JSONPointer("/first/pin/text"), value: "b")], to: root)
            #expect(root.first.pin.note.value?.text == "b")
            #expect(root.second.pin.note.value?.text == "a")
        }

        // MARK: - Containers

        @Test func elementsThatCannotBeEncodedStay() throws {
            let root = Holder(value: [1, Double.nan])
            try apply([.replace(path: JSONPointer("/value/0"), value: 5)], to: root)
            #expect(root.value[0] == 5 && root.value[1].isNaN)
        }

        @Test func keysOfDictionariesAreNotConverted() throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let root = Holder(value: ["first_key": 1])
            let patch: JSONPatch = [.add(path: try JSONPointer("/value/second_key"), value: 2)]
            try apply(patch, to: root, encoder: encoder, decoder: decoder)
            #expect(root.value == ["first_key": 1, "second_key": 2])
        }

        private enum Size: String, Codable, CodingKeyRepresentable { case small, large }

        @Test func aMemberThatIsRemovedFromADictionaryStaysAsItIs() throws {
            let small = Observable<Int?>(1)
            let root = Holder<[Size: Observable<Int?>]>(value: [.small: small, .large: Observable(2)])
            try apply([.remove(path: JSONPointer("/value/small"))], to: root)
            #expect(Array(root.value.keys) == [.large])
            #expect(small.value == 1)
        }

        @Test func anArrayThatEndsTooEarlyIsNamedInTheError() throws {
            struct Pair: Codable {
                var (left, right) = (1, 2)
                init() {}
                init(from decoder: any Decoder) throws {
                    var container = try decoder.unkeyedContainer()
                    left = try container.decode(Int.self)
                    right = try container.decode(Int.self)
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    try container.encode(left)
                    try container.encode(right)
                }
            }
            let root = Holder(value: Pair())
            let error = #expect(throws: JSONPatchError.self) {
                try apply([.remove(path: JSONPointer("/value/1"))], to: root)
            }
            #expect(error?.path?.description == "/value")
            #expect(error?.reason.contains("the end of the array") == true)
        }

        // MARK: - Paths

        @Test func aKeyThatIsEncodedTwiceIsNoPathThatThePatchLeaves() throws {
            final class Twice: Codable {
                var first = Observable(1)
                var second = Observable(2)
                init() {}
                init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: AnyKey.self)
                    first = try container.decode(Observable<Int>.self, forKey: AnyKey("y"))
                    second = try container.decode(Observable<Int>.self, forKey: AnyKey("x"))
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: AnyKey.self)
                    try container.encode(first, forKey: AnyKey("x"))
                    try container.encode(second, forKey: AnyKey("x"))
                    try container.encode(first, forKey: AnyKey("y"))
                }
            }
            let root = Holder(value: Twice())
            let old = root.value
            try apply([.replace(path: JSONPointer("/value/y"), value: 5)], to: root)
            #expect(root.value === old)
            #expect(old.first.value == 5 && old.second.value == 2)
        }

        @Test func aContainersCountGrowsDuringTheSearchForSharedObjects() throws {
            /// Encodes the element that its container asks for next.
            final class Row: Codable {
                let cells: [Observable<Int>]
                init() { cells = [Observable(1), Observable(2)] }
                init(from decoder: any Decoder) throws {
                    var container = try decoder.unkeyedContainer()
                    _ = try container.decodeNil()
                    cells = [try container.decode(Observable<Int>.self), try container.decode(Observable<Int>.self)]
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    try container.encodeNil()
                    for _ in cells { try container.encode(cells[container.count - 1]) }
                }
            }
            let root = Holder(value: Row())
            let row = root.value
            try apply([.replace(path: JSONPointer("/value/1"), value: 5)], to: root)
            #expect(root.value === row)
            #expect(row.cells.map(\.value) == [5, 2])
        }

        private final class Hub: Codable {
            @Observable var name = "hub"
            @Observable var spokes: [Spoke] = []
        }

        private final class Spoke: Codable {
            @Observable var hub: Hub?
        }

        @Test(arguments: [10, 2_000])
        func pathsAreCountedUnlessTooManyLinksLeadBack(_ count: Int) throws {
            let hub = Hub()
            hub.spokes = (0..<count).map { _ in Spoke() }
            for spoke in hub.spokes { spoke.hub = hub }
            let root = Holder(value: hub)
            defer { for spoke in hub.spokes { spoke.hub = nil } }
            try apply([.replace(path: JSONPointer("/value/name"), value: "new")], to: root)
            #expect(root.value.name == "new")
            // An object that may have more paths is replaced.
            #expect((root.value === hub) == (count == 10))
            #expect((hub.name == "new") == (count == 10))
        }
    }
}
