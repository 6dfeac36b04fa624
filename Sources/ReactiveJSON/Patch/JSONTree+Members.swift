// The members of an object. Only members on a path have nodes.

/// The source of the members of an object whose keys can be added and removed: a JSON object or a dictionary.
package protocol JSONMemberSource: AnyObject {
    /// The keys of all members.
    var keys: [String] { get }
    /// Creates the node of a member, or returns `nil` if there is none with this key.
    func makeNode(of key: String, parent: JSONTree.ID, in tree: JSONTree) throws -> JSONTree.ID?
}

/// The members of an object of which some have no nodes yet. A tree's nodes refer to it one at a time.
package final class LazyMembers {
    package let source: any JSONMemberSource
    /// The keys of the members that have nodes, were removed, or did not exist. The source is not used for them.
    @exclusivity(unchecked) package fileprivate(set) var touched: Set<JSONKey> = []

    package init(_ source: any JSONMemberSource) { self.source = source }
}

/// The members of a JSON object.
final class JSONObjectMembers: JSONMemberSource {
    let object: JSONObject

    init(object: JSONObject) { self.object = object }

    var keys: [String] { object.sortedKeys }

    func makeNode(of key: String, parent: JSONTree.ID, in tree: JSONTree) -> JSONTree.ID? {
        object[key].map { tree.makeNode(kind: .json, json: $0, parent: parent) }
    }
}

extension JSONTree {
    /// Returns the node of a member of an open object, which may be absent.
    package func member(_ key: String, of id: ID) throws -> ID? {
        if let known = nodes[id].members[key] { return known }
        guard let lazy = nodes[id].lazyMembers, !lazy.touched.contains(JSONKey(key)) else { return nil }
        guard let node = try lazy.source.makeNode(of: key, parent: id, in: self) else { return nil }
        setMember(key, of: id, to: node)
        return node
    }

    /// Returns the node of a member of an open object, unless it is absent.
    func presentMember(_ key: String, of id: ID) throws -> ID? {
        guard let node = try member(key, of: id), nodes[node].kind != .absent else { return nil }
        return node
    }

    /// Creates nodes for all members of an open object.
    @discardableResult
    package func openMembers(of id: ID) throws -> JSONMembers<ID> {
        guard let lazy = nodes[id].lazyMembers else { return nodes[id].members }
        for key in lazy.source.keys { _ = try member(key, of: id) }
        nodes[id].lazyMembers = nil
        return nodes[id].members
    }

    /// Sets the member of a key, and replaces an existing one.
    func setMember(_ key: String, of id: ID, to node: ID) {
        nodes[node].parent = id
        nodes[id].members[key] = node
        nodes[id].lazyMembers?.touched.insert(JSONKey(key))
    }

    /// Removes the member of a key.
    func removeMember(_ key: String, of id: ID) {
        nodes[id].members[key] = nil
        nodes[id].lazyMembers?.touched.insert(JSONKey(key))
    }
}
