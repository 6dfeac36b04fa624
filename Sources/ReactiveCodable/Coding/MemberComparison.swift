// Which members of a dictionary of any type are the same as before, found without knowing anything of the values.
//
// As in ElementComparison.swift, values are compared by their bits, and what is reported as different may be equal. The
// two dictionaries are iterated in step: a copy that was mutated keeps the order of its members, but for a few near the
// one that came or went. Only where the order differs is a key looked up.
//
//     old   a  b  c  d  e  f
//     new   a  b  x  c  d  e  f       c is still there, and x is new: x came, c is next
//
// Where keys differ again and again, as when a dictionary has grown or was created anew, the rest is looked up key by
// key.

import Reactive

/// A dictionary that encoders take for an object, whose values can be encoded one by one.
protocol MemberDictionary: Encodable {
    associatedtype Key: MemberKey
    associatedtype Value: Encodable

    var count: Int { get }
    subscript(key: Key) -> Value? { get }
    func forEachMember(_ body: (Key, Value) -> Void)
    /// The members under some keys, all of which it has.
    func part(_ keys: [Key]) -> Self
    /// What has to happen to an older dictionary.
    func difference(from old: Self) -> MemberDifference<Key>
}

/// What happened to the members of a dictionary. Keys are the same if their Unicode scalars are, as in JSON.
struct MemberDifference<Key: MemberKey> {
    var removed: [Key] = []
    var inserted: [Key] = []
    /// The keys that are in both, with different values.
    var replaced: [Key] = []
}

extension Dictionary: MemberDictionary where Key: MemberKey, Value: Encodable {
    func forEachMember(_ body: (Key, Value) -> Void) {
        for (key, value) in self { body(key, value) }
    }

    func part(_ keys: [Key]) -> [Key: Value] {
        var part: [Key: Value] = [:]
        for key in keys { part[key] = self[key] }
        return part
    }

    func difference(from old: [Key: Value]) -> MemberDifference<Key> {
        var comparison = MemberComparison(old: old, new: self)
        comparison.compare()
        return comparison.difference
    }
}

private struct MemberComparison<Key: MemberKey, Value> {
    /// How many keys may differ one after the other until the rest is looked up.
    private static var patience: Int { 64 }

    let old: [Key: Value]
    let new: [Key: Value]
    private(set) var difference = MemberDifference<Key>()
    private let bits = BitComparison<Value>()

    init(old: [Key: Value], new: [Key: Value]) {
        self.old = old
        self.new = new
    }

    // Neither type is known where this is called. Knowing that of the keys halves the time.
    @_specialize(exported:false,kind:partial,where Key == String)
    @_specialize(exported:false,kind:partial,where Key == Int)
    mutating func compare() {
        let (oldKeys, newKeys, oldValues, newValues) = (old.keys, new.keys, old.values, new.values)
        let (oldEnd, newEnd) = (old.endIndex, new.endIndex)
        var (oldIndex, newIndex) = (old.startIndex, new.startIndex)
        var misses = 0
        // Each old key meets its new one here or looks it up; a new key is only looked up to know whether it came.
        while oldIndex != oldEnd, newIndex != newEnd, misses < Self.patience {
            let (oldKey, newKey) = (oldKeys[oldIndex], newKeys[newIndex])
            if oldKey.hasBits(of: newKey) || oldKey.isSame(as: newKey) {
                compare(newKey, oldValues[oldIndex], newValues[newIndex])
                oldKeys.formIndex(after: &oldIndex)
                newKeys.formIndex(after: &newIndex)
                misses = 0
                continue
            }
            misses += 1
            if !has(newKey, in: old) {
                difference.inserted.append(newKey)
                newKeys.formIndex(after: &newIndex)
            } else {
                if lookUp(oldKey, at: oldIndex) { newKeys.formIndex(after: &newIndex) }
                oldKeys.formIndex(after: &oldIndex)
            }
        }
        while oldIndex != oldEnd {
            lookUp(oldKeys[oldIndex], at: oldIndex)
            oldKeys.formIndex(after: &oldIndex)
        }
        let insertedCount = new.count - (old.count - difference.removed.count)
        while newIndex != newEnd, difference.inserted.count < insertedCount {
            let key = newKeys[newIndex]
            if !has(key, in: old) { difference.inserted.append(key) }
            newKeys.formIndex(after: &newIndex)
        }
    }

    /// Compares an old member with the new one of its key. Returns whether there is one.
    @discardableResult
    @inline(__always)
    private mutating func lookUp(_ key: Key, at oldIndex: Dictionary<Key, Value>.Index) -> Bool {
        guard let index = new.index(forKey: key), new.keys[index].isSame(as: key) else {
            difference.removed.append(key)
            return false
        }
        compare(key, old.values[oldIndex], new.values[index])
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
        if !areSame { difference.replaced.append(key) }
    }
}

extension MemberKey {
    /// Whether the bits are equal, as those of a copy are.
    @inline(__always)
    fileprivate func hasBits(of other: Self) -> Bool {
        withUnsafePointer(to: self) { left in
            withUnsafePointer(to: other) { Bits.areEqual(left, $0, MemoryLayout<Self>.size) }
        }
    }
}

/// The members of two dictionaries that were saved.
protocol SavedMembers {
    var oldCount: Int { get }
    var newCount: Int { get }
    /// The names of the members that came, left or have a different value.
    var names: [String] { get }
    /// How many members were removed, inserted and replaced.
    var counts: (removed: Int, inserted: Int, replaced: Int) { get }
    /// The members of the old dictionary that left or have a different value.
    var oldPart: SavedValue { get }
    /// The members of the new dictionary that came or have a different value.
    var newPart: SavedValue { get }
}

/// Two dictionaries of one type, compared by the bits of their values.
struct ComparedMembers<D: MemberDictionary>: SavedMembers {
    private let old: D
    private let new: D
    private let difference: MemberDifference<D.Key>

    /// - Parameter difference: The difference of the two, if it is known.
    init(old: D, new: D, _ difference: MemberDifference<D.Key>?) {
        self.old = old
        self.new = new
        self.difference = difference ?? new.difference(from: old)
    }

    var oldCount: Int { old.count }
    var newCount: Int { new.count }

    var names: [String] { (difference.removed + difference.inserted + difference.replaced).map(\.memberName) }

    var counts: (removed: Int, inserted: Int, replaced: Int) {
        (difference.removed.count, difference.inserted.count, difference.replaced.count)
    }

    var oldPart: SavedValue { TypedValue(old.part(difference.removed + difference.replaced)) }
    var newPart: SavedValue { TypedValue(new.part(difference.inserted + difference.replaced)) }
}
