// Undo and redo of collections: elements and their identity, untracked changes, logs.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct CollectionHistoryTests {
        final class Item: Codable {
            @Observable var title: String
            init(_ title: String) { _title = Observable(wrappedValue: title) }
        }

        struct Model: Codable {
            private(set) var items: ObservableArray<Item>
            private(set) var numbers: ObservableArray<Int>
            private(set) var byName: ObservableDictionary<String, Item>
            private(set) var tags: ObservableSet<Int>
            @Observable var chapter: Chapter?

            init() {
                items = ObservableArray(["a", "b", "c", "d"].map(Item.init))
                numbers = [1, 2, 3]
                byName = ["x": Item("x")]
                tags = [1, 2]
            }

            var titles: [String] { items.map(\.title) }
        }

        final class Chapter: Codable {
            private(set) var lines = ObservableArray<String>()
        }

        @Test func stepsRestoreTheSameObjects() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            let all = model.items.elements
            inTransaction {
                model.items.remove(at: 1)
                model.items.move(from: 0, to: 2)
                model.items[1] = Item("new")
                model.items.append(contentsOf: [Item("e"), Item("f")])
            }
            let after = model.items.elements
            try history.undo()
            #expect(model.items.elements.map(ObjectIdentifier.init) == all.map(ObjectIdentifier.init))
            try history.redo()
            #expect(model.items.elements.map(ObjectIdentifier.init) == after.map(ObjectIdentifier.init))
            try history.undo()
            #expect(model.titles == ["a", "b", "c", "d"])
        }

        @Test func rowsStayWithTheElementsThatNoStepTouches() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            var runs = 0
            let mapped = model.numbers.live.map { number in
                runs += 1
                return number * 10
            }
            #expect(mapped.elements == [10, 20, 30])
            model.numbers.insert(0, at: 0)
            try history.undo()
            #expect(mapped.elements == [10, 20, 30] && runs <= 4)
            model.numbers.move(from: 0, to: 2)
            try history.undo()
            #expect(mapped.elements == [10, 20, 30] && runs <= 4)
        }

        @Test func elementsLoadedMeanwhileStay() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            model.numbers.append(4)
            model.numbers.remove(at: 0)
            model.numbers.move(from: 0, to: 2)
            model.byName["y"] = Item("y")
            model.tags.insert(3)
            #expect(model.numbers.elements == [3, 4, 2])
            history.untracked {
                model.numbers.insert(contentsOf: [100, 101], at: 0)
                model.byName["z"] = Item("z")
                model.tags.insert(9)
            }
            model.numbers[2] = 33
            for _ in 0..<3 { try history.undo() }
            #expect(model.byName.keys.sorted() == ["x", "z"] && model.tags.elements == [1, 2, 9])
            #expect(model.numbers.elements == [100, 101, 3, 4, 2])
            history.untracked { model.numbers.append(102) }
            while history.canUndo { try history.undo() }
            #expect(model.numbers.elements == [100, 101, 1, 2, 3, 102])
            while history.canRedo { try history.redo() }
            #expect(model.numbers.elements == [100, 101, 33, 4, 2, 102])
            #expect(model.byName.keys.sorted() == ["x", "y", "z"] && model.tags.elements == [1, 2, 3, 9])
        }

        @Test func aRemovedCollectionIsRestoredAsItWas() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            let chapter = Chapter()
            chapter.lines.append(contentsOf: ["one", "two"])
            model.chapter = chapter
            chapter.lines.append("three")
            model.chapter = nil
            chapter.lines.removeAll()
            try history.undo()
            #expect(model.chapter === chapter && chapter.lines.elements == ["one", "two", "three"])
            try history.undo()
            #expect(chapter.lines.elements == ["one", "two"])
            try history.undo()
            #expect(model.chapter == nil)
            chapter.lines[0] = "changed"
            try history.redo()
            #expect(chapter.lines.elements == ["one", "two"])
        }

        @Test func logsHoldThePatchOfEachStep() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            model.numbers.insert(0, at: 0)
            model.numbers.remove(at: 3)
            model.numbers[1] = 7
            try history.undo()
            let log = history.log
            #expect(
                log.done.map(\.patch.description) == [
                    #"[{"op":"add","path":"/numbers/0","value":0}]"#, #"[{"op":"remove","path":"/numbers/3"}]"#,
                ])
            #expect(log.undone.map(\.patch.description) == [#"[{"op":"replace","path":"/numbers/1","value":7}]"#])
            let copy = Model()
            try log.replay(onto: copy)
            #expect(copy.numbers.elements == [0, 1, 2])
        }

        @Test func entriesOfALogAreUndoneAndRedone() throws {
            let model = Model()
            let first = History(model)
            model.numbers.append(contentsOf: [4, 5])
            inTransaction {
                model.numbers.remove(at: 0)
                model.numbers.move(from: 0, to: 2)
                model.numbers[1] = 44
            }
            model.byName["y"] = Item("y")
            inTransaction {
                model.byName["x"] = nil
                model.tags.remove(1)
                model.tags.insert(7)
            }
            let history = try History(model, log: first.log)
            first.end()
            let end = try JSONValue(encoding: model)
            for _ in 0..<2 {
                for _ in 0..<4 { try history.undo() }
                #expect(model.numbers.elements == [1, 2, 3] && model.byName.keys.sorted() == ["x"])
                #expect(model.tags.sorted() == [1, 2])
                for _ in 0..<4 { try history.redo() }
                #expect(try JSONValue(encoding: model) == end)
            }
        }

        @Test func logsHoldMembersThatWereUndone() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            model.byName["y"] = Item("y")
            model.byName["y"]?.title = "why"
            model.byName["z"] = Item("z")
            try history.undo()
            try history.undo()
            let log = history.log
            #expect(
                log.done.map(\.patch.description) == [#"[{"op":"add","path":"/byName/y","value":{"title":"y"}}]"#])
            #expect(
                log.undone.map(\.patch.description) == [
                    #"[{"op":"replace","path":"/byName/y/title","value":"why"}]"#,
                    #"[{"op":"add","path":"/byName/z","value":{"title":"z"}}]"#,
                ])
            #expect(log.done[0].inverse.description == #"[{"op":"remove","path":"/byName/y"}]"#)
        }

        @Test func aCollectionChangedAndRemovedInOneTransactionIsRestoredAsBefore() throws {
            let model = Model()
            let chapter = Chapter()
            chapter.lines.append("one")
            model.chapter = chapter
            let history = History(model)
            defer { history.end() }
            inTransaction {
                chapter.lines.append("two")
                model.chapter = nil
            }
            chapter.lines.removeAll()
            chapter.lines.append(contentsOf: ["x", "y", "z"])
            try history.undo()
            #expect(model.chapter === chapter && chapter.lines.elements == ["one"])
        }

        @Test func anElementThatIsReplacedByItselfIsNoEntry() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            let item = model.items[1]
            model.items[1] = item
            inTransaction {
                model.items[1] = Item("new")
                model.items[1] = item
            }
            #expect(history.undoCount == 0)
        }

        @Test func aReplacedElementIsFoundAmongEqualOnes() throws {
            let model = Model()
            model.numbers.removeAll()
            model.numbers.append(contentsOf: [5, 5, 5])
            let history = History(model)
            defer { history.end() }
            model.numbers[1] = 7
            history.untracked { model.numbers.insert(7, at: 0) }
            try history.undo()
            #expect(model.numbers.elements == [7, 5, 5, 5])
        }

        @Test func elementsAreFoundWhereverTheyAre() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            model.numbers.insert(contentsOf: [7, 8], at: 0)
            history.untracked {
                model.numbers.removeAll()
                model.numbers.append(contentsOf: [1, 2, 7, 8])
            }
            try history.undo()
            #expect(model.numbers.elements == [1, 2])
            model.numbers.append(contentsOf: [7, 8])
            // There is no room for them at the end.
            history.untracked {
                model.numbers.removeAll()
                model.numbers.append(contentsOf: [7, 8, 1])
            }
            try history.undo()
            #expect(model.numbers.elements == [1])
        }

        @Test func elementsThatAreGoneStayAway() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            model.numbers[2] = 33
            history.untracked { model.numbers.removeLast() }
            try history.undo()
            #expect(model.numbers.elements == [1, 2])
            try history.redo()
            #expect(model.numbers.elements == [1, 2])
            history.untracked { model.numbers.append(contentsOf: [3, 4]) }
            model.numbers.move(from: 2, to: 0)
            #expect(model.numbers.elements == [3, 1, 2, 4])
            history.untracked { model.numbers.removeSubrange(0..<2) }
            try history.undo()
            #expect(model.numbers.elements == [2, 4])
            history.untracked { model.numbers.append(contentsOf: [5, 6]) }
            model.numbers.move(from: 2, to: 0)
            try history.undo()
            history.untracked { model.numbers.removeSubrange(2..<4) }
            try history.redo()
            #expect(model.numbers.elements == [2, 4])
            history.untracked { model.numbers.removeAll() }
            try history.undo()
            #expect(model.numbers.isEmpty)
        }

        @Test func adjacentElementsThatAreGoneStayAway() throws {
            let model = Model()
            let history = History(model)
            defer { history.end() }
            model.numbers.append(contentsOf: [7, 8])
            history.untracked { model.numbers.removeSubrange(1..<5) }
            try history.undo()
            #expect(model.numbers.elements == [1])
            history.untracked { model.numbers.removeAll() }
            try history.redo()
            #expect(model.numbers.elements == [7, 8])
        }

        /// An `encode(to:)` that reads a collection.
        struct Reader: Codable {
            let numbers: ObservableDictionary<String, Int>
            init() { numbers = ["a": 1] }
            init(from decoder: any Decoder) throws {
                numbers = ["a": try decoder.singleValueContainer().decode(Int.self)]
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(numbers["a"] ?? 0)
            }
        }

        /// An `encode(to:)` that reads only the number of elements.
        struct Counts: Codable {
            let numbers: ObservableArray<Int>
            let byName: ObservableDictionary<String, Int>
            let tags: ObservableSet<Int>
            init() { (numbers, byName, tags) = ([1], ["a": 1], [1]) }
            init(from decoder: any Decoder) throws { self.init() }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(numbers.count)
                try container.encode(byName.isEmpty)
                try container.encode(tags.count)
            }
        }

        @Test func aCollectionOfWhichOnlyTheCountIsEncodedIsRecorded() throws {
            let counts = Counts()
            let history = History(counts)
            defer { history.end() }
            counts.numbers.append(2)
            counts.tags.insert(2)
            counts.byName["a"] = nil
            #expect(history.undoCount == 3)
            counts.numbers[0] = 7
            #expect(history.undoCount == 3)
            while history.canUndo { try history.undo() }
            #expect(counts.numbers.elements == [7] && counts.tags.elements == [1] && counts.byName["a"] == 1)
            while history.canRedo { try history.redo() }
            #expect(counts.numbers.elements == [7, 2] && counts.tags.elements == [1, 2] && counts.byName.isEmpty)
        }

        @Test func readsOfACustomEncodeAreRecordedToo() throws {
            let reader = Reader()
            let history = History(reader)
            defer { history.end() }
            reader.numbers["a"] = 2
            #expect(history.undoCount == 1)
            try history.undo()
            #expect(reader.numbers["a"] == 1)
            try history.redo()
            #expect(reader.numbers["a"] == 2)
        }
    }
}
