// The path of a coder: a list from the inside out, whose outer part coders share with those around them.

import Reactive

/// The keys that lead to a coder: those to the beginning of coding, and those from there.
struct CoderPath {
    private final class Component {
        let key: any CodingKey
        let outer: Component?

        init(key: any CodingKey, outer: Component?) {
            self.key = key
            self.outer = outer
        }
    }

    private let origin: [any CodingKey]
    /// The name of the state whose value is decoded.
    private let holder: StateName?
    private var last: Component?

    init(_ origin: [any CodingKey] = [], in holder: StateName? = nil) {
        self.origin = origin
        self.holder = holder
    }

    func appending(_ key: any CodingKey) -> CoderPath {
        var path = self
        path.last = Component(key: key, outer: last)
        return path
    }

    /// The name for state at the path: the nearest key of a property, or else the name of the state around it.
    ///
    /// - Complexity: O(*n*) in the number of keys.
    var stateName: StateName {
        var component = last
        while let current = component {
            if let name = StateName(property: current.key) { return name }
            component = current.outer
        }
        return holder ?? StateName(at: origin)
    }

    /// - Complexity: O(*n*) in the number of keys.
    var keys: [any CodingKey] {
        var reversed: [any CodingKey] = []
        var component = last
        while let current = component {
            reversed.append(current.key)
            component = current.outer
        }
        return origin + reversed.reversed()
    }
}
