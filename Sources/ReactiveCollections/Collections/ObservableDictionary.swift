// A dictionary that records which keys change.
//
//     KeyedTable         the entries, as a value
//     KeyedSource        nodes, the transaction log, the log for views; shared with `ObservableSet`
//     +Reading, +Writing the public methods

public import Reactive

/// A dictionary whose observers run when, and only when, the keys that they read have changed.
///
/// ```swift
/// let stock: ObservableDictionary = ["apple": 3, "pear": 5]
/// let observer = autorun { print("apples:", stock["apple", default: 0]) }  // prints "apples: 3"
/// stock["pear"] = 4
/// stock["apple", default: 0] += 1  // prints "apples: 4"
/// ```
///
/// - Reading a key in an observer subscribes to that key only, whether or not the dictionary has the key. ``count`` and
///   ``isEmpty`` subscribe to the number of keys, ``keys`` to the set of keys, and everything else to the whole
///   dictionary.
/// - Writing an equal value is not a change, by the rules of `Observable`; see `Equality`. A transaction that restores
///   the previous contents notifies no observer.
/// - Mutating a value in place (`lists["a"]?.append(1)`) copies nothing. In an observer it subscribes only for plain
///   values such as numbers.
/// - Iterators, slices, ``keys`` and ``values`` are snapshots, which later changes do not alter.
/// - The order of the entries is unspecified, but equal histories give equal orders.
/// - Any thread may read and write. Each call is atomic. Use `inTransaction` for several.
/// - `==` and `hash(into:)` of keys and values are called untracked. Code that the dictionary calls must not mutate it:
///   that stops the program with a message.
///
/// The operator `==` compares the contents of two dictionaries. Nevertheless, the class is not `Equatable`: an
/// observable that contains a dictionary must treat a different object as a change.
@_fixed_layout
public final class ObservableDictionary<Key: Hashable, Value>: _KeyedSource<Key, Value> {
    /// A key and its value.
    public typealias Element = (key: Key, value: Value)
    /// The type of a snapshot: the entries at the time of a read.
    public typealias Snapshot = DictionarySnapshot<Key, Value>

    /// The initialiser that all others call.
    @inlinable
    override init(
        table: consuming KeyedTable<Key, Value>, areEqual: @escaping (Value, Value) -> Bool, named name: String?,
        fileID: StaticString, line: UInt
    ) {
        super.init(table: table, areEqual: areEqual, named: name, fileID: fileID, line: line)
    }
}

extension ObservableDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {
    // The graph's lock guards the table and the nodes; the rest is immutable.
}

// MARK: - Creating

