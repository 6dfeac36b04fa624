// Paths below the root of a deep observation.

/// The path from the root of a deep observation to one of its cells.
struct DeepPath {
    /// The keys, the outermost first. The key of an element has its index as number and name.
    let keys: [any CodingKey]
    /// Whether the path leads to a property that has no key in the document while it is `nil`.
    var leavesOutNil = false
    /// The number of keys that lead to the outermost collection without an order on the path, if there is one. The keys
    /// after them have no meaning in a different process.
    var unorderedLength: Int?

    /// The names of the keys, by which paths are compared.
    var names: [String] { keys.map(\.stringValue) }
}

/// A path that is followed upwards, from a cell to the root.
struct UpwardPath {
    private var keys: [any CodingKey] = []
    /// The indices of the keys that lead to elements of collections without an order.
    private var entries: [Int] = []

    /// A state to return to.
    struct Mark {
        fileprivate let keyCount: Int
        fileprivate let entryCount: Int
    }

    var mark: Mark { Mark(keyCount: keys.count, entryCount: entries.count) }

    mutating func `return`(to mark: Mark) {
        keys.removeSubrange(mark.keyCount...)
        entries.removeSubrange(mark.entryCount...)
    }

    mutating func append(_ component: PathComponent) {
        guard let key = component.key else { return }
        if case .entry = component { entries.append(keys.count) }
        keys.append(key)
    }

    /// Follows a link: to the beginning of the region, and from an element to its array or dictionary.
    mutating func append(_ link: Link) {
        link.position.append(to: &self)
        if let key = link.region.key { append(key) }
    }

    mutating func append(_ key: AnyKey) { keys.append(key) }

    /// Returns the path from the root, which has been reached.
    func path(leavesOutNil: Bool) -> DeepPath {
        DeepPath(
            keys: keys.reversed(), leavesOutNil: leavesOutNil,
            unorderedLength: entries.last.map { keys.count - $0 - 1 })
    }
}
