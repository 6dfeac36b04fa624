/// A sequence of row numbers with lookup of rows by position and of positions by row. It is a value that is cheap to
/// copy.
///
/// All operations take O(log N) with a base of about 50; access to neighbours usually takes O(1). The rows are in
/// leaves of up to 128 rows. Inner nodes have up to 64 children and the number of rows below each. A table gives the
/// leaf of each row, and each node has a reference to its parent. So a lookup climbs from the leaf to the root and
/// needs no label for each row.
///
/// A node is a number. Its contents are one chunk of 128 words in a chunked array: rows in a leaf; children and then
/// counts in an inner node. The table of a sparse order takes memory only near the rows that it has.
///
/// An order of the rows 0, 1, 2 … is an *identity*: only its count is stored, and each lookup takes O(1). It stays an
/// identity while rows are added and removed only at its end. Any other change builds the tree, once, in O(N).
@usableFromInline
struct RowOrder: Sendable {
    /// The number of rows.
    @usableFromInline var count = 0
    /// The leaf of each row; 0 if the order does not have the row.
    @usableFromInline var leafOf = Chunked<UInt32>()
    /// The contents of the nodes, from number 1 on.
    @usableFromInline var words = Chunked<UInt32>()
    /// The nodes themselves, from number 1 on.
    @usableFromInline var nodes = Chunked<Node>()
    /// The first node in the list of free nodes, which are linked by `parent`.
    private(set) var free: UInt32 = 0
    /// The root; 0 if there are no rows or the order is an identity.
    @usableFromInline var root: UInt32 = 0
    /// The number of levels of inner nodes.
    @usableFromInline var height = 0
    /// The number of edits so far that changed the first row of a leaf.
    private var firstEdits: UInt32 = 0

    @frozen @usableFromInline
    struct Node: Sendable {
        /// The parent; 0 for the root.
        @usableFromInline var parent: UInt32 = 0
        /// The number of rows or children.
        @usableFromInline var size: UInt32 = 0
        /// The first row of a leaf.
        @usableFromInline var first: UInt32 = 0
        /// The number of the edit that made `first` the first row of the leaf. See `LeafKeys`.
        @usableFromInline var firstEdit: UInt32 = 0
    }

    /// A row that a search passes to its condition.
    @frozen @usableFromInline
    struct Candidate {
        @usableFromInline let row: UInt32
        /// The leaf whose first row this is; 0 if unknown.
        @usableFromInline let leaf: UInt32
        /// The number of the edit that made this the first row of that leaf.
        @usableFromInline let edit: UInt32

        @inlinable @inline(__always)
        init(row: UInt32, leaf: UInt32, edit: UInt32) {
            self.row = row
            self.leaf = leaf
            self.edit = edit
        }
    }

    static var leafLimit: Int { 128 }
    @inlinable static var nodeLimit: Int { 64 }
    @inlinable static var wordsPerNode: Int { 128 }
    /// The contents of unused words, which is no valid row or node.
    static var unused: UInt32 { .max }

    @usableFromInline typealias Words = UnsafeMutablePointer<UInt32>

    /// Creates an empty order.
    @usableFromInline
    init() {}
}

// MARK: - Lookup

extension RowOrder {
    @usableFromInline var isEmpty: Bool { count == 0 }

    /// The first row.
    @usableFromInline var first: UInt32? {
        if root == 0 { return count == 0 ? nil : 0 }
        return edge(below: root, levels: height, last: false)
    }

    /// The last row.
    @usableFromInline var last: UInt32? {
        if root == 0 { return count == 0 ? nil : UInt32(count) - 1 }
        return edge(below: root, levels: height, last: true)
    }

    /// Whether the order has a row.
    @inlinable @inline(__always)
    func contains(_ row: UInt32) -> Bool {
        root == 0 ? Int(row) < count : Int(row) < leafOf.count && leafOf[Int(row)] != 0
    }

    /// The row at a position.
    @inlinable @inline(__always)
    func row(at position: Int) -> UInt32 {
        precondition(position >= 0 && position < count, "Index out of range")
        return root == 0 ? UInt32(truncatingIfNeeded: position) : rowInTree(at: position)
    }

    @usableFromInline
    func rowInTree(at position: Int) -> UInt32 {
        var offset = position
        let leaf = leaf(&offset)
        return contents(leaf)[offset]
    }