extension ObservableDictionary {
    /// Creates a dictionary with the entries of a plain one.
    ///
    /// - Parameters:
    ///   - elements: The entries.
    ///   - equals: The comparison of two values; by default the one that the type implies, as for `Observable`.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N).
    @inlinable
    public convenience init(
        _ elements: [Key: Value] = [:], equals: Equality<Value> = .automatic, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            table: KeyedTable(elements), areEqual: equals.comparison, named: name, fileID: fileID, line: line)
    }

    /// Creates a dictionary that compares values by a custom rule.
    ///
    /// - Parameters:
    ///   - elements: The entries.
    ///   - equals: Returns whether two values count as equal. Called on the writing thread, untracked and with the
    ///     graph locked. It must not mutate the dictionary.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N).
    @inlinable
    public convenience init(
        _ elements: [Key: Value] = [:], equals: @escaping @Sendable (Value, Value) -> Bool, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(elements, equals: Equality(equals), named: name, fileID: fileID, line: line)
    }

    /// Creates a dictionary with pairs of keys and values.
    ///
    /// - Parameters:
    ///   - keysAndValues: The pairs.
    ///   - equals: The comparison of two values; by default the one that the type implies.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Precondition: No two keys are equal.
    /// - Complexity: O(N).
    @inlinable
    public convenience init(
        uniqueKeysWithValues keysAndValues: some Sequence<(Key, Value)>, equals: Equality<Value> = .automatic,
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            table: KeyedTable(unique: keysAndValues), areEqual: equals.comparison, named: name, fileID: fileID,
            line: line)
    }

    /// Creates a dictionary with pairs of keys and values. Several pairs may have the same key.
    ///
    /// - Parameters:
    ///   - keysAndValues: The pairs.
    ///   - combine: Returns the value for a key from the value so far and the next one.
    ///   - equals: The comparison of two values; by default the one that the type implies.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Throws: The error that `combine` throws.
    /// - Complexity: O(N).
    @inlinable
    public convenience init(
        _ keysAndValues: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value,
        equals: Equality<Value> = .automatic, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) rethrows {
        var table = KeyedTable<Key, Value>()
        for (key, value) in keysAndValues {
            let hash = KeyedTable<Key, Value>.hash(of: key)
            if let row = table.find(key, hash: hash) {
                var combined = try combine(table.value(at: row), value)
                table.exchange(row, with: &combined)
            } else {
                _ = table.insert(key, value, hash: hash)
            }
        }
        self.init(table: table, areEqual: equals.comparison, named: name, fileID: fileID, line: line)
    }

    /// Creates a dictionary of groups. A group contains the elements with the same key, in order.
    ///
    /// - Parameters:
    ///   - elements: The elements.
    ///   - keyForValue: Returns the key of an element's group.
    ///   - equals: The comparison of two groups; by default the one that the type implies.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Throws: The error that `keyForValue` throws.
    /// - Complexity: O(N).
    @inlinable
    public convenience init<Elements: Sequence>(
        grouping elements: Elements, by keyForValue: (Elements.Element) throws -> Key,
        equals: Equality<Value> = .automatic, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) rethrows where Value == [Elements.Element] {
        var table = KeyedTable<Key, Value>()
        for element in elements {
            let key = try keyForValue(element)
            let hash = KeyedTable<Key, Value>.hash(of: key)
            if let row = table.find(key, hash: hash) {
                var group: Value = []
                table.exchange(row, with: &group)
                group.append(element)
                table.exchange(row, with: &group)
            } else {
                _ = table.insert(key, [element], hash: hash)
            }
        }
        self.init(table: table, areEqual: equals.comparison, named: name, fileID: fileID, line: line)
    }

    /// Creates an empty dictionary with memory for a number of entries.
    ///
    /// - Parameters:
    ///   - minimumCapacity: The number of entries to expect.
    ///   - equals: The comparison of two values; by default the one that the type implies.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        minimumCapacity: Int, equals: Equality<Value> = .automatic, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        var table = KeyedTable<Key, Value>()
        // No test sees this left out: it only saves allocations.
        table.reserveCapacity(minimumCapacity)
        self.init(table: table, areEqual: equals.comparison, named: name, fileID: fileID, line: line)
    }
}

extension ObservableDictionary: ExpressibleByDictionaryLiteral {
    // Disfavored, because a call without arguments must not resolve to a variadic initialiser.
    /// Creates a dictionary from a literal.
    ///
    /// - Precondition: No two keys are equal.
    @inlinable @_disfavoredOverload
    public convenience init(dictionaryLiteral elements: (Key, Value)...) {
        self.init(uniqueKeysWithValues: elements, fileID: #fileID, line: #line)
    }
}

extension KeyedTable {
    /// Creates a table with the entries of a dictionary.
    @inlinable
    init(_ elements: [Key: Value]) {
        self.init()
        // No test sees this left out: it only saves allocations.
        reserveCapacity(elements.count)
        for (key, value) in elements { _ = insert(key, value, hash: Self.hash(of: key)) }
    }

    /// Creates a table with pairs of keys and values.
    @inlinable
    init(unique elements: some Sequence<(Key, Value)>) {
        self.init()
        // No test sees this left out: it only saves allocations.
        reserveCapacity(elements.underestimatedCount)
        for (key, value) in elements {
            let hash = Self.hash(of: key)
            require(
                find(key, hash: hash) == nil,
                "Reactive: an ObservableDictionary is created with two equal keys: \(key)")
            _ = insert(key, value, hash: hash)
        }
    }
}
