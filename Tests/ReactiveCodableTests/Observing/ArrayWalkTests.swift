// Arrays as values of observables: only added elements are encoded, and links to the others stay correct.

import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

/// Counts how often it is encoded. Has padding, which copies of an array do not share.
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

private struct Items: Encodable { @Observable var items: [Item] }

/// Elements of all kinds that are compared bitwise.
private struct Element: Codable {
    enum Payload: Codable {
        case none
        case small(Int8)
        case text(String)
        case part(Part)
    }

    final class Part: Codable {
        @Observable var note: String?
        @Observable var tags: [String] = []
    }

    var isDone = false
    var payload = Payload.none
    @Observable var name = "n"
    @Observable var children: [Element] = []
    var part: Part?

    func isSame(as other: Element) -> Bool { _name === other._name }
}

private struct Board: Codable {
    @Observable var elements: [Element] = []
    @Observable var archive: ContiguousArray<Element> = []
    @Observable var parts: [Element.Part] = []
    @Observable var numbers: [Int] = []
    @Observable var names: [String?] = []
    @Observable var optional: [Element]?
}

extension ReactiveCodableTests {
    @Suite struct ArrayWalkTests {
        @Test func onlyAddedElementsAreEncoded() {
            let counter = Item.Counter()
            let root = Items(items: (0..<1_000).map { _ in Item(counter: counter) })
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            func encodings(_ edit: (inout [Item]) -> Void) -> Int {
                counter.count = 0
                edit(&root.items)
                return counter.count
            }
            #expect(encodings { $0.append(Item(counter: counter)) } == 1)
            #expect(encodings { $0.insert(Item(counter: counter), at: 0) } == 1)
            #expect(encodings { $0[500] = Item(counter: counter) } == 1)
            #expect(encodings { $0[500].isDone = true } == 1)
            #expect(encodings { $0.remove(at: 300) } == 0)
            #expect(encodings { $0.insert($0.remove(at: 7), at: 900) } == 0)
            #expect(encodings { $0.swapAt(3, 800) } == 0)
            #expect(encodings { $0.reverse() } == 0)
            #expect(encodings { $0 += $0[..<10] } <= 10)
            #expect(count == 9)
            for item in root.items {
                count = 0
                item.title += "x"
                #expect(count == 1)
            }
        }

        @Test func removedElementsAreNotObservedAndTheOthersAre() {
            let counter = Item.Counter()
            let root = Items(items: (0..<20).map { _ in Item(counter: counter) })
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            let gone = root.items[4], twice = root.items[5]
            root.items.remove(at: 4)
            root.items.append(twice)
            root.items.remove(at: 4)
            count = 0
            gone.title = "gone"
            #expect(count == 0)
            twice.title = "still there"
            #expect(count == 1)
            root.items.removeLast()
            count = 0
            twice.title = "gone too"
            #expect(count == 0)
        }