    /// The position of a row.
    ///
    /// - Precondition: The order has the row.
    @inlinable @inline(__always)
    func position(of row: UInt32) -> Int {
        if root != 0 { return positionInTree(of: row) }
        precondition(Int(row) < count, "The order does not have the row")
        return Int(row)
    }

    @usableFromInline
    func positionInTree(of row: UInt32) -> Int {
        var node = leaf(of: row)
        var position = index(ofRow: row, in: node)
        var parent = nodes[Int(node) - 1].parent
        while parent != 0 {
            let words = contents(parent)
            let index = index(of: node, in: parent)
            var sum: UInt32 = 0
            for child in 0..<index { sum &+= words[Self.nodeLimit + child] }
            position += Int(sum)
            node = parent
            parent = nodes[Int(node) - 1].parent
        }
        return position
    }

    /// Whether row `a` comes before row `b`.
    ///
    /// - Precondition: The order has both.
    @usableFromInline
    func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
        if root == 0 { return a < b }
        var (x, y) = (leaf(of: a), leaf(of: b))
        if x == y { return index(ofRow: a, in: x) < index(ofRow: b, in: x) }
        // All leaves have the same depth.
        while true {
            let (p, q) = (nodes[Int(x) - 1].parent, nodes[Int(y) - 1].parent)
            // No test sees this boundary: the two nodes differ.
            if p == q { return index(of: x, in: p) < index(of: y, in: p) }
            (x, y) = (p, q)
        }
    }

    /// The row before a row; nil for the first.
    ///
    /// - Precondition: The order has the row.
    @usableFromInline
    func row(before row: UInt32) -> UInt32? { neighbour(of: row, isAfter: false) }

    /// The row after a row; nil for the last.
    ///
    /// - Precondition: The order has the row.
    @usableFromInline
    func row(after row: UInt32) -> UInt32? { neighbour(of: row, isAfter: true) }

    /// Calls a closure with the rows in order.
    @inlinable @inline(__always)
    func forEach(_ body: (UInt32) throws -> Void) rethrows {
        try forEach(while: {
            try body($0)
            return true
        })
    }

    /// Calls a closure with the rows in order until it returns false.
    @inlinable @inline(__always)
    func forEach(while body: (UInt32) throws -> Bool) rethrows {
        if root == 0 {
            for row in 0..<UInt32(count) where try !body(row) { return }
            return
        }
        // No test sees this left out: only optimised code would release the nodes earlier.
        defer { _fixLifetime(words) }
        var position = 0
        while position < count {
            let rows = leaf(from: position)
            for row in rows where try !body(row) { return }
            position += rows.count
        }
    }

    /// Calls a closure with the first row of each leaf.
    @usableFromInline
    func forEachLeaf(_ body: (Candidate) -> Void) {
        if root == 0 { return }
        var position = 0
        while position < count {
            var offset = position
            let leaf = leaf(&offset)
            let node = nodes[Int(leaf) - 1]
            body(Candidate(row: node.first, leaf: leaf, edit: node.firstEdit))
            position += Int(node.size)
        }
    }

    /// The rows of a tree from a position to the end of its leaf. They are valid until the order is changed or
    /// released.
    @usableFromInline
    func leaf(from position: Int) -> UnsafeBufferPointer<UInt32> {
        var offset = position
        let leaf = leaf(&offset)
        return UnsafeBufferPointer(start: contents(leaf) + offset, count: size(leaf) - offset)
    }

    /// The first position whose row satisfies a condition; the number of rows if there is none. All rows after it must
    /// satisfy the condition too. Calls the condition for O(log N) rows.
    @usableFromInline
    func firstPosition(where condition: (UInt32) throws -> Bool) rethrows -> Int {
        if root == 0 {
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if try condition(UInt32(middle)) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let location = try firstLocation { try condition($0.row) }
        return location.start + location.offset
    }

    /// The position of the first row that satisfies a condition: its leaf, its offset in the leaf, and the position of
    /// the leaf. Precondition: the order has a tree.
    ///
    /// - Parameters:
    ///   - condition: Whether a row satisfies the condition.
    ///   - announce: Called with several rows of a leaf before `condition` is called for some of them, so that the
    ///     processor can load their data in parallel. Not called if the order is small.
    @inlinable @inline(__always)
    func firstLocation(
        where condition: (Candidate) throws -> Bool, announcing announce: (UInt32) -> Void = { _ in }
    ) rethrows -> (leaf: UInt32, offset: Int, start: Int) {
        var node = root
        var start = 0
        for level in stride(from: height, to: 0, by: -1) {
            let words = contents(node)
            // The last child whose first row does not satisfy the condition; the first child if there is none.
            var (low, high) = (1, size(node))
            while low < high {
                let middle = (low &+ high) / 2
                let leaf = firstLeaf(below: words[middle], levels: level - 1)
                let node = nodes[Int(leaf) - 1]
                let candidate = Candidate(row: node.first, leaf: leaf, edit: node.firstEdit)
                if try condition(candidate) { high = middle } else { low = middle &+ 1 }
            }
            for child in 0..<low - 1 { start &+= Int(words[Self.nodeLimit + child]) }
            node = words[low - 1]
        }
        let rows = contents(node)
        // The data of a small order is already in the cache.
        let isLarge = count > 1 << 14
        var (low, high) = (0, size(node))
        while low < high {
            // Up to eight rows, at equal distances.
            let distance = Swift.max(Int.bitWidth &- (high &- low).leadingZeroBitCount &- 3, 0)
            let spacing = 1 &<< distance
            let count = (high &- low) &>> distance
            if isLarge { for index in 1...count { announce(rows[low &+ index &* spacing &- 1]) } }
            var (first, last) = (0, count)
            while first < last {
                let middle = (first &+ last) / 2
                let row = rows[low &+ (middle &+ 1) &* spacing &- 1]
                if try condition(Candidate(row: row, leaf: 0, edit: 0)) { last = middle } else { first = middle &+ 1 }
            }
            low &+= first &* spacing
            if first < count { high = low &+ spacing &- 1 }
        }
        return (node, low, start)
    }

    private func leaf(of row: UInt32) -> UInt32 {
        precondition(contains(row), "The order does not have the row")
        return leafOf[Int(row)]
    }

    @inlinable @inline(__always)
    func size(_ node: UInt32) -> Int { Int(nodes[Int(node) - 1].size) }

    /// The contents of a node for reading.
    @inlinable @inline(__always)
    func contents(_ node: UInt32) -> Words { words.pointer(to: (Int(node) - 1) * Self.wordsPerNode) }

    /// The index of a row in its leaf. Unused words hold no valid row, so the search can compare whole vectors.
    private func index(ofRow row: UInt32, in leaf: UInt32) -> Int {
        Self.index(of: row, in: contents(leaf), count: size(leaf))
    }

    /// The index of a node in its parent.
    private func index(of node: UInt32, in parent: UInt32) -> Int {
        Self.index(of: node, in: contents(parent), count: size(parent))
    }

    /// The index of a word that occurs once among the first `count` ones, by vectors of 16 words.
    @inline(__always)
    private static func index(of word: UInt32, in words: Words, count: Int) -> Int {
        let wanted = SIMD16<UInt32>(repeating: word)
        let vectors = UnsafeRawPointer(words)
        for start in stride(from: 0, to: count, by: 16) {
            let next = vectors.loadUnaligned(fromByteOffset: start &* 4, as: SIMD16<UInt32>.self)
            // A mask of all ones where the lanes are equal.
            let found = unsafeBitCast(next .== wanted, to: SIMD16<UInt32>.self)
            let half = found.lowHalf | found.highHalf
            let any = unsafeBitCast(half.lowHalf | half.highHalf, to: SIMD2<UInt64>.self)
            if any.x | any.y == 0 { continue }
            let lanes = SIMD16<UInt32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
            return start &+ Int((found & lanes).wrappedSum())
        }
        return 0
    }

    /// The leaf that has a position or, at the end of the order, the last leaf. Changes the position to the offset in
    /// that leaf.
    private func leaf(_ offset: inout Int) -> UInt32 {
        var node = root
        for _ in 0..<height {
            let words = contents(node)
            let last = size(node) - 1
            var child = 0
            while child < last, offset >= Int(words[Self.nodeLimit + child]) {
                offset -= Int(words[Self.nodeLimit + child])
                child += 1
            }
            node = words[child]
        }
        return node
    }

    /// The first or last row below a node.
    private func edge(below node: UInt32, levels: Int, last: Bool) -> UInt32 {
        guard last else { return nodes[Int(firstLeaf(below: node, levels: levels)) - 1].first }
        var node = node
        for _ in 0..<levels { node = contents(node)[size(node) - 1] }
        return contents(node)[size(node) - 1]
    }

    /// The first leaf below a node.
    @inlinable @inline(__always)
    func firstLeaf(below node: UInt32, levels: Int) -> UInt32 {
        var node = node
        for _ in 0..<levels { node = contents(node)[0] }
        return node
    }

    /// The leaf whose first row is a given row; nil if there is none. Precondition: the order has the row.
    @inlinable @inline(__always)
    func leaf(ofFirst row: UInt32) -> UInt32? {
        if root == 0 { return nil }
        let leaf = leafOf[Int(row)]
        return nodes[Int(leaf) - 1].first == row ? leaf : nil
    }

    private func neighbour(of row: UInt32, isAfter: Bool) -> UInt32? {
        if root == 0 {
            if isAfter { return Int(row) + 1 < count ? row + 1 : nil }
            return row > 0 ? row - 1 : nil
        }
        var node = leaf(of: row)
        var index = index(ofRow: row, in: node)
        var levels = 0
        while isAfter ? index == size(node) - 1 : index == 0 {
            let parent = nodes[Int(node) - 1].parent
            if parent == 0 { return nil }
            index = self.index(of: node, in: parent)
            node = parent
            levels += 1
        }
        let next = contents(node)[isAfter ? index + 1 : index - 1]
        return levels == 0 ? next : edge(below: next, levels: levels - 1, last: !isAfter)
    }
}

