// Patches produce the documents that Foundation's `JSONEncoder` creates: `null` where it writes `null`, and nothing
// that depends on the order of unordered collections.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

private struct Box<T: Codable>: Codable { @Observable var value: T }

private struct Boxes: Codable {
    @Observable var box = Box<String?>(value: nil)
    @Observable var boxes = [Box<Int?>(value: nil), Box<Int?>(value: 1)]
    @Observable var nickname: String?
}

/// Reads observables while it encodes, so that these reads are recorded.
private final class Reader: Codable {
    @Observable var name = "n"
    @Observable var note: String?
    @Observable var box = Box<String?>(value: nil)

    enum CodingKeys: CodingKey { case name, note, box }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        _note = try container.decode(Observable<String?>.self, forKey: .note)
        _box = try container.decode(Observable<Box<String?>>.self, forKey: .box)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(_note, forKey: .note)
        try container.encode(_box, forKey: .box)
    }
}

private enum Color: String, Codable { case red, green, blue }

private enum Shade: String, Codable, CodingKeyRepresentable { case light, dark }

private struct Tag: Codable, Hashable {
    let id: Int
    final class State: Codable { @Observable var count = 0 }
    let state = State()

    enum CodingKeys: CodingKey { case id, state }

    static func == (a: Tag, b: Tag) -> Bool { a.id == b.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private struct Sets: Codable {
    struct Part: Codable { var tags: Set<Tag> = [Tag(id: 8)] }

    @Observable var tags: Set<Tag> = [Tag(id: 1), Tag(id: 2), Tag(id: 3)]
    @Observable var byColor: [Color: Tag] = [.red: Tag(id: 4), .green: Tag(id: 5)]
    @Observable var byShade: [Shade: Tag] = [.light: Tag(id: 6), .dark: Tag(id: 7)]
    @Observable var numbers: Set<Int> = [1, 2, 3]
    @Observable var part = Part()
    @Observable var parts = [Part(), Part()]
}

extension ReactiveCodableTests {
    @Suite struct DocumentFormTests {
        /// Returns the patches of some edits, each compared with the output of `JSONEncoder` before and after.
        private func patches<Root: Codable>(
            of root: Root, _ edits: [() -> Void], using encoder: JSONEncoder = JSONEncoder()
        ) throws -> [JSONPatch] {
            var reported: DeepChanges?
            let r = deepObserve(root) { (changes: DeepChanges) in reported = changes }
            defer { r.cancel() }
            return try edits.map { edit in
                let before = try JSONValue(parsing: encoder.encode(root))
                #expect(try JSONValue(encoding: root, using: encoder) == before)
                edit()
                let after = try JSONValue(parsing: encoder.encode(root))
                #expect(try JSONValue(encoding: root, using: encoder) == after)
                let changes = try #require(reported)
                #expect(try JSONValue(encoding: changes.before, using: encoder) == before)
                #expect(try JSONValue(encoding: changes.after, using: encoder) == after)
                let patch = try changes.jsonPatch(using: encoder)
                #expect((try? NaiveJSONPatch.apply(patch, to: before)) == after, "\(patch) on \(before)")
                #expect((try? NaiveJSONPatch.apply(patch.inverse, to: after)) == before, "\(patch) on \(before)")
                return patch
            }
        }

        @Test func theNilOfAGenericPropertyIsNull() throws {
            let root = Boxes()
            #expect(
                try JSONValue(encoding: root).description
                    == #"{"box":{"value":null},"boxes":[{"value":null},{"value":1}]}"#)
            let patches = try patches(
                of: root,
                [
                    { root.box.value = "x" }, { root.box.value = nil }, { root.nickname = "y" },
                    { root.nickname = nil },
                    { root.boxes[1].value = nil }, { root.box = Box(value: nil) }, { root.boxes.swapAt(0, 1) },
                    { root.boxes.append(Box(value: nil)) },
                ])
            #expect(
                patches.prefix(5).map(\.description) == [
                    #"[{"op":"replace","path":"/box/value","value":"x"}]"#,
                    #"[{"op":"replace","path":"/box/value","value":null}]"#,
                    #"[{"op":"add","path":"/nickname","value":"y"}]"#, #"[{"op":"remove","path":"/nickname"}]"#,
                    #"[{"op":"replace","path":"/boxes/1/value","value":null}]"#,
                ])
        }

        @Test(arguments: [false, true]) func recordedEncodingsHaveTheSameForm(convertsKeys: Bool) throws {
            let encoder = JSONEncoder()
            if convertsKeys { encoder.keyEncodingStrategy = .convertToSnakeCase }
            struct Root: Codable {
                @Observable var someReaders = [Reader(), Reader()]
                let oneReader = Reader()
                enum CodingKeys: CodingKey { case someReaders, oneReader }
            }
            let root = Root()
            _ = try patches(
                of: root,
                [
                    { root.oneReader.name = "m" }, { root.oneReader.note = "x" }, { root.oneReader.note = nil },
                    { root.oneReader.box.value = "y" }, { root.oneReader.box.value = nil },
                    { root.someReaders[1].note = "z" }, { root.someReaders.removeFirst() },
                    { root.someReaders[0].note = nil },
                ], using: encoder)
        }

        @Test func nilTransitionsInsideOfEditedArraysAreExact() throws {
            struct Part: Codable { @Observable var someNote: String? }
            struct Root: Codable { @Observable var someParts = (0..<20).map { _ in Part() } }
            for convertsKeys in [false, true] {
                let encoder = JSONEncoder()
                if convertsKeys { encoder.keyEncodingStrategy = .convertToSnakeCase }
                let root = Root()
                let patches = try patches(
                    of: root,
                    [
                        {
                            inTransaction {
                                root.someParts[3].someNote = "x"
                                root.someParts.insert(Part(), at: 0)
                                root.someParts[10].someNote = "y"
                            }
                        },
                        {
                            inTransaction {
                                root.someParts[4].someNote = nil
                                root.someParts.remove(at: 2)
                            }
                        },
                    ], using: encoder)
                #expect(patches.map(\.operations.count) == [3, 2])
            }
        }

        @Test func collectionsWithoutAnOrderAreReplaced() throws {
            let root = Sets()
            let patches = try patches(
                of: root,
                [
                    { root.tags.first?.state.count = 1 }, { root.tags.insert(Tag(id: 9)) }, { root.numbers.insert(7) },
                    { root.byColor[.red]?.state.count = 2 }, { root.byColor[.blue] = Tag(id: 10) },
                    { root.part.tags.first?.state.count = 3 },
                    {
                        inTransaction {
                            root.tags.first?.state.count = 4
                            root.tags.insert(Tag(id: 11))
                        }
                    },
                    {
                        inTransaction {
                            root.parts.insert(Sets.Part(), at: 0)
                            root.parts[2].tags.first?.state.count = 5
                        }
                    },
                ])
            let replaced = patches.flatMap { $0.operations.map { "\($0)".prefix(14) + " " + $0.path.description } }
            #expect(
                patches.prefix(7).map { $0.operations.map(\.path.description) } == [
                    ["/tags"], ["/tags"], ["/numbers"], ["/byColor"], ["/byColor"], ["/part/tags"], ["/tags"],
                ], "\(replaced)")
            #expect(patches.prefix(7).allSatisfy { if case .replace? = $0.operations.first { true } else { false } })
            #expect(patches[7].operations.map(\.path.description) == ["/parts/0", "/parts/2/tags"])
        }

        @Test func recordedCollectionsWithoutAnOrderAreReplaced() throws {
            final class Holder: Codable {
                @Observable var tags: Set<Tag> = [Tag(id: 1), Tag(id: 2)]
                @Observable var name = "n"
                init() {}
                init(from decoder: any Decoder) throws {}
                enum CodingKeys: CodingKey { case tags, name }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(tags, forKey: .tags)
                    try container.encode(name, forKey: .name)
                }
            }
            struct Root: Codable { let holder = Holder(); enum CodingKeys: CodingKey { case holder } }
            let root = Root()
            let patches = try patches(
                of: root,
                [
                    { root.holder.tags.first?.state.count = 1 }, { root.holder.tags.insert(Tag(id: 3)) },
                    {
                        inTransaction {
                            root.holder.tags.first?.state.count = 2
                            root.holder.name = "m"
                        }
                    },
                ])
            #expect(
                patches.map { $0.operations.map(\.path.description).sorted() } == [
                    ["/holder/tags"], ["/holder/tags"], ["/holder/name", "/holder/tags"],
                ])
        }

        @Test func keysThatAreCodingKeysHaveNoOrderToReplace() throws {
            let root = Sets()
            let patches = try patches(
                of: root, [{ root.byShade[.dark]?.state.count = 3 }, { root.byShade[.light] = nil }])
            #expect(
                patches.map(\.description) == [
                    #"[{"op":"replace","path":"/byShade/dark/state/count","value":3}]"#,
                    #"[{"op":"remove","path":"/byShade/light"}]"#,
                ])
        }

        @Test func aDifferenceOfGraphsReplacesCollectionsWithoutAnOrder() throws {
            let root = Sets()
            let before = try JSONValue(encoding: root)
            root.numbers.insert(4)
            let patch = JSONPatch(from: before, to: try JSONValue(encoding: root))
            #expect(patch.operations.count == 1)
            guard case .replace(let path, _)? = patch.operations.first else { return #expect(Bool(false), "\(patch)") }
            #expect(path.description == "/numbers")
        }
    }
}
