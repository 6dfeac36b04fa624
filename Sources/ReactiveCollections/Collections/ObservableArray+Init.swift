// The initialisers of an array. The type of the elements selects the comparison, by overload.

public import Reactive

extension ObservableArray {
    /// The initialiser that the public ones call.
    @inlinable
    convenience init(
        _ elements: some Sequence<Element>, ids: ElementIDs<Element>? = nil,
        areEqual: @escaping (Element, Element) -> Bool, named name: String?, fileID: StaticString, line: UInt
    ) {
        self.init(
            elements: CountedTree(untracked { Array(elements) }), ids: ids, areEqual: areEqual, named: name,
            fileID: fileID, line: line)
    }
}

extension ObservableArray {
    /// Creates an empty array that compares elements by the given rule.
    ///
    /// - Parameters:
    ///   - equals: The comparison of two elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        equals: Equality<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(EmptyCollection(), areEqual: { equals($0, $1) }, named: name, fileID: fileID, line: line)
    }

    /// Creates an array that compares elements by the given rule. Without one, every write is a change, because
    /// elements of this type cannot be compared.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - equals: The comparison of two elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, equals: Equality<Element> = .never, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(elements, areEqual: { equals($0, $1) }, named: name, fileID: fileID, line: line)
    }

    /// Creates an empty array that compares elements by a custom rule.
    ///
    /// - Parameters:
    ///   - equals: Returns whether two elements count as equal. Called on the writing thread, untracked and with the
    ///     graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        equals: @escaping @Sendable (Element, Element) -> Bool, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(equals: Equality(equals), named: name, fileID: fileID, line: line)
    }

    /// Creates an array that compares elements by a custom rule.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - equals: Returns whether two elements count as equal. Called on the writing thread, untracked and with the
    ///     graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, equals: @escaping @Sendable (Element, Element) -> Bool,
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(elements, equals: Equality(equals), named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray where Element: Equatable {
    /// Creates an empty array that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(EmptyCollection(), areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line)
    }

    /// Creates an array that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(elements, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray where Element: FloatingPoint {
    /// Creates an empty array that compares elements with `==`, where NaN equals NaN.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), areEqual: { $0 == $1 || ($0.isNaN && $1.isNaN) }, named: name, fileID: fileID,
            line: line)
    }

    /// Creates an array that compares elements with `==`, where NaN equals NaN.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(elements, areEqual: { $0 == $1 || ($0.isNaN && $1.isNaN) }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray where Element: AnyObject {
    /// Creates an empty array that compares elements by identity.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(EmptyCollection(), areEqual: { $0 === $1 }, named: name, fileID: fileID, line: line)
    }

    /// Creates an array that compares elements by identity.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(elements, areEqual: { $0 === $1 }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray where Element: AnyObject & Equatable {
    /// Creates an empty array that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(EmptyCollection(), areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line)
    }

    /// Creates an array that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(elements, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray {
    /// Creates an array that repeats one element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - count: The number of repetitions, at least 0.
    ///   - equals: The comparison of two elements; by default the one that their type implies, see `Equality`.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        repeating element: Element, count: Int, equals: Equality<Element> = .automatic, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            repeatElement(element, count: count), equals: equals, named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray: ExpressibleByArrayLiteral {
    // Disfavoured, because a call without arguments would be ambiguous.

    /// Creates an array from a literal. Elements compare as their type implies; see `Equality`.
    ///
    /// - Parameter elements: The elements.
    @_disfavoredOverload
    public convenience init(arrayLiteral elements: Element...) { self.init(elements, equals: .automatic) }
}
