// Applying patches to graphs that a deep observation knows: what it knows is of its own root, and up to date.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ApplyObservedTests {
        struct Todo: Codable {
            @Observable var title = "milk"
            var observable: ObjectIdentifier { ObjectIdentifier(_title) }
        }

        final class One: Codable {
            @Observable var todo: Todo
            init(_ todo: Todo) { _todo = Observable(wrappedValue: todo) }
        }

        final class Two: Codable {
            @Observable var first: Todo
            @Observable var second: Todo?
            @Observable var holder: Holder?

            init(_ first: Todo, _ second: Todo?) {
                _first = Observable(wrappedValue: first)
                _second = Observable(wrappedValue: second)
            }
        }

        /// Refers to a todo in one of the ways that have regions of their own.
        final class Holder: Codable {
            @Observable var todo: Todo?
            @Observable var list: [Todo] = []
            @Observable var table: [String: Todo] = [:]
            private(set) var rows: ObservableArray<Todo> = []
        }

        private let patch: JSONPatch

        init() throws { patch = try JSONPatch(parsing: #"[{"op":"replace","path":"/first/title","value":"tea"}]"#) }

        @Test(arguments: [false, true]) func anObservationOfADifferentRootIsNotTrusted(isOwner: Bool) throws {
            let todo = Todo()
            let one = One(todo), two = Two(todo, todo)
            let r = isOwner ? deepObserve(one, of: one) { _ in } : deepObserve(one) {}
            defer { r.cancel() }
            try apply(patch, to: two)
            #expect(two.first.title == "tea" && two.second?.title == "milk")
        }

        @Test(arguments: [false, true]) func anObservationOfAnEqualRootIsNotTrusted(isOwner: Bool) throws {
            let todo = Todo()
            let one = Two(todo, nil), two = Two(todo, todo)
            let r = isOwner ? deepObserve(one, of: one) { _ in } : deepObserve(one) {}
            defer { r.cancel() }
            try apply(patch, to: two)
            #expect(two.first.title == "tea" && two.second?.title == "milk")
        }

        @Test(arguments: 0..<4) func aRemovedHolderSharesNothing(way: Int) throws {
            let root = Two(Todo(), nil)
            let holder = Holder()
            switch way {
            case 0: holder.todo = root.first
            case 1: holder.list = [root.first]
            case 2: holder.table = ["a": root.first]
            default: holder.rows.append(root.first)
            }
            root.holder = holder
            let r = deepObserve(root) {}
            defer { r.cancel() }
            root.holder = nil
            let title = root.first.observable
            try apply(patch, to: root)
            #expect(root.first.title == "tea" && root.first.observable == title)
        }

        @Test func linksOfARolledBackTransactionAreForgotten() throws {
            let root = Two(Todo(), nil)
            let title = root.first.observable
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            try? inTransaction {
                root.second = root.first
                try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/second/title","value":"tea"}]"#), to: root)
                throw CancellationError()
            }
            #expect(root.second == nil && root.first.title == "milk")
            #expect(count == 0)
            try apply(patch, to: root)
            #expect(root.first.title == "tea" && root.first.observable == title)
            #expect(count == 1)
        }

        //  write ─▶ a patch, which asks the observation for paths ─▶ roll-back: nothing has changed
        @Test func aPatchInARolledBackTransactionMakesNoObservationRun() throws {
            let root = Two(Todo(), nil)
            let other = Two(Todo(), nil)
            var runs: [String] = []
            let reactions = [
                deepObserve(root) { runs.append("root") }, deepObserve([root, other]) { runs.append("both") },
            ]
            defer { for reaction in reactions { reaction.cancel() } }
            for rollsBack in [true, false] {
                try? inTransaction {
                    root.first.title = "bread"
                    try apply(patch, to: root)
                    other.first.title = "bread"
                    try apply(patch, to: root)
                    if rollsBack { throw CancellationError() }
                }
                #expect(runs.sorted() == (rollsBack ? [] : ["both", "root"]))
            }
        }

        /// Encodes a computed.
        private struct Parity: Codable {
            let number: Observable<Int>
            let isOdd: Computed<Bool>
            @Observable var title = "milk"

            enum CodingKeys: CodingKey { case isOdd, title }

            init(_ number: Observable<Int> = Observable(1)) {
                self.number = number
                isOdd = Computed { number.value % 2 == 1 }
            }

            init(from decoder: any Decoder) throws { self.init() }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(isOdd.value, forKey: .isOdd)
                try container.encode(_title, forKey: .title)
            }
        }

        //  2 ─▶ {3, a patch, which finds that the parity of 1 and 3 is the same} rolled back: 2 is still a change
        @Test func aPatchInARolledBackTransactionHidesNoChange() throws {
            let root = Parity()
            var runs: [Bool] = []
            let r = deepObserve(root) { runs.append(root.isOdd.value) }
            defer { r.cancel() }
            inTransaction {
                root.number.value = 2
                try? inTransaction {
                    root.number.value = 3
                    try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/title","value":"tea"}]"#), to: root)
                    throw CancellationError()
                }
            }
            #expect(runs == [false])
        }

        //  kept ─▶ an update that the end prevents from being delivered
        @Test func keptChangesShowTheirStateAfterAnEndBetweenAnUpdateAndItsDelivery() throws {
            let root = Two(Todo(), Todo())
            var kept: DeepChanges?
            let r = deepObserve(root) { (changes: DeepChanges) in kept = kept ?? changes }
            root.first.title = "bread"
            try inTransaction(onError: .commit) {
                root.first.title = "butter"
                try apply(patch, to: root)
                r.cancel()
            }
            root.second?.title = "later"
            let state = #"{"first":{"title":"bread"},"second":{"title":"milk"}}"#
            #expect(try JSONValue(encoding: #require(kept).after).description == state)
        }

        @Test func theRootMayBeAnOptionalOwner() {
            weak var gone: One?
            let todo = Todo()
            var log: [String] = []
            let r: Reaction
            do {
                let one = One(todo)
                gone = one
                r = deepObserve(Optional(one), of: one) { _, changes in log += changes.map(\.pointer) }
                todo.title = "tea"
            }
            #expect(log == ["/todo/title"])
            #expect(gone == nil)
            r.cancel()
        }

        // MARK: - Changes that are delivered later

        /// State that changes several times before its changes are delivered.
        final class State: Codable {
            @Observable var title = "a"
            @Observable var table: [String: Int] = ["z": 0]
            private(set) var rows: ObservableArray<Int> = [0]
            @Observable var first = Todo()
        }

        @Test func changesAroundAPatchAreReportedAsOne() throws {
            let state = State()
            var waiting: [@Sendable () -> Void] = []
            var reported: [DeepChanges] = []
            let r = deepObserve(state, schedule: .custom { waiting.append($0) }) { (changes: DeepChanges) in
                reported.append(changes)
            }
            defer { r.cancel() }
            let before = try JSONValue(encoding: state)
            for number in 1...3 {
                state.title += "b"
                state.table["\(number)"] = number
                state.rows.append(number)
                try apply(patch, to: state)
            }
            #expect(reported.isEmpty)
            while let run = waiting.popLast() { run() }
            try #require(reported.count == 1)
            let after = try JSONValue(encoding: state)
            #expect(try JSONValue(encoding: reported[0].before) == before)
            #expect(try JSONValue(encoding: reported[0].after) == after)
            #expect(Set(reported[0].map(\.pointer)) == ["/title", "/table", "/rows", "/first/title"])
            #expect(reported[0].count == 4)
            #expect(try NaiveJSONPatch.apply(reported[0].jsonPatch(), to: before) == after)
        }
    }
}
