// Where in a cell's region something is: the keys that lead to it, shared among neighbours.

/// The place of an encoder or container in a region: the steps from the region's beginning.
final class Place {
    let outer: Place?
    let step: Step

    init(outer: Place?, step: Step) {
        self.outer = outer
        self.step = step
    }
}

/// One step down.
enum Step {
    /// None: in a single value container.
    case here
    /// To an element of an unkeyed container.
    case index(Int)
    /// To the value of a key.
    case key(BoxedKey)
}

/// Where a child is linked in.
struct Position {
    let outer: Place?
    let step: Step

    /// As the place of what is encoded there.
    var place: Place? {
        if case .here = step { outer } else { Place(outer: outer, step: step) }
    }

    /// The keys from the region's beginning, the last one first.
    var reversedKeys: [any CodingKey] {
        var keys: [any CodingKey] = []
        step.key.map { keys.append($0) }
        var place = outer
        while let current = place {
            current.step.key.map { keys.append($0) }
            place = current.outer
        }
        return keys
    }
}

extension Step {
    var key: (any CodingKey)? {
        switch self {
        case .here: nil
        case .index(let index): AnyKey.index(index)
        case .key(let box): box.key
        }
    }
}

/// A key in an object of its own, so that many steps can share it.
final class BoxedKey {
    let key: any CodingKey
    init(_ key: any CodingKey) { self.key = key }
}
