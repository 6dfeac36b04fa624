// The elements of an array. Only elements on a path have nodes.
//
// An open array keeps the source of its elements and a list of segments: ranges of original elements, and nodes between
// them. Accessing an index creates a node for that element. Insertions and removals split ranges:
//
//     [0 ..< 100000]                        opened
//     [0 ..< 7] node [8 ..< 100000]         /7/title was written
//     node [0 ..< 7] node [8 ..< 100000]    something was inserted at /0
//
// So an operation takes O(segments), not O(elements). If there are very many segments, all elements get nodes, so that
// a patch with very many operations on one array does not take quadratic time.

/// The source of the elements of an array.
package protocol JSONElementSource: AnyObject {
    /// The number of elements.
    var count: Int { get }
    /// Creates the node of an element.
    func makeNode(of index: Int, parent: JSONTree.ID, in tree: JSONTree) throws -> JSONTree.ID
}

/// The elements of an array of which some have no nodes yet. A tree's nodes refer to it one at a time.
package final class LazyElements {
    package enum Segment {
        /// Original elements of the source.
        case untouched(Range<Int>)
        case node(JSONTree.ID)
    }

    /// The number of segments from which on all elements have nodes.
    static let segmentLimit = 1_000

    package let source: any JSONElementSource
    @exclusivity(unchecked) package fileprivate(set) var segments: [Segment]
    @exclusivity(unchecked) package fileprivate(set) var count: Int

    package init(_ source: any JSONElementSource) {
        self.source = source
        count = source.count
        segments = count == 0 ? [] : [.untouched(0..<count)]
    }

    /// Returns the segment of an element and the offset in it. At the end there is no segment.
    fileprivate func position(of index: Int) -> (segment: Int, offset: Int) {
        var rest = index
        for (number, segment) in segments.enumerated() {
            let count = segment.count
            if rest < count { return (number, rest) }
            rest -= count
        }
        return (segments.count, 0)
    }

    /// Splits a range so that a segment begins at an index. Returns the number of that segment.
    fileprivate func split(at index: Int) -> Int {
        let (segment, offset) = position(of: index)
        guard offset > 0, case .untouched(let range) = segments[segment] else { return segment }
        let middle = range.lowerBound + offset
        segments.replaceSubrange(
            segment...segment, with: [.untouched(range.lowerBound..<middle), .untouched(middle..<range.upperBound)])
        return segment + 1
    }

    /// Makes the first element of a range a segment of its own.
    fileprivate func isolate(_ segment: Int) {
        guard case .untouched(let range) = segments[segment], range.count > 1 else { return }
        let next = range.lowerBound + 1
        segments.replaceSubrange(
            segment...segment, with: [.untouched(range.lowerBound..<next), .untouched(next..<range.upperBound)])
    }

    func firstIndex(of node: JSONTree.ID) -> Int? {
        var index = 0
        for segment in segments {
            if case .node(node) = segment { return index }
            index += segment.count
        }
        return nil
    }

    func forEachSegment(_ body: (Segment) -> Void) { segments.forEach(body) }

    /// Calls `body` with the existing nodes.
    package func forEachNode(_ body: (JSONTree.ID) -> Void) {
        for case .node(let id) in segments { body(id) }
    }
}

extension LazyElements.Segment {
    fileprivate var count: Int {
        switch self {
        case .untouched(let range): range.count
        case .node: 1
        }
    }
}

/// The elements of a JSON array.
final class JSONArrayElements: JSONElementSource {
    let array: JSONArray

    init(array: JSONArray) { self.array = array }

    var count: Int { array.count }

    func makeNode(of index: Int, parent: JSONTree.ID, in tree: JSONTree) -> JSONTree.ID {
        tree.makeNode(kind: .json, json: array[index], parent: parent)
    }
}

extension JSONTree {
    /// Returns the number of elements of an open array.
    package func elementCount(of id: ID) -> Int { nodes[id].lazyElements?.count ?? nodes[id].elements.count }

    /// Returns the node of an element of an open array.
    package func element(at index: Int, of id: ID) throws -> ID {
        guard let lazy = nodes[id].lazyElements else { return nodes[id].elements[index] }
        let (segment, offset) = lazy.position(of: index)
        guard case .untouched(let range) = lazy.segments[segment] else {
            guard case .node(let node) = lazy.segments[segment] else { return id }
            return node
        }
        let node = try lazy.source.makeNode(of: range.lowerBound + offset, parent: id, in: self)
        let own = lazy.split(at: index)
        lazy.isolate(own)
        lazy.segments[own] = .node(node)
        try limitSegments(of: id)
        return node
    }

    /// Creates nodes for all elements of an open array.
    @discardableResult
    package func openElements(of id: ID) throws -> [ID] {
        guard let lazy = nodes[id].lazyElements else { return nodes[id].elements }
        var elements: [ID] = []
        elements.reserveCapacity(lazy.count)
        for segment in lazy.segments {
            switch segment {
            case .untouched(let range):
                for index in range { elements.append(try lazy.source.makeNode(of: index, parent: id, in: self)) }
            case .node(let node): elements.append(node)
            }
        }
        nodes[id].elements = elements
        nodes[id].lazyElements = nil
        return elements
    }

    private func limitSegments(of id: ID) throws {
        if let lazy = nodes[id].lazyElements, lazy.segments.count > LazyElements.segmentLimit {
            try openElements(of: id)
        }
    }

    /// Inserts a node into an open array.
    func insertElement(_ node: ID, at index: Int, of id: ID) throws {
        nodes[node].parent = id
        guard let lazy = nodes[id].lazyElements else { return nodes[id].elements.insert(node, at: index) }
        lazy.segments.insert(.node(node), at: lazy.split(at: index))
        lazy.count += 1
        try limitSegments(of: id)
    }

    /// Removes an element from an open array.
    func removeElement(at index: Int, of id: ID) throws {
        guard let lazy = nodes[id].lazyElements else {
            nodes[id].elements.remove(at: index)
            return
        }
        let segment = lazy.split(at: index)
        lazy.isolate(segment)
        lazy.segments.remove(at: segment)
        lazy.count -= 1
        try limitSegments(of: id)
    }

    /// Replaces an element of an open array by a node.
    func replaceElement(at index: Int, of id: ID, by node: ID) throws {
        nodes[node].parent = id
        guard let lazy = nodes[id].lazyElements else { return nodes[id].elements[index] = node }
        let segment = lazy.split(at: index)
        lazy.isolate(segment)
        lazy.segments[segment] = .node(node)
        try limitSegments(of: id)
    }
}
