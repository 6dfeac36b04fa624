// Values of collections that recorders read: their differences, and that a collection becomes each of them.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct RecordedValueTests {
        // MARK: - Arrays

        /// Makes the same random edit in an array, or in its value, and in a plain array.
        private func edit(_ target: some EditableElements<Int>, _ plain: inout [Int], _ random: inout SplitMix64) {
            var target = target
            edit(&target, &plain, &random)
        }

        private func edit<Target: EditableElements<Int>>(
            _ target: inout Target, _ plain: inout [Int], _ random: inout SplitMix64
        ) {
            let count = plain.count
            switch random.below(5) {
            case 0, 1:
                let (position, start) = (random.below(count + 1), 1_000 + random.below(1_000_000) * 4)
                let new = Array(start..<start + 1 + random.below(3))
                target.insertElements(new, at: position)
                plain.insert(contentsOf: new, at: position)
            case 2 where count > 0:
                let start = random.below(count)
                let range = start..<Swift.min(count, start + 1 + random.below(2))
                target.removeElements(range)
                plain.removeSubrange(range)
            case 3 where count > 0:
                let (from, to) = (random.below(count), random.below(count))
                target.moveElement(from: from, to: to)
                plain.insert(plain.remove(at: from), at: to)
            case 4 where count > 0:
                let (position, element) = (random.below(count), 1_000 + random.below(1_000_000) * 4 + 3)
                guard !plain.contains(element) else { return }
                target.replaceElement(at: position, by: element)
                plain[position] = element
            default: break
            }
        }

        private func elements<Value: OrderedValue<Int>>(of value: Value) -> [Int] {
            var elements: [Int] = []
            value.forEachElement { row, element in
                let position = elements.count
                #expect(value.row(at: position) == row && value.position(of: row) == position)
                elements.append(element)
            }
            #expect(value.elementCount == elements.count)
            #expect(elements.indices.allSatisfy { value.element(at: $0) == elements[$0] })
            return elements
        }

        /// Edits a collection, takes its value from time to time, and sets it to earlier values.
        private func follow<Collection: RecordableElements>(
            _ collection: Collection, _ first: [Int], seed: UInt64, plainElements: (Collection) -> [Int]
        ) where Collection.Element == Int {
            var random = SplitMix64(seed: seed)
            var plain = first
            var known = [(value: collection.value, plain: plain)]
            for step in 0..<80 {
                if random.oneIn(6) {
                    let earlier = random.pick(known)
                    collection.value = earlier.value
                    plain = earlier.plain
                } else if random.oneIn(6) {
                    var edited = random.pick(known)
                    for _ in 0..<1 + random.below(3) { edit(&edited.value, &edited.plain, &random) }
                    #expect(elements(of: edited.value) == edited.plain, "step \(step)")
                    if edited.plain != plain { #expect(!edited.value.isIdentical(to: collection.value)) }
                    collection.value = edited.value
                    plain = edited.plain
                } else if random.oneIn(5) {
                    try? inTransaction {
                        var other = plain
                        edit(collection, &other, &random)
                        edit(collection, &other, &random)
                        if random.oneIn(2) { known.append((collection.value, other)) }
                        throw Refused.once
                    }
                } else {
                    edit(collection, &plain, &random)
                }
                #expect(plainElements(collection) == plain, "seed \(seed), step \(step)")
                let value = collection.value
                #expect(value.isIdentical(to: collection.value))
                if random.oneIn(3) {
                    #expect(elements(of: value) == plain, "seed \(seed), step \(step)")
                    known.append((value, plain))
                }
                for earlier in known.suffix(4) {
                    if earlier.plain != plain { #expect(!value.isIdentical(to: earlier.value)) }
                    #expect(collection.areSame(earlier.value, value) == (earlier.plain == plain))
                }
            }
        }

        @Test(arguments: seeds(20)) func anArrayBecomesEachOfItsValues(seed: UInt64) {
            let array = ObservableArray(0..<6)
            let view = array.live.map { -$0 }
            follow(array, Array(0..<6), seed: seed) { array in
                #expect(view.elements == array.elements.map { -$0 })
                return array.elements
            }
        }

        @Test(arguments: seeds(20)) func aSetBecomesEachOfItsValues(seed: UInt64) {
            let set = ObservableSet(0..<6)
            let first = elements(of: set.value)
            follow(set, first, seed: seed) { elements(of: $0.value) }
            #expect(Set(elements(of: set.value)) == Set(set.snapshot))
        }

        @Test func anArrayKeepsTheRowsOfElementsThatAValueHas() {
            let array = ObservableArray([1, 2, 3, 4])
            var mapped: [Int] = []
            let view = array.live.map {
                mapped.append($0)
                return $0
            }
            let value = array.value
            #expect(view.count == 4)
            array.remove(at: 1)
            array.move(from: 0, to: 2)
            array[0] = 30
            array.append(5)
            #expect(view.elements == [30, 4, 1, 5])
            mapped = []
            array.value = value
            #expect(view.elements == [1, 2, 3, 4] && Set(mapped) == [2, 3])
        }

        @Test func valuesThatWereNotReadFromACollectionHaveNoDifference() {
            let (array, set) = (ObservableArray([1, 2]), ObservableSet([1, 2]))
            let (plain, plainSet) = (ArrayValue([1, 2]), SetValue([1, 2]))
            #expect(plain.difference(from: array.value) == nil && array.value.difference(from: plain) == nil)
            #expect(plainSet.difference(from: set.value) == nil && set.value.difference(from: plainSet) == nil)
            #expect(!plain.isIdentical(to: plain) && !plainSet.isIdentical(to: plainSet))
            let (other, otherSet) = (ObservableArray([1, 2]), ObservableSet([1, 2]))
            #expect(!array.value.isIdentical(to: other.value) && array.value.difference(from: other.value) == nil)
            #expect(!set.value.isIdentical(to: otherSet.value) && set.value.difference(from: otherSet.value) == nil)
            array.value = plain
            array.append(3)
            #expect(array.elements == [1, 2, 3] && elements(of: plain) == [1, 2])
        }

        @Test func readersOfAValueDependOnTheWholeCollection() {
            let (array, set) = (ObservableArray([1, 2]), ObservableSet([1, 2]))
            let reactions = [autorun { _ = array.value }, autorun { _ = set.value }]
            array[1] = 3
            set.insert(3)
            #expect(reactions.map(\.runCount) == [2, 2])
            // Setting a value reads nothing.
            let values = (array.value, set.value)
            let number = Observable(0)
            let writer = autorun {
                _ = number.value
                (array.value, set.value) = values
            }
            array.append(4)
            set.insert(4)
            #expect(writer.runCount == 1)
            number.value = 1
            #expect(array.elements == [1, 3] && set.count == 3)
            (reactions + [writer]).forEach { $0.cancel() }
        }

        // MARK: - Dictionaries

        @Test(arguments: seeds(20)) func aDictionaryBecomesEachOfItsValues(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let dictionary = ObservableDictionary(uniqueKeysWithValues: (0..<6).map { ($0, $0) })
            var plain = Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, $0) })
            var known = [(value: dictionary.value, plain: plain)]
            for step in 0..<100 {
                let (key, member) = (random.below(12), random.oneIn(3) ? nil : random.below(4))
                switch random.below(8) {
                case 0:
                    let earlier = random.pick(known)
                    dictionary.value = earlier.value
                    plain = earlier.plain
                case 1:
                    var edited = random.pick(known)
                    edited.value.setMember(member, for: key)
                    edited.plain[key] = member
                    #expect(edited.value.member(key) == member && edited.value.memberCount == edited.plain.count)
                    known.append(edited)
                    dictionary.value = edited.value
                    plain = edited.plain
                case 2 where random.oneIn(4):
                    dictionary.removeAll()
                    plain = [:]
                default:
                    dictionary.setMember(member, for: key)
                    plain[key] = member
                }
                let value = dictionary.value
                #expect(value.reduce(into: [:]) { $0[$1.key] = $1.value } == plain, "seed \(seed), step \(step)")
                if random.oneIn(3) { known.append((value, plain)) }
                for earlier in known.suffix(5) {
                    let difference = value.difference(from: earlier.value)
                    #expect(Set(difference.removed) == Set(earlier.plain.keys).subtracting(plain.keys))
                    #expect(Set(difference.inserted) == Set(plain.keys).subtracting(earlier.plain.keys))
                    let changed = plain.keys.filter { earlier.plain[$0] != nil && earlier.plain[$0] != plain[$0] }
                    #expect(Set(difference.replaced).isSuperset(of: changed))
                    #expect(Set(difference.replaced).isSubset(of: Set(plain.keys).intersection(earlier.plain.keys)))
                    if earlier.plain != plain { #expect(!value.isIdentical(to: earlier.value)) }
                    #expect(dictionary.areSame(earlier.value, value) == (earlier.plain == plain))
                }
                #expect(value.isIdentical(to: dictionary.value))
            }
        }

        /// The spelling of a key matters to an encoded object.
        @Test func aKeyInADifferentNormalFormIsRemovedAndInserted() {
            let (composed, decomposed) = ("\u{E9}", "e\u{301}")
            let dictionary = ObservableDictionary([composed: 1, "a": 2])
            let before = dictionary.value
            inTransaction {
                dictionary[composed] = nil
                dictionary[decomposed] = 1
                dictionary["a"] = nil
                dictionary["a"] = 3
            }
            let difference = dictionary.value.difference(from: before)
            #expect(difference.removed.map { Array($0.utf8) } == [Array(composed.utf8)])
            #expect(difference.inserted.map { Array($0.utf8) } == [Array(decomposed.utf8)])
            #expect(difference.replaced == ["a"])
        }

        // MARK: - Bits

        @Test(arguments: 0..<20) func valuesWithADifferentByteHaveDifferentBits(count: Int) {
            let bytes = [UInt8](0..<24)
            func haveSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
                a.withUnsafeBytes { a in b.withUnsafeBytes { haveSameBytes(a.baseAddress!, $0.baseAddress!, count) } }
            }
            #expect(haveSame(bytes, Array(bytes)))
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 1
                #expect(haveSame(bytes, other) == (index >= count), "byte \(index) of \(count)")
            }
        }
    }
}
