// Patches computed from two documents: correct on random documents, and as small as promised.

import JSONTestSupport
import ReactiveJSON
import TestSupport
import Testing

@Suite struct DifferenceTests {
    /// Checks a patch against the naive implementation, in both directions.
    private func check(_ old: JSONValue, _ new: JSONValue, _ comment: String) throws {
        let patch = JSONPatch(from: old, to: new)
        #expect(try NaiveJSONPatch.apply(patch, to: old) == new, "\(comment): \(patch) on \(old)")
        #expect(try patch.applying(to: old) == new, "\(comment): \(patch) on \(old)")
        let inverse = try patch.inverse
        #expect(try NaiveJSONPatch.apply(inverse, to: new) == old, "\(comment): \(inverse) on \(new)")
        #expect(cost(patch) <= (old == new ? 0 : 1 + new.valueCount), "\(comment): \(patch) on \(old)")
    }

    private func cost(_ patch: JSONPatch) -> Int {
        patch.operations.reduce(0) { sum, operation in
            switch operation {
            case .add(_, let value), .replace(_, let value), .test(_, let value): sum + 1 + value.valueCount
            default: sum + 1
            }
        }
    }

    @Test func patchesTurnRandomDocumentsIntoEachOther() throws {
        for seed in seeds(300) {
            var random = RandomDocuments(seed: seed)
            try check(random.document(), random.document(), "seed \(seed)")
        }
    }

    @Test func randomChangesAreFound() throws {
        for seed in seeds(600) {
            var random = RandomDocuments(seed: seed)
            let old = random.document(depth: 5)
            var new = old
            for _ in 0...random.below(4) { new = random.changed(new) }
            try check(old, new, "seed \(seed)")
        }
    }

    @Test func patchesTurnRandomListsIntoEachOther() throws {
        for seed in seeds(400) {
            var random = RandomDocuments(seed: seed)
            let kinds = 1 + random.below(20)
            func list(_ count: Int) -> JSONValue {
                .array(JSONArray((0..<count).map { _ in .number(JSONNumber(random.below(kinds))) }))
            }
            try check(list(random.below(20)), list(random.below(20)), "seed \(seed)")
        }
    }

    @Test func oneInsertionRemovalOrMoveIsOneOperation() throws {
        for seed in seeds(400) {
            var random = RandomDocuments(seed: seed)
            let kinds = 1 + random.below(12)
            let old = (0..<(1 + random.below(30))).map { _ -> JSONValue in
                ["id": .number(JSONNumber(random.below(kinds))), "tags": [1, 2]]
            }
            var new = old
            let index = random.below(old.count)
            switch seed % 3 {
            case 0: new.insert(random.document(), at: index)
            case 1: new.remove(at: index)
            default: new.insert(new.remove(at: index), at: random.below(old.count))
            }
            let patch = JSONPatch(from: .array(JSONArray(old)), to: .array(JSONArray(new)))
            #expect(patch.operations.count == (old == new ? 0 : 1), "seed \(seed): \(patch)")
            switch patch.operations.first {
            case nil: break
            case .add: #expect(seed % 3 == 0)
            case .remove: #expect(seed % 3 == 1)
            case .move: #expect(seed % 3 == 2)
            default: Issue.record("seed \(seed): \(patch)")
            }
        }
    }

    @Test func changedElementsAreFoundAmongInsertedAndRemovedOnes() throws {
        let old = try JSONValue(parsing: #"[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"c"},{"id":4,"n":"d"}]"#)
        let new = try JSONValue(
            parsing: #"[{"id":9,"n":"z"},{"id":1,"n":"a"},{"id":2,"n":"B"},{"id":4,"n":"D"},{"id":5,"n":"e"}]"#)
        let patch = JSONPatch(from: old, to: new)
        #expect(
            patch.description == """
                [{"op":"replace","path":"/1/n","value":"B"},{"op":"replace","path":"/3/n","value":"D"},\
                {"op":"remove","path":"/2"},{"op":"add","path":"/0","value":{"id":9,"n":"z"}},\
                {"op":"add","path":"/4","value":{"id":5,"n":"e"}}]
                """)
        try check(old, new, "mixed")
    }

    @Test func everyPermutationMovesAsFewElementsAsPossible() throws {
        // As many moves as elements outside a longest increasing subsequence.
        func permutations(_ rest: [Int]) -> [[Int]] {
            rest.isEmpty
                ? [[]] : rest.flatMap { first in permutations(rest.filter { $0 != first }).map { [first] + $0 } }
        }
        func list(_ numbers: [Int]) -> JSONValue {
            .array(JSONArray(numbers.map { ["long": [.number(JSONNumber($0)), 1, 2, 3, 4, 5, 6, 7, 8]] }))
        }
        func longestIncreasing(_ numbers: [Int]) -> Int {
            var best = [Int]()
            for (index, number) in numbers.enumerated() {
                best.append(
                    1 + (best.indices.filter { $0 < index && numbers[$0] < number }.map { best[$0] }.max() ?? 0))
            }
            return best.max() ?? 0
        }
        for permutation in permutations([0, 1, 2, 3, 4, 5]) {
            let old = list([0, 1, 2, 3, 4, 5])
            let patch = JSONPatch(from: old, to: list(permutation))
            #expect(patch.operations.count == 6 - longestIncreasing(permutation), "\(permutation): \(patch)")
            #expect(try NaiveJSONPatch.apply(patch, to: old) == list(permutation))
        }
    }

    @Test func largeListsAreComparedInReasonableTime() throws {
        var random = RandomDocuments(seed: 1)
        let numbers = Array(0..<20_000)
        func list(_ numbers: [Int]) -> JSONValue {
            .array(JSONArray(numbers.map { ["id": .number(JSONNumber($0)), "done": false] }))
        }
        let old = list(numbers)
        var edited = numbers
        for _ in 0..<20 {
            edited.remove(at: random.below(edited.count))
            edited.insert(100_000 + random.below(1000), at: random.below(edited.count))
        }
        let patch = JSONPatch(from: old, to: list(edited))
        #expect(patch.operations.count <= 40)
        #expect(try patch.applying(to: old) == list(edited))
        let shuffled = list(numbers.shuffled(using: &random))
        let shuffling = JSONPatch(from: old, to: shuffled)
        #expect(shuffling.operations.count < 20_000)
        #expect(try shuffling.applying(to: old) == shuffled)
        #expect(try shuffling.inverse.applying(to: shuffled) == old)
    }

    @Test func equalValuesInDifferentNotationsDoNotDiffer() throws {
        #expect(JSONPatch(from: try JSONValue(parsing: "[1.0,{\"a\":1e2}]"), to: [1, ["a": 100]]).isEmpty)
    }

    @Test func pathsStartAtTheGivenPointer() throws {
        let patch = JSONPatch(from: ["a": 1], to: ["a": 2], at: try JSONPointer("/x/0"))
        #expect(patch.operations == [.replace(path: try JSONPointer("/x/0/a"), value: 2)])
        #expect(patch.operations.map { $0.prefixed(by: try! JSONPointer("/y")).path.description } == ["/y/x/0/a"])
    }
}
