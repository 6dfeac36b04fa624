import TestSupport
import Testing

@testable import ReactiveCollections

@Suite struct RowIndexTests {
    /// Hashes: Swift's, a few different ones, and neighbours at the end of the table, which wrap around.
    enum Hashes: CaseIterable, Sendable {
        case usual, few, last

        func hash(_ key: Int) -> Int {
            switch self {
            case .usual: key.hashValue
            case .few: key % 7 << 29
            case .last: Int(UInt32.max) - key % 5
            }
        }
    }

    @Test(arguments: seeds(4), Hashes.allCases) func followsADictionary(seed: UInt64, hashes: Hashes) {
        var random = SplitMix64(seed: seed)
        // A row's key is its number, so that the model has the keys.
        var dictionary: [Int: UInt32] = [:]
        var index = RowIndex()
        var copies: [([Int: UInt32], RowIndex)] = []
        var differences = 0
        let keys = hashes == .usual ? 2_000 : 300
        func find(_ key: Int, in index: RowIndex) -> UInt32? {
            index.find(hash: hashes.hash(key)) { Int($0) == key }
        }
        for _ in 0..<3_000 {
            let key = random.below(keys)
            switch random.below(if: dictionary.count < keys / 2, 10, else: 14) {
            case 0...6:
                if dictionary[key] == nil {
                    dictionary[key] = UInt32(key)
                    index.insert(hash: hashes.hash(key), row: UInt32(key))
                }
            case 7:
                if random.oneIn(50), copies.count < 6 { copies.append((dictionary, index)) }
                if random.oneIn(100), let copy = copies.randomElement(using: &random) { (dictionary, index) = copy }
            case 8...11:
                if let row = dictionary.removeValue(forKey: key) { index.remove(hash: hashes.hash(key), row: row) }
            default:
                if find(key, in: index) != dictionary[key] { differences += 1 }
            }
            if index.count != dictionary.count { differences += 1 }
            #if DEBUG
            if random.oneIn(30), index.brokenInvariants != [] { differences += 1 }
            #endif
        }
        copies.append((dictionary, index))
        for (dictionary, index) in copies {
            for key in 0..<keys where find(key, in: index) != dictionary[key] { differences += 1 }
        }
        #expect(differences == 0)
    }

    @Test func hasRoomForTheRowsThatItIsCreatedFor() {
        for count in 0...200 {
            var index = RowIndex(minimumCapacity: count)
            let buckets = index.buckets.count
            #expect(buckets == max(4, (4 * count + 2) / 3))
            for row in 0..<UInt32(count) { index.insert(hash: Int(row) << 24, row: row) }
            #expect(index.buckets.count == buckets && index.count == count && index.isEmpty == (count == 0))
        }
    }

    @Test func growsToTwiceItsSizeAndLaterByHalf() {
        var index = RowIndex()
        var sizes = [index.buckets.count]
        for row in 0..<UInt32(10_000) {
            index.insert(hash: Int(row) << 18, row: row)
            if index.buckets.count != sizes.last { sizes.append(index.buckets.count) }
        }
        #expect(sizes == [4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 12_288, 18_432])
    }

    @Test func reservesRoomOnce() {
        var index = RowIndex()
        index.insert(hash: 5, row: 0)
        index.reserveCapacity(300)
        #expect(index.buckets.count == 400 && index.count == 1 && index.find(hash: 5) { _ in true } == 0)
        let root = index.buckets.root
        index.reserveCapacity(300)
        index.reserveCapacity(100)
        #expect(index.buckets.root === root)
    }

    @Test func aRemovalClosesItsGap() {
        // Several rows share a home, and the last ones wrap around.
        let hashes = [14, 14, 15, 14, 0, 1, 5, 6, 5, 5].map { $0 << 28 } + [0xffff_ffff, 0xffff_ffff]
        var index = RowIndex(minimumCapacity: 12)
        for (row, hash) in hashes.enumerated() { index.insert(hash: hash, row: UInt32(row)) }
        #expect(index.buckets.count == 16)
        for removed in hashes.indices {
            var changed = index
            changed.remove(hash: hashes[removed], row: UInt32(removed))
            for capacity in [12, 100] {
                changed.reserveCapacity(capacity)
                #expect(changed.count == hashes.count - 1)
                for (row, hash) in hashes.enumerated() {
                    let found = changed.find(hash: hash) { $0 == UInt32(row) }
                    #expect(found == (row == removed ? nil : UInt32(row)))
                }
                #if DEBUG
                #expect(changed.brokenInvariants == [])
                #endif
            }
        }
    }

    @Test func comparesOnlyRowsWithTheHash() {
        var index = RowIndex(minimumCapacity: 1_000)
        let buckets = index.buckets.count
        for row in 0..<UInt32(1_000) { index.insert(hash: Int(row), row: row) }
        var compared: [UInt32] = []
        let row = index.find(hash: 500) {
            compared.append($0)
            return true
        }
        #expect(row == 500 && compared == [500] && index.buckets.count == buckets)
    }
}

extension SplitMix64 {
    /// Returns a number below one of two bounds.
    fileprivate mutating func below(if condition: Bool, _ bound: Int, else other: Int) -> Int {
        below(condition ? bound : other)
    }
}
