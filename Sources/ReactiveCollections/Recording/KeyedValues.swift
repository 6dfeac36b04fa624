// Dictionaries for modules that record their changes, and the encoded form of snapshots. A snapshot is already a value.
// A table and its copy share all storage that was not written since, so their difference is the storage that they do
// not share.

import Reactive

extension KeyedTable {
    /// The changes since an earlier table.
    ///
    /// - Complexity: O(number of rows written since), and one comparison for each page of the table.
    func difference(from old: KeyedTable) -> KeyDifference<Key> {
        var difference = KeyDifference<Key>()
        var (gone, come): ([Row], [Row]) = ([], [])
        func compare(_ row: Int) {
            if row < entries.count, row < old.entries.count {
                let (oldBits, newBits) = (old.entries.pointer(to: row), entries.pointer(to: row))
                if haveSameBytes(oldBits, newBits, MemoryLayout<Entry?>.size) { return }
            }
            let oldEntry = row < old.entries.count ? old.entries[row] : nil
            let newEntry = row < entries.count ? entries[row] : nil
            switch (oldEntry, newEntry) {
            case (nil, nil): break
            case (_?, nil): gone.append(Row(row))
            case (nil, _?): come.append(Row(row))
            case (let oldEntry?, let newEntry?):
                // No test sees this never hold: the key is looked up in both tables below.
                if Self.isSame(oldEntry.key, newEntry.key) {
                    difference.replaced.append(newEntry.key)
                } else {
                    gone.append(Row(row))
                    come.append(Row(row))
                }
            }
        }
        withExtendedLifetime((self, old)) {
            _ = entries.forEachRange(differingFrom: old.entries) { rows in
                rows.forEach(compare)
                return true
            }
            // No test sees this boundary: the range of the rows is empty.
            if entries.count < old.entries.count { (entries.count..<old.entries.count).forEach(compare) }
        }
        // A key may have been inserted again in a different row.
        for row in gone {
            let key = old.key(at: row)
            if !has(key) { difference.removed.append(key) }
        }
        for row in come {
            let key = key(at: row)
            if old.has(key) { difference.replaced.append(key) } else { difference.inserted.append(key) }
        }
        return difference
    }

    /// Whether both are certainly the same, without a comparison of elements.
    func isIdentical(to other: KeyedTable) -> Bool {
        entries.count == other.entries.count && entries.forEachRange(differingFrom: other.entries) { _ in false }
    }

    /// Whether the table has a key in exactly the same spelling.
    private func has(_ key: Key) -> Bool {
        guard let row = find(key, hash: Self.hash(of: key)) else { return false }
        return Self.isSame(self.key(at: row), key)
    }

    /// Whether two keys are the same: a string in a different normal form is a different key of an object.
    private static func isSame(_ a: Key, _ b: Key) -> Bool {
        if let a = a as? String, let b = b as? String { return a.utf8.elementsEqual(b.utf8) }
        return a == b
    }

    mutating func set(_ value: Value?, for key: Key) {
        let hash = Self.hash(of: key)
        switch (find(key, hash: hash), value) {
        case (let row?, var value?): exchange(row, with: &value)
        case (let row?, nil): _ = remove(row, hash: hash)
        case (nil, let value?): _ = insert(key, value, hash: hash)
        case (nil, nil): break
        }
    }
}

// MARK: - Dictionaries

extension DictionarySnapshot: KeyedValue {
    package typealias Member = Value

    package static var isUnordered: Bool {
        // No test sees this never hold: the keys conform to `CodingKeyRepresentable`, which older systems do not have.
        if Key.self == String.self || Key.self == Int.self { return false }
        // No test sees this: only older systems return here.
        guard #available(macOS 12.3, iOS 15.4, tvOS 15.4, watchOS 8.5, *) else { return true }
        return !(Key.self is any CodingKeyRepresentable.Type)
    }

    package func isIdentical(to other: DictionarySnapshot) -> Bool { table.isIdentical(to: other.table) }

    package var memberCount: Int { table.count }

    package func member(_ key: Key) -> Value? { self[key] }

    package func forEachMember(_ body: (Key, Value) -> Void) {
        for (key, value) in self { body(key, value) }
    }

    package mutating func setMember(_ member: Value?, for key: Key) { table.set(member, for: key) }

    package func difference(from old: DictionarySnapshot) -> KeyDifference<Key> {
        table.difference(from: old.table)
    }
}

extension DictionarySnapshot: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as a plain dictionary does.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        if Self.isUnordered {
            // A plain dictionary would have a different order each time.
            var container = encoder.unkeyedContainer()
            for (key, value) in self {
                try container.encode(key)
                try container.encode(value)
            }
        } else {
            var container = encoder.singleValueContainer()
            try container.encode(Dictionary(uniqueKeysWithValues: map { ($0.key, $0.value) }))
        }
    }
}

extension DictionarySnapshot: Decodable where Key: Decodable, Value: Decodable {
    /// Creates a snapshot from the encoded form of a plain dictionary.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error that the decoder throws.
    public init(from decoder: any Decoder) throws {
        self.init(KeyedTable(try decoder.singleValueContainer().decode([Key: Value].self)))
    }
}

extension DictionarySnapshot: MemberDictionary where Key: MemberKey, Value: Encodable {
    package func stored(_ key: Key) -> (key: Key, member: Value)? {
        table.find(key, hash: KeyedTable<Key, Value>.hash(of: key)).map { (table.key(at: $0), table.value(at: $0)) }
    }
}

extension DictionarySnapshot: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Key.self, Value.self] }
}

// MARK: - Sets

extension SetSnapshot: Encodable where Element: Encodable {
    /// Encodes the elements as a plain set does. If the set is recorded or receives patches, the order is that of the
    /// patches.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try table.forEachRowInOrder { row in
            try container.encode(table.key(at: row))
            return true
        }
    }
}

extension SetSnapshot: Decodable where Element: Decodable {
    /// Creates a snapshot from the encoded form of a plain set.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error that the decoder throws.
    public init(from decoder: any Decoder) throws {
        var table = KeyedTable<Element, Void>()
        for element in try decoder.singleValueContainer().decode([Element].self) { table.set((), for: element) }
        self.init(table)
    }
}

extension SetSnapshot: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Element.self] }
}
