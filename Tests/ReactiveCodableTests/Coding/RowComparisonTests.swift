// Edits of ordered collections: as few as possible, none for elements that only exchange places with equal ones.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct RowComparisonTests {
        private struct Numbers: Codable {
            private(set) var rows: ObservableArray<Int>
            init(_ rows: [Int]) { self.rows = ObservableArray(rows) }
        }

        private final class Item: Codable {
            @Observable var title = "a"
        }

        private struct Items: Codable {
            private(set) var rows: ObservableArray<Item>
        }

        /// Returns the patch of a transaction, which is checked against the documents before and after.
        private func patch<Root: Codable>(of root: Root, _ edit: () throws -> Void) throws -> JSONPatch {
            var patch: JSONPatch = []
            let observation = deepObserve(root) { changes in
                if let next = try? changes.jsonPatch() { patch = patch.appending(next) }
            }
            defer { observation.cancel() }
            let before = try JSONValue(encoding: root)
            try inTransaction { try edit() }
            let after = try JSONValue(encoding: root)
            #expect((try? NaiveJSONPatch.apply(patch, to: before)) == after, "\(patch) on \(before)")
            #expect((try? NaiveJSONPatch.apply(patch.inverse, to: after)) == before, "\(patch) on \(before)")
            return patch
        }

        /// Returns the greatest number of elements that can stay if the others move.
        private func stayers(_ numbers: [Int]) -> Int {
            var lengths: [Int] = []
            for number in numbers {
                lengths.append(1 + (lengths.indices.filter { numbers[$0] < number }.map { lengths[$0] }.max() ?? 0))
            }
            return lengths.max() ?? 0
        }

        @Test(arguments: seeds(60)) func sortingMovesAsFewElementsAsPossible(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            let numbers = (0..<1 + random.below(12)).shuffled(using: &random)
            let root = Numbers(numbers)
            let patch = try patch(of: root) { root.rows.sort() }
            #expect(patch.operations.count == numbers.count - stayers(numbers), "\(patch) on \(numbers)")
        }

        @Test(arguments: seeds(60)) func aPatchMovesAsFewElementsAsPossible(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            // Blocks of neighbours, in any order.
            var (blocks, count) = ([[Int]](), 0)
            for _ in 0..<1 + random.below(5) {
                let size = 1 + random.below(4)
                blocks.append(Array(count..<count + size))
                count += size
            }
            let target = blocks.shuffled(using: &random).flatMap { $0 }
            let root = Numbers(Array(0..<count))
            var (present, operations) = (Array(0..<count), [JSONPatch.Operation]())
            for (index, number) in target.enumerated() {
                guard let from = present.firstIndex(of: number), from != index else { continue }
                present.insert(present.remove(at: from), at: index)
                operations.append(
                    .move(from: try JSONPointer("/rows/\(from)"), path: try JSONPointer("/rows/\(index)")))
            }
            let patch = try patch(of: root) { try apply(JSONPatch(operations), to: root) }
            #expect(root.rows.elements == target)
            #expect(patch.operations.count == count - stayers(target), "\(patch) leads to \(target)")
        }

        @Test func anElementThatComesAgainElsewhereHasMoved() throws {
            func text(_ numbers: [Int], _ edit: (ObservableArray<Int>) -> Void) throws -> String {
                let root = Numbers(numbers)
                return try patch(of: root) { edit(root.rows) }.description
            }
            // 1 now is where 2 was.
            #expect(
                try text([1, 2, 3]) {
                    $0.remove(at: 0)
                    $0[0] = 1
                } == #"[{"op":"remove","path":"/rows/1"}]"#)
            // 1 now is before the place where it was.
            #expect(
                try text([1, 3]) {
                    $0[0] = 2
                    $0.insert(1, at: 0)
                } == #"[{"op":"add","path":"/rows/1","value":2}]"#)
            // In the same order, elements are replaced.
            #expect(
                try text([1, 2, 3]) {
                    $0[0] = 2
                    $0[1] = 1
                } == #"[{"op":"replace","path":"/rows/0","value":2},{"op":"replace","path":"/rows/1","value":1}]"#)
        }

        @Test(arguments: seeds(60)) func randomEditsGiveExactPatchesAndSteps(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            for _ in 0..<10 {
                let root = Numbers((0..<1 + random.below(7)).map { _ in random.below(3) })
                let history = History(root)
                defer { history.end() }
                let before = root.rows.elements
                let patch = try patch(of: root) {
                    for _ in 0...random.below(5) { edit(root.rows, &random) { random in random.below(3) } }
                }
                let after = root.rows.elements
                if before == after { #expect(patch.operations.isEmpty, "\(patch) on \(before)") }
                #expect(history.undoCount == (before == after ? 0 : 1))
                guard history.canUndo else { continue }
                try history.undo()
                #expect(root.rows.elements == before)
                try history.redo()
                #expect(root.rows.elements == after)
            }
        }

        @Test(arguments: seeds(60)) func changesInsideElementsThatMoveGiveExactPatches(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            for _ in 0..<10 {
                let items = (0..<4).map { _ in Item() }
                let root = Items(rows: ObservableArray((0..<1 + random.below(5)).map { _ in random.pick(items) }))
                _ = try patch(of: root) {
                    for _ in 0...random.below(4) {
                        if random.oneIn(3) { random.pick(items).title += "b" }
                        edit(root.rows, &random) { random in random.pick(items) }
                    }
                }
            }
        }

        private func edit<Element>(
            _ rows: ObservableArray<Element>, _ random: inout SplitMix64, _ make: (inout SplitMix64) -> Element
        ) {
            guard let count = Optional(rows.count), count > 0 else { return rows.append(make(&random)) }
            switch random.below(8) {
            case 0: rows[random.below(count)] = make(&random)
            case 1: rows.insert(make(&random), at: random.below(count + 1))
            case 2: rows.remove(at: random.below(count))
            case 3: rows.swapAt(random.below(count), random.below(count))
            case 4:
                let element = rows.remove(at: random.below(count))
                rows.insert(element, at: random.below(count))
            case 5: if random.oneIn(3) { rows.reverse() }
            default: rows.move(from: random.below(count), to: random.below(count))
            }
        }

        @Test(arguments: [[1, 1, 2, 1], [1, 2, 1, 1]])
        func aMoveAmongEqualElementsShiftsAnotherOne(numbers: [Int]) throws {
            for from in numbers.indices {
                for to in numbers.indices {
                    let root = Numbers(numbers)
                    let patch = try patch(of: root) { root.rows.move(from: from, to: to) }
                    #expect(patch.operations.isEmpty == (root.rows.elements == numbers))
                }
            }
        }

        @Test func replacementsAndMovesThatCancelEachOtherAreNoEdits() throws {
            func check(_ numbers: [Int], _ edit: (ObservableArray<Int>) -> Void) throws {
                let root = Numbers(numbers)
                let patch = try patch(of: root) { edit(root.rows) }
                #expect(root.rows.elements == numbers)
                #expect(patch.operations.isEmpty, "\(patch) on \(numbers)")
            }
            // The row of 1 changes places with a row of 0, among others that move past them.
            try check([0, 0, 1, 0, 0, 0, 0, 0]) { rows in
                rows[0] = 1
                rows[2] = 0
                rows.move(from: 6, to: 0)
                rows.move(from: 7, to: 1)
                rows.move(from: 4, to: 6)
            }
            try check([0, 1, 0, 0, 1, 0]) { rows in
                rows[4] = 0
                rows[5] = 1
                rows.move(from: 0, to: 5)
                rows.move(from: 0, to: 5)
                rows.move(from: 2, to: 5)
                rows.move(from: 2, to: 1)
            }
        }

        @Test(arguments: seeds(20)) func elementsThatAreAsBeforeAreNoChange(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            func index(below count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
            for _ in 0..<60 {
                // Mostly equal elements, so that many edits cancel each other.
                let start = (0..<Int.random(in: 2...9, using: &random)).map { _ in index(below: 4) == 0 ? 1 : 0 }
                let root = Numbers(start)
                let patch = try patch(of: root) {
                    for _ in 0..<Int.random(in: 2...6, using: &random) {
                        switch index(below: 4) {
                        case 0: root.rows[index(below: root.rows.count)] = index(below: 2)
                        case 1: root.rows.insert(root.rows.remove(at: index(below: root.rows.count)), at: 0)
                        default:
                            let count = root.rows.count
                            root.rows.move(from: index(below: count), to: index(below: count))
                        }
                    }
                }
                if root.rows.elements == start { #expect(patch.operations.isEmpty, "\(patch) on \(start)") }
            }
        }

        @Test func keysAddedInADifferentOrderAreTheOnlyOperations() throws {
            struct Counts: Codable { @Observable var counts: [String: Int] }
            let root = Counts(counts: Dictionary(uniqueKeysWithValues: (0..<400).map { ("\($0)", $0) }))
            var next: [String: Int] = [:]
            // The order depends on the capacity.
            next.reserveCapacity(4_000)
            for number in 0..<420 { next["\(number)"] = number }
            let patch = try patch(of: root) { root.counts = next }
            #expect(Set(patch.operations.map(\.path.description)) == Set((400..<420).map { "/counts/\($0)" }))
            #expect(patch.operations.count == 20)
        }
    }
}
