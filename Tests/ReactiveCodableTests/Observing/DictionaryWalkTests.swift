// Dictionaries as values of observables: only added values are encoded, and links to the others stay correct.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

/// Counts how often it is encoded. Has padding, which copies of a dictionary do not share.
private struct Item: Encodable {
    var isDone = false
    @Observable var title = "a"
    let counter: Counter

    final class Counter { var count = 0 }
    enum CodingKeys: CodingKey { case isDone, title }

    func encode(to encoder: any Encoder) throws {
        counter.count += 1
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isDone, forKey: .isDone)
        try container.encode(_title, forKey: .title)
    }
}

private struct Items<Key: Hashable & Encodable & Sendable>: Encodable { @Observable var items: [Key: Item] }

/// Values of all kinds that are compared bitwise.
private struct Entry: Codable {
    enum Payload: Codable {
        case none
        case small(Int8)
        case text(String)
        case part(Part)
    }

    final class Part: Codable {
        @Observable var aNote: String?
        @Observable var someTags: [String: Int] = [:]
    }

    var isDone = false
    var payload = Payload.none
    @Observable var aName = "n"
    @Observable var subEntries: [String: Entry] = [:]
    var part: Part?

    func isSame(as other: Entry) -> Bool { _aName === other._aName }
}

private struct Shelf: Codable {
    @Observable var entries: [String: Entry] = [:]
    @Observable var byNumber: [Int: Entry] = [:]
    @Observable var theParts: [String: Entry.Part] = [:]
    @Observable var values: [String: Observable<Int?>] = [:]
    @Observable var lists: [Int: [Entry]] = [:]
    @Observable var mayBe: [String: Entry.Part?] = [:]
    @Observable var optional: [String: Entry]?
}

