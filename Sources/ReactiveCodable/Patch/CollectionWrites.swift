// Writes the changed elements of a collection, instead of the whole collection.
//
// The node of an encoded collection knows the origin of its children: for an element the index in its key, for a member
// its name. So the node shows of which pieces the collection consists after the patch:
//
//     kept 0..<7, new, kept 7..<12, replaced 12, kept 13..<100000
//
// Elements that are in no piece are removed first. Pieces that stay in order are not touched; all others are moved or
// inserted after the piece before them. In a set, an element is replaced by removing it and inserting the new one. A
// new element that equals a removed one keeps the removed one.

import Reactive

extension TreeDecoder {
    /// Returns a closure that writes the changed elements of a collection. Returns `nil` if the state is no collection,
    /// or must be written as a whole.
    func elementWrites<O: EncodableObservable>(to observable: O) throws -> (() -> Void)? {
        if let collection = observable as? any RecordableElements { return try rowWrites(to: collection) }
        if let collection = observable as? any RecordableMembers { return try memberWrites(to: collection) }
        return nil
    }

    /// The value that a collection was encoded from, if it still has that value and the node's children come from it.
    private func base<Value>(_ isPresent: (Value) -> Bool) -> Value? {
        for case let value as Value in tree.nodes[id].originals where isPresent(value) { return value }
        return nil
    }

    /// Whether the key of a child, if it has one, is its key in this node before the patch.
    private func hasOriginalKey(_ child: JSONTree.ID) -> Bool {
        (tree.formerParents[child] ?? []).allSatisfy { $0 == id }
    }

    // MARK: - Elements

    private func rowWrites<State: RecordableElements>(to collection: State) throws -> (() -> Void)? {
        guard let base = base(collection.value.isIdentical),
            let type = State.Element.self as? any Decodable.Type
        else { return nil }
        var arrangement = Arrangement<State.Element>(count: base.elementCount)
        func add<Element: Decodable>(_ node: JSONTree.ID, _ type: Element.Type) throws {
            let origin = hasOriginalKey(node) ? tree.nodes[node].key?.intValue : nil
            if let origin, tree.isUnchanged(type, at: node) {
                return arrangement.keep(origin..<origin + 1)
            }
            let element: Any = try decode(type, at: node, AnyKey.element(arrangement.newCount))
            guard let element = element as? State.Element else {
                preconditionFailure("internal inconsistency: decoded a different type")
            }
            arrangement.add(element, replacing: State.hasUniqueElements ? nil : origin)
        }
        if let lazy = tree.nodes[id].lazyElements {
            for segment in lazy.segments {
                switch segment {
                case .untouched(let range): arrangement.keep(range)
                case .node(let node): try add(node, type)
                }
            }
        } else {
            for node in tree.nodes[id].elements { try add(node, type) }
        }
        if State.hasUniqueElements {
            arrangement.keepEqual(of: base)
        } else {
            arrangement.pairReplaced()
        }
        return {
            // A collection with several paths has the same change at each path: it is written once.
            if collection.value.isIdentical(to: base) { arrangement.write(to: collection, base) }
        }
    }

    // MARK: - Members

    private func memberWrites<State: RecordableMembers>(to collection: State) throws -> (() -> Void)? {
        func writes<D: MemberDictionary>(_ base: D) throws -> [(D.Key, D.Member?)]? {
            guard let type = D.Member.self as? any Decodable.Type,
                strategies.keepsDecodedKeys || hasStringKeys(base)
            else { return nil }
            return try changedMembers(since: base, type)
        }
        guard let base = base(collection.value.isIdentical).flatMap({ memberDictionary($0) }),
            let changes = try writes(base) as? [(State.Recorded.Key, State.Recorded.Member?)]
        else { return nil }
        return {
            for (key, member) in changes { collection.setMember(member, for: key) }
        }
    }

    private func changedMembers<D: MemberDictionary>(
        since base: D, _ type: any Decodable.Type
    ) throws -> [(D.Key, D.Member?)] {
        var changes: [(D.Key, D.Member?)] = []
        let members = tree.nodes[id].members
        func remove(_ name: String) {
            if members[name] == nil, let key = base.stored(named: name)?.key { changes.append((key, nil)) }
        }
        if let lazy = tree.nodes[id].lazyMembers {
            for name in lazy.touched { remove(name.string) }
        } else {
            base.forEachMember { key, _ in remove(key.memberName) }
        }
        func remains(_ name: String) -> Bool {
            if members[name] != nil { return true }
            return tree.nodes[id].lazyMembers.map { !$0.touched.contains(JSONKey(name)) } ?? false
        }
        var keys: Set<D.Key> = []
        for (name, node) in members {
            session.lastVisited = node
            let isSame = hasOriginalKey(node) && tree.nodes[node].key?.stringValue == name
            if isSame, tree.isUnchanged(type, at: node) { continue }
            guard let key = D.Key(memberName: name) else {
                throw corrupted("the key \"\(name)\" of a member is not a valid \(D.Key.self)")
            }
            let other = base.stored(key)?.key.memberName ?? name
            let isTwice = !other.utf8.elementsEqual(name.utf8) && remains(other)
            guard !isTwice, keys.insert(key).inserted else {
                throw corrupted("two members have the key \"\(name)\", in different spellings")
            }
            let member: Any = try decode(type, at: node, key.codingKey)
            guard let member = member as? D.Member else {
                preconditionFailure("internal inconsistency: decoded a different type")
            }
            changes.append((key, member))
        }
        return changes
    }
}

