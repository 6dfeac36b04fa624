// Updates of the index of ids, and of the nodes of observed ids, in each mutation.
//
// A mutation has three phases for this. Each calls user code; meanwhile, an access to the array stops the program.
//
//     prepareIDs   before the mutation: notes the nodes of all ids that are removed or inserted, with their current
//                  elements; removes ids from the index
//     addID        after it, for each new row: inserts its id into the index
//     takeTouchedNodes   at the end: finds which of the nodes have a different element now

import Reactive

extension ObservableArray {
    // MARK: - Building

    /// Builds the index.
    @inlinable @inline(never)
    final func buildIndex() {
        guard let ids else { return }
        if !hasRows { createRows() }
        var index = RowIndex()
        var hasDuplicates = false
        let (elements, rows) = (state.elements, ordering.rows)
        var iterator = elements.makeIterator()
        rows.forEach { row in
            // No test sees this: each row has an element.
            guard let element = iterator.next() else { return false }
            let hash = ids.hash(element)
            let first = index.find(hash: hash) { ids.haveSameID(elements[rows.position(of: $0)], element) }
            if first == nil {
                index.insert(hash: hash, row: row)
            } else {
                hasDuplicates = true
                reportDuplicate(of: element)
            }
            return true
        }
        state.index = index
        state.hasDuplicates = hasDuplicates
    }

    @usableFromInline @inline(never)
    final func reportDuplicate(of element: Element) {
        guard let ids, !ids.hasReportedDuplicates else { return }
        ids.hasReportedDuplicates = true
        Hosting.report(
            .misuse,
            """
            \(displayName) has several elements with the id \(ids.describeID(of: element)). Look-ups find the first \
            one, and are slow while there are duplicates. Give each element its own id.
            """, site: displayName)
    }

    @inlinable
    final func dropIndex() { state.index = nil }

    // MARK: - Before a mutation

    /// Prepares the index and the nodes for a replacement of elements.
    @inlinable
    final func prepareIDs(for range: Range<Int>, with new: some Collection<Element>) {
        // No test sees this: the index is the same, whether it is rebuilt or updated.
        prepare(isLarge: range.count + new.count > 16 + state.elements.count / 4) { ids in
            state.elements.forEach(in: range) { chunk in
                for element in chunk { touch(element, ids) }
            }
            for element in new { touch(element, ids) }
        } removing: { ids in
            for position in range { remove(state.elements[position], at: position, ids) }
        }
    }

    /// Prepares the index and the nodes for a removal of scattered elements.
    @inlinable
    final func prepareIDs(forRemovalAt positions: ContiguousArray<Int>) {
        // No test sees this: the index is the same, whether it is rebuilt or updated.
        prepare(isLarge: positions.count > 16 + state.elements.count / 4) { ids in
            for position in positions { touch(state.elements[position], ids) }
        } removing: { ids in
            for position in positions { remove(state.elements[position], at: position, ids) }
        }
    }

    /// Prepares the index and the nodes for an element that is replaced. Returns whether `addID` must follow.
    @inlinable
    final func prepareIDs(forUpdateAt position: Int, to new: Element) -> Bool {
        // No test sees this: otherwise there is nothing to prepare, and `addID` does nothing.
        guard let ids, state.index != nil || ids.hasNodes else { return false }
        let isSameID = withUserCode {
            guard ids.haveSameID(state.elements[position], new) else { return false }
            // No test sees this always hold: it only saves a search.
            if ids.hasNodes { touch(new, ids) }
            return true
        }
        if isSameID { return false }
        prepareIDs(for: position..<position + 1, with: CollectionOfOne(new))
        return true
    }

    /// Prepares the index and the nodes for a mutation of the order, which matters if several elements have the same
    /// id.
    @inlinable
    final func prepareIDsForNewOrder() {
        prepare(isLarge: false, touching: { _ in }, removing: { _ in })
    }