// MARK: - Edits

extension RowOrder {
    /// Creates an order of rows, in O(N).
    ///
    /// - Precondition: No row occurs twice.
    @inlinable
    init(_ rows: some Sequence<UInt32>) { self.init(ContiguousArray(rows)) }

    /// Creates an order of the rows 0, 1, 2 …, in O(1).
    @usableFromInline
    init(identity count: Int) { self.count = count }

    /// Creates an order of rows, in O(N).
    ///
    /// - Precondition: No row occurs twice.
    @usableFromInline
    init(_ rows: ContiguousArray<UInt32>) {
        rows.withUnsafeBufferPointer { build($0) }
    }

    /// Appends a row.
    ///
    /// - Precondition: The order does not have the row.
    @usableFromInline
    mutating func append(_ row: UInt32) {
        if root == 0, appendsToIdentity(row, at: count) { return }
        var leaf = root
        for _ in 0..<height { leaf = contents(leaf)[size(leaf) - 1] }
        insert(row, at: size(leaf), of: leaf)
    }

    /// Inserts a row at a position.
    ///
    /// - Precondition: The order does not have the row.
    @usableFromInline
    mutating func insert(_ row: UInt32, at position: Int) {
        precondition(position >= 0 && position <= count, "Index out of range")
        if root == 0, appendsToIdentity(row, at: position) { return }
        var offset = position
        let leaf = leaf(&offset)
        insert(row, at: offset, of: leaf)
    }

