// The elements of a list, by index and by identity, in versions that share storage.
//
// The elements are the leaves of a tree whose branches store the number of their elements. A change copies the branches
// between the root and one leaf, of at most `width` children each. An index leads from an identity to the branch that
// has the element:
//
//                    branch 9                       parents    4 → 9, 7 → 9
//                 ┌─────┴──────┐
//              branch 4     branch 7                leaves     a → 4, b → 4, c → 7 …
//             [a] [b] […]  [c] […]
//
// A branch that several versions share has several parents, so it cannot refer to its parent. Instead, each branch has
// a number, and the index stores the number of each branch's parent. To find a position, climb by the numbers to the
// root, and descend by the branches. A copy of a branch keeps the number. If a branch is split, its second half gets a
// new number. Removal drops empty branches, and does not merge others.
//
// A list of one branch has no index: its few elements are searched.

import HashTreeCollections
import ReactiveCodable

/// A list of a document; immutable. It is a class to keep nodes small.
final class ListNode: Sendable {
    let list: List

    init(_ list: List) { self.list = list }
}

/// The elements of a list.
struct List: Sendable {
    /// The maximum number of elements or branches in a branch.
    static let width = 32

    private(set) var root: Branch
    private var lookup: Lookup?

    /// Creates a list.
    ///
    /// - Complexity: O(*n*).
    init(_ elements: [Node]) {
        guard elements.count > List.width else {
            root = Branch(number: 0, elements: elements)
            return
        }
        var lookup = Lookup()
        var branches = List.groups(of: elements).map { group in
            let branch = Branch(number: lookup.newNumber(), elements: Array(group))
            for element in group { lookup.add(element.identity, in: branch.number) }
            return branch
        }
        while branches.count > 1 {
            branches = List.groups(of: branches).map { lookup.branch(of: Array($0)) }
        }
        root = branches[0]
        self.lookup = lookup
    }

    /// Slices of about three quarters of the maximum, so that the next insertions split nothing.
    private static func groups<Element>(of elements: [Element]) -> [ArraySlice<Element>] {
        guard elements.count > width else { return [elements[...]] }
        let size = width * 3 / 4
        return stride(from: 0, to: elements.count, by: size).map { elements[$0..<Swift.min($0 + size, elements.count)] }
    }

    /// The size that counts towards the limits.
    var weight: Weight { root.weight + .container }
}

// MARK: - Looking up

extension List: RandomAccessCollection {
    typealias Element = Node

    var startIndex: Int { 0 }
    var endIndex: Int { root.count }

    /// The element at an index.
    ///
    /// - Complexity: O(log *n*).
    subscript(index: Int) -> Node {
        var (branch, rest) = (root, index)
        while !branch.children.isEmpty {
            let child = branch.child(at: &rest)
            branch = branch.children[child]
        }
        return branch.elements[rest]
    }

    struct Iterator: IteratorProtocol {
        private var stack: [(branch: Branch, next: Int)]

        init(_ root: Branch) { stack = [(root, 0)] }

        mutating func next() -> Node? {
            while let top = stack.last {
                let (branch, next) = top
                if next < branch.elements.count {
                    stack[stack.count - 1].next += 1
                    return branch.elements[next]
                }
                if next < branch.children.count {
                    stack[stack.count - 1].next += 1
                    stack.append((branch.children[next], 0))
                } else {
                    stack.removeLast()
                }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(root) }

    /// The branches that contain elements, in order.
    var leaves: [Branch] {
        var result: [Branch] = []
        var stack = [root]
        while let branch = stack.popLast() {
            if branch.children.isEmpty {
                result.append(branch)
            } else {
                stack.append(contentsOf: branch.children.reversed())
            }
        }
        return result
    }

    /// The number of levels of branches; all leaves are on the last one.
    var height: Int {
        var (branch, height) = (root, 1)
        while let first = branch.children.first { (branch, height) = (first, height + 1) }
        return height
    }

    /// Returns the number of elements with an identity.
    func occurrences(of identity: JSONValue) -> Int {
        guard let lookup else { return root.elements.count { $0.identity == identity } }
        return lookup.occurrences(of: identity)
    }

    /// Returns the index of the only element with an identity; `nil` if there is none, or several.
    ///
    /// - Complexity: O(log *n*).
    func position(of identity: JSONValue) -> Int? {
        guard let lookup else {
            guard let first = root.elements.firstIndex(where: { $0.identity == identity }),
                !root.elements[(first + 1)...].contains(where: { $0.identity == identity })
            else { return nil }
            return first
        }
        guard let leaf = lookup.leaf(of: identity) else { return nil }
        var numbers = [leaf]
        while let last = numbers.last, let parent = lookup.parent(of: last) { numbers.append(parent) }
        var (branch, position) = (root, 0)
        for number in numbers.reversed().dropFirst() {
            guard let child = branch.children.firstIndex(where: { $0.number == number }) else { return nil }
            for earlier in branch.children[..<child] { position += earlier.count }
            branch = branch.children[child]
        }
        return branch.elements.firstIndex { $0.identity == identity }.map { position + $0 }
    }

    /// Returns the identity of the element at an index; `nil` if it has none, or is not the only one with it.
    func usableIdentity(at position: Int) -> JSONValue? {
        guard indices.contains(position), let identity = self[position].identity, occurrences(of: identity) == 1 else {
            return nil
        }
        return identity
    }
}

extension List: Equatable {
    /// Returns whether the elements are equal, one by one. Shared branches are not compared.
    static func == (left: List, right: List) -> Bool {
        guard left.root !== right.root else { return true }
        guard left.count == right.count, left.weight.values == right.weight.values else { return false }
        let (leftLeaves, rightLeaves) = (left.leaves, right.leaves)
        if leftLeaves.count == rightLeaves.count,
            zip(leftLeaves, rightLeaves).allSatisfy({ $0.elements.count == $1.elements.count })
        {
            return zip(leftLeaves, rightLeaves).allSatisfy { $0 === $1 || $0.elements == $1.elements }
        }
        return left.elementsEqual(right)
    }
}

// MARK: - Changing

extension List {
    /// Inserts an element.
    ///
    /// - Complexity: O(log *n*).
    mutating func insert(_ element: Node, at position: Int) {
        if lookup == nil, root.elements.count == List.width {
            var lookup = Lookup()
            root = Branch(number: lookup.newNumber(), elements: root.elements)
            for element in root.elements { lookup.add(element.identity, in: root.number) }
            self.lookup = lookup
        }
        let (first, second) = inserting(element, at: position, into: root)
        root = first
        if let second, let branch = lookup?.branch(of: [first, second]) { root = branch }
    }

