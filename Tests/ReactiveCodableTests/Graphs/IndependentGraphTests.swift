// Object graphs whose state belongs to an independent graph: every operation uses that graph's lock, wherever it is
// called.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite(.inDefaultGraph) struct IndependentGraphTests {
        typealias List = ApplyTests.List

        let session = IndependentGraph(named: "session")

        private func title(_ title: String) throws -> JSONPatch {
            [.replace(path: try JSONPointer("/title"), value: .string(title))]
        }

        // MARK: - Changes

        @Test func keptChangesAreReadUnderTheLockOfTheirRoot() throws {
            let list = session.run { List() }
            var kept: DeepChanges?
            let reaction = session.run { deepObserve(list) { kept = $0 } }
            defer { reaction.cancel() }
            list.items.removeLast(2)
            let changes = try #require(kept)
            list.items[0].title = "Cream"
            // The thread's own graph is the default one, and the removed object is no longer observed.
            #expect(changes.map(\.pointer) == ["/items"])
            #expect(try JSONValue(encoding: changes[0].oldValue).description.contains("Bread"))
            #expect(try !JSONValue(encoding: changes[0].newValue).description.contains("Bread"))
            #expect(try changes.jsonPatch().operations.count == 2)
            #expect(try JSONValue(encoding: changes.before) != JSONValue(encoding: changes.after))
        }

        @Test func keptChangesAreReadWhileOtherThreadsWrite() {
            let list = Unchecked(session.run { List() })
            let kept = Shared<[Unchecked<DeepChanges>]>([])
            let reaction = session.run {
                deepObserve(list.value, isolation: nil) { changes in kept.withLock { $0.append(Unchecked(changes)) } }
            }
            defer { reaction.cancel() }
            let failures = Shared(0)
            onThreads(2) { thread in
                for step in 0..<200 {
                    if thread == 0 {
                        list.value.title = "\(step)"
                        if step % 3 == 0 { list.value.items = session.run { [ApplyTests.Item(step, "new")] } }
                    } else if let changes = kept.value.last?.value {
                        for change in changes where (try? JSONValue(encoding: change.oldValue)) == nil {
                            failures.withLock { $0 += 1 }
                        }
                    }
                }
            }
            #expect(failures.value == 0)
        }

        // MARK: - Patches

        @Test func aPatchIsAppliedInTheGraphOfItsRoot() throws {
            let list = session.run { List() }
            var titles: [String] = []
            let reaction = session.run { autorun { titles.append("\(list.title) \(list.items.map(\.title))") } }
            defer { reaction.cancel() }
            let patch = try JSONPatch(
                parsing: """
                    [{"op": "replace", "path": "/title", "value": "tools"},
                     {"op": "replace", "path": "/items/1/title", "value": "Saw"},
                     {"op": "add", "path": "/items/-", "value": {"id": 4, "title": "Nail", "isDone": false}}]
                    """)
            try apply(patch, to: list)
            #expect(titles.last == #"tools ["Milk", "Saw", "Eggs", "Nail"]"#)
            #expect(titles.count == 2)
            // Objects that the patch created belong to the session, too.
            session.run { inTransaction { list.items[3].isDone = true } }
            #expect(list.items[3].isDone)
        }

        @Test func aPatchIsAppliedInsideATransactionOfItsGraph() throws {
            let list = session.run { List() }
            try session.run {
                try inTransaction {
                    list.title = "tools"
                    try apply(title("toys"), to: list)
                }
            }
            #expect(list.title == "toys")
        }

        @Test func aPatchIsAppliedInAnEffectOfAnyGraph() throws {
            let list = session.run { List() }
            let source = Observable(0)
            let reaction = reaction({ source.value }) { number in
                try? apply(title("\(number)"), to: list)
            }
            defer { reaction.cancel() }
            source.value = 7
            #expect(list.title == "7")
        }

        @Test func aLogIsReplayedInTheGraphOfItsRoot() throws {
            let (first, second) = session.run { (List(), List()) }
            let history = session.run { History(first) }
            first.title = "tools"
            first.items.removeFirst()
            let log = history.log
            try log.replay(onto: second)
            #expect(second.title == "tools" && second.items.count == 2)
            let third = session.run { List() }
            try session.run { try inTransaction { try log.replay(onto: third) } }
            #expect(third.title == "tools")
        }

        // MARK: - Observing

        @Test func aRootIsObservedInItsGraphFromAnyGraph() {
            let list = session.run { List() }
            var pointers: [[String]] = []
            let reactions = [
                deepObserve(list) { changes in pointers.append(changes.map(\.pointer)) },
                deepObserve([list]) { pointers.append([]) },
            ]
            list.title = "tools"
            session.run {
                inTransaction {
                    list.items[0].isDone = true
                    list.items[1].title = "Saw"
                }
            }
            #expect(pointers == [["/title"], [], ["/items/0/isDone", "/items/1/title"], []])
            session.cancelReactions()
            #expect(reactions.allSatisfy { $0.isCancelled })
        }

        @Test func aRootIsEncodedInItsGraphFromAnyGraph() throws {
            let list = session.run { List() }
            var titles: [JSONValue?] = []
            let reaction = encodeOnChange(list, encoder: JSONEncoder()) { result in
                titles.append((try? result.get()).flatMap { try? JSONValue(parsing: $0)["title"] })
            }
            list.title = "tools"
            #expect(titles == ["tools"])
            reaction.cancel()
        }

        @Test func aRootIsSavedInItsGraphFromAnyGraph() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("list.json")
                let list = session.run { List() }
                let autosave = autosave(list, to: url, schedule: .immediate)
                list.title = "tools"
                try autosave.flush()
                let loaded = try session.run { try load(List.self, from: url) }
                #expect(loaded.title == "tools" && autosave.lastError == nil)
                session.run {
                    inTransaction {
                        // Loaded into the session: both change in one transaction.
                        loaded.title = list.title + "!"
                        autosave.cancel()
                    }
                }
                #expect(loaded.title == "tools!")
            }
        }

        @Test func aHistoryBelongsToTheGraphOfItsRoot() throws {
            let list = session.run { List() }
            let history = History(list)
            var canUndo: [Bool] = []
            let reaction = session.run { autorun { canUndo.append(history.canUndo) } }
            list.title = "tools"
            try session.run { try inTransaction(onError: .commit) { try history.undo() } }
            #expect(list.title == "groceries" && history.canRedo)
            try history.redo()
            #expect(list.title == "tools" && history.log.done.count == 1)
            #expect(canUndo == [false, true, false, true])
            reaction.cancel()
            history.end()
            #expect(history.undoCount == 0)
        }

        @Test func aHistoryThrowsInATransactionOfAnotherGraphButMayEndThere() throws {
            let list = session.run { List() }
            var history: History<List>? = History(list)
            list.title = "tools"
            inTransaction {
                #expect(throws: HistoryError.self) { try history?.undo() }
                history = nil
            }
            #expect(list.title == "tools")
            #expect(session.run { Diagnostics.liveReactions.isEmpty })
        }

        @Test func aRootWithoutStateBelongsToTheCurrentGraph() throws {
            struct Empty: Codable { var numbers = [1, 2, 3] }
            let reaction = session.run { deepObserve(Empty()) {} }
            #expect(session.run { Diagnostics.liveReactions.count } == 1)
            reaction.cancel()
            try apply([], to: Empty())
        }

        // MARK: - Two graphs below one root

        private struct Pair: Codable {
            @Observable var name = "pair"
            var own: Observable<Int>
            var other: Observable<Int?>
            @Observable var others: [Observable<Int?>] = []

            init(own: Observable<Int>, other: Observable<Int?>) {
                self.own = own
                self.other = other
            }
        }

        private func makePair() -> (pair: Pair, other: Observable<Int?>) {
            let other = Observable<Int?>(1, named: "stranger")
            return (session.run { Pair(own: Observable(1), other: other) }, other)
        }

        @Test func stateOfAnotherGraphIsReportedAndTheRestIsObserved() {
            let (pair, other) = makePair()
            var pointers: [String] = []
            var reaction: Reaction?
            let found = issues {
                reaction = deepObserve(pair, named: "observer") { changes in pointers += changes.map(\.pointer) }
            }
            #expect(found.count == 1 && found[0].kind == .encoding)
            #expect(
                found[0].description
                    == "observer does not observe /other: stranger belongs to the default graph, and cannot be used "
                    + "together with state of graph session. Create both in the same graph.")
            pair.own.value = 2
            other.value = 2
            #expect(issues { pair.others = [other] }.count == 1)
            pair.name = "both"
            #expect(pointers == ["/own", "/others", "/name"])
            reaction?.cancel()
        }

        @Test func stateOfAnotherGraphIsNoPartOfAPatch() throws {
            let (pair, other) = makePair()
            func patch(_ pointer: String, _ value: JSONValue) throws -> JSONPatch {
                [
                    .replace(path: try JSONPointer("/own"), value: 5),
                    .replace(path: try JSONPointer(pointer), value: value),
                ]
            }
            try apply(patch("/name", "both"), to: pair)
            #expect(pair.name == "both" && pair.own.value == 5)
            pair.own.value = 1
            let error = #expect(throws: JSONPatchError.self) { try apply(patch("/other", 7), to: pair) }
            #expect(error?.reason.contains("stranger belongs to the default graph") == true)
            #expect(pair.own.value == 1 && other.value == 1)
            try inTransaction {
                // No state below the root is usable here, and the transaction continues.
                #expect(throws: JSONPatchError.self) { try apply(patch("/name", "none"), to: pair) }
                try apply([.replace(path: .root, value: 2)], to: other)
            }
            #expect(pair.name == "both" && other.value == 2)
        }

        @Test func stateOfAnotherGraphMakesEncodingFailWithBothNames() throws {
            let (pair, _) = makePair()
            var results: [Result<Data, any Error>] = []
            let reaction = encodeOnChange(pair, encoder: JSONEncoder()) { results.append($0) }
            pair.name = "both"
            let error = #expect(throws: EncodingError.self) { try results.first?.get() }
            #expect("\(error as Any)".contains("stranger belongs to the default graph"))
            reaction.cancel()
        }
    }
}
