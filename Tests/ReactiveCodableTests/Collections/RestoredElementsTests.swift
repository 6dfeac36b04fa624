// A transaction that restores a collection is no entry of a history, no step, no patch, no line of a journal and no
// message, whatever rows the elements have by then.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct RestoredElementsTests {
        /// A plain element that cannot be compared.
        struct Leaf: Codable {
            var n: Int
        }

        /// An element with padding that copies do not write.
        struct Flagged: Codable {
            var isSet: Bool
            var text: String
        }

        struct Key: Codable, Hashable {
            var n: Int
        }

        final class Item: Codable {
            @Observable var title: String
            private(set) var leaves = ObservableArray<Leaf>()
            init(_ title: String) { _title = Observable(wrappedValue: title) }
        }

        struct Model: Codable {
            private(set) var leaves = ObservableArray<Leaf>()
            private(set) var flagged = ObservableArray<Flagged>()
            private(set) var items = ObservableArray<Item>()
            private(set) var nested = ObservableArray<ObservableArray<Leaf>>()
            private(set) var byName = ObservableDictionary<String, Leaf>()
            private(set) var byKey = ObservableDictionary<Key, Leaf>()
            private(set) var tags = ObservableSet<Key>()
            @Observable var flag = Flagged(isSet: true, text: "a text that is on the heap")
            @Observable var numbers = [1, 2]
            @Observable var plain = [Leaf(n: 1), Leaf(n: 2)]
            @Observable var plainByName: [String: Leaf]
            @Observable var plainByKey: [Key: Leaf]

            /// - Parameter hasHistory: Whether elements were removed long before, so that rows are free.
            init(hasHistory: Bool) {
                let numbers = 0..<40
                plainByName = Dictionary(uniqueKeysWithValues: numbers.map { ("\($0)", Leaf(n: $0)) })
                plainByKey = Dictionary(uniqueKeysWithValues: numbers.map { (Key(n: $0), Leaf(n: $0)) })
                for n in 0..<4 { leaves.append(Leaf(n: n)) }
                for n in 0..<4 { flagged.append(Flagged(isSet: n > 1, text: "a text that is on the heap: \(n)")) }
                for n in 0..<4 { items.append(Item("\(n)")) }
                for n in 0..<4 { nested.append([Leaf(n: n), Leaf(n: n + 1)]) }
                for n in 0..<4 { byName["\(n)"] = Leaf(n: n) }
                for n in 0..<4 { byKey[Key(n: n)] = Leaf(n: n) }
                for n in 0..<4 { tags.insert(Key(n: n)) }
                guard hasHistory else { return }
                let history = History(self)
                leaves.remove(at: 1)
                flagged.remove(at: 1)
                items.remove(at: 1)
                nested.remove(at: 1)
                byName["1"] = nil
                byKey[Key(n: 1)] = nil
                tags.remove(Key(n: 1))
                history.end()
            }
        }

        /// Removes and inserts an element of each collection.
        enum Restoration: String, CaseIterable, CustomTestStringConvertible {
            case first, all, swapped, replaced, sorted, inner, reference, referenceAndInner, flagged
            case dictionary, wholeDictionary, keys, set, plainArray, plainDictionary, plainKeys, numbers, value
            case padding

            var testDescription: String { rawValue }

            /// Whether the document is the same. A dictionary that is encoded as an array may have a different order.
            var restoresDocument: Bool { self != .keys && self != .plainKeys }

            func run(_ model: Model) {
                switch self {
                case .first: model.leaves.insert(model.leaves.remove(at: 0), at: 0)
                case .all:
                    let all = model.leaves.elements
                    model.leaves.removeAll()
                    for leaf in all { model.leaves.append(leaf) }
                case .swapped:
                    let (a, b) = (model.leaves.remove(at: 0), model.leaves.remove(at: 0))
                    model.leaves.insert(b, at: 0)
                    model.leaves.insert(a, at: 0)
                case .replaced: model.leaves.replaceSubrange(0..<model.leaves.count, with: model.leaves.elements)
                case .sorted:
                    model.leaves.sort { $0.n > $1.n }
                    model.leaves.insert(model.leaves.removeLast(), at: 0)
                    model.leaves.sort { $0.n < $1.n }
                case .inner: model.nested[1].append(model.nested[1].removeLast())
                case .reference: model.items.insert(model.items.remove(at: 1), at: 1)
                case .referenceAndInner:
                    let item = model.items.remove(at: 1)
                    item.title += "!"
                    model.items.insert(item, at: 1)
                    item.title.removeLast()
                case .flagged: model.flagged.insert(model.flagged.remove(at: 1), at: 1)
                case .dictionary:
                    let leaf = model.byName.removeValue(forKey: "2")
                    model.byName["2"] = leaf
                case .wholeDictionary:
                    let names = ["0", "2", "3"]
                    let leaves = names.map { model.byName.removeValue(forKey: $0) }
                    for (name, leaf) in zip(names, leaves) { model.byName[name] = leaf }
                case .keys:
                    let leaves = [0, 2].map { model.byKey.removeValue(forKey: Key(n: $0)) }
                    for (n, leaf) in zip([0, 2], leaves) { model.byKey[Key(n: n)] = leaf }
                case .set:
                    model.tags.remove(Key(n: 2))
                    model.tags.insert(Key(n: 2))
                case .plainArray: model.plain.append(model.plain.removeLast())
                case .plainDictionary:
                    // Inserted in reverse, so that keys that collide have a different order.
                    let members = Array(model.plainByName)
                    model.plainByName.removeAll(keepingCapacity: true)
                    for (name, leaf) in members.reversed() { model.plainByName[name] = leaf }
                case .plainKeys:
                    let members = Array(model.plainByKey)
                    model.plainByKey.removeAll(keepingCapacity: true)
                    for (key, leaf) in members.reversed() { model.plainByKey[key] = leaf }
                case .numbers: model.numbers.append(model.numbers.removeLast())
                case .value: RestoredElementsTests.withOtherPadding(model.flag) { model.flag = $0.pointee }
                case .padding:
                    RestoredElementsTests.withOtherPadding(model.flagged[1]) { model.flagged[1] = $0.pointee }
                }
            }
        }

        /// Passes a copy that differs only in the padding behind its first property.
        private static func withOtherPadding(_ value: Flagged, _ use: (UnsafePointer<Flagged>) -> Void) {
            let size = MemoryLayout<Flagged>.size
            let padding = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
            padding.initializeMemory(as: UInt8.self, repeating: 0x5A, count: size)
            let copy = padding.bindMemory(to: Flagged.self, capacity: 1)
            copy.initialize(to: value)
            use(copy)
            copy.deinitialize(count: 1)
            padding.deallocate()
        }

        @Test(arguments: Restoration.allCases, [false, true])
        func aRestoringTransactionIsNoStep(_ restoration: Restoration, hasHistory: Bool) throws {
            let model = Model(hasHistory: hasHistory)
            let history = History(model)
            defer { history.end() }
            model.items[0].title = "undone"
            try history.undo()
            try #require(history.redoCount == 1)
            var steps: [String] = []
            let listening = history.onStep { steps.append($0.patch.description) }
            var reported: [String] = []
            let recorder = PatchRecorder(model) { reported.append((try? $0.get().description) ?? "an error") }
            var patches: [String] = []
            let observing = deepObserve(model) { patches.append((try? $0.jsonPatch().description) ?? "an error") }
            defer { for reaction in [listening, observing] { reaction.cancel() } }
            inTransaction { restoration.run(model) }
            #expect(history.undoCount == 0)
            #expect(history.redoCount == 1)
            #expect(steps.isEmpty)
            if restoration.restoresDocument {
                #expect(reported.isEmpty)
                #expect(patches.allSatisfy { $0 == "[]" })
            }
            recorder.end()
        }

        /// The only element had row 1, and got row 0 when it was inserted again.
        @Test func theOnlyElementMayHaveADifferentRow() {
            let list = List<Leaf>()
            let history = History(list)
            defer { history.end() }
            list.elements.append(Leaf(n: 0))
            list.elements.append(Leaf(n: 3))
            list.elements.remove(at: 0)
            let count = history.undoCount
            inTransaction { list.elements.insert(list.elements.remove(at: 0), at: 0) }
            #expect(history.undoCount == count)
        }

        @Test func aJournalGetsNoLineForARestoringTransaction() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                let model = Model(hasHistory: true)
                let autosave = autosave(model, to: url, as: .journal, onError: { Issue.record("\($0)") })
                defer { autosave.cancel() }
                model.leaves.append(Leaf(n: 9))
                try autosave.flush()
                let journal = URL(fileURLWithPath: url.path + ".journal")
                var lines = try Data(contentsOf: journal)
                for restoration in Restoration.allCases where restoration.restoresDocument {
                    inTransaction { restoration.run(model) }
                    try autosave.flush()
                    let after = try Data(contentsOf: journal)
                    #expect(after == lines, "\(restoration)")
                    lines = after
                }
            }
        }

        // MARK: - Empty patches

        struct Note: Codable {
            var text: String
        }

        struct Page: Codable {
            @Observable var note = Note(text: "a text that is on the heap: ")
            @Observable var title = "a"
        }

        @Test func aValueThatIsCreatedAnewIsAnEntryWithoutAMessage() throws {
            let page = Page()
            let history = History(page)
            defer { history.end() }
            var messages = 0
            let listening = history.onStep { _ in messages += 1 }
            let recorder = PatchRecorder(page) { _ in messages += 1 }
            var patches: [String] = []
            let observing = deepObserve(page) { patches.append((try? $0.jsonPatch().description) ?? "an error") }
            defer { for reaction in [listening, observing] { reaction.cancel() } }
            page.note = Note(text: page.note.text)
            #expect(history.undoCount == 0)
            page.note = Note(text: ["a text that is on", "the heap: "].joined(separator: " "))
            #expect(history.undoCount == 1)
            #expect(messages == 0)
            #expect(patches == ["[]", "[]"])
            recorder.end()
        }

        @Test func transactionsThatCancelEachOtherOutGiveAnEmptyPatch() {
            let page = Page()
            var runs: [@Sendable () -> Void] = []
            var patches: [String] = []
            let observing = deepObserve(page, schedule: .custom { runs.append($0) }) {
                patches.append((try? $0.jsonPatch().description) ?? "an error")
            }
            defer { observing.cancel() }
            page.title = "b"
            page.title = "a"
            for run in runs { run() }
            #expect(patches == ["[]"])
        }

        // MARK: - Changes among elements in other rows

        @Test func anElementThatIsRemovedAndInsertedElsewhereIsMoved() throws {
            for hasHistory in [false, true] {
                let model = Model(hasHistory: hasHistory)
                var patches: [String] = []
                let observing = deepObserve(model) { patches.append((try? $0.jsonPatch().description) ?? "an error") }
                defer { observing.cancel() }
                inTransaction { model.items.insert(model.items.remove(at: 0), at: 2) }
                inTransaction { model.leaves.append(model.leaves.remove(at: 0)) }
                let last = model.leaves.count - 1
                #expect(
                    patches == [
                        #"[{"from":"/items/0","op":"move","path":"/items/2"}]"#,
                        #"[{"from":"/leaves/0","op":"move","path":"/leaves/\#(last)"}]"#,
                    ])
                // The observation follows the element at its new position.
                model.items[2].title = "new"
                #expect(patches.last == #"[{"op":"replace","path":"/items/2/title","value":"new"}]"#)
                // A change inside belongs to the new position.
                inTransaction {
                    let item = model.items.remove(at: 2)
                    model.items.insert(item, at: 0)
                    item.title = "first"
                }
                #expect(
                    patches.last == """
                        [{"from":"/items/2","op":"move","path":"/items/0"},\
                        {"op":"replace","path":"/items/0/title","value":"first"}]
                        """)
            }
        }

        @Test func movesAmongElementsWithEqualBitsAreNoSteps() throws {
            let model = Model(hasHistory: false)
            model.leaves.removeAll()
            model.leaves.append(contentsOf: [5, 5, 5, 7, 5].map(Leaf.init))
            let history = History(model)
            defer { history.end() }
            model.leaves.move(from: 0, to: 2)
            model.leaves.swapAt(0, 4)
            inTransaction { model.leaves.insert(model.leaves.remove(at: 1), at: 0) }
            #expect(history.undoCount == 0)
            model.leaves.move(from: 0, to: 3)
            #expect(history.undoCount == 1)
            try history.undo()
            #expect(model.leaves.map(\.n) == [5, 5, 5, 7, 5])
        }

        // MARK: - Random transactions

        private struct List<Element: Codable>: Codable {
            private(set) var elements = ObservableArray<Element>()
        }

        /// Changes an array by a random method.
        private static func edit<Element>(
            _ array: ObservableArray<Element>, _ random: inout SplitMix64, _ make: (inout SplitMix64) -> Element,
            by areInOrder: (Element, Element) -> Bool
        ) {
            let count = array.count
            guard count > 0 else { return array.append(make(&random)) }
            switch random.below(11) {
            case 0, 1: if count < 8 { array.insert(make(&random), at: random.below(count + 1)) }
            case 2, 3: array.remove(at: random.below(count))
            case 4: array.move(from: random.below(count), to: random.below(count))
            case 5: array[random.below(count)] = make(&random)
            case 6: array.sort(by: areInOrder)
            case 7: array.swapAt(random.below(count), random.below(count))
            case 8:
                let all = array.elements
                array.removeAll()
                for element in all { array.append(element) }
            default:
                let gone = array.remove(at: random.below(count))
                array.insert(gone, at: random.below(count))
            }
        }

        /// Runs random transactions. Each is an entry exactly if it changes the picture of the list, and each patch leads
        /// from one document to the next, and back.
        private func checkTransactions<Element: Codable, Picture: Equatable>(
            _ random: inout SplitMix64, _ comment: Comment,
            _ edit: (ObservableArray<Element>, inout SplitMix64) -> Void,
            picture: (ObservableArray<Element>) -> Picture
        ) throws {
            let list = List<Element>()
            let history = History(list)
            defer { history.end() }
            var patches: [JSONPatch] = []
            let recorder = PatchRecorder(list) { change in
                if let patch = try? change.get() { patches.append(patch) }
            }
            defer { recorder.end() }
            var pictures = [picture(list.elements)]
            var document = try JSONValue(encoding: list)
            for _ in 0..<30 {
                patches = []
                inTransaction { for _ in 0...random.below(5) { edit(list.elements, &random) } }
                if pictures[pictures.count - 1] != picture(list.elements) {
                    pictures.append(picture(list.elements))
                }
                try #require(history.undoCount == pictures.count - 1, comment)
                let after = try JSONValue(encoding: list)
                #expect(patches.count <= 1, comment)
                let patch = patches.first ?? JSONPatch([], undoing: [])
                #expect(try NaiveJSONPatch.apply(patch, to: document) == after, comment)
                #expect(try NaiveJSONPatch.apply(patch.inverse, to: after) == document, comment)
                document = after
            }
            while history.canUndo {
                pictures.removeLast()
                try history.undo()
                #expect(pictures[pictures.count - 1] == picture(list.elements), comment)
            }
        }

        @Test func transactionsAreEntriesExactlyIfBitsChange() throws {
            func edit(_ leaves: ObservableArray<Leaf>, _ random: inout SplitMix64) {
                Self.edit(leaves, &random, { Leaf(n: $0.below(3)) }, by: { $0.n < $1.n })
            }
            func picture(_ leaves: ObservableArray<Leaf>) -> [Int] { leaves.map(\.n) }
            for seed in seeds(40) {
                var random = SplitMix64(seed: seed)
                try checkTransactions(&random, "seed \(seed)", edit, picture: picture)
            }
        }

        private struct ItemPicture: Equatable {
            let identity: ObjectIdentifier
            let title: String
        }

        @Test func transactionsAreEntriesExactlyIfObjectsOrTheirContentsChange() throws {
            let pool = ["a", "b", "c"].map(Item.init)
            func edit(_ items: ObservableArray<Item>, _ random: inout SplitMix64) {
                if random.oneIn(3), let item = items.elements.randomElement(using: &random) {
                    item.title = random.pick(["x", "y"])
                } else {
                    Self.edit(items, &random, { $0.pick(pool) }, by: { $0.title < $1.title })
                }
            }
            func picture(_ items: ObservableArray<Item>) -> [ItemPicture] {
                items.map { ItemPicture(identity: ObjectIdentifier($0), title: $0.title) }
            }
            for seed in seeds(40) {
                var random = SplitMix64(seed: seed)
                try checkTransactions(&random, "seed \(seed)", edit, picture: picture)
            }
        }
    }
}
