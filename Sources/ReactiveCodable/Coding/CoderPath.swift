// The path of a coder: a list from the inside out, whose outer part coders share with those around them.

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
    private var last: Component?

    init(_ origin: [any CodingKey] = []) { self.origin = origin }

    func appending(_ key: any CodingKey) -> CoderPath {
        var path = self
        path.last = Component(key: key, outer: last)
        return path
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
