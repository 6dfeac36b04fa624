// Replaces shared objects at the paths that a patch names, instead of overwriting them.
//
//     todos ◉ ── 0 ── title ◉ ┐
//                             ├ the same observable          replace /selected/title
//     selected ◉ ──── title ◉ ┘
//
// This patch names the path /selected/title, but not /todos/0/title. So the node of a shared observable is not written,
// unless the patch assigns the same value at all of its paths. The node is *cut*: it becomes an ordinary part of the
// observable's node around it, here `selected`, which is written instead, with a new todo. If the node around it is
// shared as well, it is cut in turn. If there is no node around it, the root itself shares the observable, and the
// observable is written. The value of an observable may be encoded as an observable itself. Then both are at the same
// node, and cutting it leaves the outer one there.
//
// A value may be decoded anew because of that, or because unobserved state in it has changed. Such a value must not
// remain partly shared. So its other observables are replaced by new ones with the same values, if they are shared and
// belong to the same object. Elements of arrays, members of dictionaries and objects within it stay the same.

import Reactive

/// Processes the observables' nodes that a patch changes. Lives for the length of a call, under the lock.
final class Unsharing<Root: Encodable> {
    private let tree: JSONTree
    private let sharing: SharedIdentities<Root>
    /// The held nodes among the first `indexedCount` nodes.
    private var nodesByObject: [Identity: [JSONTree.ID]] = [:]
    private var indexedCount = 0
    /// The held node being processed. Errors are reported for it.
    private(set) var lastVisited: JSONTree.ID
    /// Whether an object was replaced at some of its paths.
    private(set) var hasSplit = false

    init(_ tree: JSONTree, _ sharing: SharedIdentities<Root>) {
        self.tree = tree
        self.sharing = sharing
        lastVisited = tree.root
    }

    /// Ensures that writing the pending nodes changes nothing at paths that the patch does not change.
    func run() throws {
        // The list grows meanwhile.
        var next = 0
        while next < tree.pending.count {
            let node = tree.pending[next]
            lastVisited = node
            next += 1
            // No test sees this always hold: cutting a removed node changes nothing that is written, and an observable
            // with one path is counted in vain.
            guard tree.isAttached(node) else { continue }
            // The next observable around it may be at the same node.
            while let observable = tree.observable(at: node), isShared(node), try !changesAllPaths(of: observable) {
                guard try tree.cut(node) else { break }
                hasSplit = true
            }
        }
        try renewMembers()
    }

    // MARK: - Paths

    private func isShared(_ node: JSONTree.ID) -> Bool {
        // No test sees this: the callers ask about held nodes.
        guard let observable = tree.observable(at: node) else { return false }
        return sharing.isShared(Identity(observable)) { tree.identities(on: [node]) }
    }

    /// Whether the patch changes all paths to an observable: it removes them or assigns the same value at all of them.
    private func changesAllPaths(of observable: any EncodableObservable) throws -> Bool {
        var changed: [JSONTree.ID] = []
        var named: Set<[String]> = []
        let map = sharing.map(with: Identity(observable))
        for node in heldNodes(of: observable) {
            let isAttached = tree.isAttached(node)
            guard !isAttached || tree.nodes[node].isDirty else { continue }
            named.insert(tree.originalPath(to: node, map))
            if isAttached { changed.append(node) }
        }
        guard map.pathCount(of: Identity(observable), limit: named.count + 1) == named.count else { return false }
        guard changed.count > 1 else { return true }
        let value = try tree.snapshot(changed[0])
        return try changed.dropFirst().allSatisfy { try tree.snapshot($0) == value }
    }

    /// Returns the nodes of an observable.
    private func heldNodes(of observable: any EncodableObservable) -> [JSONTree.ID] {
        while indexedCount < tree.nodes.count {
            let outer = tree.outerHolders[indexedCount]?.map(\.holder) ?? []
            for holder in outer + [tree.nodes[indexedCount].holder].compactMap(\.self) {
                nodesByObject[Identity(holder.object), default: []].append(indexedCount)
            }
            indexedCount += 1
        }
        return (nodesByObject[Identity(observable)] ?? []).filter { tree.nodes[$0].holder?.object === observable }
    }

