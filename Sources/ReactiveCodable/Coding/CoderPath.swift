// Where in a document a coder is: a list from the inside out, which coders share with the ones around them.

/// The keys that lead to a coder: those that lead to where coding began, and those from there.
struct CoderPath {
    private final class Step {
        let key: any CodingKey
        let outer: Step?

        init(key: any CodingKey, outer: Step?) {
            self.key = key
            self.outer = outer
        }
    }

    private let origin: [any CodingKey]
    private var last: Step?

    init(_ origin: [any CodingKey] = []) { self.origin = origin }

    func appending(_ key: any CodingKey) -> CoderPath {
        var path = self
        path.last = Step(key: key, outer: last)
        return path
    }

    /// - Complexity: O(their number).
    var keys: [any CodingKey] {
        var reversed: [any CodingKey] = []
        var step = last
        while let current = step {
            reversed.append(current.key)
            step = current.outer
        }
        return origin + reversed.reversed()
    }
}
