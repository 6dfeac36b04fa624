// What a transaction changed, as a JSON Patch.
//
// The outermost observables that changed say it all: their old and new values contain what changed in them. They lie
// below nothing that changed, so that their paths are the same before and after. Each gives the difference of its two
// values. Only where one of them is `nil`, or keys have a strategy, must the way to it be looked at: whether `nil` is a
// `null` or an absent member, and what the keys are called, is decided by what lies on it.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DeepChanges {
    /// The changes as a JSON Patch (RFC 6902), which knows its `inverse`.
    ///
    /// Applied to the JSON that `encoder` made of the root before, it gives the JSON of the root after. Applied to
    /// another copy of the graph, with ``apply(_:to:encoder:decoder:)``, it makes that the same.
    ///
    /// - Parameter encoder: Whose strategies and user info to follow.
    /// - Returns: The patch: for each observable that changed the difference of its old and new value.
    /// - Throws: What encoding the values throws.
    /// - Complexity: O(*n*) for what the changed observables contain, before and after.
    public func jsonPatch(using encoder: JSONEncoder = JSONEncoder()) throws -> JSONPatch {
        try jsonPatch(CodingStrategies(encoder: encoder, decoder: JSONDecoder()))
    }

    /// The changes as a JSON Patch that follows the given strategies.
    func jsonPatch(_ strategies: CodingStrategies) throws -> JSONPatch {
        let paths = PathSet(map { $0.path.map(\.stringValue) })
        return try record.observer.graph.withUntrackedLock {
            // Read as far as needed, if at all.
            var ends: Ends?
            var patch: JSONPatch = []
            var done: Set<[String]> = []
            for change in self {
                let path = change.path.map(\.stringValue)
                guard !paths.containsPrefix(of: path), done.insert(path).inserted else { continue }
                let old = try JSONValue(encoding: change.oldValue, strategies)
                let new = try JSONValue(encoding: change.newValue, strategies)
                if strategies.keepsEncodedKeys, old != .null, new != .null, paths.count(of: path) == 1 {
                    patch = patch.appending(JSONPatch(from: old, to: new, at: JSONPointer(codingPath: change.path)))
                } else {
                    let known = try ends ?? Ends(of: self, strategies)
                    ends = known
                    patch = patch.appending(try known.difference(at: change.path))
                }
            }
            return patch
        }
    }
}

/// The graph before and after, read along the paths of changes.
private struct Ends {
    let before: JSONTree
    let after: JSONTree
    let strategies: CodingStrategies

    init(of changes: DeepChanges, _ strategies: CodingStrategies) throws {
        before = try JSONTree(encoding: changes.before, strategies: strategies, isAnnotated: false)
        after = try JSONTree(encoding: changes.after, strategies: strategies, isAnnotated: false)
        self.strategies = strategies
    }

    func difference(at path: [any CodingKey]) throws -> JSONPatch {
        let (old, oldPointer) = try before.value(at: path, strategies)
        let (new, newPointer) = try after.value(at: path, strategies)
        return switch (old, new) {
        case (let old?, let new?): JSONPatch(from: old, to: new, at: newPointer)
        case (nil, let new?):
            JSONPatch([.add(path: newPointer, value: new)], undoing: [.remove(path: newPointer)])
        case (let old?, nil):
            JSONPatch([.remove(path: oldPointer)], undoing: [.add(path: oldPointer, value: old)])
        case (nil, nil): []
        }
    }
}

extension JSONTree {
    /// What an encoder put under the given keys, if that is there, and where it is in the document.
    fileprivate func value(
        at path: [any CodingKey], _ strategies: CodingStrategies
    ) throws -> (value: JSONValue?, pointer: JSONPointer) {
        var id = root
        var tokens: [String] = []
        for key in path {
            try open(id)
            if nodes[id].kind == .array, let index = key.intValue, nodes[id].elements.indices.contains(index) {
                tokens.append(String(index))
                id = nodes[id].elements[index]
            } else if let (name, child) = try member(under: key, of: id, strategies) {
                tokens.append(name)
                id = child
            } else {
                return (nil, JSONPointer(tokens: tokens + [key.stringValue]))
            }
        }
        return (nodes[id].kind == .absent ? nil : try snapshot(id), JSONPointer(tokens: tokens))
    }

    /// The member that was encoded under a key, whatever its name is.
    private func member(
        under key: any CodingKey, of id: ID, _ strategies: CodingStrategies
    ) throws -> (String, ID)? {
        for name in [key.stringValue, try strategies.encodedKey(key) { codingPath(to: id) }] {
            if let child = nodes[id].members[name], nodes[child].key?.stringValue == key.stringValue {
                return (name, child)
            }
        }
        return nil
    }
}

/// Paths, to ask whether one lies below another.
private struct PathSet {
    private let paths: [[String]: Int]
    private let lengths: [Int]

    init(_ paths: [[String]]) {
        self.paths = Dictionary(paths.map { ($0, 1) }, uniquingKeysWith: +)
        lengths = Set(paths.map(\.count)).sorted()
    }

    /// How often a path is in the set: more than once if an observable holds nothing but another.
    func count(of path: [String]) -> Int { paths[path] ?? 0 }

    /// Whether a path that is shorter leads through one of the set.
    func containsPrefix(of path: [String]) -> Bool {
        lengths.contains { $0 < path.count && paths[Array(path[..<$0])] != nil }
    }
}
