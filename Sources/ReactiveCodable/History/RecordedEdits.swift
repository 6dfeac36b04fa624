// Changes of collections in an entry: the inserted, removed, moved and replaced elements, and their positions.

import Reactive

/// A change of an ordered collection.
final class RecordedEdits<State: RecordableElements>: RecordedChange {
    typealias Element = State.Element

    /// One edit: adjacent elements that were inserted or removed, or one that was moved or replaced.
    private enum Edit {
        case remove(at: Int, [Element])
        case insert(at: Int, [Element])
        case move(from: Int, to: Int)
        case replace(at: Int, old: Element, new: Element)
    }

    private let observable: State
    private var edits: [Edit] = []

    init(_ observable: State, from old: State.Recorded, to new: State.Recorded) {
        self.observable = observable
        super.init()
        let bits = BitComparison<Element>()
        for edit in new.edits(from: old, new.rowDifference(from: old)) {
            switch edit {
            case .remove(let position, let row): addRemoval(of: Self.element(row, old), at: position)
            case .insert(let position, let row): addInsertion(of: Self.element(row, new), at: position)
            case .move(let from, let to): edits.append(.move(from: from, to: to))
            case .replace(let position, let row):
                let (old, new) = (Self.element(row, old), Self.element(row, new))
                let isSame = withUnsafePointer(to: old) { old in
                    withUnsafePointer(to: new) { bits.areEqual(old, $0, 1) }
                }
                if !isSame { edits.append(.replace(at: position, old: old, new: new)) }
            }
        }
        // The edits are collected from the last to the first.
        for index in edits.indices {
            if case .remove(let position, let elements) = edits[index] {
                edits[index] = .remove(at: position, elements.reversed())
            }
        }
    }

    private static func element(_ row: UInt32, _ value: State.Recorded) -> Element {
        guard let position = value.position(of: row) else {
            preconditionFailure("internal inconsistency: a recorded row is not there")
        }
        return value.element(at: position)
    }

    private func addRemoval(of element: Element, at position: Int) {
        guard case .remove(position + 1, var elements)? = edits.last else {
            return edits.append(.remove(at: position, [element]))
        }
        edits.removeLast()
        elements.append(element)
        edits.append(.remove(at: position, elements))
    }

    private func addInsertion(of element: Element, at position: Int) {
        guard case .insert(let start, var elements)? = edits.last, start + elements.count == position else {
            return edits.append(.insert(at: position, [element]))
        }
        edits.removeLast()
        elements.append(element)
        edits.append(.insert(at: start, elements))
    }

    /// Whether nothing differs.
    var isEmpty: Bool { edits.isEmpty }

    override var state: any RecordableState { observable }

    override var byteCount: Int {
        edits.reduce(RecordedChange.overhead) { sum, edit in
            switch edit {
            case .remove(_, let elements), .insert(_, let elements): sum + estimatedByteCount(of: elements)
            case .move: sum + MemoryLayout<Edit>.stride
            case .replace(_, let old, let new): sum + estimatedByteCount(of: old) + estimatedByteCount(of: new)
            }
        }
    }

    override func invert() { edits = edits.reversed().map(Self.inverse) }

    private static func inverse(_ edit: Edit) -> Edit {
        switch edit {
        case .remove(let position, let elements): .insert(at: position, elements)
        case .insert(let position, let elements): .remove(at: position, elements)
        case .move(let from, let to): .move(from: to, to: from)
        case .replace(let position, let old, let new): .replace(at: position, old: new, new: old)
        }
    }

    // MARK: - Undoing and redoing

    override func undo() {
        var target = observable
        for edit in edits.reversed() { Self.take(Self.inverse(edit), in: &target) }
    }

    override func redo() {
        var target = observable
        for edit in edits { Self.take(edit, in: &target) }
    }

    private static func take<Target: EditableElements<Element>>(_ edit: Edit, in target: inout Target) {
        let count = target.elementCount
        switch edit {
        case .insert(let position, let elements): target.insertElements(elements, at: min(position, count))
        case .remove(_, let elements) where Target.hasUniqueElements:
            for element in elements {
                if let position = target.position(ofUnique: element) { target.removeElements(position..<position + 1) }
            }
        case .remove(let position, let elements):
            let start = findStart(of: elements, near: position, in: target)
            target.removeElements(start..<min(start + elements.count, count))
        case .move(let from, let to):
            if from < count, to < count { target.moveElement(from: from, to: to) }
        case .replace(let position, let old, let new):
            let start = findStart(of: [old], near: position, in: target)
            if start < count { target.replaceElement(at: start, by: new) }
        }
    }

