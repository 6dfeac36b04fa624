// Applying a patch encodes and decodes only values on its paths.

import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ApplyCostTests {
        /// Counts how often values are encoded and decoded.
        final class Counter: @unchecked Sendable {
            // Sendable because each test uses one thread.
            var encoded = 0
            var decoded = 0
            @TaskLocal static var current: Counter?
        }

        struct Item: Codable {
            var id: Int
            @Observable var title: String
            enum CodingKeys: CodingKey { case id, title }
            init(_ id: Int) {
                self.id = id
                title = "item \(id)"
            }
            init(from decoder: any Decoder) throws {
                Counter.current?.decoded += 1
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                _title = try container.decode(Observable<String>.self, forKey: .title)
            }
            func encode(to encoder: any Encoder) throws {
                Counter.current?.encoded += 1
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(_title, forKey: .title)
            }
        }

        final class Lists: Codable {
            @Observable var items = (0..<1_000).map { Item($0) }
            @Observable var byName = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("k\($0)", Item($0)) })
            @Observable var byNumber = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, Item($0)) })
            @Observable var numbers = Array(0..<1_000)
        }

        /// Applies a patch, and compares the graph with the patched document. Returns the cost of the second of two
        /// applications, since the first one may search for shared objects.
        private func cost(_ text: String, of lists: Lists) throws -> (encoded: Int, decoded: Int) {
            let patch = try JSONPatch(parsing: text)
            let before = try JSONValue(encoding: lists)
            lists.numbers = []
            try apply([.replace(path: JSONPointer("/numbers"), value: before["numbers"] ?? .null)], to: lists)
            let counter = Counter()
            try Counter.$current.withValue(counter) { try apply(patch, to: lists) }
            #expect(try JSONValue(encoding: lists) == patch.applying(to: before))
            return (counter.encoded, counter.decoded)
        }

        @Test func oneLeafCostsOneElement() throws {
            let lists = Lists()
            for path in ["/items/500", "/byName/k500", "/byNumber/500"] {
                let cost = try cost(#"[{"op":"replace","path":"\#(path)/title","value":"x"}]"#, of: lists)
                #expect(cost == (1, 0), "\(path)")
            }
        }

        // Alone, because other tests' searches for shared objects would replace the remembered one.
        @Test(.alone) func addedAndRemovedElementsCostOnlyThemselves() throws {
            let lists = Lists()
            let new = #"{"id":-1,"title":"new"}"#
            #expect(try cost(#"[{"op":"add","path":"/items/500","value":\#(new)}]"#, of: lists) == (0, 1))
            #expect(try cost(#"[{"op":"add","path":"/byName/new","value":\#(new)}]"#, of: lists) == (0, 1))
            #expect(try cost(#"[{"op":"add","path":"/byNumber/-7","value":\#(new)}]"#, of: lists) == (0, 1))
            #expect(try cost(#"[{"op":"remove","path":"/items/3"}]"#, of: lists) == (1, 0))
            #expect(try cost(#"[{"op":"move","from":"/items/3","path":"/items/900"}]"#, of: lists) == (1, 0))
            #expect(try cost(#"[{"op":"replace","path":"/items/900/id","value":-2}]"#, of: lists) == (1, 1))
            #expect(lists.items.count == 1_000)
        }

        @Test func elementsBesideTheChangeKeepTheirIdentity() throws {
            let lists = Lists()
            let names = lists.byName.mapValues { ObjectIdentifier($0.observable) }
            let identities = lists.items.map { ObjectIdentifier($0.observable) }
            _ = try cost(
                #"[{"op":"move","from":"/items/3","path":"/items/900"},{"op":"remove","path":"/byName/k7"}]"#, of: lists
            )
            var expected = identities
            expected.insert(expected.remove(at: 3), at: 900)
            #expect(lists.items.map { ObjectIdentifier($0.observable) } == expected)
            #expect(lists.byName.count == 999)
            #expect(lists.byName.allSatisfy { names[$0.key] == ObjectIdentifier($0.value.observable) })
        }

        @Test func theNameOfANumberIsWrittenInOneFormOnly() throws {
            let lists = Lists()
            #expect(throws: JSONPatchError.self) {
                try apply([.remove(path: JSONPointer("/byNumber/05"))], to: lists)
            }
            #expect(throws: JSONPatchError.self) {
                try apply(
                    [.add(path: JSONPointer("/byNumber/05"), value: ["id": 1, "title": "x"])], to: lists)
            }
            #expect(lists.byNumber.count == 1_000)
        }

        @Test func aDeepObservationReplacesTheWalk() throws {
            let lists = Lists()
            let patch: JSONPatch = [.replace(path: JSONPointer(tokens: ["items", "500", "title"]), value: "x")]
            for isObserved in [false, true] {
                let observer: Reaction? = isObserved ? deepObserve(lists) {} : nil
                defer { observer?.cancel() }
                lists.numbers.append(1)
                lists.items[500].title = "y"
                let counter = Counter()
                try Counter.$current.withValue(counter) { try apply(patch, to: lists) }
                // The walk encodes everything once.
                #expect(counter.encoded == (isObserved ? 1 : 3_001))
            }
        }

        // MARK: - Random operations

        final class Tray: Codable {
            @Observable var items: [Item]
            @Observable var byName: [String: Item]
            @Observable var byNumber: [Int: [Int]]
            @Observable var nested: [[Item]]
            init(_ count: Int) {
                items = (0..<count).map { Item($0) }
                byName = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", Item($0)) })
                byNumber = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, [$0]) })
                nested = (0..<count).map { number in (0..<number % 3).map { Item($0) } }
            }
        }

        @Test(arguments: [4, 60, 1_500])
        func randomOperationsGiveTheSameAsOnTheDocument(_ operationCount: Int) throws {
            for seed in seeds(operationCount > 1_000 ? 2 : 20) {
                var random = RandomDocuments(seed: seed)
                let tray = Tray(1 + random.below(30))
                let before = try JSONValue(encoding: tray)
                var document = before
                var operations: [JSONPatch.Operation] = []
                for _ in 0..<operationCount {
                    let operation = Self.operation(&random, on: document)
                    guard let after = try? JSONPatch([operation]).applying(to: document) else { continue }
                    operations.append(operation)
                    document = after
                }
                let patch = JSONPatch(operations)
                try apply(patch, to: tray)
                #expect(try JSONValue(encoding: tray) == document, "seed \(seed)")
                try apply(patch.inverse(for: before), to: tray)
                #expect(try JSONValue(encoding: tray) == before, "seed \(seed)")
            }
        }

        private static func operation(_ random: inout RandomDocuments, on document: JSONValue) -> JSONPatch.Operation {
            let item: JSONValue = ["id": .number(JSONNumber(random.below(100))), "title": "new"]
            func element(_ list: JSONPointer) -> JSONPointer {
                guard case .array(let array) = document[list] else { return list.appending("0") }
                return list.appending(String(random.below(array.count + 1)))
            }
            let items = JSONPointer(tokens: ["items"])
            let nested = JSONPointer(tokens: ["nested"])
            func name() -> JSONPointer { JSONPointer(tokens: ["byName"]).appending("k\(random.below(40))") }
            func number() -> JSONPointer { JSONPointer(tokens: ["byNumber"]).appending(String(random.below(40))) }
            return switch random.below(15) {
            case 0: .add(path: element(items), value: item)
            case 1: .remove(path: element(items))
            case 2: .move(from: element(items), path: element(items))
            case 3: .copy(from: element(items), path: element(items))
            case 4: .replace(path: element(items).appending("title"), value: "x")
            case 5: .replace(path: element(items).appending("id"), value: -1)
            case 6: .add(path: name(), value: item)
            case 7: .remove(path: name())
            case 8: .move(from: name(), path: element(items))
            case 9: .move(from: element(items), path: name())
            case 10: .add(path: number(), value: [1, 2])
            case 11: .move(from: number(), path: number())
            case 12: .add(path: number().appending("0"), value: 9)
            case 13: .move(from: element(element(nested)), path: element(element(nested)))
            default: .add(path: element(nested), value: [item])
            }
        }
    }
}

extension ReactiveCodableTests.ApplyCostTests.Item {
    /// The observable of the title.
    var observable: AnyObject { _title }
}
