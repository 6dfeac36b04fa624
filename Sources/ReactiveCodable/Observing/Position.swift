// Paths in a region: lists of components, shared among neighbours.

/// The path of an encoder or container in a region, from the region's beginning.
final class RegionPath {
    let outer: RegionPath?
    let component: PathComponent

    init(outer: RegionPath?, component: PathComponent) {
        self.outer = outer
        self.component = component
    }
}

/// A component of a path.
enum PathComponent {
    /// No component: in a single value container.
    case itself
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
    let outer: RegionPath?
    let component: PathComponent

    /// The path of a container that is encoded at this position.
    var regionPath: RegionPath? {
        // No test sees this never hold: it only saves an object, which adds no key to a path.
        if case .itself = component { outer } else { RegionPath(outer: outer, component: component) }
    }

    /// The position as a property that is left out when it is `nil`.
    var ofProperty: Position {
        if case .key(let box) = component { Position(outer: outer, component: .property(box)) } else { self }
    }

    /// Whether the child has no key while it is `nil`.
    var leavesOutNil: Bool { if case .property = component { true } else { false } }

    /// Appends the keys from the region's beginning to a path that is followed upwards.
    func append(to path: inout UpwardPath) {
        path.append(component)
        var regionPath = outer
        while let current = regionPath {
            path.append(current.component)
            regionPath = current.outer
        }
    }
}

extension PathComponent {
    var key: (any CodingKey)? {
        switch self {
        case .itself: nil
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
