// An array for modules that record changes and write them back.

import Reactive

extension ObservableArray: RecordableElements {
    /// The current elements with their rows. The first read creates the rows. Observers depend on the whole array.
    package var value: ArrayValue<Element> {
        get {
            enter()
            defer { leave() }
            noteRead()
            follow()
            return ArrayValue(
                elements: state.elements, rows: ordering.rows, numbers: state.numbers, log: stageLog)
        }
        set {
            graphHandle.inTransaction { untracked { become(newValue) } }
        }
    }

    /// Edits the array until it has a value's elements. Elements that it already has keep their rows.
    private func become(_ new: ArrayValue<Element>) {
        let present = value
        guard let difference = new.difference(from: present) else {
            return replaceSubrange(0..<present.elementCount, with: ArraySnapshot(new.elements))
        }
        take(new.edits(from: present, difference), to: new)
    }

    package func areSame(_ old: ArrayValue<Element>, _ new: ArrayValue<Element>) -> Bool {
        untracked { old.elements.elementsEqual(new.elements, by: areEqual) }
    }

    package var elementCount: Int { count }

    package func element(at position: Int) -> Element { self[position] }

    package func insertElements(_ elements: [Element], at position: Int) {
        insert(contentsOf: elements, at: position)
    }

    package func removeElements(_ range: Range<Int>) { removeSubrange(range) }

    package func moveElement(from: Int, to: Int) { move(from: from, to: to) }

    package func replaceElement(at position: Int, by element: Element) { self[position] = element }
}

extension ObservableArray: EncodableObservable where Element: Encodable {}

extension ObservableArray: CreatableState {
    package var creator: (_ value: ArrayValue<Element>, _ name: StateName) -> ObservableArray {
        let areEqual = areEqual
        return { value, name in
            let new = ObservableArray(
                elements: value.elements, ids: nil, areEqual: areEqual, named: nil, fileID: #fileID, line: #line)
            new.take(name)
            return new
        }
    }
}

// For recorders, a reader of one id or of the count depends on the whole array.

extension CountNode: AspectOfState {
    package var recordableState: (any RecordableState)? { array }
}

extension ElementNode: AspectOfState {
    package var recordableState: (any RecordableState)? { array }
}
