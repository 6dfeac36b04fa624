// Patches of many operations on one array or object, compared with the naive implementation.

import JSONTestSupport
import ReactiveJSON
import TestSupport
import Testing

@Suite struct ManyOperationsTests {
    @Test(arguments: [3, 50, 3_000])
    func randomOperationsOnOneArrayFollowTheRFC(_ operationCount: Int) throws {
        for seed in seeds(operationCount > 1_000 ? 2 : 20) {
            var random = RandomDocuments(seed: seed)
            let count = 1 + random.below(40)
            let document: JSONValue = ["list": .array(JSONArray((0..<count).map { ["id": .number(JSONNumber($0))] }))]
            var length = count
            var operations: [JSONPatch.Operation] = []
            func place(_ bound: Int) -> JSONPointer {
                JSONPointer(tokens: ["list", String(random.below(bound))])
            }
            for number in 0..<operationCount {
                let value: JSONValue = ["id": .number(JSONNumber(1_000 + number))]
                switch length == 0 ? 0 : random.below(7) {
                case 0, 1:
                    operations.append(.add(path: place(length + 1), value: value))
                    length += 1
                case 2:
                    operations.append(.remove(path: place(length)))
                    length -= 1
                case 3: operations.append(.replace(path: place(length), value: value))
                case 4: operations.append(.move(from: place(length), path: place(length)))
                case 5:
                    operations.append(.copy(from: place(length), path: place(length + 1)))
                    length += 1
                default:
                    operations.append(.add(path: place(length).appending("note"), value: .string("\(number)")))
                }
            }
            let patch = JSONPatch(operations)
            let after = try patch.applying(to: document)
            #expect(try after == NaiveJSONPatch.apply(patch, to: document), "seed \(seed)")
            #expect(try patch.inverse(for: document).applying(to: after) == document, "seed \(seed)")
        }
    }

    @Test func addedAndRemovedMembersFollowTheRFC() throws {
        for seed in seeds(50) {
            var random = RandomDocuments(seed: seed)
            var document: JSONValue = ["a": 1, "b": [1, 2], "c": ["a": 0]]
            for _ in 0..<20 {
                let key = random.key()
                let path = JSONPointer(tokens: [key])
                let isThere = document[key] != nil
                let patch: JSONPatch =
                    switch random.below(4) {
                    case 0 where isThere: [.remove(path: path), .add(path: path, value: random.document(depth: 1))]
                    case 1 where isThere: [.test(path: path, value: document[key]!), .remove(path: path)]
                    case 2 where isThere: [.move(from: path, path: JSONPointer(tokens: [random.key()]))]
                    default: [.add(path: path, value: 1), .copy(from: path, path: JSONPointer(tokens: ["x"]))]
                    }
                let after = try patch.applying(to: document)
                #expect(try after == NaiveJSONPatch.apply(patch, to: document), "seed \(seed)")
                #expect(try patch.inverse(for: document).applying(to: after) == document, "seed \(seed)")
                document = after
            }
        }
    }
}
