// Views of plain arrays in observables, bindings and computeds.

import Reactive
#if canImport(SwiftUI)
public import struct SwiftUI.Binding
#endif

extension Observable where Value: Collection {
    /// A view of the observable's collection. Its operators create further views.
    ///
    /// ```swift
    /// @Observable var rows: [Row] = []
    /// let open = _rows.live(id: \.id).filter { !$0.isDone }
    /// ```
    ///
    /// The view compares all elements each time the collection changes. An element with the same id is the same
    /// element, changed or not. If several elements have the same id, the view uses the first one and reports an issue.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two elements with the same id; by default no two elements count as equal.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, equals: Equality<Value.Element> = .never,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> {
        LiveArray.following(
            beside: self, id: id, areEqual: equals.comparison, named: name, fileID: fileID, line: line
        ) { self.value }
    }

    /// A view of the observable's collection. Elements are compared by a closure.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: Whether two elements with the same id count as equal. Called untracked and with the graph locked.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil,
        equals: @escaping @Sendable (Value.Element, Value.Element) -> Bool, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> {
        LiveArray.following(
            beside: self, id: id, areEqual: Equality(equals).comparison, named: name, fileID: fileID, line: line
        ) { self.value }
    }

    /// A view of the observable's collection. Elements are compared with `==`.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: Equatable {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line
        ) { self.value }
    }

    /// A view of the observable's collection. Elements are numbers, and NaN equals NaN.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: FloatingPoint {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 == $1 || $0.isNaN && $1.isNaN }, named: name, fileID: fileID,
            line: line
        ) { self.value }
    }

    /// A view of the observable's collection. Elements are objects, which are the same if they are identical.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: AnyObject {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 === $1 }, named: name, fileID: fileID, line: line
        ) { self.value }
    }

    /// A view of the observable's collection. Elements are objects compared with `==`.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: AnyObject & Equatable {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line
        ) { self.value }
    }
}

extension Computed where Value: Collection {
    /// A view of the computed's collection. Its operators create further views.
    ///
    /// ```swift
    /// let visibleRows = Computed { rows.filter { !$0.isHidden } }
    /// let open = visibleRows.live(id: \.id).filter { !$0.isDone }
    /// ```
    ///
    /// The view compares all elements each time the collection changes. An element with the same id is the same
    /// element, changed or not. If several elements have the same id, the view uses the first one and reports an issue.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two elements with the same id; by default no two elements count as equal.
    ///   - isolation: The actor that the computed belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, equals: Equality<Value.Element> = .never,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> {
        LiveArray.following(
            beside: self, id: id, areEqual: equals.comparison, named: name, fileID: fileID, line: line
        ) { self.value }.belonging(to: isolation)
    }

    /// A view of the computed's collection. Elements are compared by a closure.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: Whether two elements with the same id count as equal. Called untracked and with the graph locked.
    ///   - isolation: The actor that the computed belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil,
        equals: @escaping @Sendable (Value.Element, Value.Element) -> Bool,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> {
        LiveArray.following(
            beside: self, id: id, areEqual: Equality(equals).comparison, named: name, fileID: fileID, line: line
        ) { self.value }.belonging(to: isolation)
    }

    /// A view of the computed's collection. Elements are compared with `==`.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the computed belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: Equatable {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line
        ) { self.value }.belonging(to: isolation)
    }

    /// A view of the computed's collection. Elements are numbers, and NaN equals NaN.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the computed belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: FloatingPoint {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 == $1 || $0.isNaN && $1.isNaN }, named: name, fileID: fileID,
            line: line
        ) { self.value }.belonging(to: isolation)
    }

    /// A view of the computed's collection. Elements are objects, which are the same if they are identical.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the computed belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: AnyObject {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 === $1 }, named: name, fileID: fileID, line: line
        ) { self.value }.belonging(to: isolation)
    }

    /// A view of the computed's collection. Elements are objects compared with `==`.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the computed belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: AnyObject & Equatable {
        LiveArray.following(
            beside: self, id: id, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line
        ) { self.value }.belonging(to: isolation)
    }
}

extension Binding where Value: Collection {
    /// A view of a binding's collection, such as `$rows`. Its operators create further views.
    ///
    /// ```swift
    /// @Observable var rows: [Row] = []
    /// let open = $rows.live(id: \.id).filter { !$0.isDone }
    /// ```
    ///
    /// The view compares all elements each time the collection changes. An element with the same id is the same
    /// element, changed or not. If several elements have the same id, the view uses the first one and reports an issue.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two elements with the same id; by default no two elements count as equal.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, equals: Equality<Value.Element> = .never,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> {
        // A computed, because a binding is not a node.
        let source = Computed(named: name, isolation: nil, fileID: fileID, line: line) { self.wrappedValue }
        return LiveArray.following(
            beside: source, id: id, areEqual: equals.comparison, named: name, fileID: fileID, line: line
        ) { source.value }
    }

    /// A view of a binding's collection, such as `$rows`. Elements are compared by a closure.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: Whether two elements with the same id count as equal. Called untracked and with the graph locked.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil,
        equals: @escaping @Sendable (Value.Element, Value.Element) -> Bool, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> {
        // A computed, because a binding is not a node.
        let source = Computed(named: name, isolation: nil, fileID: fileID, line: line) { self.wrappedValue }
        return LiveArray.following(
            beside: source, id: id, areEqual: Equality(equals).comparison, named: name, fileID: fileID, line: line
        ) { source.value }
    }

    /// A view of a binding's collection, such as `$rows`. Elements are compared with `==`.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: Equatable {
        // A computed, because a binding is not a node.
        let source = Computed(named: name, isolation: nil, fileID: fileID, line: line) { self.wrappedValue }
        return LiveArray.following(
            beside: source, id: id, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line
        ) { source.value }
    }

    /// A view of a binding's collection, such as `$rows`. Elements are numbers, and NaN equals NaN.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: FloatingPoint {
        // A computed, because a binding is not a node.
        let source = Computed(named: name, isolation: nil, fileID: fileID, line: line) { self.wrappedValue }
        return LiveArray.following(
            beside: source, id: id, areEqual: { $0 == $1 || $0.isNaN && $1.isNaN }, named: name, fileID: fileID,
            line: line
        ) { source.value }
    }

    /// A view of a binding's collection, such as `$rows`. Elements are objects, which are the same if they are
    /// identical.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: AnyObject {
        // A computed, because a binding is not a node.
        let source = Computed(named: name, isolation: nil, fileID: fileID, line: line) { self.wrappedValue }
        return LiveArray.following(
            beside: source, id: id, areEqual: { $0 === $1 }, named: name, fileID: fileID, line: line
        ) { source.value }
    }

    /// A view of a binding's collection, such as `$rows`. Elements are objects compared with `==`.
    ///
    /// See the overload of `live(id:)` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - id: Returns the id of an element, such as a key path. Not tracked: an id must not change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N) for each change; O(N log N) if elements have moved.
    @inlinable
    public func live<ID: Hashable>(
        id: @escaping (Value.Element) -> ID, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<Value.Element> where Value.Element: AnyObject & Equatable {
        // A computed, because a binding is not a node.
        let source = Computed(named: name, isolation: nil, fileID: fileID, line: line) { self.wrappedValue }
        return LiveArray.following(
            beside: source, id: id, areEqual: { $0 == $1 }, named: name, fileID: fileID, line: line
        ) { source.value }
    }
}