    /// Inserts a row after another, or before all others.
    ///
    /// - Precondition: The order has the other row and does not have the new one.
    @usableFromInline
    mutating func insert(_ row: UInt32, after other: UInt32?) {
        guard let other else { return insert(row, at: 0) }
        if root == 0 { return insert(row, at: Int(other) + 1) }
        let leaf = leaf(of: other)
        insert(row, at: index(ofRow: other, in: leaf) + 1, of: leaf)
    }

    /// Inserts a row before the first one that satisfies a condition. All rows after that one must satisfy it too.
    ///
    /// - Precondition: The order does not have the row.
    /// - Complexity: O(log N) calls of the condition, which must not use the order.
    @inlinable @inline(__always)
    mutating func insert(
        _ row: UInt32, beforeFirst condition: (Candidate) -> Bool, announcing announce: (UInt32) -> Void = { _ in }
    ) {
        if root == 0 {
            if count == 0 { return append(row) }
            buildTree()
        }
        let location = firstLocation(where: condition, announcing: announce)
        insert(row, at: location.offset, of: location.leaf)
    }

    /// Removes a row.
    ///
    /// - Precondition: The order has the row.
    @usableFromInline
    mutating func remove(_ row: UInt32) {
        if root == 0 {
            if Int(row) == count - 1 {
                count -= 1
                return
            }
            buildTree()
        }
        let leaf = leaf(of: row)
        remove(row, at: index(ofRow: row, in: leaf), of: leaf)
    }

