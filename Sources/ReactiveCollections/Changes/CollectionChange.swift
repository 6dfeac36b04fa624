// The changes of an ordered view as edits of an array.

/// An edit of an array.
///
/// Its offsets refer to the array that results from the previous edits.
@frozen
public enum CollectionChange<Element> {
    /// An element is inserted.
    case insert(Element, at: Int)
    /// An element is removed.
    case remove(Element, at: Int)
    /// An element is removed at one offset and inserted at another: `array.insert(array.remove(at: from), at: to)`.
    case move(Element, from: Int, to: Int)
    /// The element at an offset has a new value or is replaced. `was` is the previous value.
    case update(Element, at: Int, was: Element)
}

extension CollectionChange: Sendable where Element: Sendable {}
extension CollectionChange: Equatable where Element: Equatable {}
extension CollectionChange: Hashable where Element: Hashable {}

extension CollectionChange: CustomStringConvertible {
    /// The edit as a call, such as `insert(7, at: 2)`.
    public var description: String {
        switch self {
        case .insert(let element, let offset): "insert(\(element), at: \(offset))"
        case .remove(let element, let offset): "remove(\(element), at: \(offset))"
        case .move(let element, let from, let to): "move(\(element), from: \(from), to: \(to))"
        case .update(let element, let offset, let was): "update(\(element), at: \(offset), was: \(was))"
        }
    }
}

extension Array {
    /// Applies an edit.
    ///
    /// - Parameter change: The edit.
    /// - Precondition: The offsets are within bounds.
    /// - Complexity: O(N); O(1) for an update.
    public mutating func apply(_ change: CollectionChange<Element>) {
        switch change {
        case .insert(let element, let offset): insert(element, at: offset)
        case .remove(_, let offset): remove(at: offset)
        case .move(let element, let from, let to):
            remove(at: from)
            insert(element, at: to)
        case .update(let element, let offset, _): self[offset] = element
        }
    }

    /// Applies edits, in order.
    ///
    /// - Parameter changes: The edits.
    /// - Precondition: The offsets are within bounds.
    /// - Complexity: O(N) for each edit.
    public mutating func apply(_ changes: some Sequence<CollectionChange<Element>>) {
        for change in changes { apply(change) }
    }
}