    // MARK: - Members

    /// Gives values that are decoded anew new observables in place of the shared ones.
    private func renewMembers() throws {
        var members: [JSONTree.ID] = []
        for node in tree.pending where tree.isAttached(node) && tree.nodes[node].holder != nil {
            tree.collectMembersOfChanged(below: node, into: &members)
        }
        members = members.filter(isShared)
        let byObservable = Dictionary(grouping: members) { tree.observable(at: $0).map { Identity($0) } }
        for (identity, nodes) in byObservable {
            // All paths to it are decoded anew, so they share it as before.
            let limit = nodes.count + 1
            if let identity, sharing.map(with: identity).pathCount(of: identity, limit: limit) == nodes.count {
                continue
            }
            for node in nodes {
                lastVisited = node
                try tree.detachObject(of: node)
                hasSplit = true
            }
        }
    }
}

extension JSONTree {
    /// Returns the observables and objects that nodes were encoded from, and those on the paths to them, before and
    /// after.
    fileprivate func identities(on nodes: [ID]) -> [Identity] {
        var identities: [Identity] = []
        var visited: Set<ID> = []
        var waiting = nodes
        while let id = waiting.popLast() {
            guard id != JSONTree.detached, visited.insert(id).inserted else { continue }
            identities += objects(at: id).map { Identity($0) }
            waiting.append(self.nodes[id].parent)
            waiting += formerParents[id] ?? []
        }
        return identities
    }

    /// Returns the objects that a node was encoded from, from the outside in.
    private func objects(at id: ID) -> [AnyObject] {
        ((formerAbove[id] ?? []) + nodes[id].above + nodes[id].originals).compactMap { value in
            type(of: value) is AnyObject.Type ? value as AnyObject : nil
        }
    }

    /// Returns the keys that led to a node before the patch, without loops: a path that passes the same object twice
    /// begins at its second occurrence.
    fileprivate func originalPath(to id: ID, _ map: any PathMap) -> [String] {
        var ids: [ID] = []
        var visited: Set<ID> = []
        var next = id
        // A value that was moved out of a container may contain that container now.
        while next != JSONTree.detached, visited.insert(next).inserted {
            ids.append(next)
            next = formerParents[next]?.first ?? nodes[next].parent
        }
        var path: [String] = []
        var lengths: [Identity: Int] = [:]
        for id in ids.reversed() {
            if let key = nodes[id].key { path.append(key.stringValue) }
            for identity in objects(at: id).map({ Identity($0) }) where map.parents(of: identity) != nil {
                if let length = lengths[identity] {
                    path.removeSubrange(length...)
                    lengths = lengths.filter { $0.value <= length }
                } else {
                    lengths[identity] = path.count
                }
            }
        }
        return path
    }

    /// Collects the held nodes of objects and structs that are decoded anew, below a held node that is written.
    fileprivate func collectMembersOfChanged(below node: ID, into members: inout [ID]) {
        var waiting = [node]
        while let id = waiting.popLast() {
            // Elements that are held nodes belong to no object, like members of dictionaries.
            var elements = nodes[id].elements
            nodes[id].lazyElements?.forEachNode { elements.append($0) }
            waiting += elements.filter { nodes[$0].isDirty && nodes[$0].holder == nil }
            let isOwn = !nodes[id].isDictionary
            for child in nodes[id].members.values {
                if nodes[child].holder != nil {
                    if isOwn { members.append(child) }
                } else if nodes[child].isDirty {
                    waiting.append(child)
                } else if isOwn, objects(at: child).isEmpty {
                    // A part of the same value, or the part that a superclass encodes.
                    waiting.append(child)
                }
            }
        }
    }
}
