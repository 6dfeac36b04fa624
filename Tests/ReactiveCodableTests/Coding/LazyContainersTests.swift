// Patches that need whole dictionaries, or that fail inside containers of containers.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import Testing

private struct Root: Codable {
    @Observable var byName = ["a": 1, "b": 2]
    @Observable var empty: [String: Int] = [:]
    @Observable var byNumber = [1: "x", 2: "y"]
    @Observable var optional: [String: Observable<Int?>] = ["a": Observable(1), "b": Observable(2)]
    private(set) var rows: ObservableDictionary = ["a": Observable<Int?>(1), "b": Observable<Int?>(2)]
    @Observable var pair = Pair(left: 1, right: 2)
}

/// Is encoded as an array and an object inside an object.
private struct Pair: Codable {
    var left: Int
    var right: Int

    enum Keys: CodingKey { case list, object, right }

    init(left: Int, right: Int) { (self.left, self.right) = (left, right) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        left = try list.decode(Int.self)
        right = try container.nestedContainer(keyedBy: Keys.self, forKey: .object).decode(Int.self, forKey: .right)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(left)
        var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
        try object.encode(right, forKey: .right)
    }
}

extension ReactiveCodableTests {
    @Suite struct LazyContainersTests {
        /// Applies a patch, and compares the state with the patched document.
        private func apply(_ text: String, to root: Root) throws {
            let before = try JSONValue(encoding: root)
            let patch = try JSONPatch(parsing: text)
            try ReactiveCodable.apply(patch, to: root)
            #expect(try JSONValue(encoding: root) == patch.applying(to: before))
        }

        @Test func wholeDictionariesAreCopiedAndTested() throws {
            let root = Root()
            try apply(#"[{"op":"copy","from":"/byName","path":"/empty"}]"#, to: root)
            #expect(root.empty == ["a": 1, "b": 2])
            try apply(
                #"""
                [{"op":"test","path":"/byName","value":{"a":1,"b":2}},{"op":"replace","path":"/empty","value":{}},
                 {"op":"test","path":"/empty","value":{}},{"op":"add","path":"/empty/c","value":3},
                 {"op":"test","path":"/byNumber","value":{"1":"x","2":"y"}},{"op":"copy","from":"/empty/c","path":"/byName/c"},
                 {"op":"test","path":"/rows","value":{"a":1,"b":2}}]
                """#, to: root)
            #expect(root.byName == ["a": 1, "b": 2, "c": 3] && root.empty == ["c": 3])
        }

        @Test func removingAMemberOfADictionaryRemovesItsKey() throws {
            let root = Root()
            try apply(
                #"[{"op":"remove","path":"/optional/a"},{"op":"remove","path":"/rows/a"}]"#, to: root)
            #expect(root.optional.keys.sorted() == ["b"] && Array(root.rows.keys) == ["b"])
            try apply(
                #"[{"op":"replace","path":"/optional/b","value":null},{"op":"replace","path":"/rows/b","value":null}]"#,
                to: root)
            #expect(root.optional["b"]?.value == nil && root.optional.count == 1 && root.rows.count == 1)
        }

        @Test func anErrorInsideANestedContainerNamesItsPath() throws {
            let root = Root()
            try apply(#"[{"op":"replace","path":"/pair/list/0","value":5}]"#, to: root)
            try apply(#"[{"op":"replace","path":"/pair/object/right","value":6}]"#, to: root)
            #expect(root.pair.left == 5 && root.pair.right == 6)
            for name in ["list", "object"] {
                let path = try JSONPointer("/pair/\(name)")
                let error = #expect(throws: JSONPatchError.self) {
                    try ReactiveCodable.apply([.replace(path: path, value: "text")], to: root)
                }
                #expect(error?.path == path)
            }
            #expect(root.pair.left == 5 && root.pair.right == 6)
        }
    }
}
