// The change of one observable in an entry: its values, typed, behind a class without type parameters.
//
//     RecordedChange
//     ├─ RecordedValue<State>             the old and the new value
//     ├─ RecordedSplice<State, Element>   of a changed array: the elements that differ
//     ├─ RecordedEdits<State>             of an ordered collection: the elements that differ (RecordedEdits.swift)
//     └─ RecordedMembers<State>           of an observable dictionary or set: the members that differ
//
// An observable that left or entered the graph is recorded with its value at that moment. So an undo or a redo that
// brings an object back also restores its contents, even if they were changed while the object was not in the graph.

import Reactive

/// A change of one observable, which can be undone and redone. Used under the graph's lock, untracked.
class RecordedChange {
    /// The observable.
    var state: any RecordableState { preconditionFailure("internal inconsistency: a recorded change has a type") }

    final var identity: Identity { Identity(state) }

    /// Whether the observable changed, left or entered.
    var kind: Kind { .changed }

    enum Kind { case changed, left, came }

    /// The estimated memory of the change.
    var byteCount: Int { 0 }

    /// Writes the old value.
    func undo() {}

    /// Writes the new value.
    func redo() {}

    /// Keeps the present value of an observable that leaves the graph because of an undo or a redo. The next undo or
    /// redo brings it back with that value. Precondition: the observable left or entered.
    func keep(_ departing: SavedState) {}

    /// Whether later changes of the same observable can be merged into this one.
    var isMergeable: Bool { false }

    /// Whether the values neither are collections nor contain observables.
    var isLeaf: Bool { false }

    /// Merges a later change of the same observable. Precondition: both are mergeable.
    func merge(_ next: RecordedChange) {}

    /// Turns the change into its inverse.
    func invert() {}

    /// Whether the old and the new value are equal, as the observable compares them.
    // No test sees this: only merged changes are asked, all of which override it.
    var changesNothing: Bool { false }

    /// The present value of the observable; `nil` if it cannot be encoded.
    var presentValue: SavedValue? { nil }

    /// Returns the value before, computed from the value after. `nil` stands for the present value.
    func valueBefore(_ after: SavedValue?) -> SavedValue? { after }

    /// Returns the value after, computed from the value before.
    func valueAfter(_ before: SavedValue?) -> SavedValue? { before }

    /// The splices that turn the old value into the new one, one after the other, if the value is an array or an
    /// ordered collection.
    var splices: [Splice] {
        get { [] }
        set {}
    }
}

/// A change that keeps both values, or only one for an observable that left or entered.
final class RecordedValue<State: RecordableState>: RecordedChange {
    private let observable: State
    private var old: State.Recorded?
    private var new: State.Recorded?

    init(_ observable: State, old: State.Recorded?, new: State.Recorded?) {
        self.observable = observable
        self.old = old
        self.new = new
    }

    override var state: any RecordableState { observable }

    override var kind: Kind { old == nil ? .came : new == nil ? .left : .changed }

    override var byteCount: Int {
        RecordedChange.overhead + (old.map { estimatedByteCount(of: $0) } ?? 0)
            + (new.map { estimatedByteCount(of: $0) } ?? 0)
    }

    override func undo() { if let old { write(old) } }
    override func redo() { if let new { write(new) } }

    private func write(_ value: State.Recorded) {
        if !haveSameBits(observable.value, value) { observable.value = value }
    }

    override func keep(_ departing: SavedState) {
        guard let departing = departing as? StateOf<State> else { return }
        if old == nil { new = departing.value } else { old = departing.value }
    }

    override var isMergeable: Bool { kind == .changed && !isCollection(State.Recorded.self) }

    // No test sees this always hold: what enters or leaves does so with a change that is no leaf.
    override var isLeaf: Bool { isMergeable && isPlain(State.Recorded.self) }

    override func merge(_ next: RecordedChange) { new = (next as? RecordedValue)?.new ?? new }

    override func invert() { swap(&old, &new) }

    override var changesNothing: Bool {
        // No test sees this: a merged change has both values.
        guard let old, let new else { return false }
        return observable.areSame(old, new)
    }

    override var presentValue: SavedValue? { savedValue(observable.value, of: observable) }

    override func valueBefore(_ after: SavedValue?) -> SavedValue? {
        old.map { savedValue($0, of: observable) } ?? after
    }

