// Whether two patches may be applied in either order: they may if neither touches what the other touches.
//
// A patch touches the paths of its operations and all that is below them. What is inserted into an array or removed
// from it moves the elements behind it, so it touches the array. A number at the end of a path may be the index of an
// element; if it is the key of a member, the patch is taken to touch more than it does, which is safe.

import ReactiveCodable

/// The paths that patches read or write, as a tree of their tokens.
struct Footprint {
    private struct Node {
        var children: [String: Int] = [:]
        /// Whether a path ends here: everything below is touched.
        var isEnd = false
    }

    /// The tree; the first node is its root.
    private var nodes = [Node()]

    init(_ patches: JSONPatch...) {
        for operation in patches.flatMap(\.operations) {
            for path in Footprint.paths(of: operation) { insert(path) }
        }
    }

    /// Adds the paths of another footprint.
    mutating func formUnion(_ other: Footprint) {
        // Nodes with the path to them.
        var pending: [(node: Int, path: [String])] = [(0, [])]
        while let (index, path) = pending.popLast() {
            let node = other.nodes[index]
            if node.isEnd { insert(path[...]) } else { pending += node.children.map { ($1, path + [$0]) } }
        }
    }

    /// Whether there is something that both touch.
    func overlaps(_ other: Footprint) -> Bool {
        var pending = [(0, 0)]
        while let (left, right) = pending.popLast() {
            // Whatever is below an end is touched by both. A node without an end below it is an empty root.
            if nodes[left].isEnd { return !other.isEmpty }
            if other.nodes[right].isEnd { return !isEmpty }
            let (fewer, more) = (nodes[left].children, other.nodes[right].children)
            for (token, child) in fewer {
                if let otherChild = more[token] { pending.append((child, otherChild)) }
            }
        }
        return false
    }

    private var isEmpty: Bool { nodes[0].children.isEmpty && !nodes[0].isEnd }

    private mutating func insert(_ path: ArraySlice<String>) {
        var index = 0
        for token in path {
            if nodes[index].isEnd { return }
            if let child = nodes[index].children[token] {
                index = child
            } else {
                nodes.append(Node())
                nodes[index].children[token] = nodes.count - 1
                index = nodes.count - 1
            }
        }
        nodes[index].isEnd = true
    }

    private static func paths(of operation: JSONPatch.Operation) -> [ArraySlice<String>] {
        switch operation {
        case .add(let path, _), .remove(let path): [around(path)]
        case .replace(let path, _), .test(let path, _): [path.tokens[...]]
        case .move(let from, let path): [around(from), around(path)]
        case .copy(let from, let path): [from.tokens[...], around(path)]
        }
    }

    /// The path, or that of the array around it.
    private static func around(_ path: JSONPointer) -> ArraySlice<String> {
        let isElement = path.tokens.last.map { $0 == "-" || Int($0) != nil } ?? false
        return isElement ? path.tokens.dropLast() : path.tokens[...]
    }
}
