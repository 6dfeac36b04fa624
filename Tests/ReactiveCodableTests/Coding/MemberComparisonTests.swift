// Members of dictionaries that are compared by their bits, in any order of the keys.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

private final class Counter { var count = 0 }

private struct Item: Encodable {
    let counter: Counter
    @Observable var title = "a"

    init(_ counter: Counter) { self.counter = counter }

    enum CodingKeys: CodingKey { case title }

    func encode(to encoder: any Encoder) throws {
        counter.count += 1
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(_title, forKey: .title)
    }
}

private struct Root<Key: Hashable & Encodable & Sendable>: Encodable { @Observable var items: [Key: Item] }

extension ReactiveCodableTests {
    @Suite struct MemberComparisonTests {
        @Test(arguments: seeds(30)) func onlyOtherValuesAreEncodedInAnyOrderOfTheKeys(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            try test(&random) { $0 }
            try test(&random) { "key \($0)" }
        }

        private func test<Key: Hashable & Encodable & Sendable>(
            _ random: inout SplitMix64, _ key: (Int) -> Key
        ) throws {
            let counter = Counter()
            let count = random.pick([3, 20, 200])
            var items: [Key: Item] = [:]
            for number in 0..<count { items[key(number)] = Item(counter) }
            let root = Root(items: items)
            var pointers: [String] = []
            let observation = deepObserve(root) { pointers = $0.map(\.pointer) }
            defer { observation.cancel() }
            for _ in 0..<4 {
                // A dictionary that was created anew, or a copy that is mutated.
                var next = random.oneIn(3) ? root.items : [:]
                var fresh: Set<Key> = []
                if next.isEmpty { next.reserveCapacity(random.pick([0, 1_000])) }
                for (key, item) in root.items.shuffled(using: &random) { next[key] = item }
                for _ in 0..<random.below(4) { next[key(random.below(count + 4))] = nil }
                for _ in 0..<random.below(4) {
                    let key = key(random.below(count + 4))
                    next[key] = Item(counter)
                    fresh.insert(key)
                }
                counter.count = 0
                root.items = next
                #expect(counter.count == fresh.count)
                for (key, item) in next.shuffled(using: &random).prefix(10) {
                    pointers = []
                    item.title += "b"
                    #expect(pointers == ["/items/\(key)/title"])
                }
            }
        }

        @Test(arguments: seeds(30)) func patchesAreExactInAnyOrderOfTheKeys(seed: UInt64) throws {
            struct Numbers: Codable { @Observable var numbers: [String: Int] }
            var random = SplitMix64(seed: seed)
            let root = Numbers(
                numbers: Dictionary(uniqueKeysWithValues: (0..<random.pick([3, 30, 100])).map { ("\($0)", 0) }))
            var patch: JSONPatch = []
            let observation = deepObserve(root) { changes in
                if let next = try? changes.jsonPatch() { patch = patch.appending(next) }
            }
            defer { observation.cancel() }
            for _ in 0..<6 {
                let before = try JSONValue(encoding: root)
                var (next, edits): ([String: Int], Int) = ([:], 0)
                next.reserveCapacity(random.pick([0, 1_000]))
                for (key, number) in root.numbers.shuffled(using: &random) { next[key] = number }
                for _ in 0..<random.below(4) {
                    let key = "\(random.below(110))"
                    next[key] = random.oneIn(3) ? nil : 1 + (next[key] ?? 0)
                }
                for key in Set(root.numbers.keys).union(next.keys) where root.numbers[key] != next[key] { edits += 1 }
                patch = []
                root.numbers = next
                let after = try JSONValue(encoding: root)
                #expect((try? NaiveJSONPatch.apply(patch, to: before)) == after, "\(patch) on \(before)")
                #expect((try? NaiveJSONPatch.apply(patch.inverse, to: after)) == before, "\(patch) on \(before)")
                #expect(patch.operations.count <= edits)
            }
        }
    }
}
