// A view by key, or a keyed collection in the form that operators use.
//
//     ObservableDictionary ── live ──▶ LiveDictionary ── mapValues ──▶ LiveDictionary ── sorted ──▶ LiveArray
//     ObservableArray ── live ──▶ LiveArray ── grouped ──▶ LiveDictionary
//
// Like a `LiveArray`, it stores the access to a stage. A keyed stage has rows too: each key has one as long as it
// stays.

import Reactive

/// The access of operators to the entries of a keyed stage. Used under the lock, when the stage is up to date.
@frozen @usableFromInline
struct KeyedEntries<Key: Hashable, Value> {
    /// The number of keys.
    @usableFromInline let count: () -> Int
    /// Whether a row has an entry.
    @usableFromInline let contains: (Row) -> Bool
    /// The key of a row that has an entry.
    @usableFromInline let key: (Row) -> Key
    /// The value of a row that has an entry.
    @usableFromInline let value: (Row) -> Value
    /// Returns the row of a key. The second argument is the key's hash.
    @usableFromInline let find: (Key, Int) -> Row?
    /// Calls its argument with the entries in the order of their rows, until the argument returns `false`.
    @usableFromInline let forEach: ((Row, Key, Value) -> Bool) -> Void

    @inlinable
    init(
        count: @escaping () -> Int, contains: @escaping (Row) -> Bool, key: @escaping (Row) -> Key,
        value: @escaping (Row) -> Value, find: @escaping (Key, Int) -> Row?,
        forEach: @escaping ((Row, Key, Value) -> Bool) -> Void
    ) {
        self.count = count
        self.contains = contains
        self.key = key
        self.value = value
        self.find = find
        self.forEach = forEach
    }

    /// A number that is higher than those of all rows.
    ///
    /// - Complexity: O(N).
    @usableFromInline
    var bound: Int {
        var bound = 0
        forEach { row, _, _ in
            bound = Swift.max(bound, Int(row) + 1)
            return true
        }
        return bound
    }
}

/// A view of a collection by key that is updated incrementally.
///
/// ```swift
/// let byOwner = todos.live.grouped(by: \.owner)
/// autorun { print(byOwner["Anne"]?.count ?? 0) }
/// ```
///
/// - Reading a key subscribes to that key alone, whether the view has it or not. Changes of other keys do not run its
///   readers.
/// - ``count`` and ``isEmpty`` subscribe to the number of keys, ``elements`` to all keys and values. ``keys`` is a view
///   of the keys alone.
/// - A view is lazy: it does nothing until it is read or observed. While an observer, or an unobserved `Computed`,
///   depends on single keys, the view is updated at the end of each transaction.
/// - The closures of its operators belong to the actor that created them, like those of a `Computed`. After a write on
///   a different actor, the view is updated on its own actor soon afterwards, and its observers run then. Readers on
///   its own actor always see the current values.
/// - The order of the entries is that of the collection's own iteration; for groups it is unspecified. A key keeps its
///   position relative to the others.
/// - Create a view once and keep it, like a ``LiveArray``. It keeps its collection alive.
@_fixed_layout
public final class LiveDictionary<Key: Hashable, Value> {
    @usableFromInline let stage: StageNode
    @usableFromInline let log: LogBox
    @usableFromInline let entries: KeyedEntries<Key, Value>
    /// Reads the value of a key and records the dependency. Called under the lock.
    @usableFromInline let readValue: (Key, Int) -> Value?
    /// Reads the count and records the dependency, if the stage has a node for the count.
    @usableFromInline let readCount: (() -> Int)?
    /// The node of the number of keys, if the stage has none. Guarded by the graph's lock.
    @exclusivity(unchecked) private var countNode: Computed<Int>?
    /// The entries at the last read, and their version. Guarded by the graph's lock.
    @exclusivity(unchecked) private var copy: (elements: [Key: Value], version: UInt64)?

    @inlinable
    init(
        stage: StageNode, log: LogBox, entries: KeyedEntries<Key, Value>, readCount: (() -> Int)? = nil,
        readValue: @escaping (Key, Int) -> Value?
    ) {
        self.stage = stage
        self.log = log
        self.entries = entries
        self.readCount = readCount
        self.readValue = readValue
    }

    /// Creates a view whose keys have nodes of their own.
    @inlinable
    convenience init(view: AnyView, keys: ViewKeys<Key>, entries: KeyedEntries<Key, Value>) {
        let stage = StageNode(view)
        self.init(stage: stage, log: view.log, entries: entries) { key, hash in
            stage.refreshUntracked()
            if stage.isTracked { _ = keys.noteRead(of: key, hash) }
            return entries.find(key, hash).map { entries.value($0) }
        }
    }

    // MARK: - Reading

    /// The value of a key, or `nil` if the view does not have the key. Readers depend on this key only.
    ///
    /// - Parameter key: The key.
    /// - Complexity: O(1) when the view is up to date.
    @inlinable
    public subscript(key: Key) -> Value? {
        let hash = ViewKeys.hash(of: key)
        return stage.withLock { readValue(key, hash) }
    }

    /// The number of keys. Readers depend on the number only.
    ///
    /// - Complexity: O(1) when the view is up to date.
    public var count: Int {
        stage.withLock {
            // No test sees this never hold: the computed below has the same value.
            if let readCount { return readCount() }
            // No test sees this always hold: as above.
            guard stage.isTracked else {
                stage.refresh()
                return entries.count()
            }
            // No test sees this never hold: a new computed has the same value.
            if let countNode { return countNode.value }
            let (stage, entries) = (stage, entries)
            let node = Computed(named: "\(stage.node.displayName).count", isolation: nil) {
                stage.refresh()
                return entries.count()
            }
            // No test sees this left out: the next reader would create a new computed.
            countNode = node
            return node.value
        }
    }

    /// Whether there is no key. Readers depend on the number of keys only.
    public var isEmpty: Bool { count == 0 }

    /// The entries as a plain dictionary. Readers depend on the whole view.
    ///
    /// - Complexity: O(N) for the first read after a change, O(1) for others.
    public var elements: [Key: Value] {
        stage.withLock {
            stage.refresh()
            let version = stage.version
            // No test sees this never hold: a new copy has the same entries.
            if let copy, copy.version == version { return copy.elements }
            let elements = untracked {
                var elements: [Key: Value] = [:]
                // No test sees this left out: it only saves allocations.
                elements.reserveCapacity(entries.count())
                entries.forEach { _, key, value in
                    elements[key] = value
                    return true
                }
                return elements
            }
            // The old entries are released after the graph is unlocked.
            if let copy { stage.node.release(later: copy.elements) }
            // No test sees this left out: the next reader would create a new copy.
            copy = (elements, version)
            return elements
        }
    }
}

extension LiveDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {
    // The graph's lock guards the state of the stage and the caches.
}

extension LiveDictionary: CustomStringConvertible {
    /// The entries, as a dictionary prints them.
    public var description: String { untracked { elements.description } }
}