    /// Removes a row unless its neighbours satisfy a condition.
    ///
    /// - Precondition: The order has the row.
    @usableFromInline
    mutating func remove(_ row: UInt32, unless condition: (_ before: UInt32?, _ after: UInt32?) -> Bool) {
        // No test sees this always hold: the rest only saves searches.
        if root == 0 {
            if !condition(self.row(before: row), self.row(after: row)) { remove(row) }
            return
        }
        let leaf = leaf(of: row)
        let index = index(ofRow: row, in: leaf)
        let rows = contents(leaf)
        let isInside = index > 0 && index < size(leaf) - 1
        // No test sees this never hold: it only saves a search.
        let before = isInside ? rows[index - 1] : self.row(before: row)
        // No test sees this never hold: it only saves a search.
        let after = isInside ? rows[index + 1] : self.row(after: row)
        if !condition(before, after) { remove(row, at: index, of: leaf) }
    }

    private mutating func remove(_ row: UInt32, at index: Int, of leaf: UInt32) {
        let size = size(leaf) - 1
        let rows = uniqueContents(leaf)
        (rows + index).update(from: rows + index + 1, count: size - index)
        rows[size] = Self.unused
        setSize(size, of: leaf)
        if index == 0 { setFirst(rows[0], of: leaf) }
        leafOf[Int(row)] = 0
        count -= 1
        addToCounts(above: leaf, -1)
        if size < Self.leafLimit / 4 { shrink(leaf, isLeaf: true) }
    }

    @usableFromInline
    mutating func insert(_ row: UInt32, at offset: Int, of leaf: UInt32) {
        var (leaf, offset) = (leaf, offset)
        precondition(!contains(row), "The order has the row already")
        if Int(row) == leafOf.count { leafOf.append(0) }
        // No test sees this always hold: a negative number of zeros appends none.
        // No test sees this boundary: the line above has appended the row.
        if Int(row) > leafOf.count { leafOf.append(repeating: 0, count: Int(row) + 1 - leafOf.count) }
        if size(leaf) == Self.leafLimit {
            // An insertion at the end is usually one of many appends: leave the leaf full.
            let isAtEnd = offset == Self.leafLimit && contents(leaf)[offset - 1] == last
            let kept = isAtEnd ? Self.leafLimit : Self.leafLimit / 2
            let right = split(leaf, at: kept, isLeaf: true)
            if offset > kept || isAtEnd {
                leaf = right
                offset -= kept
            }
        }
        let size = size(leaf)
        let position = uniqueContents(leaf) + offset
        (position + 1).update(from: position, count: size - offset)
        position.pointee = row
        setSize(size + 1, of: leaf)
        if offset == 0 { setFirst(row, of: leaf) }
        leafOf[Int(row)] = leaf
        count += 1
        addToCounts(above: leaf, 1)
    }

    /// The contents of a node for writing.
    private mutating func uniqueContents(_ node: UInt32) -> Words {
        words.uniquePointer(to: (Int(node) - 1) * Self.wordsPerNode)
    }

    private mutating func setSize(_ size: Int, of node: UInt32) { nodes[Int(node) - 1].size = UInt32(size) }

    /// Sets the first row of a leaf.
    private mutating func setFirst(_ row: UInt32, of leaf: UInt32) {
        firstEdits &+= 1
        let node = nodes.uniquePointer(to: Int(leaf) - 1)
        node.pointee.first = row
        node.pointee.firstEdit = firstEdits
    }

    private mutating func addToCounts(above node: UInt32, _ difference: Int) {
        var node = node
        var parent = nodes[Int(node) - 1].parent
        while parent != 0 {
            let index = index(of: node, in: parent)
            uniqueContents(parent)[Self.nodeLimit + index] &+= UInt32(truncatingIfNeeded: difference)
            node = parent
            parent = nodes[Int(node) - 1].parent
        }
    }

    private mutating func makeNode(parent: UInt32) -> UInt32 {
        let node = free
        if node != 0 {
            free = nodes[Int(node) - 1].parent
            nodes[Int(node) - 1] = Node(parent: parent)
            uniqueContents(node).update(repeating: Self.unused, count: Self.wordsPerNode)
            return node
        }
        nodes.append(Node(parent: parent))
        words.append(repeating: Self.unused, count: Self.wordsPerNode)
        return UInt32(nodes.count)
    }

