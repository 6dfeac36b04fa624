// Arrays with access by id: the type of the elements chooses the comparison, by overload.

public import Reactive

extension ObservableArray {
    /// Creates an empty array with access by id in which every write is a change, because elements of this
    /// type cannot be compared.
    ///
    /// - Parameters:
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { _, _ in false }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an empty array with access by id that compares elements by the given rule.
    ///
    /// - Parameters:
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - equals: The rule.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, equals: Equality<Element>, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { equals($0, $1) }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an array with access by id that compares elements by the given rule; without one, every write is a
    /// change, because elements of this type cannot be compared.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - equals: The rule.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        _ elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable, equals: Equality<Element> = .never,
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            elements, ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { equals($0, $1) }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an empty array with access by id that compares elements by a rule of your own.
    ///
    /// - Parameters:
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - equals: Returns whether two elements count as the same. Called with the graph locked, untracked, on the
    ///     writing thread.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, equals: @escaping @Sendable (Element, Element) -> Bool,
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(id: id, equals: Equality(equals), named: name, fileID: fileID, line: line)
    }

    /// Creates an array with access by id that compares elements by a rule of your own.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - equals: Returns whether two elements count as the same. Called with the graph locked, untracked, on the
    ///     writing thread.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        _ elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable,
        equals: @escaping @Sendable (Element, Element) -> Bool, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(elements, id: id, equals: Equality(equals), named: name, fileID: fileID, line: line)
    }
}

extension ObservableArray where Element: Equatable {
    /// Creates an empty array with access by id that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { $0 == $1 }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an array with access by id that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        _ elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            elements, ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { $0 == $1 }, named: name, fileID: fileID,
            line: line)
    }
}

extension ObservableArray where Element: AnyObject {
    /// Creates an empty array with access by id that compares elements by identity.
    ///
    /// - Parameters:
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { $0 === $1 }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an array with access by id that compares elements by identity.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        _ elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            elements, ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { $0 === $1 }, named: name, fileID: fileID,
            line: line)
    }
}

extension ObservableArray where Element: AnyObject & Equatable {
    /// Creates an empty array with access by id that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { $0 == $1 }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an array with access by id that compares elements with `==`.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - id: The ids, which differ from each other. Called with the graph locked and untracked.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public convenience init<ID: Hashable>(
        _ elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            elements, ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { $0 == $1 }, named: name, fileID: fileID,
            line: line)
    }
}