    override func valueAfter(_ before: SavedValue?) -> SavedValue? {
        new.map { savedValue($0, of: observable) } ?? before
    }
}

/// A change of an array that keeps only the elements that differ.
final class RecordedSplice<State: RecordableState, Element>: RecordedChange {
    private let observable: State
    private var removed: [Element]
    private var inserted: [Element]
    private var start: Int

    /// Precondition: the value is an array of elements. This also holds for the other functions that receive a value.
    init(_ observable: State, from old: [Element], to new: [Element]) {
        self.observable = observable
        let count = min(old.count, new.count)
        let bits = BitComparison<Element>()
        let (prefix, suffix) = old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                let prefix = bits.equalCount(old[...], new[...])
                let rest = count - prefix
                return (prefix, bits.equalCountAtEnd(old[(old.count - rest)...], new[(new.count - rest)...]))
            }
        }
        start = prefix
        removed = Array(old[prefix..<old.count - suffix])
        inserted = Array(new[prefix..<new.count - suffix])
    }

    /// Whether the arrays are equal.
    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// Whether both arrays have the same number of elements.
    var keepsCount: Bool { removed.count == inserted.count }

    override var state: any RecordableState { observable }

    override var byteCount: Int {
        RecordedChange.overhead + estimatedByteCount(of: removed) + estimatedByteCount(of: inserted)
    }

    override func invert() { swap(&removed, &inserted) }

    override func undo() { replace(inserted, by: removed) }
    override func redo() { replace(removed, by: inserted) }

    private func replace(_ current: [Element], by other: [Element]) {
        withUnsafeMutablePointer(to: &observable.value) { value in
            value.withMemoryRebound(to: [Element].self, capacity: 1) { splice(&$0.pointee, current, other) }
        }
    }

    private func splice(_ array: inout [Element], _ current: [Element], _ other: [Element]) {
        let start = findStart(of: current, in: array)
        array.replaceSubrange(start..<min(start + current.count, array.count), with: other)
    }

    /// Returns the index of elements: the start of the splice, unless changes that are not recorded have moved them.
    private func findStart(of elements: [Element], in array: [Element]) -> Int {
        let bits = BitComparison<Element>()
        return array.withUnsafeBufferPointer { array in
            elements.withUnsafeBufferPointer { elements in
                func isAt(_ index: Int) -> Bool {
                    bits.equalCount(array[index...], elements[...]) == elements.count
                }
                let start = min(start, array.count)
                return isAt(start) ? start : array.indices.first(where: isAt) ?? start
            }
        }
    }

    override var presentValue: SavedValue? { savedValue(observable.value, of: observable) }
    override func valueBefore(_ after: SavedValue?) -> SavedValue? { edited(after, replacing: inserted, by: removed) }
    override func valueAfter(_ before: SavedValue?) -> SavedValue? { edited(before, replacing: removed, by: inserted) }

    private func edited(_ value: SavedValue?, replacing current: [Element], by other: [Element]) -> SavedValue? {
        var array = unsafeBitCast(typedValue(value, of: observable), to: [Element].self)
        splice(&array, current, other)
        return savedValue(unsafeBitCast(array, to: State.Recorded.self), of: observable)
    }

    override var splices: [Splice] {
        get { [Splice(start: start, removed: removed.count, inserted: inserted.count)] }
        set { start = newValue.first?.start ?? start }
    }
}

extension RecordedChange {
    /// The approximate size of an object of these classes, without its values.
    static var overhead: Int { 64 }

    /// Returns the change between two values, or `nil` if there is none. One of them is missing if the observable left
    /// or entered.
    ///
    /// - Parameter isWhole: Whether to keep both values as a whole. That is necessary if the observable has also left
    ///   the graph: meanwhile the value may be changed so that the elements can no longer be found in it.
    static func between(_ old: SavedState?, _ new: SavedState?, isWhole: Bool = false) -> RecordedChange? {
        func make<State: RecordableState>(_ state: State) -> RecordedChange? {
            let old = (old as? StateOf<State>)?.value
            let new = (new as? StateOf<State>)?.value
            guard let old, let new else { return RecordedValue(state, old: old, new: new) }
            // No test sees this never hold: the comparisons below find no difference either, but take longer.
            if haveSameBits(old, new) { return nil }
            if !isWhole, let type = State.Recorded.self as? any RecordedByElements.Type {
                return type.change(of: state, from: old, to: new)
            }
            if !isWhole, State.self is any RecordableCollection.Type {
                return state.collectionChange(from: old, to: new)
            }
            let areSame = state.areSame(old, new) || haveSameBitsWithoutPadding(old, new)
            return areSame ? nil : RecordedValue(state, old: old, new: new)
        }
        guard let state = (old ?? new)?.state else { return nil }
        return make(state)
    }
}