extension JSONTree {
    /// Whether a node still represents the value that it was encoded from.
    fileprivate func isUnchanged<T>(_ type: T.Type, at node: ID) -> Bool {
        // No test sees this never hold: such a node has its value, so this only saves a search.
        if !nodes[node].isDirty { return true }
        return TreeDecoder.unchanged(type, at: node, in: self, isInHolder: false) != nil
    }
}

/// The pieces of which an ordered collection is to consist.
private struct Arrangement<Element> {
    private enum Piece {
        /// Existing elements.
        case kept(Range<Int>)
        /// A new element that replaces an existing one.
        case replaced(Int, Element)
        case new(Element)

        /// The range of the piece in the old elements.
        var origin: Range<Int>? {
            switch self {
            case .kept(let range): range
            case .replaced(let index, _): index..<index + 1
            case .new: nil
            }
        }
    }

    private let oldCount: Int
    private var pieces: [Piece] = []
    /// The number of elements so far.
    private(set) var newCount = 0

    init(count: Int) { oldCount = count }

    mutating func keep(_ range: Range<Int>) {
        newCount += range.count
        // No test sees this never hold: it only saves pieces.
        if case .kept(let last)? = pieces.last, last.upperBound == range.lowerBound {
            pieces[pieces.count - 1] = .kept(last.lowerBound..<range.upperBound)
        } else {
            pieces.append(.kept(range))
        }
    }

    mutating func add(_ element: Element, replacing origin: Int?) {
        newCount += 1
        pieces.append(origin.map { .replaced($0, element) } ?? .new(element))
    }

    /// The old elements that are in no piece.
    private var gone: [Range<Int>] {
        var gone: [Range<Int>] = []
        var end = 0
        // No test sees this boundary: no two pieces begin at the same element.
        for range in pieces.compactMap(\.origin).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // No test sees this always hold: removing no elements changes nothing.
            // No test sees this boundary: as above.
            if end < range.lowerBound { gone.append(end..<range.lowerBound) }
            end = max(end, range.upperBound)
        }
        // No test sees this always hold: as above.
        // No test sees this boundary: as above.
        if end < oldCount { gone.append(end..<oldCount) }
        return gone
    }

    /// Turns each pair of a removed element and a new one at its position into a replacement.
    mutating func pairReplaced() {
        let gone = gone
        // No test sees this always hold: without removed elements, no new one gets a pair.
        guard !gone.isEmpty else { return }
        let ends = Dictionary(uniqueKeysWithValues: gone.map { ($0.lowerBound, $0.upperBound) })
        var (next, end) = (0, ends[0] ?? 0)
        for index in pieces.indices {
            if case .new(let element) = pieces[index], next < end {
                pieces[index] = .replaced(next, element)
                next += 1
            } else if let origin = pieces[index].origin {
                next = origin.upperBound
                end = ends[next] ?? next
            }
        }
    }

    /// Keeps removed elements that equal a new one. Precondition: Elements are unique, and none is replaced.
    mutating func keepEqual<Base: OrderedValue>(of base: Base) where Base.Element == Element {
        let gone = gone
        var kept: Set<Int> = []
        func isGone(_ position: Int) -> Bool {
            // No test sees this boundary: no range contains the position behind another one.
            let index = gone.partitioningIndex { position < $0.upperBound }
            return index < gone.count && gone[index].contains(position)
        }
        for index in pieces.indices {
            if case .new(let element) = pieces[index], let position = base.position(ofUnique: element),
                isGone(position), kept.insert(position).inserted
            {
                pieces[index] = .kept(position..<position + 1)
            }
        }
    }

    /// Edits a collection so that it consists of the pieces. In a transaction.
    ///
    /// - Parameter base: The present value of the collection.
    func write<State: RecordableElements>(to collection: State, _ base: State.Recorded) where State.Element == Element {
        var target = collection
        for range in gone.reversed() { target.removeElements(range) }
        // No test sees this: if no piece stays, each element is looked up, and found at its place.
        let old = pieces.indices.filter { pieces[$0].origin != nil }
        let stayers = Set(heaviestIncreasing(old.compactMap { pieces[$0].origin }).map { old[$0] })
        var previous: UInt32?
        /// Returns the index behind the previous piece, for an element that now is at a position or is new.
        func targetIndex(of position: Int?) -> Int {
            guard let end = previous.flatMap(target.value.position) else { return 0 }
            // No test sees this boundary: the element itself is not in the previous piece.
            return position.map { $0 < end } == true ? end : end + 1
        }
        var new: [Element] = []
        func insertNew() {
            // No test sees this always hold: inserting no elements changes nothing.
            guard !new.isEmpty else { return }
            let (position, count) = (targetIndex(of: nil), target.elementCount)
            target.insertElements(new, at: position)
            new = []
            // A set does not insert elements that it already contains.
            let end = position + target.elementCount - count
            if end > position { previous = target.value.row(at: end - 1) }
        }
        for index in pieces.indices {
            guard let origin = pieces[index].origin else {
                if case .new(let element) = pieces[index] { new.append(element) }
                continue
            }
            insertNew()
            // No test sees this never hold: as above, each element is looked up, and found at its place.
            if stayers.contains(index) {
                previous = base.row(at: origin.upperBound - 1)
            } else {
                for index in origin {
                    let row = base.row(at: index)
                    if let from = target.value.position(of: row) {
                        let to = targetIndex(of: from)
                        // No test sees this always hold: a move to the same position changes nothing.
                        if from != to { target.moveElement(from: from, to: to) }
                    }
                    previous = row
                }
            }
            if case .replaced(let index, let element) = pieces[index],
                let position = target.value.position(of: base.row(at: index))
            {
                target.replaceElement(at: position, by: element)
            }
        }
        insertNew()
    }
}