    private mutating func release(_ node: UInt32) {
        nodes[Int(node) - 1] = Node(parent: free)
        free = node
    }

    /// Moves the rows or children from an index on to a new node, which follows this one in the parent. Returns the new
    /// node.
    private mutating func split(_ node: UInt32, at kept: Int, isLeaf: Bool) -> UInt32 {
        var parent = nodes[Int(node) - 1].parent
        if parent == 0 {
            parent = makeNode(parent: 0)
            root = parent
            height += 1
            let words = uniqueContents(parent)
            words[0] = node
            words[Self.nodeLimit] = UInt32(count)
            nodes[Int(parent) - 1].size = 1
            nodes[Int(node) - 1].parent = parent
        } else if size(parent) == Self.nodeLimit {
            let isAtEnd = kept == size(node)
            let middle = isAtEnd ? Self.nodeLimit - 1 : Self.nodeLimit / 2
            _ = split(parent, at: middle, isLeaf: false)
            parent = nodes[Int(node) - 1].parent
        }
        let new = makeNode(parent: parent)
        let moved = moveContents(of: node, from: kept, to: new, isLeaf: isLeaf)
        let index = index(of: node, in: parent)
        let size = size(parent)
        let words = uniqueContents(parent)
        for start in [words, words + Self.nodeLimit] {
            (start + index + 2).update(from: start + index + 1, count: size - index - 1)
        }
        words[index + 1] = new
        words[Self.nodeLimit + index + 1] = UInt32(moved)
        words[Self.nodeLimit + index] -= UInt32(moved)
        nodes[Int(parent) - 1].size = UInt32(size + 1)
        return new
    }

    /// Moves the rows or children from an index on to the end of another node. Returns the number of rows moved.
    private mutating func moveContents(of node: UInt32, from start: Int, to other: UInt32, isLeaf: Bool) -> Int {
        let (size, otherSize) = (size(node), size(other))
        let moved = size - start
        let target = uniqueContents(other)
        let source = uniqueContents(node)
        (target + otherSize).update(from: source + start, count: moved)
        (source + start).update(repeating: Self.unused, count: moved)
        nodes[Int(node) - 1].size = UInt32(start)
        nodes[Int(other) - 1].size = UInt32(otherSize + moved)
        if isLeaf {
            for index in otherSize..<otherSize + moved { leafOf[Int(target[index])] = other }
            if otherSize == 0 { setFirst(target[0], of: other) }
            return moved
        }
        (target + Self.nodeLimit + otherSize).update(from: source + Self.nodeLimit + start, count: moved)
        var rows = 0
        for index in otherSize..<otherSize + moved {
            nodes[Int(target[index]) - 1].parent = other
            rows += Int(target[Self.nodeLimit + index])
        }
        return rows
    }

    /// Joins a node that has become small with a neighbour, or removes it if it is empty.
    private mutating func shrink(_ node: UInt32, isLeaf: Bool) {
        let size = size(node)
        let parent = nodes[Int(node) - 1].parent
        if parent == 0 { return shrinkRoot() }
        let index = index(of: node, in: parent)
        let limit = isLeaf ? Self.leafLimit : Self.nodeLimit
        if size == 0 {
            removeChild(at: index, of: parent)
        } else if index > 0, self.size(contents(parent)[index - 1]) + size <= limit * 3 / 4 {
            join(childAt: index, of: parent, isLeaf: isLeaf)
        } else if index + 1 < self.size(parent), self.size(contents(parent)[index + 1]) + size <= limit * 3 / 4 {
            join(childAt: index + 1, of: parent, isLeaf: isLeaf)
        } else {
            return
        }
        if self.size(parent) < Self.nodeLimit / 4 { shrink(parent, isLeaf: false) }
    }

    private mutating func shrinkRoot() {
        if count == 0 {
            // Numbers of edits stay unique as long as a `LeafKeys` may have stored one.
            let edits = firstEdits
            self = RowOrder()
            firstEdits = edits
            return
        }
        while height > 0, size(root) == 1 {
            let child = contents(root)[0]
            release(root)
            root = child
            nodes[Int(root) - 1].parent = 0
            height -= 1
        }
    }

    /// Moves the contents of a child to the child before it.
    private mutating func join(childAt index: Int, of parent: UInt32, isLeaf: Bool) {
        let words = uniqueContents(parent)
        let moved = moveContents(of: words[index], from: 0, to: words[index - 1], isLeaf: isLeaf)
        words[Self.nodeLimit + index - 1] += UInt32(moved)
        removeChild(at: index, of: parent)
    }

