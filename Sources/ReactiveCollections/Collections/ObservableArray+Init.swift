// How an array is created: the type of the elements chooses the comparison, by overload.

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
    ///   - equals: The rule.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init(
        equals: Equality<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(EmptyCollection(), areEqual: { equals($0, $1) }, named: name, fileID: fileID, line: line)
    }

    /// Creates an array that compares elements by the given rule; without one, every write is a change, because
    /// elements of this type cannot be compared.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - equals: The rule.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, equals: Equality<Element> = .never, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(elements, areEqual: { equals($0, $1) }, named: name, fileID: fileID, line: line)
    }

    /// Creates an empty array that compares elements by a rule of your own.
    ///
    /// - Parameters:
    ///   - equals: Returns whether two elements count as the same. Called with the graph locked, untracked, on the
    ///     writing thread.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init(
        equals: @escaping @Sendable (Element, Element) -> Bool, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(equals: Equality(equals), named: name, fileID: fileID, line: line)
    }

    /// Creates an array that compares elements by a rule of your own.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - equals: Returns whether two elements count as the same. Called with the graph locked, untracked, on the
    ///     writing thread.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(elements, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray where Element: FloatingPoint {
    /// Creates an empty array that compares elements with `==`, and NaN as equal to NaN.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), areEqual: { $0 == $1 || ($0.isNaN && $1.isNaN) }, named: name, fileID: fileID,
            line: line)
    }

    /// Creates an array that compares elements with `==`, and NaN as equal to NaN.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(elements, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray {
    /// Creates an array of one element, repeated.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - count: How often: at least 0.
    ///   - equals: When two elements count as the same. Without it: as their type implies; see `Equality`.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
    // Disfavoured, since a call without arguments could mean it as well.

    /// Creates an array from a literal. Elements compare as their type implies; see `Equality`.
    ///
    /// - Parameter elements: The elements.
    @_disfavoredOverload
    public convenience init(arrayLiteral elements: Element...) { self.init(elements, equals: .automatic) }
}
