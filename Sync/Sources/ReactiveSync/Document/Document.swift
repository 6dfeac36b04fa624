// A JSON document whose versions share storage: a copy is one reference, and a change copies what lies on its path.
//
//     Document ── Node                       a part: plain JSON, an object or a list
//                  ├── ObjectNode            members: arrays while they are few, else a persistent dictionary
//                  └── List ── Branch …      elements: a tree of branches, with an index from identities to branches
//
//     Document+Edits.swift                   applies edits: a pure function of the document and the edits
//     Translation.swift                      makes edits of a patch that was recorded with indices
//     Difference.swift, ListDifference.swift make a patch of two versions, where edits have touched them
//
// Words: a *path* leads from the root of a document to a value (`DocumentPath`), and a *step* is one token of it. A
// *walk* visits the nodes on paths.
//
// Replicas compute their documents from different snapshots and must agree. So whatever edits do follows from the content
// of the document alone, never from how its parts are stored.

import ReactiveCodable

/// How large a document may become: its depth, its number of values, and its bytes.
package typealias DocumentLimits = JSONLimits

/// A JSON document whose versions share storage.
package struct Document: Sendable {
    /// The maximum number of steps of a path that leads to a change.
    static let maximumPathLength = 512

    var root: Node

    /// Creates a document.
    ///
    /// - Complexity: O(*n*) for *n* values. Small parts are shared with `json`.
    package init(_ json: JSONValue) { root = Node(json) }

    /// The document as JSON.
    ///
    /// - Complexity: O(*n*).
    package var json: JSONValue { root.json }

    /// Returns the value at a path; `nil` if there is none, or several elements have an identity on the path.
    ///
    /// - Complexity: O(log *n*) for each step, and O(size) for the value.
    package func value(at path: DocumentPath) -> JSONValue? { node(at: path)?.json }

    func node(at path: DocumentPath) -> Node? {
        var node = root
        for token in path.tokens {
            switch (token, node) {
            case (.member(let key), .json(let json)):
                guard let member = json[key] else { return nil }
                node = .json(member)
            case (.member(let key), _):
                guard let member = node.asObject?[key] else { return nil }
                node = member
            case (.element(let identity), _):
                guard let list = node.asList, let position = list.position(of: identity) else { return nil }
                node = list[position]
            }
        }
        return node
    }
}

extension Document {
    /// Whether this is the document of a JSON value.
    ///
    /// - Complexity: O(*n*) for *n* opened parts; the others are compared by their hashes first.
    func isDocument(of json: JSONValue) -> Bool { root == .json(json) }
}

extension Document: Equatable {
    /// Whether the JSON of both is equal.
    ///
    /// - Complexity: O(*n*) for what the documents do not share, and O(*n* / 32) for lists that differ.
    package static func == (left: Document, right: Document) -> Bool { left.root == right.root }
}
