// The changes of a view by key, and of a set.

/// A change of a dictionary.
@frozen
public enum KeyedChange<Key: Hashable, Value> {
    /// A key is inserted, with a value.
    case insert(Value, forKey: Key)
    /// A key is removed. The value is the previous one.
    case remove(Value, forKey: Key)
    /// A key has a different value. `was` is the previous value.
    case update(Value, forKey: Key, was: Value)

    /// The key that has changed.
    public var key: Key {
        switch self {
        case .insert(_, let key), .remove(_, let key), .update(_, let key, _): key
        }
    }
}

extension KeyedChange: Sendable where Key: Sendable, Value: Sendable {}
extension KeyedChange: Equatable where Value: Equatable {}
extension KeyedChange: Hashable where Value: Hashable {}

extension KeyedChange: CustomStringConvertible {
    /// The change as a call, such as `insert(7, forKey: a)`.
    public var description: String {
        switch self {
        case .insert(let value, let key): "insert(\(value), forKey: \(key))"
        case .remove(let value, let key): "remove(\(value), forKey: \(key))"
        case .update(let value, let key, let was): "update(\(value), forKey: \(key), was: \(was))"
        }
    }
}

extension Dictionary {
    /// Applies changes.
    ///
    /// - Parameter changes: The changes. A reaction delivers at most one for each key, so their order has no meaning.
    /// - Complexity: O(1) for each change, amortised.
    public mutating func apply(_ changes: some Sequence<KeyedChange<Key, Value>>) {
        for change in changes {
            switch change {
            case .insert(let value, let key), .update(let value, let key, _): self[key] = value
            case .remove(_, let key): self[key] = nil
            }
        }
    }
}

/// The elements that were inserted into a set and removed from it.
public struct SetChanges<Element: Hashable>: Equatable {
    /// The inserted elements, each once, in no particular order.
    public let inserted: [Element]
    /// The removed elements, each once, in no particular order.
    public let removed: [Element]

    init(_ changes: [KeyedChange<Element, Void>]) {
        var inserted: [Element] = []
        var removed: [Element] = []
        for change in changes {
            switch change {
            case .insert(_, let element): inserted.append(element)
            case .remove(_, let element): removed.append(element)
            case .update: break
            }
        }
        (self.inserted, self.removed) = (inserted, removed)
    }

    var isEmpty: Bool { inserted.isEmpty && removed.isEmpty }
}

extension SetChanges: Sendable where Element: Sendable {}

extension Set {
    /// Applies changes.
    ///
    /// - Parameter changes: The inserted and removed elements.
    /// - Complexity: O(1) for each element, amortised.
    public mutating func apply(_ changes: SetChanges<Element>) {
        subtract(changes.removed)
        formUnion(changes.inserted)
    }
}
