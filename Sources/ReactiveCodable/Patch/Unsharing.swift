// Replacing what other paths share, instead of overwriting it.
//
//     todos ◉ ── 0 ── title ◉ ┐
//                             ├ the same observable          replace /selected/title
//     selected ◉ ──── title ◉ ┘
//
// This patch names the path /selected/title and not /todos/0/title. So the slot of a shared observable is not written,
// unless the patch gives the same value to all paths that lead to it. It is *cut*: it becomes an ordinary node
// of the slot around it, here `selected`, which is written instead, with a new todo. If the slot around it is shared as
// well, that is cut in turn. Where there is none around it, the root itself shares the observable, and it is written.
//
// What is decoded anew because of that, or because something in it that is not observable has changed, must not be
// shared by halves: its other observables get new ones with the same values, as far as they belong to the same object
// and are shared. Elements of arrays, members of dictionaries and objects within it stay the ones they are.

import Reactive

/// Goes through the slots that a patch changes. Lives for the length of a call, under the lock.
final class Unsharing<Root: Encodable> {
    private let tree: JSONTree
    private let sharing: SharedIdentities<Root>
    /// The slots among the first `indexedCount` nodes.
    private var slotsByObject: [Identity: [JSONTree.ID]] = [:]
    private var indexedCount = 0
    /// The slot that is being looked at: where an error belongs.
    private(set) var lastVisited: JSONTree.ID
    /// Whether some path got an object of its own.
    private(set) var hasSplit = false

    init(_ tree: JSONTree, _ sharing: SharedIdentities<Root>) {
        self.tree = tree
        self.sharing = sharing
        lastVisited = tree.root
    }

    /// Makes sure that writing the pending slots changes nothing at paths that the patch does not change.
    func run() throws {
        // The list grows.
        var next = 0
        while next < tree.pending.count {
            let slot = tree.pending[next]
            lastVisited = slot
            next += 1
            guard tree.isAttached(slot), let observable = tree.observable(at: slot), isShared(slot) else { continue }
            if try !changesAllPaths(of: observable), try tree.cut(slot) { hasSplit = true }
        }
        try renewMembers()
    }

    // MARK: - Paths

    private func isShared(_ slot: JSONTree.ID) -> Bool {
        guard let observable = tree.observable(at: slot) else { return false }
        return sharing.isShared(Identity(observable)) { tree.things(on: [slot]) }
    }

    /// Whether the patch changes all paths to an observable: it removes them or gives them the same value.
    private func changesAllPaths(of observable: any EncodableObservable) throws -> Bool {
        var changed: [JSONTree.ID] = []
        var named: Set<[String]> = []
        let map = sharing.map(with: Identity(observable))
        for slot in slots(of: observable) {
            let isAttached = tree.isAttached(slot)
            guard !isAttached || tree.nodes[slot].isDirty else { continue }
            named.insert(tree.originalPath(to: slot, map))
            if isAttached { changed.append(slot) }
        }
        guard map.pathCount(of: Identity(observable), limit: named.count + 1) == named.count else { return false }
        guard changed.count > 1 else { return true }
        let value = try tree.snapshot(changed[0])
        return try changed.dropFirst().allSatisfy { try tree.snapshot($0) == value }
    }

    /// The slots of an observable.
    private func slots(of observable: any EncodableObservable) -> [JSONTree.ID] {
        while indexedCount < tree.nodes.count {
            if let slot = tree.nodes[indexedCount].slot {
                slotsByObject[Identity(slot.object), default: []].append(indexedCount)
            }
            indexedCount += 1
        }
        return (slotsByObject[Identity(observable)] ?? []).filter { tree.nodes[$0].slot?.object === observable }
    }

    // MARK: - Members

    /// Gives what is decoded anew observables of its own for those that it shares.
    private func renewMembers() throws {
        var members: [JSONTree.ID] = []
        for slot in tree.pending where tree.isAttached(slot) && tree.nodes[slot].slot != nil {
            tree.collectMembersOfChanged(below: slot, into: &members)
        }
        members = members.filter { tree.nodes[$0].slot != nil && isShared($0) }
        let byObservable = Dictionary(grouping: members) { tree.observable(at: $0).map { Identity($0) } }
        for (thing, slots) in byObservable {
            // All paths to it are decoded anew: they share it as before.
            if let thing, sharing.map(with: thing).pathCount(of: thing, limit: slots.count + 1) == slots.count {
                continue
            }
            for slot in slots {
                lastVisited = slot
                try tree.detachObject(of: slot)
                hasSplit = true
            }
        }
    }
}

extension JSONTree {
    /// The observables and objects that nodes were encoded from, and those that lead to them, before and after.
    fileprivate func things(on nodes: [ID]) -> [Identity] {
        var things: [Identity] = []
        var visited: Set<ID> = []
        var waiting = nodes
        while let id = waiting.popLast() {
            guard id != JSONTree.detached, visited.insert(id).inserted else { continue }
            things += objects(at: id).map { Identity($0) }
            waiting.append(self.nodes[id].parent)
            waiting += formerParents[id] ?? []
        }
        return things
    }

    /// The objects that a node was encoded from, from the outside in.
    private func objects(at id: ID) -> [AnyObject] {
        ((formerAbove[id] ?? []) + nodes[id].above + nodes[id].originals).compactMap { value in
            type(of: value) is AnyObject.Type ? value as AnyObject : nil
        }
    }

    /// The keys that led to a node before the patch, without loops: what passes a thing twice begins there the second
    /// time.
    fileprivate func originalPath(to id: ID, _ map: any PathMap) -> [String] {
        var ids: [ID] = []
        var visited: Set<ID> = []
        var next = id
        // What was moved out of a container may contain that container now.
        while next != JSONTree.detached, visited.insert(next).inserted {
            ids.append(next)
            let parent = nodes[next].parent
            next = parent == JSONTree.detached ? formerParents[next]?.first ?? parent : parent
        }
        var path: [String] = []
        var lengths: [Identity: Int] = [:]
        for id in ids.reversed() {
            if let key = nodes[id].key { path.append(key.stringValue) }
            for thing in objects(at: id).map({ Identity($0) }) where map.parents(of: thing) != nil {
                if let length = lengths[thing] {
                    path.removeSubrange(length...)
                    lengths = lengths.filter { $0.value <= length }
                } else {
                    lengths[thing] = path.count
                }
            }
        }
        return path
    }

    /// Collects the slots that belong to objects and structs which are decoded anew, below a slot that is written.
    fileprivate func collectMembersOfChanged(below slot: ID, into members: inout [ID]) {
        var waiting = [slot]
        while let id = waiting.popLast() {
            // Elements that are slots belong to nobody, like members of dictionaries.
            var elements = nodes[id].elements
            nodes[id].lazyElements?.forEachNode { elements.append($0) }
            waiting += elements.filter { nodes[$0].isDirty && nodes[$0].slot == nil }
            let isOwn = !nodes[id].isDictionary
            for child in nodes[id].members.values {
                if nodes[child].slot != nil {
                    if isOwn { members.append(child) }
                } else if nodes[child].isDirty {
                    waiting.append(child)
                } else if isOwn, nodes[child].kind == .object, !nodes[child].isDictionary, objects(at: child).isEmpty {
                    // A part of the same value, or what a superclass encodes.
                    waiting.append(child)
                }
            }
        }
    }
}
