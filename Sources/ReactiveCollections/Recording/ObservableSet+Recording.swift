// A set for modules that record changes and write them back.

import Reactive

extension ObservableSet: RecordableElements {
    /// The current elements in an order. The first read creates the order. Observers depend on the whole set including
    /// its order, and not on a node that exists only for readers.
    package var value: SetValue<Element> {
        get {
            enter()
            defer { leave() }
            noteReadOfAll()
            table.arrange()
            if !stageLog.isFollowed {
                stageLog.isFollowed = true
                stageLog.noteAll()
            }
            stageLog.lastRead = stageLog.log.end
            return SetValue(table, log: stageLog)
        }
        set {
            graphHandle.inTransaction { untracked { become(newValue) } }
        }
    }

    /// Edits the set until it has a value's elements in their order.
    private func become(_ new: SetValue<Element>) {
        let present = value
        if let difference = new.difference(from: present) { return take(new.edits(from: present, difference), to: new) }
        for position in (0..<present.elementCount).reversed()
        where new.position(ofUnique: present.element(at: position)) == nil {
            removeElements(position..<position + 1)
        }
        var position = 0
        new.forEachElement { _, element in
            if let from = self.position(ofUnique: element) {
                moveElement(from: from, to: position)
            } else {
                insertElements([element], at: position)
            }
            position += 1
        }
    }

    package func areSame(_ old: SetValue<Element>, _ new: SetValue<Element>) -> Bool {
        untracked { old.hasSameElements(as: new) }
    }

    package var elementCount: Int { count }

    package func element(at position: Int) -> Element { value.element(at: position) }

    package static var hasUniqueElements: Bool { true }

    package func position(ofUnique element: Element) -> Int? { value.position(ofUnique: element) }

    /// Inserts elements that the set does not have.
    package func insertElements(_ elements: [Element], at position: Int) {
        let elements = gathered(elements)
        enter()
        defer { withExtendedLifetime(elements) { leave() } }
        checkMutation()
        table.arrange()
        var position = position
        for (element, hash) in elements where find(element, hash) == nil {
            insert(element, (), hash)
            if let row = table.rowsInOrder.last { table.move(row, to: position) }
            position += 1
        }
    }

    package func removeElements(_ range: Range<Int>) {
        var removed: ContiguousArray<KeyedEntry<Element, Void>> = []
        enter()
        checkMutation()
        table.arrange()
        for position in range.reversed() {
            let row = table.rowsInOrder.row(at: position)
            removed.append(remove(row, of: table.key(at: row), hash(ofKeyAt: row)))
        }
        leave()
        // No test sees this left out: only optimised code would release them earlier.
        withExtendedLifetime(removed) {}
    }

    package func moveElement(from: Int, to: Int) {
        if from == to { return }
        enter()
        defer { leave() }
        checkMutation()
        table.arrange()
        keepTable()
        let row = table.rowsInOrder.row(at: from)
        table.move(row, to: to)
        // For views, the element has not changed. Recorders find that it has moved.
        stageLog.note(row, .updated, count: table.count)
        noteChange()
    }

    package func replaceElement(at position: Int, by element: Element) {
        removeElements(position..<position + 1)
        insertElements([element], at: position)
    }
}

extension ObservableSet: CreatableState {
    package var creator: (_ value: SetValue<Element>, _ name: StateName) -> ObservableSet {
        { value, name in
            var elements: [Element] = []
            value.forEachElement { elements.append($1) }
            let new = ObservableSet(elements)
            new.take(name)
            return new
        }
    }
}

extension ObservableSet: EncodableObservable where Element: Encodable {}
