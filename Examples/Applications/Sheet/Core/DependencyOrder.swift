// In which order to compute many formulas for the first time. A first pull recurses from formula to formula, so it must
// find everything that it needs already computed, or a column of 100,000 running totals would need as many stack frames.
//
// This is a depth-first search with its own stack. A formula is put into the order after all that it depends on. A
// dependency that is still on the stack closes a loop. The first root on that loop is left out of the order, so that the
// loop is open. A loop without a root stays: nothing on it is new.

/// The order in which to compute formulas, each after what it depends on.
package struct DependencyOrder<Node: Hashable> {
    /// What was found, but for `loopClosers`. Each comes after the roots that it depends on, loop closers aside.
    package private(set) var order: [Node] = []
    /// The roots without which there would be no loop through any root, in the order in which they were found.
    package private(set) var loopClosers: [Node] = []

    private enum Mark: Equatable {
        /// On the stack at this place.
        case open(Int)
        case closer
        case done
    }

    /// Orders the nodes and all that they depend on.
    ///
    /// - Parameters:
    ///   - roots: The new nodes.
    ///   - dependencies: Returns the nodes that a node may read, itself included if it does.
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
