// The elements of a list that were inserted, removed, moved or changed between two versions.
//
//     1. Elements that may differ are *touched*: those that the footprint names. If elements were replaced as wholes,
//        those in branches that the versions do not share. All other elements are in both, in the same order.
//     2. Touched elements correspond by identity. Elements without identity correspond by a longest common subsequence
//        of equal elements, and in its gaps by their order.
//     3. As many corresponding elements as possible stay. The others are moved.
//
// The operations are applied one after the other. Only touched elements are processed: the index of one follows from
// the numbers of touched and untouched elements before it.
//
//     old       u  a  u  b  u         touched: a, b; untouched: u
//     current   (1, a) (2, b)         the touched elements, each with the number of untouched ones before it:
//                                     the index of the element at position p is that number, plus p

import ReactiveCodable

/// The operations that turn one version of a list into a different one.
struct ListDifference {
    enum Operation {
        case remove(Int)
        case move(from: Int, to: Int)
        /// Inserts, at the first index, the element at `newIndex` of the new list.
        case insert(Int, newIndex: Int)
    }

    /// The elements of both lists that may differ inside, by index, with the parts that may differ; `nil` for any part.
    private(set) var changed: [(old: Int, new: Int, region: Footprint.Region?)] = []
    /// The operations, in the order in which they are applied.
    private(set) var operations: [Operation] = []

    /// Compares lists whose elements were inserted, removed, moved and changed by identity.
    init(_ old: List, _ new: List, at region: Footprint.Region) {
        var touched = region.moved
        for case .element(let identity) in region.children.keys { touched.insert(identity) }
        var pairs: [(old: Int, new: Int)] = []
        var removed: [Int] = []
        var inserted: [Int] = []
        for identity in touched {
            let hasMoved = region.moved.contains(identity)
            switch (old.position(of: identity), new.position(of: identity)) {
            case (let oldIndex?, let newIndex?):
                if hasMoved { pairs.append((oldIndex, newIndex)) }
                changed.append((oldIndex, newIndex, hasMoved ? nil : region.children[.element(identity)]))
            case (let oldIndex?, nil): removed.append(oldIndex)
            case (nil, let newIndex?): inserted.append(newIndex)
            case (nil, nil): break
            }
        }
        changed.sort { $0.old < $1.old }
        operations = ListDifference.operations(pairs: pairs, removed: removed, inserted: inserted)
    }

    /// Compares lists wherever they do not share branches.
    init(_ old: List, _ new: List) {
        let (oldTouched, newTouched) = ListDifference.unshared(old, new)
        var pairs: [(old: Int, new: Int)] = []
        var newByIdentity: [JSONValue: Int] = [:]
        for index in newTouched {
            if let identity = new.usableIdentity(at: index) { newByIdentity[identity] = index }
        }
        var oldRest: [Int] = []
        for index in oldTouched {
            if let identity = old.usableIdentity(at: index), let partner = newByIdentity.removeValue(forKey: identity) {
                pairs.append((index, partner))
            } else {
                oldRest.append(index)
            }
        }
        let paired = Set(pairs.map(\.new))
        let newRest = newTouched.filter { !paired.contains($0) }
        let rest = ListDifference.aligned(
            oldRest.map { ($0, old[$0].json) }, newRest.map { ($0, new[$0].json) })
        pairs += rest.pairs
        changed = pairs.map { ($0.old, $0.new, nil) }.sorted { $0.old < $1.old }
        operations = ListDifference.operations(pairs: pairs, removed: rest.removed, inserted: rest.inserted)
    }
}

// MARK: - Which elements correspond

extension ListDifference {
    /// Returns the indices of the elements in branches that are not in both lists, ascending.
    ///
    /// Level by level from the roots, it drops the branches that both share at either end.
    private static func unshared(_ old: List, _ new: List) -> (old: [Int], new: [Int]) {
        var (oldBranches, newBranches) = ([old.root][...], [new.root][...])
        var start = 0
        let (oldHeight, newHeight) = (old.height, new.height)
        for height in stride(from: max(oldHeight, newHeight), to: 0, by: -1) {
            if height < oldHeight { oldBranches = oldBranches.flatMap(\.children)[...] }
            if height < newHeight { newBranches = newBranches.flatMap(\.children)[...] }
            guard height <= min(oldHeight, newHeight) else { continue }
            while let first = oldBranches.first, first === newBranches.first {
                start += first.count
                oldBranches.removeFirst()
                newBranches.removeFirst()
            }
            while let last = oldBranches.last, last === newBranches.last {
                oldBranches.removeLast()
                newBranches.removeLast()
            }
        }
        let shared = Set(oldBranches.map(ObjectIdentifier.init)).intersection(newBranches.map(ObjectIdentifier.init))
        func indices(_ leaves: ArraySlice<Branch>) -> [Int] {
            var result: [Int] = []
            var index = start
            for leaf in leaves {
                if !shared.contains(ObjectIdentifier(leaf)) { result += index..<(index + leaf.count) }
                index += leaf.count
            }
            return result
        }
        return (indices(oldBranches), indices(newBranches))
    }

    /// The maximum number of elements for which a common subsequence is searched, because that takes quadratic time.
    private static let comparedElements = 4_000