/// A type whose values are compared element by element.
private protocol RecordedByElements {
    /// Returns the change between two values, or `nil` if there is none. Precondition: the values are of this type.
    static func change<State: RecordableState>(
        of observable: State, from old: State.Recorded, to new: State.Recorded
    ) -> RecordedChange?
}

extension Array: RecordedByElements {
    fileprivate static func change<State: RecordableState>(
        of observable: State, from old: State.Recorded, to new: State.Recorded
    ) -> RecordedChange? {
        let change = RecordedSplice<State, Element>(
            observable, from: unsafeBitCast(old, to: [Element].self), to: unsafeBitCast(new, to: [Element].self))
        // The observable does not compare arrays of different lengths: that could take long.
        return change.isEmpty || change.keepsCount && observable.areSame(old, new) ? nil : change
    }
}

extension Set: RecordedByElements {
    fileprivate static func change<State: RecordableState>(
        of observable: State, from old: State.Recorded, to new: State.Recorded
    ) -> RecordedChange? {
        let isSame = haveSameElements(
            unsafeBitCast(old, to: Set<Element>.self), unsafeBitCast(new, to: Set<Element>.self),
            find: { $1.firstIndex(of: $0) })
        return isSame || observable.areSame(old, new) ? nil : RecordedValue(observable, old: old, new: new)
    }
}

extension Dictionary: RecordedByElements {
    fileprivate static func change<State: RecordableState>(
        of observable: State, from old: State.Recorded, to new: State.Recorded
    ) -> RecordedChange? {
        let isSame = haveSameElements(
            unsafeBitCast(old, to: [Key: Value].self), unsafeBitCast(new, to: [Key: Value].self),
            find: { $1.index(forKey: $0.key) })
        return isSame || observable.areSame(old, new) ? nil : RecordedValue(observable, old: old, new: new)
    }
}

/// Whether two sets or dictionaries have elements with the same bits.
///
/// A copy that is mutated keeps its order, except near an inserted or removed element. So the elements are looked up
/// only from the first one on that differs.
///
/// - Parameter find: Returns the index of an element, or of the one with its key.
private func haveSameElements<Elements: Collection>(
    _ old: Elements, _ new: Elements, find: (Elements.Element, Elements) -> Elements.Index?
) -> Bool {
    guard old.count == new.count else { return false }
    let bits = BitComparison<Elements.Element>()
    func areSame(_ oldIndex: Elements.Index, _ newIndex: Elements.Index) -> Bool {
        withUnsafePointer(to: old[oldIndex]) { old in
            withUnsafePointer(to: new[newIndex]) { bits.areEqual(old, $0, 1) }
        }
    }
    var (oldIndex, newIndex) = (old.startIndex, new.startIndex)
    // No test sees this never hold: all elements are looked up then.
    while oldIndex != old.endIndex, areSame(oldIndex, newIndex) {
        old.formIndex(after: &oldIndex)
        // No test sees this left out: all further elements are looked up then.
        new.formIndex(after: &newIndex)
    }
    return old[oldIndex...].indices.allSatisfy { index in
        find(old[index], new).map { areSame(index, $0) } ?? false
    }
}

// MARK: - Values

/// Returns a value of an observable for encoders of the past, or `nil` if it cannot be encoded.
func savedValue<State: RecordableState>(_ value: State.Recorded, of observable: State) -> SavedValue? {
    func save<O: EncodableObservable>(_ observable: O) -> SavedValue? {
        (value as? O.Recorded).map { TypedValue($0) }
    }
    return encodableObservable(observable).flatMap { save($0) }
}

/// Returns the saved value, or the present one if none was saved. Precondition: the value is no optional.
func typedValue<State: RecordableState>(_ saved: SavedValue?, of observable: State) -> State.Recorded {
    func value<O: EncodableObservable>(_ observable: O) -> Any? { (saved as? TypedValue<O.Recorded>)?.value }
    guard let encodable = encodableObservable(observable),
        let value = value(encodable) as? State.Recorded
    else { return observable.value }
    return value
}
