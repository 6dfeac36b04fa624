// The initialisers of an array with access by id. The type of the elements selects the comparison, by overload.

public import Reactive

extension ObservableArray {
    /// Creates an empty array with access by id in which every write is a change, because elements of this type cannot
    /// be compared.
    ///
    /// - Parameters:
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - equals: The comparison of two elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, equals: Equality<Element>, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            EmptyCollection(), ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { equals($0, $1) }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an array with access by id that compares elements by the given rule. Without one, every write is a
    /// change, because elements of this type cannot be compared.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - equals: The comparison of two elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init<ID: Hashable>(
        _ elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable, equals: Equality<Element> = .never,
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            elements, ids: TypedElementIDs { $0[keyPath: id] }, areEqual: { equals($0, $1) }, named: name,
            fileID: fileID, line: line)
    }

    /// Creates an empty array with access by id that compares elements by a custom rule.
    ///
    /// - Parameters:
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - equals: Returns whether two elements count as equal. Called on the writing thread, untracked and with the
    ///     graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init<ID: Hashable>(
        id: KeyPath<Element, ID> & Sendable, equals: @escaping @Sendable (Element, Element) -> Bool,
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(id: id, equals: Equality(equals), named: name, fileID: fileID, line: line)
    }

    /// Creates an array with access by id that compares elements by a custom rule.
    ///
    /// - Parameters:
    ///   - elements: The elements. Read untracked.
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - equals: Returns whether two elements count as equal. Called on the writing thread, untracked and with the
    ///     graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
    ///   - id: The key path to an element's id. Ids must be unique. Read untracked and with the graph locked.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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