    private mutating func removeChild(at index: Int, of parent: UInt32) {
        let size = size(parent) - 1
        let words = uniqueContents(parent)
        release(words[index])
        for start in [words, words + Self.nodeLimit] {
            (start + index).update(from: start + index + 1, count: size - index)
            start[size] = Self.unused
        }
        nodes[Int(parent) - 1].size = UInt32(size)
    }
}

// MARK: - Building

extension RowOrder {
    /// Fills an empty order.
    mutating func build(_ rows: UnsafeBufferPointer<UInt32>) {
        if rows.isIdentity { return count = rows.count }
        buildTree(rows)
    }

    /// Builds the tree of an empty order.
    private mutating func buildTree(_ rows: UnsafeBufferPointer<UInt32>) {
        guard let highest = rows.max() else { return }
        count = rows.count
        var level: ContiguousArray<(node: UInt32, count: UInt32)> = []
        var start = 0
        // If few rows are missing, the table is filled in one block of memory and then copied to chunks.
        // No test sees this boundary: any bound near it would serve.
        let isDense = Int(highest) / 8 < rows.count
        var leaves = ContiguousArray<UInt32>(repeating: 0, count: isDense ? Int(highest) + 1 : 0)
        if !isDense { leafOf.append(repeating: 0, count: Int(highest) + 1) }
        while start < rows.count {
            let size = min(Self.leafLimit, rows.count - start)
            let contents = UnsafeBufferPointer(rebasing: rows[start..<start + size])
            let leaf = appendLeaf(contents)
            if isDense {
                for row in contents { leaves[Int(row)] = leaf }
            } else {
                for row in contents { leafOf[Int(row)] = leaf }
            }
            level.append((leaf, UInt32(size)))
            start += size
        }
        leaves.withUnsafeBufferPointer { leafOf.append(copying: $0) }
        while level.count > 1 {
            var above: ContiguousArray<(node: UInt32, count: UInt32)> = []
            for start in stride(from: 0, to: level.count, by: Self.nodeLimit) {
                let node = makeNode(parent: 0)
                let children = level[start..<min(start + Self.nodeLimit, level.count)]
                nodes[Int(node) - 1].size = UInt32(children.count)
                let words = uniqueContents(node)
                for (index, child) in children.enumerated() {
                    words[index] = child.node
                    words[Self.nodeLimit + index] = child.count
                    nodes[Int(child.node) - 1].parent = node
                }
                above.append((node, children.reduce(0) { $0 + $1.count }))
            }
            level = above
            height += 1
        }
        root = level[0].node
    }

    /// Adds a node for a leaf. Precondition: there are no free nodes.
    private mutating func appendLeaf(_ rows: UnsafeBufferPointer<UInt32>) -> UInt32 {
        let chunk = Chunked<UInt32>.Chunk.create(room: Self.wordsPerNode)
        let words = UnsafeMutableBufferPointer(start: chunk.elements, count: Self.wordsPerNode)
        let unused = words.initialize(fromContentsOf: rows)
        words[unused...].initialize(repeating: Self.unused)
        chunk.count = Self.wordsPerNode
        self.words.append(full: chunk)
        nodes.append(Node(parent: 0, size: UInt32(rows.count)))
        let leaf = UInt32(nodes.count)
        setFirst(rows[0], of: leaf)
        return leaf
    }

    /// Builds the tree of an identity.
    @usableFromInline @inline(never)
    mutating func buildTree() {
        ContiguousArray(0..<UInt32(count)).withUnsafeBufferPointer { buildTree($0) }
    }

    /// Prepares an order without a tree for the insertion of a row. Returns whether the insertion is complete, because
    /// the order is an identity that includes the row.
    private mutating func appendsToIdentity(_ row: UInt32, at position: Int) -> Bool {
        if position == count, Int(row) == count {
            count += 1
            return true
        }
        if count > 0 {
            buildTree()
        } else {
            root = makeNode(parent: 0)
        }
        return false
    }
}

extension UnsafeBufferPointer<UInt32> {
    /// Whether these are the numbers 0, 1, 2 … in this order.
    fileprivate var isIdentity: Bool {
        for index in indices where self[index] != index { return false }
        return true
    }
}
