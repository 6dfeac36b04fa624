// Where in a region something is: the keys that lead to it, shared among neighbours.

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
    /// To an element of what has no order: a set, or a dictionary that is encoded as an array.
    case entry(Int)
    /// To the value of a key.
    case key(BoxedKey)
    /// To a property that is left out when it is `nil`.
    case property(BoxedKey)
}

/// Where a child is linked in.
struct Position {
    let outer: Place?
    let step: Step

    /// As the place of what is encoded there.
    var place: Place? {
        if case .here = step { outer } else { Place(outer: outer, step: step) }
    }

    /// The position of a property that is left out when it is `nil`.
    var ofProperty: Position {
        if case .key(let box) = step { Position(outer: outer, step: .property(box)) } else { self }
    }

    /// Whether the child has no key while it is `nil`.
    var leavesOutNil: Bool { if case .property = step { true } else { false } }

    /// Adds the keys from the region's beginning to a path that is followed upwards.
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

/// A key in an object of its own, so that many steps can share it.
final class BoxedKey {
    let key: any CodingKey
    init(_ key: any CodingKey) { self.key = key }
}
