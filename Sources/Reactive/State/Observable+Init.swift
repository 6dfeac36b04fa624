// The initialisers of an observable. The type of the value selects the comparison, by overload.

import CReactive

extension Observable {
    /// Creates state that compares by a custom rule.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - equals: Returns whether two values count as the same. Called with the graph locked, untracked, on the
    ///     writing thread.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        wrappedValue: Value, equals: @escaping @Sendable (Value, Value) -> Bool, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(wrappedValue: wrappedValue, equals: Equality(equals), named: name, fileID: fileID, line: line)
    }

    /// Creates stand-alone state that compares by a custom rule; see ``Equality``.
    @inlinable
    public convenience init(
        _ value: Value, equals: @escaping @Sendable (Value, Value) -> Bool, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(wrappedValue: value, equals: equals, named: name, fileID: fileID, line: line)
    }

    /// Creates stand-alone state that compares by the given rule. Without one, every write is a change, because values
    /// of this type cannot be compared.
    @inlinable
    public convenience init(
        _ value: Value, equals: Equality<Value> = .never, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(wrappedValue: value, equals: equals, named: name, fileID: fileID, line: line)
    }
}

extension Observable where Value: Equatable {
    /// Creates state that compares with `==`: writing an equal value notifies no observer.
    @inlinable
    public convenience init(
        wrappedValue: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            stored: wrappedValue, areEqual: { $0 == $1 }, comparesBits: Observable.isWord, named: name, fileID: fileID,
            line: line)
    }

    /// Creates stand-alone state that compares with `==`: writing an equal value notifies no observer.
    @inlinable
    public convenience init(
        _ value: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(wrappedValue: value, named: name, fileID: fileID, line: line)
    }
}

extension Observable where Value: FloatingPoint {
    /// Creates state that compares with `==`, where NaN equals NaN.
    @inlinable
    public convenience init(
        wrappedValue: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            stored: wrappedValue, areEqual: { $0 == $1 || ($0.isNaN && $1.isNaN) }, named: name, fileID: fileID,
            line: line)
    }

    /// Creates stand-alone state that compares with `==`, where NaN equals NaN.
    @inlinable
    public convenience init(
        _ value: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(wrappedValue: value, named: name, fileID: fileID, line: line)
    }
}

extension Observable where Value: AnyObject {
    /// Creates state that compares by identity: writing the same object notifies no observer.
    @inlinable
    public convenience init(
        wrappedValue: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            stored: wrappedValue, areEqual: { $0 === $1 },
            // No test sees this: it only saves steps.
            comparesBits: true, named: name, fileID: fileID, line: line)
    }

    /// Creates stand-alone state that compares by identity: writing the same object notifies no observer.
    @inlinable
    public convenience init(
        _ value: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(wrappedValue: value, named: name, fileID: fileID, line: line)
    }
}

extension Observable where Value: AnyObject & Equatable {
    /// Creates state that compares with `==`: writing an equal object notifies no observer.
    @inlinable
    public convenience init(
        wrappedValue: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(stored: wrappedValue, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line)
    }

    /// Creates stand-alone state that compares with `==`: writing an equal object notifies no observer.
    @inlinable
    public convenience init(
        _ value: Value, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(wrappedValue: value, named: name, fileID: fileID, line: line)
    }
}
