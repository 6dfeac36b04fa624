// Access to elements by id.

import Reactive

extension ObservableArray {
    // MARK: - For elements of any type

    /// The element with an id, or `nil` if there is none. Observers depend on that element only.
    ///
    /// Assigning an element replaces the one with that id, or appends it if there is none. The assigned element must
    /// have that id. Assigning `nil` removes the element. A mutation such as `array[id: 1]?.name = "x"` reads the
    /// element first.
    ///
    /// The ids must have the type of `id`: those of the key path that the array was created with, or of `Identifiable`
    /// elements. If several elements have the same id, this is the first, and the duplicate is reported as an issue.
    ///
    /// - Parameter id: The id. While an element is in the array, its id may change only by a mutation of the array.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    public final subscript<ID: Hashable>(id id: ID) -> Element? {
        get { element(with: id, in: givenIDs(of: ID.self)) }
        set { setElement(newValue, with: id, in: givenIDs(of: ID.self)) }
    }

    /// Returns the position of the element with an id. Observers depend on the whole array.
    ///
    /// - Parameter id: The id. `array[id: key]` describes the requirements.
    /// - Returns: The position, or `nil` if there is no such element.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    public final func index<ID: Hashable>(id: ID) -> Int? { position(of: id, in: givenIDs(of: ID.self)) }

    /// Whether there is an element with an id. Observers depend on that element only.
    ///
    /// - Parameter id: The id. `array[id: key]` describes the requirements.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    public final func contains<ID: Hashable>(id: ID) -> Bool {
        element(with: id, in: givenIDs(of: ID.self)) != nil
    }

    /// Removes and returns the element with an id.
    ///
    /// - Parameter id: The id. `array[id: key]` describes the requirements.
    /// - Returns: The element, or `nil` if there was none.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    @discardableResult
    public final func remove<ID: Hashable>(id: ID) -> Element? { removeElement(with: id, in: givenIDs(of: ID.self)) }

    // MARK: - Looking up

    @inlinable
    final func element<ID>(with id: ID, in ids: @autoclosure () -> TypedElementIDs<Element, ID>) -> Element? {
        enter()
        defer { leave() }
        let ids = ids()
        checkRead()
        let (hash, row): (Int, Row?) = untracked {
            let hash = id.hashValue
            return (hash, self.row(of: id, hash: hash, in: ids))
        }
        if isTracked { ids.noteRead(of: id, hash: hash, in: self) }
        return row.map { element(at: $0) }
    }

    @inlinable
    final func position<ID>(of id: ID, in ids: @autoclosure () -> TypedElementIDs<Element, ID>) -> Int? {
        enter()
        defer { leave() }
        let ids = ids()
        noteRead()
        return untracked { self.row(of: id, hash: id.hashValue, in: ids) }.map { ordering.rows.position(of: $0) }
    }

    /// Returns the row of the element with an id. Called under the lock; calls `==` of the ids.
    @inlinable
    final func row<ID>(of id: ID, hash: Int, in ids: TypedElementIDs<Element, ID>) -> Row? {
        if state.index == nil { buildIndex() }
        // A copy, because `==` may run any code.
        let index = state.index.unsafelyUnwrapped
        return index.find(hash: hash) { row in ids.id(element(at: row)) == id }
    }

    /// Stops the program if a read overlaps a mutation in place. Not tracked.
    @inlinable @inline(__always)
    final func checkRead() {
        // No test sees this always hold: it only saves a call.
        if isTracked { untracked { noteRead() } } else { noteRead() }
    }

    // MARK: - Writing

    @inlinable
    final func setElement<ID>(
        _ element: Element?, with id: ID, in ids: @autoclosure () -> TypedElementIDs<Element, ID>
    ) {
        guard let element else {
            removeElement(with: id, in: ids())
            return
        }
        enter()
        checkRead()
        let ids = ids()
        let row: Row? = withUserCode {
            require(
                ids.id(element) == id,
                "Reactive: the element assigned for the id \(id) has a different id. Assign an element with that id.")
            return self.row(of: id, hash: id.hashValue, in: ids)
        }
        if let row {
            update(at: ordering.rows.position(of: row), to: element)
        } else {
            append(element)
        }
        leave()
    }

    @inlinable
    @discardableResult
    final func removeElement<ID>(
        with id: ID, in ids: @autoclosure () -> TypedElementIDs<Element, ID>
    ) -> Element? {
        beginWrite()
        let ids = ids()
        let row = withUserCode { self.row(of: id, hash: id.hashValue, in: ids) }
        guard let row else {
            leave()
            return nil
        }
        return removeAndLeave(at: ordering.rows.position(of: row))
    }

    // MARK: - The type of the ids

    /// Returns the ids that the array was created with, or those of `Identifiable` elements. Called under the lock.
    @inlinable
    final func givenIDs<ID>(of type: ID.Type) -> TypedElementIDs<Element, ID> {
        if let ids = ids ?? impliedIDs(), Swift.type(of: ids) == TypedElementIDs<Element, ID>.self {
            return use(unsafeDowncast(ids, to: TypedElementIDs<Element, ID>.self))
        }
        stopForMissingIDs(type)
    }

    @usableFromInline
    final func impliedIDs() -> ElementIDs<Element>? {
        guard let type = Element.self as? any Identifiable.Type else { return nil }
        return ElementIDs.implied(by: type)
    }

    /// Starts using ids. Called under the lock.
    @inlinable @inline(__always)
    final func use<ID>(_ ids: TypedElementIDs<Element, ID>) -> TypedElementIDs<Element, ID> {
        // No test sees this always hold: the ids are the same object.
        if self.ids == nil { self.ids = ids }
        return ids
    }

    @usableFromInline @inline(never)
    final func stopForMissingIDs<ID>(_ type: ID.Type) -> Never {
        fatalError(
            """
            Reactive: \(displayName) has no ids of type \(ID.self). Create it with a key path to the ids, as in \
            `ObservableArray(id: \\.key)`, or make its elements `Identifiable`.
            """)
    }
}

