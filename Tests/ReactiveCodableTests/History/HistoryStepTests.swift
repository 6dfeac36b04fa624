// Steps as they are recorded, and logs of graphs with sharing, sets and keys other than strings.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct HistoryStepTests {
        typealias Todo = HistoryIdentityTests.Todo
        typealias Todos = HistoryIdentityTests.Todos
        typealias Kind = HistoryIdentityTests.Kind

        struct Board: Codable {
            @Observable var todos: [Todo] = ["a", "b", "c"].map(Todo.init)
            @Observable var selected: Todo?
            @Observable var tags: Set<String> = ["x", "y", "z"]
            @Observable var byKind: [Kind: Todo] = [.open: Todo("open"), .done: Todo("done")]
            @Observable var number: Int? = 1
        }

        @Test func aListenerGetsEachStepWithItsPatch() throws {
            let list = Todos()
            let copy = try JSONValue(encoding: list).decoded(as: Todos.self)
            let history = History(list)
            var steps: [HistoryStep] = []
            let listener = history.onStep { steps.append($0) }
            list.todos[0].title = "oat milk"
            inTransaction {
                list.todos.insert(Todo("tea"), at: 1)
                list.todos[2].title = "rye"
            }
            history.untracked { list.todos[0].title = "soy milk" }
            try history.undo()
            try history.redo()
            #expect(steps.map(\.kind) == [.done, .done, .undone, .redone])
            try apply(steps[0].patch, to: copy)
            try apply(steps[1].patch, to: copy)
            #expect(copy.titles == ["oat milk", "tea", "rye", "eggs"])
            try apply(steps[2].patch, to: copy)
            try apply(steps[2].inverse, to: copy)
            try apply(steps[3].inverse, to: copy)
            #expect(copy.titles == ["oat milk", "bread", "eggs"])
            listener.cancel()
            list.todos = []
            #expect(steps.count == 4)
        }

        @Test func aListenerThatIsAddedInATransactionGetsWhatFollows() {
            let list = Todos()
            let history = History(list)
            var titles: [String] = []
            let first = history.onStep { titles.append("first: \($0.patch.operations.count)") }
            var second: Reaction?
            inTransaction {
                list.todos[0].title = "oat milk"
                second = history.onStep { titles.append("second: \($0.patch.operations.count)") }
            }
            #expect(titles == ["first: 1"])
            titles = []
            inTransaction { for todo in list.todos { todo.title += "!" } }
            #expect(titles.sorted() == ["first: 3", "second: 3"])
            for reaction in [first, second] { reaction?.cancel() }
        }

        @Test func stepsAreEncodedOnlyWhileThereIsAListener() {
            struct Numbers: Codable { @Observable var number = 1.0 }
            for isListening in [true, false] {
                let numbers = Numbers()
                let history = History(numbers, named: "listening: \(isListening)")
                let listener = history.onStep { _ in }
                if !isListening { listener.cancel() }
                #expect(TestSupport.issues { numbers.number = .nan }.count == (isListening ? 1 : 0))
                #expect(history.undoCount == 1)
                listener.cancel()
            }
        }

        /// Edits a board that contains an object on two paths, a set and a dictionary with other keys.
        private func edit(_ board: Board) {
            board.selected = board.todos[1]
            board.selected?.title = "B"
            board.tags.insert("new")
            board.byKind[.late] = Todo("late")
            inTransaction {
                board.byKind[.open]?.title = "OPEN"
                board.todos.swapAt(0, 2)
                board.todos[0].title = "C"
                board.number = nil
            }
            board.tags.remove("x")
            board.selected = nil
            board.todos.removeFirst()
        }

        private func state(_ board: Board) -> [String] {
            [
                board.todos.map(\.title).joined(), board.selected?.title ?? "nil", board.tags.sorted().joined(),
                board.byKind.map { "\($0):\($1.title)" }.sorted().joined(), "\(board.number ?? -1)",
            ]
        }

        @Test func aLogOfSharedObjectsAndSetsReplaysOntoOtherCopies() throws {
            let board = Board()
            let start = state(board)
            let history = History(board)
            edit(board)
            let end = state(board)
            let log = try JSONDecoder().decode(HistoryLog.self, from: JSONEncoder().encode(history.log))
            #expect(log.done.count == 8)

            let copies = (0..<3).map { _ in Board() }
            for copy in copies {
                // A different order, as in a different process.
                copy.tags = Set(["z", "y", "x", "w", "v"])
                copy.tags.subtract(["w", "v"])
                try log.replay(onto: copy)
                #expect(state(copy) == end)
                let continued = try History(copy, log: log)
                while continued.canUndo { try continued.undo() }
                #expect(state(copy) == start)
                while continued.canRedo { try continued.redo() }
                #expect(state(copy) == end)
                #expect(continued.log.done.count == 8)
            }
        }

        @Test func restoredEntriesKeepIdentityOnceTheyWereUndone() throws {
            let board = Board()
            let history = History(board)
            edit(board)
            let continued = try History(board, log: history.log)
            history.end()
            let todos = board.todos
            for _ in 0..<2 {
                try continued.undo()
                try continued.redo()
            }
            #expect(board.todos.map(ObjectIdentifier.init) == todos.map(ObjectIdentifier.init))
        }

        @Test func aLogWithValuesOfWrongTypesIsRefusedAsAWhole() throws {
            let board = Board()
            let history = History(board)
            board.todos[0].title = "A"
            board.todos[1].title = "B"
            var log = history.log
            let path = try JSONPointer("/todos/0/title")
            // Entry 1 writes a number, and entry 2 continues from there.
            log.done[0].patch = JSONPatch([.replace(path: path, value: 5)])
            let third = HistoryLog.Entry(
                patch: JSONPatch([.replace(path: path, value: "A")]),
                inverse: JSONPatch([.replace(path: path, value: 5)]))
            log.done.append(third)
            let fresh = Board()
            var changes = 0
            let observation = deepObserve(fresh) { changes += 1 }
            defer { observation.cancel() }
            #expect {
                try log.replay(onto: fresh)
            } throws: { error in
                (error as? HistoryError)?.kind == .logDoesNotFit && (error as? HistoryError)?.entry == 1
            }
            #expect(changes == 0 && state(fresh) == state(Board()))
            #expect {
                try History(board, log: log)
            } throws: { ($0 as? HistoryError)?.entry == 3 }
            #expect(state(board)[0] == "ABc")
        }

        @Test func theLogEqualsPatchesRecordedOneByOne() throws {
            for seed in seeds(20) {
                var random = SplitMix64(seed: seed)
                let board = Board()
                let history = History(board)
                var documents = [try JSONValue(encoding: board)]
                for _ in 0..<15 {
                    inTransaction {
                        for _ in 0...Int.random(in: 0...2, using: &random) { HistoryStepTests.change(board, &random) }
                    }
                    if history.undoCount == documents.count { documents.append(try JSONValue(encoding: board)) }
                }
                for _ in 0..<4 where history.canUndo { try history.undo() }
                let log = history.log
                var document = documents[0]
                for (index, entry) in (log.done + log.undone).enumerated() {
                    document = try entry.patch.applying(to: document)
                    #expect(HistoryStepTests.isSame(document, documents[index + 1]), "seed \(seed), entry \(index + 1)")
                    let back = try entry.inverse.applying(to: document)
                    #expect(HistoryStepTests.isSame(back, documents[index]), "seed \(seed), entry \(index + 1)")
                }
            }
        }

        private static func change(_ board: Board, _ random: inout SplitMix64) {
            func number(_ limit: Int) -> Int { Int.random(in: 0..<max(limit, 1), using: &random) }
            switch number(8) {
            case 0: board.todos.insert(Todo("n\(number(9))"), at: number(board.todos.count + 1))
            case 1 where !board.todos.isEmpty: board.todos.remove(at: number(board.todos.count))
            case 2: board.todos.shuffle(using: &random)
            case 3 where !board.todos.isEmpty: board.selected = board.todos[number(board.todos.count)]
            case 4: board.selected?.title += "!"
            case 5: board.tags.formSymmetricDifference(["t\(number(4))"])
            case 6: board.byKind[[.open, .done, .late][number(3)]]?.title += "?"
            default: board.number = number(2) == 0 ? nil : number(5)
            }
        }

        /// Whether both are equal apart from the order of the arrays that encode sets and dictionaries.
        private static func isSame(_ a: JSONValue, _ b: JSONValue) -> Bool {
            func normal(_ value: JSONValue) -> JSONValue? {
                guard case .object(let members) = value, case .array(let tags)? = members["tags"] else { return nil }
                var sorted = members.members
                sorted["tags"] = .array(JSONArray(tags.sorted { "\($0)" < "\($1)" }))
                return .object(JSONObject(sorted))
            }
            return normal(a) == normal(b)
        }
    }
}
