// Keys are compared by their Unicode scalars, everywhere.

import Foundation
import JSONTestSupport
import ReactiveJSON
import TestSupport
import Testing

@Suite struct JSONKeysTests {
    static let composed = "\u{e9}"
    static let decomposed = "e\u{301}"
    static let both = try! JSONValue(parsing: "{\"\(composed)\":1,\"\(decomposed)\":2}")

    @Test func keysThatDifferOnlyInTheirNormalFormAreTwoMembers() throws {
        guard case .object(let object) = JSONKeysTests.both else { throw Refused.once }
        #expect(object.count == 2)
        #expect(object[JSONKeysTests.composed] == 1)
        #expect(object[JSONKeysTests.decomposed] == 2)
        #expect(object.sortedKeys.map { $0.unicodeScalars.count } == [2, 1])
        let text = "{\"\(JSONKeysTests.decomposed)\":2,\"\(JSONKeysTests.composed)\":1}"
        #expect(JSONKeysTests.both.description.utf8.elementsEqual(text.utf8))
        #expect(try JSONValue(parsing: JSONKeysTests.both.description) == JSONKeysTests.both)
        #expect(try JSONValue(parsing: JSONKeysTests.both.data) == JSONKeysTests.both)
        #expect(object.members.count == 1)
    }

    @Test func objectsWithDifferentNormalFormsDiffer() {
        let composed: JSONValue = [JSONKeysTests.composed: 1]
        let decomposed: JSONValue = [JSONKeysTests.decomposed: 1]
        #expect(composed != decomposed)
        #expect(composed[JSONKeysTests.decomposed] == nil)
        #expect(Set([composed, decomposed, composed]).count == 2)
        #expect(Set<JSONValue>([.string(JSONKeysTests.composed), .string(JSONKeysTests.decomposed)]).count == 2)
    }