    /// - Parameters:
    ///   - isLarge: Whether so much changes that rebuilding the index is cheaper.
    ///   - touchIDs: Notes the nodes of the ids that are removed or inserted.
    ///   - removeIDs: Removes ids from the index.
    @inlinable @inline(__always)
    final func prepare(
        isLarge: Bool, touching touchIDs: (ElementIDs<Element>) -> Void,
        removing removeIDs: (ElementIDs<Element>) -> Void
    ) {
        // No test sees this always hold: otherwise there is nothing to prepare.
        guard let ids, state.index != nil || ids.hasNodes else { return }
        withUserCode {
            // No test sees this always hold: it only saves searches.
            if ids.hasNodes {
                if state.index == nil { buildIndex() }
                if isLarge || state.hasDuplicates {
                    ids.forEachNode { touch($0, ids) }
                } else {
                    touchIDs(ids)
                }
            }
            if isLarge || state.hasDuplicates { return dropIndex() }
            removeIDs(ids)
        }
    }

    /// Notes the node of an element's id, with the element that now has the id.
    @inlinable
    final func touch(_ element: Element, _ ids: ElementIDs<Element>) {
        if let node = ids.nodeOfElement(ids, element) { touch(node, ids) }
    }

    @inlinable
    final func touch(_ node: _StoredSource, _ ids: ElementIDs<Element>) {
        // No test sees this always hold: it only saves comparing an element twice.
        if ids.isFirstTouch(of: node) { ids.touched.append(TouchedNode(node: node, old: ids.elementOfNode(node))) }
    }

    /// Removes the id of an element that is removed from the index.
    @inlinable
    final func remove(_ element: Element, at position: Int, _ ids: ElementIDs<Element>) {
        // No test sees this always hold: it only saves a hash.
        guard state.index != nil else { return }
        let row = ordering.rows.row(at: position)
        let hash = ids.hash(element)
        if state.index?.find(hash: hash, where: { $0 == row }) != nil {
            state.index?.remove(hash: hash, row: row)
        } else {
            // The id has changed without a mutation of the array, so the index is wrong.
            dropIndex()
        }
    }

    // MARK: - After a mutation

    /// Inserts the id of a new element into the index.
    @inlinable
    final func addID(of row: Row) {
        guard let ids, state.index != nil else { return }
        let (hash, isFirst) = withUserCode {
            // A copy, because comparisons may run any code. It is released before the index changes.
            let index = state.index.unsafelyUnwrapped
            let element = element(at: row)
            let hash = ids.hash(element)
            return (hash, index.find(hash: hash) { ids.haveSameID(self.element(at: $0), element) } == nil)
        }
        if isFirst { state.index?.insert(hash: hash, row: row) } else { dropIndex() }
    }

    /// Inserts the id of an element that was mutated in place into the index.
    @inlinable
    final func addID(of row: Row, modifiedAt position: Int) {
        // No test sees this always hold: it only saves a search.
        if let ids, ids.hasNodes { withUserCode { touch(state.elements[position], ids) } }
        addID(of: row)
    }

    /// Returns the nodes that the mutation may affect, and whether each has a different element now.
    @inlinable
    final func takeTouchedNodes() -> [TouchedNode<Element>] {
        // No test sees this always hold: the result is the same.
        guard let ids, !ids.touched.isEmpty else { return [] }
        var touched = ids.touched
        ids.touched = []
        ids.touchedNodes = []
        withUserCode {
            for index in touched.indices {
                touched[index].hasChanged = !areSame(touched[index].old, ids.elementOfNode(touched[index].node))
            }
        }
        return touched
    }

    /// Discards the noted nodes after a mutation that has changed nothing.
    @inlinable
    final func forgetTouchedNodes() { release(later: takeTouchedNodes()) }

    /// Whether two elements count as equal, or both are absent.
    @inlinable
    final func areSame(_ old: Element?, _ new: Element?) -> Bool {
        guard let old, let new else { return old == nil && new == nil }
        return areEqual(old, new)
    }
}
