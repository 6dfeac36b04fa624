// The interface of a dictionary equals that of the standard library.

import Foundation
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct DictionaryTests {
        @Test func initialisers() {
            let literal: ObservableDictionary = ["a": 1, "b": 2]
            #expect(literal.elements == ["a": 1, "b": 2])
            #expect(ObservableDictionary<String, Int>().isEmpty)
            #expect(ObservableDictionary(["a": 1]).elements == ["a": 1])
            #expect(ObservableDictionary(uniqueKeysWithValues: [("a", 1), ("b", 2)]) == literal)
            let counts = ObservableDictionary("abca".map { ($0, 1) }, uniquingKeysWith: +)
            #expect(counts.elements == ["a": 2, "b": 1, "c": 1])
            let groups = ObservableDictionary(grouping: 1...5) { $0 % 2 }
            #expect(groups.elements == [0: [2, 4], 1: [1, 3, 5]])
            let reserved = ObservableDictionary<Int, Int>(minimumCapacity: 100)
            #expect(reserved.count == 0)
            reserved[1] = 1
            reserved.reserveCapacity(1_000)
            #expect(reserved[1] == 1)
        }

        @Test func writingAndRemoving() {
            let d = ObservableDictionary<String, Int>()
            d["a"] = 1
            #expect(d.updateValue(2, forKey: "a") == 1)
            #expect(d.updateValue(3, forKey: "b") == nil)
            d["c", default: 10] += 1
            d["c", default: 10] += 1
            d["a"]? += 5
            d["z"]? += 5
            #expect(d.elements == ["a": 7, "b": 3, "c": 12])
            #expect(d["x", default: 4] == 4)
            #expect(d["x"] == nil)
            #expect(d.removeValue(forKey: "b") == 3)
            #expect(d.removeValue(forKey: "b") == nil)
            d["c"] = nil
            d["y", default: 0] = 9
            #expect(d.elements == ["a": 7, "y": 9])
            #expect(d.remove(at: d.index(forKey: "a")!) == ("a", 7))
            #expect(d.popFirst()! == ("y", 9))
            #expect(d.popFirst() == nil)
        }

        @Test func aMutationInPlaceMayInsertAndRemove() {
            func change(_ value: inout Int?, to new: Int?) { value = new }
            let d: ObservableDictionary = ["a": 1]
            change(&d["a"], to: nil)
            #expect(d.isEmpty)
            change(&d["b"], to: 2)
            change(&d["b"], to: 2)
            change(&d["c"], to: nil)
            #expect(d.elements == ["b": 2])
        }

        @Test func aMutationInPlaceCopiesNothing() {
            let d: ObservableDictionary = ["a": Array(0..<1000)]
            let address = d["a"]!.withUnsafeBufferPointer { $0.baseAddress }
            d["a"]![0] = 7
            d["a", default: []][1] = 8
            #expect(d["a"]!.withUnsafeBufferPointer { $0.baseAddress } == address)
        }

        @Test func mergingAndFiltering() {
            let d: ObservableDictionary = [1: "a", 2: "b", 3: "c"]
            d.merge([2: "x", 4: "y"]) { $0 + $1 }
            d.merge([(5, "p"), (5, "q")]) { $0 + $1 }
            #expect(d.elements == [1: "a", 2: "bx", 3: "c", 4: "y", 5: "pq"])
            #expect(d.filter { $0.key > 3 } == [4: "y", 5: "pq"])
            #expect(d.mapValues(\.count) == [1: 1, 2: 2, 3: 1, 4: 1, 5: 2])
            #expect(d.compactMapValues { $0.count > 1 ? $0 : nil } == [2: "bx", 5: "pq"])
            #expect(d.merging([1: "z"]) { $1 }[1] == "z")
            d.removeAll { $0.key % 2 == 1 }
            #expect(d.elements == [2: "bx", 4: "y"])
            d.removeAll(keepingCapacity: true)
            #expect(d.isEmpty)
        }

        @Test func aClosureThatThrowsLeavesAConsistentDictionary() {
            let d: ObservableDictionary = [1: 1, 2: 2]
            #expect(throws: Refused.once) {
                try d.removeAll { if $0.key == 2 { throw Refused.once } else { return true } }
            }
            #expect(d.elements == [1: 1, 2: 2])
            #expect(throws: Refused.once) {
                try d.merge([(1, 10), (3, 3), (2, 20)]) { if $0 == 2 { throw Refused.once } else { return $1 } }
            }
            #expect(d.elements == [1: 10, 2: 2, 3: 3])
        }

        @Test func itIsACollectionOfSnapshots() {
            let d = ObservableDictionary(uniqueKeysWithValues: (0..<200).map { ($0, $0 * $0) })
            for key in 0..<100 { d[key] = nil }
            var seen = 0
            for (key, value) in d {
                #expect(value == key * key)
                d[key] = nil
                seen += 1
            }
            #expect(seen == 100 && d.isEmpty)
            for key in 0..<10 { d[key] = key }
            let (snapshot, slice, keys, values) = (d.snapshot, d[d.startIndex..<d.endIndex], d.keys, d.values)
            d.removeAll()
            #expect(snapshot.count == 10 && slice.count == 10 && keys.count == 10)
            #expect(values.reduce(0, +) == 45)
            #expect(keys.contains(3) && !keys.contains(10))
            #expect(snapshot[4] == 4 && snapshot[44] == nil)
            #expect(snapshot.indices.map { snapshot[$0].key } == keys.map { $0 })
        }

        @Test func equalHistoriesGiveEqualOrders() {
            func order() -> [String] {
                let d: ObservableDictionary = ["a": 1, "b": 2, "c": 3, "d": 4]
                d["b"] = nil
                d["x"] = 1
                d["y"] = 1
                d["a"] = nil
                return d.map(\.key)
            }
            #expect(order() == order())
        }

        @Test func iterationTakesTimeForTheEntriesAlone() {
            let d = ObservableDictionary(uniqueKeysWithValues: (0..<5_000).map { ($0, 0) })
            for key in 0..<5_000 where key != 4_001 && key != 17 { d[key] = nil }
            #expect(d.map(\.key) == [17, 4_001])
            #expect(d.index(after: d.startIndex) == d.index(forKey: 4_001))
        }

        @Test func codingAndPrinting() throws {
            func same<T: Codable>(_ plain: T, _ observable: some Codable) throws {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                #expect(try encoder.encode(plain) == encoder.encode(observable))
            }
            try same(["a": 1, "b": 2], ObservableDictionary(["a": 1, "b": 2]))
            try same([1: "x", 5: "y"], ObservableDictionary([1: "x", 5: "y"]))
            try same([true: "x"], ObservableDictionary([true: "x"]))
            let json = Data(#"{"a":1,"b":2}"#.utf8)
            #expect(
                try JSONDecoder().decode(ObservableDictionary<String, Int>.self, from: json).elements
                    == ["a": 1, "b": 2])
            let d: ObservableDictionary = ["a": 1]
            #expect("\(d)" == "\(["a": 1])")
            #expect(String(reflecting: d) == String(reflecting: ["a": 1]))
            #expect(Mirror(reflecting: d).displayStyle == .dictionary)
            #expect(Mirror(reflecting: d).children.count == 1)
        }

        /// A plain dictionary has a different order in each process.
        @Test func entriesWithKeysThatAreNoNamesAreEncodedInTheirOrder() throws {
            struct Key: Hashable, Encodable { var x: Int }
            let d = ObservableDictionary(uniqueKeysWithValues: (0..<20).map { (Key(x: $0), $0) })
            let entries = (0..<20).map { #"{"x":\#($0)},\#($0)"# }
            let json = String(decoding: try JSONEncoder().encode(d), as: UTF8.self)
            #expect(json == "[\(entries.joined(separator: ","))]")
        }
    }
}