    /// Returns the elements without identity that correspond, and the others.
    private static func aligned(
        _ old: [(index: Int, json: JSONValue)], _ new: [(index: Int, json: JSONValue)]
    ) -> (pairs: [(old: Int, new: Int)], removed: [Int], inserted: [Int]) {
        let prefix = zip(old, new).prefix { $0.json == $1.json }.count
        let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed())
            .prefix { $0.json == $1.json }.count
        let oldMiddle = old[prefix..<(old.count - suffix)]
        let newMiddle = new[prefix..<(new.count - suffix)]
        var pairs = zip(old[..<prefix], new[..<prefix]).map { (old: $0.index, new: $1.index) }
        pairs += zip(old.suffix(suffix), new.suffix(suffix)).map { (old: $0.index, new: $1.index) }
        var removed = Set(oldMiddle.indices)
        var inserted = Set(newMiddle.indices)
        if !oldMiddle.isEmpty, !newMiddle.isEmpty, oldMiddle.count + newMiddle.count <= comparedElements {
            (removed, inserted) = ([], [])
            for change in newMiddle.map(\.json).difference(from: oldMiddle.map(\.json)) {
                switch change {
                case .remove(let offset, _, _): removed.insert(prefix + offset)
                case .insert(let offset, _, _): inserted.insert(prefix + offset)
                }
            }
        }
        var result = (pairs: pairs, removed: [Int](), inserted: [Int]())
        var (x, y) = (oldMiddle.startIndex, newMiddle.startIndex)
        while x < oldMiddle.endIndex || y < newMiddle.endIndex {
            let isRemoved = x < oldMiddle.endIndex && removed.contains(x)
            let isInserted = y < newMiddle.endIndex && inserted.contains(y)
            switch (isRemoved, isInserted) {
            case (true, true) where old[x].json.identity == new[y].json.identity:
                result.pairs.append((old[x].index, new[y].index))
                (x, y) = (x + 1, y + 1)
            case (true, _):
                result.removed.append(old[x].index)
                x += 1
            case (false, true):
                result.inserted.append(new[y].index)
                y += 1
            case (false, false):
                result.pairs.append((old[x].index, new[y].index))
                (x, y) = (x + 1, y + 1)
            }
        }
        return result
    }

}

// MARK: - Operations

extension ListDifference {
    /// A touched element, in the list after the operations so far.
    private struct Item {
        /// The number of untouched elements before it.
        let untouched: Int
        /// The index in the old list; `nil` for an element that was inserted.
        let old: Int?
    }

    /// Returns the operations that bring touched elements to their indices.
    private static func operations(pairs: [(old: Int, new: Int)], removed: [Int], inserted: [Int]) -> [Operation] {
        var operations = removed.sorted(by: >).map(Operation.remove)
        let oldTouched = (pairs.map(\.old) + removed).sorted()
        var untouchedBefore: [Int: Int] = [:]
        for (position, index) in oldTouched.enumerated() { untouchedBefore[index] = index - position }
        let partners = Dictionary(uniqueKeysWithValues: pairs.map { ($0.new, $0.old) })
        let newTouched = (pairs.map(\.new) + inserted).sorted()

        // Elements that stay are between the same untouched elements, and in the same order among themselves.
        let candidates = newTouched.enumerated().compactMap { position, new -> Int? in
            guard let old = partners[new], untouchedBefore[old] == new - position else { return nil }
            return old
        }
        let staying = Set(longestIncreasing(candidates))

        let gone = Set(removed)
        var current = oldTouched.filter { !gone.contains($0) }.map { old in
            Item(untouched: untouchedBefore[old] ?? 0, old: old)
        }
        // The last element that was brought to its index.
        var last: (position: Int, untouched: Int)?
        for (rank, new) in newTouched.enumerated() {
            let untouched = new - rank
            let old = partners[new]
            if let old, staying.contains(old) {
                let start = last.map { $0.position + 1 } ?? 0
                last = current[start...].firstIndex { $0.old == old }.map { ($0, untouched) }
                continue
            }
            var from: Int?
            if let old, let position = current.firstIndex(where: { $0.old == old }) {
                from = current[position].untouched + position
                current.remove(at: position)
                if let before = last, position < before.position { last?.position -= 1 }
            }
            // After the last element if no untouched element is between, else directly after the untouched elements.
            let position =
                if let last, last.untouched == untouched { last.position + 1 } else {
                    firstPosition(in: current, untouched: untouched)
                }
            current.insert(Item(untouched: untouched, old: old), at: position)
            last = (position, untouched)
            let to = untouched + position
            if let from {
                if from != to { operations.append(.move(from: from, to: to)) }
            } else {
                operations.append(.insert(to, newIndex: new))
            }
        }
        return operations
    }

    /// Returns the first position of an item with at least `untouched` untouched elements before it.
    private static func firstPosition(in items: [Item], untouched: Int) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].untouched < untouched { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns a longest ascending subsequence of different numbers: M. Fredman, "On computing the length of longest
    /// increasing subsequences", Discrete Mathematics 11 (1975).
    private static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // ends[n]: the index of the smallest number that ends an ascending subsequence of n + 1.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: [Int] = []
        var next = ends.last
        while let index = next {
            result.append(numbers[index])
            next = previous[index]
        }
        return result.reversed()
    }
}
