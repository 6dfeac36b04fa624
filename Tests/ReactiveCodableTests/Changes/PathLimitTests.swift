// The limit of reported paths, and changes that have more.

import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

private final class Person: Encodable {
    @Observable var name = "n"
    @Observable var friends: [Person] = []
}

/// Contains its two successors twice: the number of paths doubles with each level.
private final class Level: Codable {
    @Observable var value = 0
    @Observable var left: Level?
    @Observable var right: Level?
}

extension ReactiveCodableTests {
    @Suite struct PathLimitTests {
        private func friends(_ count: Int) -> [Person] {
            let people = (0..<count).map { _ in Person() }
            for person in people { person.friends = people.filter { $0 !== person } }
            return people
        }

        @Test func objectsThatReferToEachOtherHaveALimitedNumberOfPaths() {
            let people = friends(10)
            defer { for person in people { person.friends = [] } }
            var kept: [DeepChanges] = []
            let r = deepObserve(people[0]) { (changes: DeepChanges) in kept.append(changes) }
            defer { r.cancel() }
            people[7].name = "x"
            people[0].name = "y"
            people[3].friends.swapAt(0, 1)
            #expect(kept.map(\.count) == [64, 64, 64])
            #expect(kept.map(\.omittedPathCount) == [64, 64, 64])
            #expect(kept.allSatisfy { Set($0.map(\.pointer)).count == 64 })
            #expect(kept[1].contains { $0.pointer == "/name" })
            #expect(throws: EncodingError.self) { try kept[0].jsonPatch() }
        }

        private func levels(_ count: Int) -> [Level] {
            let levels = (0..<count).map { _ in Level() }
            for index in 1..<count {
                (levels[index - 1].left, levels[index - 1].right) = (levels[index], levels[index])
            }
            return levels
        }

        @Test(arguments: [(4, 8, 0), (6, 32, 0), (7, 64, 0), (8, 64, 64), (isUnderSanitizer ? 9 : 12, 64, 64)])
        func eachPathCounts(depth: Int, count: Int, omitted: Int) throws {
            let levels = levels(depth)
            var reported: DeepChanges?
            let r = deepObserve(levels[0]) { (changes: DeepChanges) in reported = changes }
            defer { r.cancel() }
            let before = try JSONValue(encoding: levels[0])
            levels[depth - 1].value = 1
            let changes = try #require(reported)
            #expect(changes.count == count)
            #expect(changes.omittedPathCount == omitted)
            let patch = try changes.jsonPatch()
            let after = try JSONValue(encoding: levels[0])
            #expect(try NaiveJSONPatch.apply(patch, to: before) == after)
            #expect(try NaiveJSONPatch.apply(patch.inverse, to: after) == before)
        }

        @Test func theLimitCanBeChosen() {
            let levels = levels(12)
            var counts: [Int] = []
            let r = deepObserve(levels[0], pathLimit: 5) { changes in counts.append(changes.count) }
            let r2 = deepObserve(levels[0], pathLimit: 5_000) { changes in
                counts += [changes.count, changes.omittedPathCount]
            }
            defer { r.cancel(); r2.cancel() }
            levels[11].value = 1
            #expect(counts == [5, 2_048, 0])
        }

        @Test func aLongChainWithBackLinksIsSearchedQuickly() {
            final class Node: Encodable {
                @Observable var value = 0
                @Observable var next: Node?
                @Observable var previous: Node?
            }
            let nodes = (0..<2_000).map { _ in Node() }
            for index in 1..<nodes.count {
                nodes[index - 1].next = nodes[index]
                nodes[index].previous = nodes[index - 1]
            }
            defer { for node in nodes { (node.next, node.previous) = (nil, nil) } }
            var lengths: [Int] = []
            let r = deepObserve(nodes[0]) { (changes: DeepChanges) in lengths = changes.map(\.path.count) }
            defer { r.cancel() }
            nodes[1_000].value = 1
            #expect(lengths.contains(1_001))
            #expect(lengths.count <= 64)
        }

        @Test func changesAreNotReadInATransactionOfADifferentGraph() throws {
            let root = Level()
            var kept: DeepChanges?
            let r = deepObserve(root) { (changes: DeepChanges) in kept = changes }
            defer { r.cancel() }
            root.value = 1
            let changes = try #require(kept)
            IndependentGraph(named: "other").run {
                inTransaction {
                    #expect(throws: EncodingError.self) { try changes.jsonPatch() }
                    #expect(throws: EncodingError.self) { try JSONValue(encoding: changes.before) }
                }
            }
            #expect(try changes.jsonPatch().operations.count == 1)
        }

        @Test func keptChangesAreReadOnAnyThreadAndInOtherGraphs() throws {
            let root = Level()
            root.left = Level()
            var kept: [DeepChanges] = []
            let r = deepObserve(root) { (changes: DeepChanges) in kept.append(changes) }
            defer { r.cancel() }
            root.left?.value = 1
            root.left = nil
            let changes = try #require(kept.count == 2 ? kept : nil)
            let texts = Shared<[String]>([])
            let other = IndependentGraph(named: "other")
            onOtherThread {
                other.run {
                    for change in changes.joined() {
                        let old = (try? JSONValue(encoding: change.oldValue)) ?? "failed"
                        texts.withLock { $0.append("\(change.pointer) \(old)") }
                    }
                    let patches = changes.map { (try? $0.jsonPatch().description) ?? "failed" }
                    texts.withLock { $0 += patches }
                }
            }
            #expect(
                texts.value == [
                    "/left/value 0", #"/left {"value":1}"#, #"[{"op":"replace","path":"/left/value","value":1}]"#,
                    #"[{"op":"remove","path":"/left"}]"#,
                ])
        }
    }
}
