// Determines which members of a dictionary of any type are unchanged, without knowing the type of the values.
//
// As in ElementComparison.swift, values are compared by their bits, and values that are reported as different may be
// equal. The two dictionaries are iterated together: a mutated copy keeps the order of its members, except for a few
// near an inserted or removed one. A key is looked up only if the order differs.
//
//     old   a  b  c  d  e  f
//     new   a  b  x  c  d  e  f       c still exists and x is new: x was inserted, c is next
//
// If keys differ many times in a row, as in a dictionary that has grown or was created anew, the remaining keys are
// looked up one by one.

import Reactive

extension KeyedValue {
    /// Returns the changes since an earlier value, without values that have the same bits.
    func exactDifference(from old: Self) -> KeyDifference<Key> {
        var difference = difference(from: old)
        // No test sees this always hold: it only saves an object.
        guard !difference.replaced.isEmpty else { return difference }
        let bits = BitComparison<Member>()
        difference.replaced.removeAll { key in
            // No test sees this: a replaced key has a value in both.
            guard let old = old.member(key), let new = member(key) else { return false }
            return withUnsafePointer(to: old) { old in withUnsafePointer(to: new) { bits.areEqual(old, $0, 1) } }
        }
        return difference
    }
}

extension MemberDictionary {
    /// Returns the members of some keys, which must all exist.
    fileprivate func part(_ keys: [Key]) -> [Key: Member] {
        var part: [Key: Member] = [:]
        for key in keys { part[key] = member(key) }
        return part
    }
}

// In a difference, keys are equal if their Unicode scalars are, as in JSON.
extension Dictionary: MemberDictionary, KeyedValue where Key: MemberKey, Value: Encodable {
    package typealias Member = Value

    // No test sees this: only collections are asked.
    package static var isUnordered: Bool { false }

    // No test sees this: only collections are asked.
    package func isIdentical(to other: [Key: Value]) -> Bool { false }

    package var memberCount: Int { count }

    package func member(_ key: Key) -> Value? { self[key] }

    package func stored(_ key: Key) -> (key: Key, member: Value)? {
        index(forKey: key).map { (self[$0].key, self[$0].value) }
    }

    // No test sees this: only the members of collections are set one by one.
    package mutating func setMember(_ member: Value?, for key: Key) { self[key] = member }

    package func forEachMember(_ body: (Key, Value) -> Void) {
        for (key, value) in self { body(key, value) }
    }

    package func difference(from old: [Key: Value]) -> KeyDifference<Key> {
        var comparison = MemberComparison(old: old, new: self)
        comparison.compare()
        return comparison.difference
    }
}

private struct MemberComparison<Key: MemberKey, Value> {
    /// The number of consecutive keys that may differ before the remaining keys are looked up.
    private static var patience: Int { 64 }

    let old: [Key: Value]
    let new: [Key: Value]
    private(set) var difference = KeyDifference<Key>()
    private let bits = BitComparison<Value>()

    init(old: [Key: Value], new: [Key: Value]) {
        self.old = old
        self.new = new
    }

