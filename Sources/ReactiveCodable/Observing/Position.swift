// Paths in a region: lists of components, shared among neighbours.

/// The path of an encoder or container in a region, from the region's beginning.
final class Place {
    let outer: Place?
    let step: Step

    init(outer: Place?, step: Step) {
        self.outer = outer
        self.step = step
    }
}

/// A component of a path.
enum Step {
    /// No component: in a single value container.
    case here
    /// An element of an unkeyed container.
    case index(Int)
    /// An element of a collection without an order: a set, or a dictionary that is encoded as an array.
    case entry(Int)
    /// The value of a key.
    case key(BoxedKey)
    /// A property that is left out when it is `nil`.
    case property(BoxedKey)
}

/// The path of a child in a region.
struct Position {
    let outer: Place?
    let step: Step

    /// The path of a container that is encoded at this position.
    var place: Place? {
        if case .here = step { outer } else { Place(outer: outer, step: step) }
    }

    /// The position as a property that is left out when it is `nil`.
    var ofProperty: Position {
        if case .key(let box) = step { Position(outer: outer, step: .property(box)) } else { self }
    }

    /// Whether the child has no key while it is `nil`.
    var leavesOutNil: Bool { if case .property = step { true } else { false } }

    /// Appends the keys from the region's beginning to a path that is followed upwards.
    func append(to path: inout UpwardPath) {
        path.append(step)
        var place = outer
        while let current = place {
            path.append(current.step)
            place = current.outer
        }
    }
}

extension Step {
    var key: (any CodingKey)? {
        switch self {
        case .here: nil
        case .index(let index), .entry(let index): AnyKey.index(index)
        case .key(let box), .property(let box): box.key
        }
    }
}

/// A key in an object, so that many path components can share it.
final class BoxedKey {
    let key: any CodingKey
    init(_ key: any CodingKey) { self.key = key }
}