    private mutating func inserting(
        _ element: Node, at position: Int, into branch: Branch
    ) -> (first: Branch, second: Branch?) {
        guard !branch.children.isEmpty else {
            lookup?.add(element.identity, in: branch.number)
            var elements = branch.elements
            elements.insert(element, at: position)
            guard elements.count > List.width, let number = lookup?.newNumber() else {
                let weight = branch.weight + element.weight
                return (Branch(number: branch.number, elements: elements, weight: weight), nil)
            }
            let half = elements.count / 2
            let second = Branch(number: number, elements: Array(elements[half...]))
            for element in second.elements {
                lookup?.remove(element.identity, from: branch.number)
                lookup?.add(element.identity, in: number)
            }
            return (Branch(number: branch.number, elements: Array(elements[..<half])), second)
        }
        var rest = position
        // After the last element of a branch, rather than before the first of the next.
        let child = branch.childForInsertion(at: &rest)
        let (first, second) = inserting(element, at: rest, into: branch.children[child])
        guard let second else { return (branch.replacing(child: child, with: first), nil) }
        var children = branch.children
        children[child] = first
        children.insert(second, at: child + 1)
        lookup?.setParent(of: second.number, to: branch.number)
        guard children.count > List.width else {
            return (Branch(number: branch.number, children: children), nil)
        }
        let half = children.count / 2
        let other = lookup?.branch(of: Array(children[half...]))
        return (Branch(number: branch.number, children: Array(children[..<half])), other)
    }

    /// Removes an element.
    ///
    /// - Complexity: O(log *n*).
    mutating func remove(at position: Int) {
        guard var branch = removing(at: position, from: root) else {
            self = List([])
            return
        }
        while branch.children.count == 1 {
            branch = branch.children[0]
            lookup?.setParent(of: branch.number, to: nil)
        }
        root = branch
    }

    private mutating func removing(at position: Int, from branch: Branch) -> Branch? {
        guard !branch.children.isEmpty else {
            lookup?.remove(branch.elements[position].identity, from: branch.number)
            guard branch.elements.count > 1 else { return nil }
            var (elements, weight) = (branch.elements, branch.weight)
            weight -= elements.remove(at: position).weight
            return Branch(number: branch.number, elements: elements, weight: weight)
        }
        var rest = position
        let child = branch.child(at: &rest)
        let changed = removing(at: rest, from: branch.children[child])
        if changed == nil { lookup?.setParent(of: branch.children[child].number, to: nil) }
        let remaining = branch.replacing(child: child, with: changed)
        return remaining.children.isEmpty ? nil : remaining
    }

    /// Replaces an element.
    ///
    /// - Complexity: O(log *n*).
    mutating func replace(at position: Int, with element: Node) {
        root = replacing(at: position, with: element, in: root)
    }