    // The caller knows neither type. Knowing the type of the keys halves the time.
    @_specialize(exported:false,kind:partial,where Key == String)
    @_specialize(exported:false,kind:partial,where Key == Int)
    mutating func compare() {
        let (oldKeys, newKeys, oldValues, newValues) = (old.keys, new.keys, old.values, new.values)
        let (oldEnd, newEnd) = (old.endIndex, new.endIndex)
        var (oldIndex, newIndex) = (old.startIndex, new.startIndex)
        var misses = 0
        // Each old key either meets its new one here or looks it up. A new key is only looked up to know whether it was
        // inserted.
        // No test sees this never hold: the keys are looked up then.
        // No test sees this boundary: as above.
        while oldIndex != oldEnd, newIndex != newEnd, misses < Self.patience {
            let (oldKey, newKey) = (oldKeys[oldIndex], newKeys[newIndex])
            // No test sees this never hold: the keys are looked up then.
            if oldKey.hasBits(of: newKey) || oldKey.isSame(as: newKey) {
                compare(newKey, oldValues[oldIndex], newValues[newIndex])
                oldKeys.formIndex(after: &oldIndex)
                // No test sees this: a new key that is met too late is looked up.
                newKeys.formIndex(after: &newIndex)
                // No test sees this: the keys are looked up earlier then.
                misses = 0
                continue
            }
            // No test sees this: keys that differ are looked up here, too.
            misses += 1
            if !has(newKey, in: old) {
                difference.inserted.append(newKey)
                newKeys.formIndex(after: &newIndex)
            } else {
                // No test sees this left out: a new key that is met too late is looked up.
                if lookUp(oldKey, at: oldIndex) { newKeys.formIndex(after: &newIndex) }
                oldKeys.formIndex(after: &oldIndex)
            }
        }
        while oldIndex != oldEnd {
            lookUp(oldKeys[oldIndex], at: oldIndex)
            oldKeys.formIndex(after: &oldIndex)
        }
        let keptCount = old.count - difference.removed.count
        // No test sees this: it only ends the walk when all inserted keys are found.
        let insertedCount = new.count - keptCount
        // No test sees this boundary: it only ends the walk when all inserted keys are found.
        while newIndex != newEnd, difference.inserted.count < insertedCount {
            let key = newKeys[newIndex]
            if !has(key, in: old) { difference.inserted.append(key) }
            newKeys.formIndex(after: &newIndex)
        }
    }

    /// Compares an old member with the new one of its key. Returns whether a new one exists.
    @discardableResult
    @inline(__always)
    private mutating func lookUp(_ key: Key, at oldIndex: Dictionary<Key, Value>.Index) -> Bool {
        guard let index = new.index(forKey: key), new.keys[index].isSame(as: key) else {
            difference.removed.append(key)
            // No test sees this: the new key that the caller would pass is no inserted one.
            return false
        }
        compare(key, old.values[oldIndex], new.values[index])
        // No test sees this: a new key that is met too late is looked up.
        return true
    }

    @inline(__always)
    private func has(_ key: Key, in members: [Key: Value]) -> Bool {
        guard let index = members.index(forKey: key) else { return false }
        return members.keys[index].isSame(as: key)
    }

    @inline(__always)
    private mutating func compare(_ key: Key, _ old: Value, _ new: Value) {
        let areSame = withUnsafePointer(to: old) { old in
            withUnsafePointer(to: new) { bits.areEqual(old, $0, 1) }
        }
        // No test sees this always hold: `exactDifference` compares the values again.
        if !areSame { difference.replaced.append(key) }
    }
}

extension MemberKey {
    /// Whether the bits are equal, like those of a copy.
    @inline(__always)
    fileprivate func hasBits(of other: Self) -> Bool {
        withUnsafePointer(to: self) { left in
            withUnsafePointer(to: other) { Bits.areEqual(left, $0, MemoryLayout<Self>.size) }
        }
    }
}

/// The members of two saved dictionaries.
protocol SavedMembers {
    var oldCount: Int { get }
    var newCount: Int { get }
    /// The names of the members that were inserted, removed or replaced.
    var names: [String] { get }
    /// The number of members that were removed, inserted and replaced.
    var counts: (removed: Int, inserted: Int, replaced: Int) { get }
    /// The members of the old dictionary that were removed or replaced.
    var oldPart: SavedValue { get }
    /// The members of the new dictionary that were inserted or replaced.
    var newPart: SavedValue { get }
}

/// Two dictionaries of one type, compared by the bits of their values.
struct ComparedMembers<D: MemberDictionary>: SavedMembers {
    private let old: D
    private let new: D
    private let difference: KeyDifference<D.Key>

    /// - Parameter difference: The difference of the two, if it is known.
    init(old: D, new: D, _ difference: KeyDifference<D.Key>?) {
        self.old = old
        self.new = new
        self.difference = difference ?? new.exactDifference(from: old)
    }

    var oldCount: Int { old.memberCount }
    var newCount: Int { new.memberCount }

    var names: [String] { (difference.removed + difference.inserted + difference.replaced).map(\.memberName) }

    var counts: (removed: Int, inserted: Int, replaced: Int) {
        (difference.removed.count, difference.inserted.count, difference.replaced.count)
    }

    var oldPart: SavedValue { TypedValue(old.part(difference.removed + difference.replaced)) }
    var newPart: SavedValue { TypedValue(new.part(difference.inserted + difference.replaced)) }
}