    /// Returns the index of elements: their position, unless changes that are not recorded have moved them.
    private static func findStart<Target: EditableElements<Element>>(
        of elements: [Element], near position: Int, in target: Target
    ) -> Int {
        let bits = BitComparison<Element>()
        let count = target.elementCount
        func isAt(_ start: Int) -> Bool {
            guard start + elements.count <= count else { return false }
            return elements.indices.allSatisfy { index in
                withUnsafePointer(to: target.element(at: start + index)) { found in
                    withUnsafePointer(to: elements[index]) { bits.areEqual(found, $0, 1) }
                }
            }
        }
        let start = min(position, count)
        return isAt(start) ? start : (0..<count).first(where: isAt) ?? start
    }

    // MARK: - Values

    override var presentValue: SavedValue? { savedValue(observable.value, of: observable) }

    override func valueBefore(_ after: SavedValue?) -> SavedValue? {
        edited(after, by: edits.reversed().map(Self.inverse))
    }

    override func valueAfter(_ before: SavedValue?) -> SavedValue? { edited(before, by: edits) }

    private func edited(_ saved: SavedValue?, by edits: [Edit]) -> SavedValue? {
        var value = typedValue(saved, of: observable)
        for edit in edits { Self.take(edit, in: &value) }
        return savedValue(value, of: observable)
    }

    // MARK: - Changes that are not recorded

    override var splices: [Splice] {
        get {
            edits.flatMap { edit in
                switch edit {
                case .remove(let position, let elements):
                    [Splice(start: position, removed: elements.count, inserted: 0)]
                case .insert(let position, let elements):
                    [Splice(start: position, removed: 0, inserted: elements.count)]
                case .move(let from, let to):
                    [Splice(start: from, removed: 1, inserted: 0), Splice(start: to, removed: 0, inserted: 1)]
                case .replace(let position, _, _): [Splice(start: position, removed: 1, inserted: 1)]
                }
            }
        }
        set {
            var splices = newValue[...]
            for index in edits.indices {
                guard let start = splices.popFirst()?.start else { return }
                switch edits[index] {
                case .remove(_, let elements): edits[index] = .remove(at: start, elements)
                case .insert(_, let elements): edits[index] = .insert(at: start, elements)
                case .move: edits[index] = .move(from: start, to: splices.popFirst()?.start ?? start)
                case .replace(_, let old, let new): edits[index] = .replace(at: start, old: old, new: new)
                }
            }
        }
    }
}

/// A change of an observable dictionary or set.
final class RecordedMembers<State: RecordableMembers>: RecordedChange {
    typealias Member = State.Recorded.Member

    private let observable: State
    private var changes: [(key: State.Recorded.Key, old: Member?, new: Member?)]

    init(_ observable: State, from old: State.Recorded, to new: State.Recorded) {
        self.observable = observable
        let difference = new.exactDifference(from: old)
        changes =
            difference.removed.map { ($0, old.member($0), nil) } + difference.inserted.map { ($0, nil, new.member($0)) }
            + difference.replaced.map { ($0, old.member($0), new.member($0)) }
    }

    /// Whether nothing differs.
    var isEmpty: Bool { changes.isEmpty }

    override var state: any RecordableState { observable }

    override var byteCount: Int {
        changes.reduce(RecordedChange.overhead) { sum, change in
            sum + estimatedByteCount(of: change.key) + estimatedByteCount(of: change.old)
                + estimatedByteCount(of: change.new)
        }
    }

    override func invert() { changes = changes.map { ($0.key, $0.new, $0.old) } }

    override func undo() { for change in changes.reversed() { observable.setMember(change.old, for: change.key) } }
    override func redo() { for change in changes { observable.setMember(change.new, for: change.key) } }

    override var presentValue: SavedValue? { savedValue(observable.value, of: observable) }

    override func valueBefore(_ after: SavedValue?) -> SavedValue? {
        var value = typedValue(after, of: observable)
        for change in changes.reversed() { value.setMember(change.old, for: change.key) }
        return savedValue(value, of: observable)
    }

    override func valueAfter(_ before: SavedValue?) -> SavedValue? {
        var value = typedValue(before, of: observable)
        for change in changes { value.setMember(change.new, for: change.key) }
        return savedValue(value, of: observable)
    }
}

extension RecordableState {
    /// Returns the change between two values of a collection, or `nil` if there is none. Precondition: it is a
    /// collection.
    func collectionChange(from old: Recorded, to new: Recorded) -> RecordedChange? {
        func edits<State: RecordableElements>(_ state: State) -> RecordedChange? {
            guard let old = old as? State.Recorded, let new = new as? State.Recorded else { return nil }
            let change = RecordedEdits(state, from: old, to: new)
            return change.isEmpty ? nil : change
        }
        func members<State: RecordableMembers>(_ state: State) -> RecordedChange? {
            guard let old = old as? State.Recorded, let new = new as? State.Recorded else { return nil }
            let change = RecordedMembers(state, from: old, to: new)
            return change.isEmpty ? nil : change
        }
        if let state = self as? any RecordableElements { return edits(state) }
        if let state = self as? any RecordableMembers { return members(state) }
        return nil
    }
}
