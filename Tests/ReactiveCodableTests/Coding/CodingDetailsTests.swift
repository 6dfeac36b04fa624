// Details of coding: decoders that are passed on, values beside others of their type, and edits that cancel each other.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct CodingDetailsTests {
        // MARK: - Decoders

        /// Reads arrays in arrays, each by the decoder of its element: none of them is decoded as a value.
        private struct Arrays: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                if !container.isAtEnd { _ = try Arrays(from: container.superDecoder()) }
            }
        }

        /// Reads objects in objects, each by the decoder of its member.
        private struct Objects: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                let key = AnyKey("next")
                if container.contains(key) { _ = try Objects(from: container.superDecoder(forKey: key)) }
            }
        }

        @Test func arraysDeeperThanTheStackAreRefusedIfNoneIsDecodedAsAValue() {
            var value: JSONValue = []
            for _ in 1..<deep { value = [value] }
            let nested = value
            onOtherThread(stackSize: 512 * 1024) {
                #expect(throws: DecodingError.self) { try nested.decoded(as: Arrays.self) }
            }
        }

        @Test func objectsDeeperThanTheStackAreRefusedIfNoneIsDecodedAsAValue() {
            var value: JSONValue = [:]
            for _ in 1..<deep { value = ["next": value] }
            let nested = value
            onOtherThread(stackSize: 512 * 1024) {
                #expect(throws: DecodingError.self) { try nested.decoded(as: Objects.self) }
            }
        }

        /// Has a member for a part that encodes nothing.
        private struct Whole: Codable {
            var number = 1

            init() {}

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                number = try container.decode(Int.self, forKey: AnyKey("number"))
                let rest = try container.superDecoder(forKey: AnyKey("rest"))
                _ = try rest.container(keyedBy: AnyKey.self)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(number, forKey: AnyKey("number"))
                _ = container.superEncoder(forKey: AnyKey("rest"))
            }
        }

        @Test func aPartThatEncodesNothingIsDecodedAsAnObject() throws {
            struct Root: Codable { @Observable var whole = Whole() }
            let root = Root()
            #expect(try JSONValue(encoding: root) == ["whole": ["number": 1, "rest": [:]]])
            try apply([.replace(path: JSONPointer("/whole/number"), value: 2)], to: root)
            #expect(root.whole.number == 2)
        }

        // MARK: - Values around an observable

        private class Base: Codable {
            var number = 1
            init() {}
        }

        /// Is encoded as the value of its observable, which may be of its own class.
        private final class Wrapper: Base {
            let content: Observable<Base>

            override init() {
                content = Observable(Base())
                super.init()
            }

            required init(from decoder: any Decoder) throws {
                content = try Observable(from: decoder)
                super.init()
            }

            override func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
        }

        @Test func theNewValueOfAnObservableIsNotTheObjectAroundIt() throws {
            struct Root: Codable { let wrapper: Wrapper }
            let root = Root(wrapper: Wrapper())
            try apply([.replace(path: JSONPointer("/wrapper/number"), value: 2)], to: root)
            #expect(root.wrapper.content.value !== root.wrapper)
            #expect(root.wrapper.content.value.number == 2)
            #expect(root.wrapper.number == 1)
        }

        // MARK: - Changes

        private struct Numbers: Codable {
            private(set) var rows: ObservableArray<Int>
            init(_ rows: [Int]) { self.rows = ObservableArray(rows) }
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
            #expect(try patch.applying(to: before) == JSONValue(encoding: root), "\(patch) on \(before)")
            return patch
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
