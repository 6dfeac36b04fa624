// Reports of observed collections, and the patches of these reports.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct CollectionPatchTests {
        struct Row: Codable {
            @Observable var title: String
            var id: Int

            init(_ id: Int, _ title: String) {
                self.id = id
                _title = Observable(wrappedValue: title)
            }
        }

        struct Model: Codable {
            private(set) var rows: ObservableArray<Row>
            private(set) var byID: ObservableDictionary<String, Row>
            private(set) var tags: ObservableSet<String>

            init(_ count: Int = 4) {
                rows = ObservableArray((0..<count).map { Row($0, "row \($0)") })
                byID = ["a": Row(100, "a"), "b": Row(101, "b")]
                tags = ["x"]
            }
        }

        /// Returns the patches of the transactions in `edit`, each checked against the documents before and after.
        private func patches(of model: Model, _ edits: [() -> Void]) throws -> [String] {
            var changes: [DeepChanges] = []
            let observation = deepObserve(model) { changes.append($0) }
            defer { observation.cancel() }
            var result: [String] = []
            for edit in edits {
                let before = try JSONValue(encoding: model)
                changes = []
                edit()
                let after = try JSONValue(encoding: model)
                try #require(changes.count == 1)
                let patch = try changes[0].jsonPatch()
                #expect(try NaiveJSONPatch.apply(patch, to: before) == after)
                #expect(try NaiveJSONPatch.apply(patch.inverse, to: after) == before)
                #expect(try JSONValue(encoding: changes[0].before) == before)
                #expect(try JSONValue(encoding: changes[0].after) == after)
                result.append(patch.description)
            }
            return result
        }

        /// Returns the patch of a transaction.
        private func patch(of root: some Codable, _ edit: () -> Void) throws -> JSONPatch {
            var patch: Result<JSONPatch, any Error>?
            let observation = deepObserve(root) { changes in patch = Result { try changes.jsonPatch() } }
            defer { observation.cancel() }
            inTransaction(edit)
            return try #require(try patch?.get())
        }

        @Test func oneEditIsOneOperation() throws {
            let model = Model()
            let patches = try patches(
                of: model,
                [
                    { model.rows.insert(Row(7, "new"), at: 0) },
                    { model.rows[2].title = "Rye" },
                    { model.rows.remove(at: 3) },
                    { model.rows.move(from: 0, to: 3) },
                    { model.rows.swapAt(0, 1) },
                    { model.rows[1].id = 9 },
                    { model.byID["c"] = Row(8, "c") },
                    { model.byID["c"]?.title = "C" },
                    { model.byID["a"] = nil },
                    { model.tags.insert("y") },
                ])
            #expect(
                patches == [
                    #"[{"op":"add","path":"/rows/0","value":{"id":7,"title":"new"}}]"#,
                    #"[{"op":"replace","path":"/rows/2/title","value":"Rye"}]"#,
                    #"[{"op":"remove","path":"/rows/3"}]"#,
                    #"[{"from":"/rows/0","op":"move","path":"/rows/3"}]"#,
                    #"[{"from":"/rows/1","op":"move","path":"/rows/0"}]"#,
                    #"[{"op":"replace","path":"/rows/1/id","value":9}]"#,
                    #"[{"op":"add","path":"/byID/c","value":{"id":8,"title":"c"}}]"#,
                    #"[{"op":"replace","path":"/byID/c/title","value":"C"}]"#,
                    #"[{"op":"remove","path":"/byID/a"}]"#,
                    patches.last ?? "",
                ])
        }

        @Test func severalEditsInATransactionCompose() throws {
            let model = Model(6)
            let patches = try patches(
                of: model,
                [
                    {
                        inTransaction {
                            let moved = model.rows.remove(at: 5)
                            model.rows.insert(moved, at: 0)
                            model.rows[0].title = "first"
                            model.rows.insert(Row(7, "new"), at: 2)
                            model.rows[2].title = "newer"
                            model.rows.remove(at: 1)
                        }
                    },
                    {
                        inTransaction {
                            model.rows.append(Row(8, "eight"))
                            try? inTransaction {
                                model.rows.removeFirst(3)
                                throw CancellationError()
                            }
                        }
                    },
                ])
            #expect(
                patches == [
                    #"[{"op":"remove","path":"/rows/0"},{"from":"/rows/4","op":"move","path":"/rows/0"},"#
                        + #"{"op":"add","path":"/rows/1","value":{"id":7,"title":"newer"}},"#
                        + #"{"op":"replace","path":"/rows/0/title","value":"first"}]"#,
                    #"[{"op":"add","path":"/rows/6","value":{"id":8,"title":"eight"}}]"#,
                ])
        }

        // An element, member or row that is replaced or new is named once, with everything in it.
        @Test func whatIsInsideAReplacedPartIsNotNamedAgain() throws {
            struct Root: Codable {
                @Observable var list = [Row(1, "a"), Row(2, "b")]
                @Observable var members = ["a": Row(1, "a"), "b": Row(2, "b")]
                var rows = ObservableArray([Row(1, "a"), Row(2, "b")])
            }
            let root = Root()
            let patch = try self.patch(of: root) {
                root.list[1].id = 3
                root.list[1].title = "c"
                root.members["b"]?.id = 3
                root.members["b"]?.title = "c"
                root.rows[1].id = 3
                root.rows[1].title = "c"
            }
            #expect(
                patch.operations.map { "\($0.path)" } == [
                    "/list/1/id", "/list/1/title", "/members/b/id", "/members/b/title", "/rows/1/id", "/rows/1/title",
                ])
        }

        // A replaced number costs two, and a new collection of four numbers six.
        @Test(arguments: [(2, 2), (3, 3), (4, 1)])
        func aCollectionIsReplacedIfThatIsSmaller(changedCount: Int, operationCount: Int) throws {
            struct Root: Codable {
                @Observable var list = [0, 1, 2, 3]
                @Observable var members = ["0": 0, "1": 1, "2": 2, "3": 3]
                var rows = ObservableArray([0, 1, 2, 3])
            }
            let root = Root()
            var patch = try self.patch(of: root) { for index in 0..<changedCount { root.list[index] += 10 } }
            #expect(patch.operations.count == operationCount, "\(patch)")
            patch = try self.patch(of: root) { for index in 0..<changedCount { root.members["\(index)"]? += 10 } }
            #expect(patch.operations.count == operationCount, "\(patch)")
            patch = try self.patch(of: root) { for index in 0..<changedCount { root.rows[index] += 10 } }
            #expect(patch.operations.count == operationCount, "\(patch)")
        }

        // Each new row costs four, and in a new collection three, like the old one.
        @Test(arguments: [(5, 5), (6, 1)])
        func aCollectionWithManyNewElementsIsReplaced(newCount: Int, operationCount: Int) throws {
            struct Root: Codable {
                @Observable var list = [Row(0, "a")]
                @Observable var members = ["0": Row(0, "a")]
                var rows = ObservableArray([Row(0, "a")])
            }
            let root = Root()
            var patch = try self.patch(of: root) { for id in 1...newCount { root.list.append(Row(id, "b")) } }
            #expect(patch.operations.count == operationCount, "\(patch)")
            patch = try self.patch(of: root) { for id in 1...newCount { root.members["\(id)"] = Row(id, "b") } }
            #expect(patch.operations.count == operationCount, "\(patch)")
            patch = try self.patch(of: root) { for id in 1...newCount { root.rows.append(Row(id, "b")) } }
            #expect(patch.operations.count == operationCount, "\(patch)")
        }

        @Test func aTransactionThatChangesNothingIsNotReported() throws {
            let model = Model()
            var count = 0
            let observation = deepObserve(model) { count += 1 }
            defer { observation.cancel() }
            struct Failure: Error {}
            try? inTransaction {
                model.rows.removeAll()
                model.byID["a"] = nil
                model.tags.insert("z")
                throw Failure()
            }
            #expect(count == 0)
            model.rows.append(Row(1, "after"))
            model.rows[4].title = "observed"
            #expect(count == 2)
        }

        /// A history that has recorded part of a transaction also records its roll-back.
        @Test func aRollBackAfterARecordedChangeIsRecorded() throws {
            struct Failure: Error {}
            let model = Model()
            let history = History(model)
            defer { history.end() }
            model.rows.append(Row(4, "four"))
            let document = try JSONValue(encoding: model)
            try? inTransaction {
                model.rows.removeFirst()
                model.rows.insert(Row(5, "five"), at: 2)
                model.byID["a"] = nil
                model.tags.insert("y")
                // Records the changes so far.
                history.seal()
                #expect(history.undoCount == 2)
                throw Failure()
            }
            #expect(try JSONValue(encoding: model) == document)
            model.rows.insert(Row(6, "six"), at: 0)
            model.rows.move(from: 0, to: 3)
            while history.canUndo { try history.undo() }
            #expect(try JSONValue(encoding: model) == JSONValue(encoding: Model()))
            model.rows[0].title = "observed"
            #expect(history.undoCount == 1)
        }

        /// Counts encodings of rows: only added rows are encoded.
        @Test func onlyAddedElementsAreWalked() throws {
            final class Counter { var count = 0 }
            struct Counted: Encodable {
                let counter: Counter
                @Observable var value = 0
                func encode(to encoder: any Encoder) throws {
                    counter.count += 1
                    var container = encoder.singleValueContainer()
                    try container.encode(_value)
                }
            }
            struct Model: Encodable { let rows = ObservableArray<Counted>() }
            let counter = Counter()
            let model = Model()
            model.rows.append(contentsOf: (0..<1_000).map { _ in Counted(counter: counter) })
            var pointers: [String] = []
            let observation = deepObserve(model) { pointers = $0.map(\.pointer) }
            defer { observation.cancel() }
            func encodings(_ edit: () -> Void) -> Int {
                counter.count = 0
                edit()
                return counter.count
            }
            #expect(encodings { model.rows.insert(Counted(counter: counter), at: 0) } == 1)
            #expect(encodings { model.rows.move(from: 0, to: 999) } == 0)
            #expect(encodings { model.rows.remove(at: 500) } == 0)
            #expect(encodings { model.rows[300].value = 1 } == 0)
            #expect(pointers == ["/rows/300"])
            #expect(encodings { model.rows.reverse() } == 0)
            #expect(encodings { model.rows[300].value = 2 } == 0)
            #expect(pointers == ["/rows/300"])
        }
    }
}