        @Test func pathsFollowTheElements() {
            let counter = Item.Counter()
            let root = Items(items: (0..<5).map { Item(title: "\($0)", counter: counter) })
            var pointers: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers += changes.map(\.pointer) }
            defer { r.cancel() }
            let (first, last) = (root.items[0], root.items[4])
            root.items.insert(Item(counter: counter), at: 1)
            last.title = "x"
            first.title = "x"
            root.items.swapAt(0, 5)
            last.title = "y"
            first.title = "y"
            root.items.removeFirst()
            first.title = "z"
            #expect(
                pointers == [
                    "/items", "/items/5/title", "/items/0/title", "/items", "/items/0/title", "/items/5/title",
                    "/items",
                    "/items/4/title",
                ])
        }

        @Test(.alone) func anElementThatThrowsIsReportedAndItsNeighboursAreObserved() {
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
            struct Root: Encodable { @Observable var list: [Fragile] }
            let root = Root(list: [Fragile(fails: false), Fragile(fails: true), Fragile(fails: false)])
            var count = 0
            var reactions: [Reaction] = []
            defer { for reaction in reactions { reaction.cancel() } }
            let first = issues { reactions.append(deepObserve(root) { count += 1 }) }
            #expect(first.count == 1)
            #expect(first.first?.message.contains("/list/1") == true)
            let second = issues { root.list.insert(Fragile(fails: true), at: 0) }
            #expect(second.count == 1)
            #expect(second.first?.message.contains("/list/0") == true)
            count = 0
            for fragile in root.list { fragile.value += 1 }
            #expect(count == 4)
        }

        @Test func elementsThatReadTheirObservablesAreObservedToo() {
            struct Reader: Encodable {
                @Observable var name = "a"
                func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
            }
            struct Root: Encodable { @Observable var readers = [Reader(), Reader()] }
            let root = Root()
            var count = 0
            var pointers: [String] = []
            let r = deepObserve(root) { count += 1 }
            let r2 = deepObserve(root) { (changes: DeepChanges) in pointers += changes.map(\.pointer) }
            defer { r.cancel(); r2.cancel() }
            root.readers.insert(Reader(), at: 0)
            root.readers[2].name = "b"
            root.readers.removeFirst()
            root.readers[1].name = "c"
            #expect(count == 4)
            #expect(pointers == ["/readers", "/readers/2", "/readers", "/readers/1"])
        }

        @Test func elementsWithDifferentPartsAreDifferent() throws {
            struct Pair: Encodable { let first: Int, second: Int }
            struct Mixed: Encodable {
                var flag = false
                var value: any Encodable
                var text: String?
                var code: Code
                @Observable var title = "t"
                enum Code: Encodable { case none, small(Int8), large(Int, Int) }
                enum CodingKeys: CodingKey { case flag, value, text, code, title }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(flag, forKey: .flag)
                    try container.encode(value, forKey: .value)
                    try container.encode(text, forKey: .text)
                    try container.encode(code, forKey: .code)
                    try container.encode(_title, forKey: .title)
                }
            }
            struct Root: Encodable { @Observable var list: [Mixed] }
            let root = Root(
                list: [
                    Mixed(value: 1, text: nil, code: .none),
                    Mixed(value: Pair(first: 1, second: 2), code: .large(1, 2)),
                    Mixed(value: Pair(first: 1, second: 2), code: .small(1)),
                ])
            var patches: [JSONPatch] = []
            let r = deepObserve(root) { (changes: DeepChanges) in
                patches += (try? changes.jsonPatch()).map { [$0] } ?? []
            }
            defer { r.cancel() }
            let edits: [() -> Void] = [
                { root.list[1].value = Pair(first: 1, second: 3) }, { root.list[1].code = .large(1, 3) },
                { root.list[2].code = .small(2) }, { root.list[0].text = "x" }, { root.list[0].flag = true },
                { root.list[2].value = 2 as Int8 },
            ]
            for (number, edit) in edits.enumerated() {
                let before = try JSONValue(encoding: root)
                edit()
                let after = try JSONValue(encoding: root)
                #expect(before != after)
                #expect(patches.count == number + 1)
                #expect(try NaiveJSONPatch.apply(patches[number], to: before) == after, "edit \(number)")
            }
        }

        // MARK: - Random edits

        /// Edits a board whose elements share parts.
        private struct Editor {
            let board = Board()
            var random: SplitMix64
            var known: [Element] = []
            var parts = [Element.Part(), Element.Part()]

            init(seed: UInt64) {
                random = SplitMix64(seed: seed)
                for _ in 0..<30 { edit() }
            }

            mutating func element(_ depth: Int = 0) -> Element {
                if !known.isEmpty, random.oneIn(4) { return random.pick(known) }
                let payloads = [
                    Element.Payload.none, .small(Int8(random.below(3))), .text("t\(random.below(3))"),
                    .part(random.pick(parts)),
                ]
                var element = Element(isDone: random.oneIn(2), payload: random.pick(payloads))
                if random.oneIn(2) { element.part = random.oneIn(2) ? random.pick(parts) : Element.Part() }
                if depth < 2 { for _ in 0..<random.below(3) { element.children.append(self.element(depth + 1)) } }
                known.append(element)
                if known.count > 12 { known.removeFirst() }
                return element
            }

            mutating func edit(_ array: inout [Element]) {
                let count = array.count
                switch random.below(9) {
                case 0, 1: array.insert(element(), at: random.below(count + 1))
                case 2 where count > 0: array.remove(at: random.below(count))
                case 3 where count > 1: array.swapAt(random.below(count), random.below(count))
                case 4 where count > 0: array.insert(array.remove(at: random.below(count)), at: random.below(count))
                case 5 where count > 0: array[random.below(count)].isDone.toggle()
                case 6 where count > 0: array[random.below(count)] = element()
                case 7 where random.oneIn(4): array = []
                case 7 where random.oneIn(2): array.reverse()
                case 8 where random.oneIn(3):
                    array = array.map { Element(isDone: $0.isDone, payload: $0.payload, name: $0.name) }
                default: break
                }
                if array.count > 14 { array.removeSubrange(4..<10) }
            }

            mutating func edit(_ element: Element, _ depth: Int = 0) {
                switch random.below(5) {
                case 0: element.name = "\(random.below(4))"
                case 1 where depth < 3:
                    var children = element.children
                    edit(&children)
                    // Elements contain only new objects, so there are no cycles.
                    element.children = children.filter { child in !contains(child, element) }
                case 2: element.part?.note = random.oneIn(2) ? nil : "\(random.below(3))"
                case 3: element.part?.tags.append("t")
                default: if let child = element.children.first { edit(child, depth + 1) }
                }
            }

            private func contains(_ element: Element, _ other: Element) -> Bool {
                element.isSame(as: other) || element.children.contains { contains($0, other) }
            }

            mutating func edit() {
                switch random.below(12) {
                case 0, 1, 2:
                    var elements = board.elements
                    edit(&elements)
                    board.elements = elements
                case 3: board.archive = ContiguousArray(board.elements)
                case 4: board.archive.append(element())
                case 5: board.numbers.insert(random.below(9), at: random.below(board.numbers.count + 1))
                case 6: if !board.numbers.isEmpty { board.numbers.swapAt(0, board.numbers.count - 1) }
                case 7: board.names.append(random.oneIn(3) ? nil : "a name of more than fifteen bytes")
                case 8: board.parts = random.oneIn(2) ? parts : parts.reversed() + board.parts.prefix(2)
                case 9: board.optional = random.oneIn(2) ? nil : [element(), element()]
                default:
                    if let element = (board.elements + board.archive).randomElement(using: &random) { edit(element) }
                }
            }
        }

        @Test(arguments: seeds(40)) func randomEditsGiveExactPatchesAndAllPaths(seed: UInt64) throws {
            var editor = Editor(seed: seed)
            var reported: DeepChanges?
            let r = deepObserve(editor.board) { (changes: DeepChanges) in reported = changes }
            var count = 0
            let r2 = deepObserve(editor.board) { count += 1 }
            defer { r.cancel(); r2.cancel() }
            for step in 0..<30 {
                let before = try JSONValue(encoding: editor.board)
                (reported, count) = (nil, 0)
                inTransaction { for _ in 0...editor.random.below(4) { editor.edit() } }
                let after = try JSONValue(encoding: editor.board)
                #expect(count == (reported == nil ? 0 : 1))
                guard let changes = reported else {
                    #expect(before == after, "seed \(seed), step \(step)")
                    continue
                }
                let patch = try changes.jsonPatch()
                #expect((try? NaiveJSONPatch.apply(patch, to: before)) == after, "seed \(seed), step \(step): \(patch)")
                #expect(
                    (try? NaiveJSONPatch.apply(patch.inverse, to: after)) == before,
                    "seed \(seed), step \(step): \(patch)")
                #expect(try JSONValue(encoding: changes.before) == before)
                for change in changes {
                    let value = try JSONValue(encoding: change.newValue)
                    #expect(at(change.path, after) ?? .null == value, "seed \(seed), step \(step), \(change)")
                }
                #expect(Set(changes.map(\.pointer)).count == changes.count)
            }
        }

        private func at(_ path: [any CodingKey], _ document: JSONValue) -> JSONValue? {
            path.reduce(document) { value, key in key.intValue.map { value?[$0] } ?? value?[key.stringValue] }
        }
    }
}
