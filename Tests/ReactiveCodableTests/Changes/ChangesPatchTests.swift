// Recorded changes as patches, compared with the naive implementation on the JSON of the whole graph.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ChangesPatchTests {
        typealias List = ApplyTests.List
        typealias Item = ApplyTests.Item
        typealias Owner = ApplyTests.Owner

        /// Returns the patches of the transactions in `edit`.
        private func patches<Root: Codable>(
            of root: Root, using encoder: JSONEncoder = JSONEncoder(), _ edit: () -> Void
        ) throws -> [JSONPatch] {
            var patches: [Result<JSONPatch, any Error>] = []
            let observation = deepObserve(root) { changes in
                patches.append(Result { try changes.jsonPatch(using: encoder) })
            }
            defer { observation.cancel() }
            edit()
            return try patches.map { try $0.get() }
        }

        @Test func oneEditIsOneOperation() throws {
            let list = List()
            let patches = try patches(of: list) {
                list.title = "x"
                list.items[1].title = "Rye"
                list.items.insert(Item(4, "Tea"), at: 1)
                list.items.remove(at: 0)
                list.items.swapAt(0, 1)
                list.owner = Owner(id: 1, name: "Ann", boss: nil)
                list.owner?.boss = Owner(id: 2, name: "Bob", boss: nil)
                list.owner?.boss = nil
                list.owner = nil
            }
            #expect(
                patches.map(\.description) == [
                    #"[{"op":"replace","path":"/title","value":"x"}]"#,
                    #"[{"op":"replace","path":"/items/1/title","value":"Rye"}]"#,
                    #"[{"op":"add","path":"/items/1","value":{"id":4,"isDone":false,"title":"Tea"}}]"#,
                    #"[{"op":"remove","path":"/items/0"}]"#,
                    #"[{"from":"/items/0","op":"move","path":"/items/1"}]"#,
                    #"[{"op":"add","path":"/owner","value":{"id":1,"name":"Ann"}}]"#,
                    #"[{"op":"add","path":"/owner/boss","value":{"id":2,"name":"Bob"}}]"#,
                    #"[{"op":"remove","path":"/owner/boss"}]"#,
                    #"[{"op":"remove","path":"/owner"}]"#,
                ])
        }

        @Test func aPatchUpdatesACopy() throws {
            let list = List()
            let before = try JSONValue(encoding: list)
            let copy = try before.decoded(as: List.self)
            let patches = try patches(of: list) {
                inTransaction {
                    list.items[2].title = "Six eggs"
                    list.items.move(fromOffset: 2, to: 0)
                    list.items[1].isDone = true
                    list.items.append(Item(5, "Jam"))
                    list.title = "breakfast"
                }
            }
            #expect(patches.count == 1)
            let patch = try #require(patches.first)
            let after = try JSONValue(encoding: list)
            #expect(try NaiveJSONPatch.apply(patch, to: before) == after)
            try apply(patch, to: copy)
            #expect(try JSONValue(encoding: copy) == after)
            try apply(patch.inverse, to: copy)
            #expect(try JSONValue(encoding: copy) == before)
        }

        //  one member less is a removal, more than the rest are a new dictionary
        @Test func aDictionaryThatLosesMostOfItsMembersIsReplaced() throws {
            struct Table: Codable { @Observable var cells: [String: Int] = [:] }
            func operationCount(removing removed: Int, _ edit: (inout [String: Int]) -> Void = { _ in }) throws -> Int {
                let table = Table()
                let kept = Dictionary(uniqueKeysWithValues: (0..<10).map { ("kept \($0)", $0) })
                table.cells = kept.merging((0..<removed).map { ("removed \($0)", $0) }) { $1 }
                let patches = try patches(of: table) {
                    var cells = kept
                    edit(&cells)
                    table.cells = cells
                }
                return try #require(patches.first).operations.count
            }
            #expect(try operationCount(removing: 9) == 9)
            #expect(try operationCount(removing: 18) == 1)
            #expect(try operationCount(removing: 11) { $0["kept 1"] = 20 } == 1)
            #expect(
                try operationCount(removing: 11) {
                    $0["kept 1"] = nil
                    $0["new"] = 1
                } == 1)
        }

        struct Corners: Codable {
            struct Part: Codable { @Observable var someNote: String? }
            @Observable var byKey: [String: Observable<Int?>] = ["aKey": Observable(1), "bKey": Observable(nil)]
            @Observable var list: [Observable<Int?>] = [Observable(1), Observable(nil)]
            @Observable var somePart = Part(someNote: nil)
            @Observable var nested = Observable(1)
            @Observable var lastChange = Date(timeIntervalSince1970: 0)
        }

        enum KeyNames { case original, converted, custom }

        @Test(arguments: [KeyNames.original, .converted, .custom])
        func nilIsAbsentInPropertiesAndNullElsewhere(names: KeyNames) throws {
            let encoder = JSONEncoder()
            if names == .converted {
                encoder.keyEncodingStrategy = .convertToSnakeCase
                encoder.dateEncodingStrategy = .iso8601
            } else if names == .custom {
                encoder.keyEncodingStrategy = .custom { path in
                    CustomKey("\(path.count) \(path.last?.stringValue ?? "")")
                }
            }
            let corners = Corners()
            var state = try JSONValue(parsing: encoder.encode(corners))
            #expect(try JSONValue(encoding: corners, using: encoder) == state)
            let edits: [() -> Void] = [
                { corners.byKey["aKey"]?.value = nil }, { corners.byKey["bKey"]?.value = 2 },
                { corners.byKey["cKey"] = Observable(nil) }, { corners.byKey["aKey"] = nil },
                { corners.list[0].value = nil }, { corners.list[1].value = 3 }, { corners.list.removeFirst() },
                { corners.somePart.someNote = "n" }, { corners.somePart.someNote = nil },
                { corners.nested.value = 2 }, { corners.nested = Observable(3) },
                {
                    inTransaction {
                        corners.nested.value = 4; corners.nested = Observable(5)
                    }
                },
                { corners.lastChange = Date(timeIntervalSince1970: 60) },
            ]
            for (number, edit) in edits.enumerated() {
                let patch = try patches(of: corners, using: encoder, edit).reduce(JSONPatch([])) { $0.appending($1) }
                let next = try JSONValue(parsing: encoder.encode(corners))
                #expect((try? NaiveJSONPatch.apply(patch, to: state)) == next, "edit \(number): \(patch) on \(state)")
                #expect((try? NaiveJSONPatch.apply(patch.inverse, to: next)) == state, "edit \(number): \(patch)")
                #expect(patch.operations.count == 1, "edit \(number): \(patch)")
                state = next
            }
        }

        // Each patch that is applied catches up with the writes before it, so the observation sees each value.
        @Test func aChangeThatIsSeenInStepsIsOneChange() throws {
            struct Root: Codable {
                @Observable var title = ""
                @Observable var members: [String: Int]? = ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5]
            }
            for steps in [
                [nil, ["x": 1], ["a": 1, "b": 2, "c": 3, "d": 4, "x": 1]],
                [["a": 1], ["a": 1, "b": 2, "c": 3, "d": 4]],
                [["a": 2], nil, ["a": 2, "b": 2, "c": 3, "d": 4, "e": 5]],
            ] {
                let root = Root()
                let before = try JSONValue(encoding: root)
                var expected = before
                let patches = try patches(of: root) {
                    inTransaction(onError: .commit) {
                        for (number, step) in steps.enumerated() {
                            root.members = step
                            let path = JSONPointer(tokens: ["title"])
                            try? apply(JSONPatch([.replace(path: path, value: .string("\(number)"))]), to: root)
                        }
                    }
                }
                #expect(root.title == "\(steps.count - 1)")
                for patch in patches { expected = try NaiveJSONPatch.apply(patch, to: expected) }
                #expect(try JSONValue(encoding: root) == expected, "\(steps): \(patches)")
                for patch in patches.reversed() { expected = try NaiveJSONPatch.apply(patch.inverse, to: expected) }
                #expect(expected == before, "\(steps): \(patches)")
            }
        }

        struct CustomKey: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.init(stringValue) }
            init?(intValue: Int) { self.init("\(intValue)") }
        }

        @Test func aStrategyMayExchangeTheNamesOfKeys() throws {
            struct Pair: Codable {
                @Observable var left = 1
                @Observable var right = 2
            }
            let pair = Pair(), encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .custom { path in
                CustomKey(path.last?.stringValue == "left" ? "right" : "left")
            }
            let patches = try patches(of: pair, using: encoder) { pair.left = 3 }
            #expect(patches.map(\.description) == [#"[{"op":"replace","path":"/right","value":3}]"#])
        }

        @Test func keptChangesShowTheStateOfTheirTime() throws {
            let list = List()
            var kept: DeepChanges?
            let observation = deepObserve(list) { changes in if kept == nil { kept = changes } }
            defer { observation.cancel() }
            let before = try JSONValue(encoding: list)
            list.items.removeFirst()
            let after = try JSONValue(encoding: list)
            list.items[0].title = "later"
            list.items = []
            let changes = try #require(kept)
            #expect(try JSONValue(encoding: changes.before) == before)
            #expect(try JSONValue(encoding: changes.after) == after)
            #expect(try changes.jsonPatch().description == #"[{"op":"remove","path":"/items/0"}]"#)
        }

        @Test func randomEditsOfRandomGraphsGiveExactPatches() throws {
            for seed in seeds(30) {
                var random = RandomDocuments(seed: seed)
                let graph = RandomGraphTests.node(&random, 3)
                var state = try JSONValue(encoding: graph)
                let copy = try state.decoded(as: RandomGraphTests.Node.self)
                for _ in 0..<4 {
                    let patch =
                        try patches(of: graph) {
                            inTransaction {
                                for _ in 0...random.below(3) { RandomGraphTests.change(graph, &random) }
                            }
                        }.first ?? []
                    let next = try JSONValue(encoding: graph)
                    #expect((try? NaiveJSONPatch.apply(patch, to: state)) == next, "seed \(seed): \(patch) on \(state)")
                    #expect((try? NaiveJSONPatch.apply(patch.inverse, to: next)) == state, "seed \(seed): \(patch)")
                    try apply(patch, to: copy)
                    #expect(try JSONValue(encoding: copy) == next, "seed \(seed): \(patch) on \(state)")
                    state = next
                }
            }
        }
    }
}

extension Array {
    fileprivate mutating func move(fromOffset index: Int, to target: Int) { insert(remove(at: index), at: target) }
}