extension ReactiveCodableTests {
    @Suite struct DictionaryWalkTests {
        @Test func onlyAddedValuesAreEncoded() {
            let counter = Item.Counter()
            let root = Items(
                items: Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("\($0)", Item(counter: counter)) }))
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            func encodings(_ edit: (inout [String: Item]) -> Void) -> Int {
                counter.count = 0
                edit(&root.items)
                return counter.count
            }
            #expect(encodings { $0["new"] = Item(counter: counter) } == 1)
            #expect(encodings { $0["500"] = Item(counter: counter) } == 1)
            #expect(encodings { $0["500"]?.isDone = true } == 1)
            #expect(encodings { $0["300"] = nil } == 0)
            #expect(encodings { for key in 0..<99 { $0["\(key)"] = nil } } == 0)
            #expect(encodings { ($0["a"], $0["500"]) = ($0["500"], nil) } == 1)
            #expect(encodings { for key in 0..<5_000 { $0["x\(key)"] = Item(counter: counter) } } == 5_000)
            #expect(encodings { $0 = Dictionary(uniqueKeysWithValues: $0.sorted { $0.key < $1.key }) } == 0)
            #expect(encodings { $0 = [:] } == 0)
            #expect(encodings { $0["z"] = Item(counter: counter) } == 1)
            root.items = Dictionary(uniqueKeysWithValues: (0..<300).map { ("\($0)", Item(counter: counter)) })
            #expect(encodings { for key in 0..<40 { $0["\(3 * key)"] = nil } } == 0)
            for item in root.items.values {
                count = 0
                item.title += "x"
                #expect(count == 1)
            }
        }

        @Test func aPatchEncodesOnlyTheDifference() {
            let counter = Item.Counter()
            let root = Items(items: Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, Item(counter: counter)) }))
            var patches: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in
                patches.append((try? changes.jsonPatch().description) ?? "none")
            }
            defer { r.cancel() }
            counter.count = 0
            root.items[-7] = Item(counter: counter)
            root.items[5] = nil
            root.items[6]?.isDone = true
            inTransaction {
                root.items[8]?.title = "b"
                root.items[9] = nil
            }
            // Two by the walk, for added values; and five for the patches, for added, removed and replaced values.
            #expect(counter.count == 7)
            #expect(
                patches == [
                    #"[{"op":"add","path":"/items/-7","value":{"isDone":false,"title":"a"}}]"#,
                    #"[{"op":"remove","path":"/items/5"}]"#,
                    #"[{"op":"replace","path":"/items/6/isDone","value":true}]"#,
                    #"[{"op":"remove","path":"/items/9"},{"op":"replace","path":"/items/8/title","value":"b"}]"#,
                ])
        }

        @Test func severalEditsBeforeAScheduledCallAreOnePatch() throws {
            struct Root: Codable { @Observable var items: [String: Observable<Int>] }
            let root = Root(items: Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", Observable($0)) }))
            var pending: [() -> Void] = []
            var found: [DeepChanges] = []
            let r = deepObserve(root, schedule: .custom { pending.append($0) }) { (changes: DeepChanges) in
                found.append(changes)
            }
            defer { r.cancel() }
            for edits in 1...3 {
                let before = try JSONValue(encoding: root)
                for edit in 0..<edits {
                    root.items["\(edit)"] = nil
                    inTransaction { root.items["new \(edits)"] = Observable(edit) }
                }
                let due = pending
                pending = []
                for run in due { run() }
                let patches = try found.map { try $0.jsonPatch() }
                found = []
                #expect(patches.count == 1)
                let after = try patches.reduce(before) { try NaiveJSONPatch.apply($1, to: $0) }
                #expect(after == (try JSONValue(encoding: root)))
            }
        }

        @Test func removedElementsAreNotObservedAndTheOthersAre() throws {
            let counter = Item.Counter()
            let root = Items(
                items: Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", Item(counter: counter)) }))
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            let gone = try #require(root.items["4"]), twice = try #require(root.items["5"])
            root.items["4"] = nil
            root.items["again"] = twice
            root.items["5"] = nil
            count = 0
            gone.title = "gone"
            #expect(count == 0)
            twice.title = "still there"
            #expect(count == 1)
            root.items["again"] = Item(counter: counter)
            count = 0
            twice.title = "gone too"
            #expect(count == 0)
        }

        /// The keys are those of a dictionary that is walked as a whole.
        @Test func pathsHaveTheKeysOfTheDictionary() {
            final class Leaf: Encodable { @Observable var title = "a" }
            struct Whole<Key: Hashable & Encodable & Sendable>: Encodable { let items: [Key: Leaf] }
            struct Root<Key: Hashable & Encodable & Sendable>: Encodable {
                @Observable var items: [Key: Leaf]
                @Observable var whole: Whole<Key>
            }
            func check<Key: Hashable & Encodable & Sendable>(_ keys: [Key], _ pointers: [String]) {
                let items = Dictionary(uniqueKeysWithValues: keys.map { ($0, Leaf()) })
                let root = Root(items: items.filter { $0.key != keys[0] }, whole: Whole(items: items))
                var found: [DeepChanges] = []
                let r = deepObserve(root) { (changes: DeepChanges) in found.append(changes) }
                defer { r.cancel() }
                root.items[keys[0]] = items[keys[0]]
                found = []
                for (key, pointer) in zip(keys, pointers) {
                    items[key]?.title += "x"
                    let changes = found.removeLast()
                    #expect(Set(changes.map(\.pointer)) == ["/items\(pointer)/title", "/whole/items\(pointer)/title"])
                    #expect(Set(changes.map { [$0.path[$0.path.count - 2].intValue] }).count == 1)
                }
            }
            check(["a", "", "5", "-05", "a/b~", "+7", "é"], ["/a", "/", "/5", "/-05", "/a~1b~0", "/+7", "/é"])
            check([0, -3, 1_000], ["/0", "/-3", "/1000"])
        }

        @Test func aKeyInADifferentNormalFormIsADifferentKey() throws {
            let (composed, decomposed) = ("\u{E9}", "e\u{301}")
            struct Root: Codable { @Observable var items: [String: Observable<Int>] }
            let item = Observable(1)
            let root = Root(items: ["a": Observable(2), "b": Observable(3), "c": Observable(4), composed: item])
            var found: [DeepChanges] = []
            let r = deepObserve(root) { (changes: DeepChanges) in found.append(changes) }
            defer { r.cancel() }
            let before = try JSONValue(encoding: root)
            inTransaction {
                root.items[composed] = nil
                root.items[decomposed] = item
            }
            let patch = try #require(try found.last?.jsonPatch())
            #expect(patch.operations.count == 2)
            #expect(try JSONValue(encoding: root) != before)
            #expect(try NaiveJSONPatch.apply(patch, to: before) == JSONValue(encoding: root))
            item.value = 5
            #expect(found.last?.map { Array($0.pointer.utf8) } == [Array("/items/\(decomposed)".utf8)])
        }

        @Test(.alone) func aValueThatThrowsIsReportedAndItsNeighboursAreObserved() {
            struct Failure: Error {}
            struct Fragile: Encodable {
                let fails: Bool
                @Observable var value = 0
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    try container.encode(_value)
                    if fails { throw Failure() }
                }
            }
            struct Root: Encodable { @Observable var all: [String: Fragile] }
            let root = Root(all: ["a": Fragile(fails: false), "b": Fragile(fails: true), "c": Fragile(fails: false)])
            var count = 0
            var reactions: [Reaction] = []
            defer { for reaction in reactions { reaction.cancel() } }
            let first = issues { reactions.append(deepObserve(root) { count += 1 }) }
            #expect(first.count == 1)
            #expect(first.first?.message.contains("/all/b") == true)
            let second = issues { root.all["d"] = Fragile(fails: true) }
            #expect(second.count == 1)
            #expect(second.first?.message.contains("/all/d") == true)
            count = 0
            for fragile in root.all.values { fragile.value += 1 }
            #expect(count == 4)
        }

        @Test func valuesThatReadTheirObservablesAreObservedToo() {
            struct Reader: Encodable {
                @Observable var name = "a"
                func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
            }
            struct Root: Encodable { @Observable var readers = ["a": Reader(), "b": Reader()] }
            let root = Root()
            var count = 0
            var pointers: [String] = []
            let r = deepObserve(root) { count += 1 }
            let r2 = deepObserve(root) { (changes: DeepChanges) in pointers += changes.map(\.pointer) }
            defer { r.cancel(); r2.cancel() }
            root.readers["c"] = Reader()
            root.readers["b"]?.name = "b"
            root.readers["a"] = nil
            root.readers["c"]?.name = "c"
            #expect(count == 4)
            #expect(pointers == ["/readers", "/readers/b", "/readers", "/readers/c"])
        }

        // MARK: - Random edits

        /// Edits a shelf, with values and parts under several keys.
        private struct Editor {
            let shelf = Shelf()
            var random: SplitMix64
            var known: [Entry] = []
            var parts = [Entry.Part(), Entry.Part()]
            var values = [Observable<Int?>(1), Observable<Int?>(nil)]

            init(seed: UInt64) {
                random = SplitMix64(seed: seed)
                for _ in 0..<30 { edit() }
            }

            mutating func entry(_ depth: Int = 0) -> Entry {
                if !known.isEmpty, random.oneIn(4) { return random.pick(known) }
                let payloads = [
                    Entry.Payload.none, .small(Int8(random.below(3))), .text("t\(random.below(3))"),
                    .part(random.pick(parts)),
                ]
                var entry = Entry(isDone: random.oneIn(2), payload: random.pick(payloads))
                if random.oneIn(2) { entry.part = random.oneIn(2) ? random.pick(parts) : Entry.Part() }
                if depth < 2 { for _ in 0..<random.below(3) { entry.subEntries[name()] = self.entry(depth + 1) } }
                known.append(entry)
                if known.count > 12 { known.removeFirst() }
                return entry
            }

            mutating func name() -> String {
                random.pick(["", "a", "aKey", "1", "07", "x/~", "é"]) + "\(random.below(4))"
            }

            mutating func edit<Key: Comparable>(_ entries: inout [Key: Entry], _ key: Key) {
                let keys = entries.keys.sorted()
                switch random.below(9) {
                case 0, 1, 2: entries[key] = entry()
                case 3 where !keys.isEmpty: entries[random.pick(keys)] = nil
                case 4 where keys.count > 1:
                    let (one, other) = (random.pick(keys), random.pick(keys))
                    (entries[one], entries[other]) = (entries[other], entries[one])
                case 5 where !keys.isEmpty: entries[random.pick(keys)]?.isDone.toggle()
                case 6 where !keys.isEmpty: entries[random.pick(keys)] = entry()
                case 7 where random.oneIn(4): entries = [:]
                case 7 where random.oneIn(2): entries.reserveCapacity(2 * entries.capacity)
                case 8 where random.oneIn(3):
                    entries = entries.mapValues { Entry(isDone: $0.isDone, payload: $0.payload, aName: $0.aName) }
                default: break
                }
            }

            mutating func edit(_ entry: Entry, _ depth: Int = 0) {
                switch random.below(5) {
                case 0: entry.aName = "\(random.below(4))"
                case 1 where depth < 3:
                    var entries = entry.subEntries
                    edit(&entries, name())
                    // Entries contain only new objects, so there are no cycles.
                    entry.subEntries = entries.filter { child in !contains(child.value, entry) }
                case 2: entry.part?.aNote = random.oneIn(2) ? nil : "\(random.below(3))"
                case 3: entry.part?.someTags[name()] = random.oneIn(2) ? nil : random.below(9)
                default:
                    let children = entry.subEntries.sorted { $0.key < $1.key }
                    if let child = children.first { edit(child.value, depth + 1) }
                }
            }

            private func contains(_ entry: Entry, _ other: Entry) -> Bool {
                entry.isSame(as: other) || entry.subEntries.values.contains { contains($0, other) }
            }

            mutating func edit() {
                switch random.below(13) {
                case 0, 1, 2:
                    var entries = shelf.entries
                    edit(&entries, name())
                    shelf.entries = entries
                case 3, 4:
                    var entries = shelf.byNumber
                    edit(&entries, random.below(30) - 10)
                    shelf.byNumber = entries
                case 5: shelf.values[name()] = random.oneIn(3) ? nil : random.pick(values)
                case 6: random.pick(values).value = random.oneIn(2) ? nil : random.below(5)
                case 7: shelf.theParts[name()] = random.oneIn(3) ? nil : random.pick(parts)
                case 8: shelf.optional = random.oneIn(2) ? nil : shelf.entries
                case 9: shelf.lists[random.below(3), default: []].insert(entry(), at: 0)
                case 10: shelf.mayBe[name()] = .some(random.oneIn(2) ? nil : random.pick(parts))
                default:
                    let entries =
                        shelf.entries.sorted { $0.key < $1.key }.map(\.value)
                        + shelf.byNumber.sorted { $0.key < $1.key }.map(\.value)
                        + shelf.lists.sorted { $0.key < $1.key }.flatMap(\.value)
                    if !entries.isEmpty { edit(random.pick(entries)) }
                }
            }
        }

        @Test(arguments: seeds(25)) func randomEditsGiveExactPatchesAndAllPaths(seed: UInt64) throws {
            var editor = Editor(seed: seed)
            let encoder = JSONEncoder()
            if editor.random.oneIn(3) { encoder.keyEncodingStrategy = .convertToSnakeCase }
            let convertsKeys = if case .convertToSnakeCase = encoder.keyEncodingStrategy { true } else { false }
            var reported: DeepChanges?
            let r = deepObserve(editor.shelf) { (changes: DeepChanges) in reported = changes }
            var count = 0
            let r2 = deepObserve(editor.shelf) { count += 1 }
            defer { r.cancel(); r2.cancel() }
            for step in 0..<20 {
                let before = try JSONValue(encoding: editor.shelf, using: encoder)
                (reported, count) = (nil, 0)
                inTransaction { for _ in 0...editor.random.below(4) { editor.edit() } }
                let after = try JSONValue(encoding: editor.shelf, using: encoder)
                #expect(count == (reported == nil ? 0 : 1))
                guard let changes = reported else {
                    #expect(before == after, "seed \(seed), step \(step)")
                    continue
                }
                let patch = try changes.jsonPatch(using: encoder)
                #expect((try? NaiveJSONPatch.apply(patch, to: before)) == after, "seed \(seed), step \(step): \(patch)")
                #expect(
                    (try? NaiveJSONPatch.apply(patch.inverse, to: after)) == before,
                    "seed \(seed), step \(step): \(patch)")
                #expect(try JSONValue(encoding: changes.before, using: encoder) == before)
                #expect(try JSONValue(encoding: changes.after, using: encoder) == after)
                #expect(Set(changes.map(\.pointer)).count == changes.count)
                if !convertsKeys {
                    for change in changes {
                        let value = try JSONValue(encoding: change.newValue)
                        #expect(at(change.path, after) ?? .null == value, "seed \(seed), step \(step), \(change)")
                    }
                }
            }
        }

        private func at(_ path: [any CodingKey], _ document: JSONValue) -> JSONValue? {
            path.reduce(document) { value, key in
                if case .array = value, let index = key.intValue { value?[index] } else { value?[key.stringValue] }
            }
        }
    }
}