    private mutating func replacing(at position: Int, with element: Node, in branch: Branch) -> Branch {
        guard !branch.children.isEmpty else {
            var elements = branch.elements
            let (old, new) = (elements[position].identity, element.identity)
            if old != new {
                lookup?.remove(old, from: branch.number)
                lookup?.add(new, in: branch.number)
            }
            var weight = branch.weight
            weight -= elements[position].weight
            weight += element.weight
            elements[position] = element
            return Branch(number: branch.number, elements: elements, weight: weight)
        }
        var rest = position
        let child = branch.child(at: &rest)
        return branch.replacing(child: child, with: replacing(at: rest, with: element, in: branch.children[child]))
    }
}

// MARK: - Storage

/// A part of a list's tree: elements, or branches.
final class Branch: Sendable {
    let number: Int
    let elements: [Node]
    let children: [Branch]
    /// The number of elements.
    let count: Int
    /// The size of the elements that counts towards the limits.
    let weight: Weight

    init(number: Int, elements: [Node], weight: Weight) {
        self.number = number
        self.elements = elements
        children = []
        count = elements.count
        self.weight = weight
    }

    convenience init(number: Int, elements: [Node]) {
        self.init(
            number: number, elements: elements,
            weight: elements.reduce(into: Weight(values: 0, bytes: 0)) { $0 += $1.weight })
    }

    init(number: Int, children: [Branch], count: Int, weight: Weight) {
        self.number = number
        self.children = children
        elements = []
        self.count = count
        self.weight = weight
    }

    convenience init(number: Int, children: [Branch]) {
        self.init(
            number: number, children: children, count: children.reduce(0) { $0 + $1.count },
            weight: children.reduce(into: Weight(values: 0, bytes: 0)) { $0 += $1.weight })
    }

    /// Returns the branch with a child replaced; without the child for `nil`.
    func replacing(child index: Int, with child: Branch?) -> Branch {
        var (children, count, weight) = (children, count, weight)
        count += (child?.count ?? 0) - children[index].count
        weight -= children[index].weight
        if let child {
            weight += child.weight
            children[index] = child
        } else {
            children.remove(at: index)
        }
        return Branch(number: number, children: children, count: count, weight: weight)
    }

    /// Returns the index of the child with the element at a position. `position` becomes the position in the child.
    func child(at position: inout Int) -> Int {
        for (index, child) in children.enumerated() {
            guard position >= child.count else { return index }
            position -= child.count
        }
        preconditionFailure("internal inconsistency: the position of an element is past the end of its list")
    }

    /// Returns the index of the child into which an element at a position is inserted. `position` becomes the position
    /// in the child.
    func childForInsertion(at position: inout Int) -> Int {
        for (index, child) in children.enumerated() {
            guard position > child.count else { return index }
            position -= child.count
        }
        preconditionFailure("internal inconsistency: an insertion position is past the end of its list")
    }
}

extension List {
    /// The index: the branch of each identity, and the parent of each branch.
    private struct Lookup: Sendable {
        /// An identity that several elements have.
        private struct Repeated: Sendable {
            var count = 0
            /// The number of elements with the identity in each branch.
            var leaves: TreeDictionary<Int, Int> = [:]
        }

        private var leaves: TreeDictionary<JSONValue, Int> = [:]
        private var repeated: TreeDictionary<JSONValue, Repeated> = [:]
        private var parents: TreeDictionary<Int, Int> = [:]
        private var nextNumber = 0

        mutating func newNumber() -> Int {
            nextNumber += 1
            return nextNumber
        }

        /// Returns a new branch with the given children.
        mutating func branch(of children: [Branch]) -> Branch {
            let branch = Branch(number: newNumber(), children: children)
            for child in children { parents[child.number] = branch.number }
            return branch
        }

        func leaf(of identity: JSONValue) -> Int? { leaves[identity] }
        func parent(of number: Int) -> Int? { parents[number] }
        mutating func setParent(of number: Int, to parent: Int?) { parents[number] = parent }

        func occurrences(of identity: JSONValue) -> Int {
            leaves[identity] != nil ? 1 : repeated[identity]?.count ?? 0
        }

        mutating func add(_ identity: JSONValue?, in leaf: Int) {
            guard let identity else { return }
            if var several = repeated[identity] {
                several.count += 1
                several.leaves[leaf, default: 0] += 1
                repeated[identity] = several
            } else if let first = leaves.updateValue(leaf, forKey: identity) {
                leaves[identity] = nil
                var several = Repeated(count: 2)
                several.leaves[first, default: 0] += 1
                several.leaves[leaf, default: 0] += 1
                repeated[identity] = several
            }
        }

        mutating func remove(_ identity: JSONValue?, from leaf: Int) {
            guard let identity else { return }
            guard var several = repeated[identity] else {
                leaves[identity] = nil
                return
            }
            several.count -= 1
            let rest = several.leaves[leaf, default: 0] - 1
            several.leaves[leaf] = rest > 0 ? rest : nil
            if several.count == 1, let last = several.leaves.keys.first {
                repeated[identity] = nil
                leaves[identity] = last
            } else {
                repeated[identity] = several
            }
        }
    }
}
