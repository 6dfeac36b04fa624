// A JSON document whose versions share storage: a copy is one reference, and a change copies the nodes on its path.
//
//     Document ── Node                       a part: plain JSON, an object or a list
//                  ├── ObjectNode            members: arrays while they are few, else a persistent dictionary
//                  └── List ── Branch …      elements: a tree of branches, with an index from identities to branches
//
//     Document+Edits.swift                   applies edits: a pure function of the document and the edits
//     Translation.swift                      turns a patch that was recorded with indices into edits
//     Difference.swift, ListDifference.swift compute the patch between two versions, where edits have touched them
//
// Words: a *path* leads from the root of a document to a value (`DocumentPath`), in *steps*: keys of members and
// identities of elements. A *walk* visits the nodes on paths.
//
// Replicas compute their documents from different snapshots, and must agree. So the effect of an edit depends on the
// content of the document alone, never on how its parts are stored.

import ReactiveCodable

/// The limits of a document: its depth, its number of values, and its bytes.
package typealias DocumentLimits = JSONLimits

/// A JSON document whose versions share storage.
package struct Document: Sendable {
    /// The maximum number of steps of an edit's path.
    static let maximumPathLength = 512

    var root: Node

    /// Creates a document. It shares small parts with `json`.
    ///
    /// - Complexity: O(*n*) for *n* values.
    package init(_ json: JSONValue) { root = Node(json) }

    /// The document as JSON.
    ///
    /// - Complexity: O(*n*).
    package var json: JSONValue { root.json }

    /// Returns the value at a path; `nil` if there is none, or if several elements have the identity of a step.
    ///
    /// - Complexity: O(log *n*) for each step, and O(*m*) for a value of size *m*.
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
    /// Returns whether the document is equal to a JSON value.
    ///
    /// - Complexity: O(*n*) for *n* opened nodes. Plain parts are first compared by their hashes.
    func isDocument(of json: JSONValue) -> Bool { root == .json(json) }
}

extension Document: Equatable {
    /// Returns whether the JSON of both is equal.
    ///
    /// - Complexity: O(*n*) for the parts that the documents do not share, and O(*n* / 32) for lists that differ.
    package static func == (left: Document, right: Document) -> Bool { left.root == right.root }
}