    @Test func keysAreSortedByTheirScalars() throws {
        // By UTF-16, U+10000 would come before U+FFFD.
        let keys = ["", "A", "B", "a", "aa", "e\u{301}", "z", "\u{e9}", "\u{ff}", "\u{fffd}", "\u{10000}"]
        let object = JSONObject(keys.shuffled().map { (key: $0, value: .null) })
        #expect(object.map { Array($0.key.utf8) } == keys.map { Array($0.utf8) })
        #expect(object.sortedKeys.map { Array($0.utf8) } == keys.map { Array($0.utf8) })
        for key in keys { #expect(object[key] == .null) }
        #expect(object["aaa"] == nil)
    }

    @Test func pointersAreComparedByTheirScalars() throws {
        let composed = JSONPointer(tokens: ["a", JSONKeysTests.composed])
        let decomposed = JSONPointer(tokens: ["a", JSONKeysTests.decomposed])
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, try JSONPointer(composed.description)]).count == 2)
        #expect(!composed.contains(decomposed.appending("b")))
        #expect(composed.contains(composed.appending("b")))
        #expect(JSONPointer(tokens: ["a", "b"]) != JSONPointer(tokens: ["ab", ""]))
        #expect(JSONKeysTests.both[JSONPointer(tokens: [JSONKeysTests.decomposed])] == 2)
    }

    @Test func patchesDistinguishNormalForms() throws {
        let composed = JSONPointer(tokens: [JSONKeysTests.composed])
        let decomposed = JSONPointer(tokens: [JSONKeysTests.decomposed])
        let moving = JSONPatch([.move(from: composed, path: decomposed)])
        #expect(try moving.applying(to: JSONKeysTests.both) == [JSONKeysTests.decomposed: 1])
        #expect(
            try JSONPatch([.remove(path: decomposed)]).applying(to: JSONKeysTests.both) == [JSONKeysTests.composed: 1])
        #expect(
            try JSONPatch([.add(path: decomposed.appending("x"), value: 3)])
                .applying(to: [JSONKeysTests.composed: [:], JSONKeysTests.decomposed: [:]])
                == [JSONKeysTests.composed: [:], JSONKeysTests.decomposed: ["x": 3]])
        let patch = JSONPatch(from: [JSONKeysTests.composed: 1], to: [JSONKeysTests.decomposed: 1])
        #expect(patch.operations == [.remove(path: composed), .add(path: decomposed, value: 1)])
        #expect(throws: JSONPatchError.self) {
            try JSONPatch([.test(path: .root, value: [JSONKeysTests.composed: 1])])
                .applying(to: [JSONKeysTests.decomposed: 1])
        }
    }

    @Test func codersGetAllMembers() throws {
        let encoded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(JSONKeysTests.both))
        // Foundation's coders use dictionaries, which keep one of the two.
        #expect(encoded[JSONKeysTests.composed] != nil || encoded[JSONKeysTests.decomposed] != nil)
        let recorder = KeyRecorder()
        try JSONKeysTests.both.encode(to: recorder)
        #expect(recorder.keys.map { $0.unicodeScalars.count } == [2, 1])
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let camel: JSONValue = ["fullName": 1, "größeInCM": 2]
        #expect(try JSONValue(parsing: encoder.encode(camel)) == camel)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let snake: JSONValue = ["full_name": 1, "größe_in_cm": 2]
        #expect(try decoder.decode(JSONValue.self, from: snake.data) == snake)
    }

    @Test func objectsAreCollectionsOfTheirMembers() {
        let object: JSONObject = ["b": 1, "a": 2, "b": 3]
        #expect(object.map(\.key) == ["a", "b"])
        #expect(object[1].value == 3)
        #expect(object.count == 2)
        #expect(JSONObject(object.filter { $0.key == "a" }) == ["a": 2])
        #expect(JSONObject([(key: "x", value: 1), (key: "x", value: 2)]) == ["x": 2])
        #expect(JSONObject(["x": 2] as Dictionary) == ["x": 2])
        #expect(object.setting("c", to: 4) == ["a": 2, "b": 3, "c": 4])
        #expect(object.setting("a", to: 4) == ["a": 4, "b": 3])
        #expect(object.setting("a", to: nil) == ["b": 3])
        #expect(object.setting("c", to: nil) == object)
        #expect(JSONObject([:]).isEmpty)
    }

    @Test func randomObjectsAgreeWithAListOfMembers() throws {
        for seed in seeds(300) {
            var random = SplitMix64(seed: seed)
            let parts = ["a", "e", "\u{301}", "\u{e9}", "\u{323}", "\u{fffd}", "\u{10000}", "zzzzzzzz", ""]
            func key() -> String { (0..<random.below(4)).map { _ in parts[random.below(parts.count)] }.joined() }
            let members = (0..<random.below(40)).map { (key: key(), value: JSONValue.number(JSONNumber($0))) }
            let object = JSONObject(members)
            var expected: [[Unicode.Scalar]: JSONValue] = [:]
            for (key, value) in members { expected[Array(key.unicodeScalars)] = value }
            #expect(object.count == expected.count, "seed \(seed)")
            for (scalars, value) in expected {
                #expect(object[String(String.UnicodeScalarView(scalars))] == value, "seed \(seed)")
            }
            for (left, right) in zip(object.sortedKeys, object.sortedKeys.dropFirst()) {
                #expect(left.utf8.lexicographicallyPrecedes(right.utf8), "seed \(seed)")
            }
            let shuffled = JSONObject(object.shuffled(using: &random))
            #expect(shuffled == object && shuffled.hashValue == object.hashValue, "seed \(seed)")
            #expect(try JSONValue(parsing: JSONValue.object(object).description) == .object(object), "seed \(seed)")
        }
    }
}

/// An encoder that records the keys of a keyed container.
private final class KeyRecorder: Encoder {
    var keys: [String] = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(recorder: self))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError("not an array") }
    func singleValueContainer() -> any SingleValueEncodingContainer { fatalError("not a scalar") }

    struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let recorder: KeyRecorder
        let codingPath: [any CodingKey] = []

        func encodeNil(forKey key: Key) { recorder.keys.append(key.stringValue) }
        func encode(_ value: some Encodable, forKey key: Key) { recorder.keys.append(key.stringValue) }
        func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { recorder.container(keyedBy: keyType) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { recorder.unkeyedContainer() }
        func superEncoder() -> any Encoder { recorder }
        func superEncoder(forKey key: Key) -> any Encoder { recorder }
    }
}