extension ElementIDs {
    /// Returns the ids of `Identifiable` elements.
    fileprivate static func implied<Identified: Identifiable>(by type: Identified.Type) -> ElementIDs? {
        TypedElementIDs<Identified, Identified.ID> { $0.id } as AnyObject as? ElementIDs
    }
}

extension ObservableArray where Element: Identifiable {
    /// The element with an id, or `nil` if there is none. Observers depend on that element only.
    ///
    /// Assigning an element replaces the one with that id, or appends it if there is none. The assigned element must
    /// have that id. Assigning `nil` removes the element. A mutation such as `array[id: 1]?.name = "x"` reads the
    /// element first. If several elements have the same id, this is the first, and the duplicate is reported as an
    /// issue.
    ///
    /// - Parameter id: The id. While an element is in the array, its id may change only by a mutation of the array.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    public final subscript(id id: Element.ID) -> Element? {
        get { element(with: id, in: elementIDs) }
        set { setElement(newValue, with: id, in: elementIDs) }
    }

    /// Returns the position of the element with an id. Observers depend on the whole array.
    ///
    /// - Parameter id: The id.
    /// - Returns: The position, or `nil` if there is no such element.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    public final func index(id: Element.ID) -> Int? { position(of: id, in: elementIDs) }

    /// Whether there is an element with an id. Observers depend on that element only.
    ///
    /// - Parameter id: The id.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    public final func contains(id: Element.ID) -> Bool { element(with: id, in: elementIDs) != nil }

    /// Removes and returns the element with an id.
    ///
    /// - Parameter id: The id.
    /// - Returns: The element, or `nil` if there was none.
    /// - Complexity: O(log N); O(N) for the first access.
    @inlinable
    @discardableResult
    public final func remove(id: Element.ID) -> Element? { removeElement(with: id, in: elementIDs) }

    /// The ids of `Identifiable` elements. Stops the program if the array was created with other ids. Called under the
    /// lock.
    @inlinable
    final var elementIDs: TypedElementIDs<Element, Element.ID> {
        guard let ids else { return use(TypedElementIDs { $0.id }) }
        if type(of: ids) == TypedElementIDs<Element, Element.ID>.self {
            return use(unsafeDowncast(ids, to: TypedElementIDs<Element, Element.ID>.self))
        }
        stopForMissingIDs(Element.ID.self)
    }
}
