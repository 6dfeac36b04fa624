// The order in which to compute many formulas for the first time. The first evaluation of a formula recurses into its
// dependencies. So these must be computed first: otherwise a column of 100,000 running totals needs as many stack
// frames.
//
// This is a depth-first search with an explicit stack. A formula is appended to the order after all its dependencies. A
// dependency that is still on the stack closes a cycle. The first root on that cycle is left out of the order, which
// breaks the cycle. A cycle without a root is ignored, because it has no new formula.

/// The order in which to compute formulas, each after its dependencies.
package struct DependencyOrder<Node: Hashable> {
    /// All nodes found, except `loopClosers`. Each comes after the roots that it depends on, except loop closers.
    package private(set) var order: [Node] = []
    /// Roots whose removal breaks all cycles through roots, in the order in which they were found.
    package private(set) var loopClosers: [Node] = []

    private enum Mark: Equatable {
        /// On the stack, at this index.
        case open(Int)
        case closer
        case done
    }

    /// Orders the nodes and all their dependencies.
    ///
    /// - Parameters:
    ///   - roots: The new nodes.
    ///   - dependencies: Returns the nodes that a node may read, possibly including itself.
    /// - Complexity: O(nodes + dependencies).
    package init(of roots: [Node], dependencies: (Node) -> [Node]) {
        let new = Set(roots)
        var marks: [Node: Mark] = [:]
        var stack: [(node: Node, rest: ArraySlice<Node>)] = []

        func visit(_ node: Node) {
            marks[node] = .open(stack.count)
            stack.append((node, dependencies(node)[...]))
        }
        for root in roots where marks[root] == nil {
            visit(root)
            while let top = stack.indices.last {
                guard let next = stack[top].rest.popFirst() else {
                    let finished = stack.removeLast().node
                    if marks.updateValue(.done, forKey: finished) != .closer { order.append(finished) }
                    continue
                }
                switch marks[next] {
                case nil:
                    visit(next)
                case .open(let entry):
                    guard let closer = stack[entry...].first(where: { new.contains($0.node) })?.node,
                        marks[closer] != .closer
                    else { continue }
                    marks[closer] = .closer
                    loopClosers.append(closer)
                case .closer, .done:
                    break
                }
            }
        }
    }
}
