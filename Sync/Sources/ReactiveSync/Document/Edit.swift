// The changes of a transaction, in a form that other replicas can apply after changes of their own.
//
//     op       fits if …                                              effect
//     set      the parent exists                                      sets a member, replaces an element or the root
//     text     there is a string, and no change overlaps              merges both changes of a text
//     remove   always, but for the root and ambiguous identities      removes the member or element, if any
//     insert   the list exists and nothing else has the identity      inserts an element at its anchor
//     move     the element and the list exist                         moves an element, also from a different list
//     splice   the elements to replace are there                      replaces elements without identities
//
// Rules for all edits:
// - A step `.element` leads to the only element with that identity. If several have it, the edit does not fit.
// - A `set` of an element or of its `id` may change the identity of the element, if no other element of the list has
//   the new one. It may also remove the identity. From then on, the element is replaced by `splice`.
// - An edit that does not fit changes nothing.
//
// In the JSON form, the key of the path names the operation. Members that a version does not know are ignored. An
// object without a known operation is an error, because replicas of two versions would disagree if one dropped it.
//
//     {"set":["columns",{"id":"a"},"title"],"value":"To do"}
//     {"text":["note"],"base":"Buy milk","value":"Buy oat milk"}
//     {"remove":["columns",{"id":"a"}]}
//     {"insert":["columns"],"value":{"id":"b"},"after":"a","before":"c","index":1}
//     {"move":["columns",{"id":"b"},"cards"],"id":7,"from":["columns",{"id":"a"},"cards"],"after":3,"index":0}
//     {"splice":["tags"],"index":1,"removed":["x"],"inserted":["y","z"],"after":"w"}
//
// An anchor without an index leads to the end. An anchor with only the index 0 leads to the start.

import ReactiveCodable

/// A change of a document that names elements by their identity.
package enum Edit: Sendable {
    /// Sets a member, or replaces an element or the document. The last write wins.
    case set(DocumentPath, JSONValue)

    /// Changes a text from `base` to `value`, and merges that with the changes of others.
    case text(DocumentPath, base: String, value: String)

    /// Removes a member or an element. If it is gone, the edit fits, and has no effect.
    case remove(DocumentPath)

    /// Inserts an element with an identity into a list. If the list has an equal element, the edit fits, and has no
    /// effect.
    case insert(DocumentPath, JSONValue, Anchor)

    /// Moves the element with an identity within a list, or to the list from a different one. It keeps its content.
    case move(DocumentPath, JSONValue, from: DocumentPath?, Anchor)

    /// Replaces elements of a list as wholes, at an index or at the nearest index where they are.
    ///
    /// A splice that removes nothing inserts after an element that equals `after`, or at the start if `after` is `nil`.
    /// For an element with an identity, `after` is `{"id": identity}`, and matches by the identity alone. Of two
    /// indices at the same distance, the lower one counts. Elements that are more than 4,096 indices away are not
    /// found.
    case splice(DocumentPath, index: Int, removed: [JSONValue], inserted: [JSONValue], after: JSONValue?)
}

/// The target of an element in a list: after one neighbour, else before the other, else at an index.
package struct Anchor: Hashable, Sendable {
    /// The identity of the element before the target.
    package var after: JSONValue?

    /// The identity of the element after the target.
    package var before: JSONValue?

    /// The index for lists without both neighbours. If there are fewer elements, it means the end.
    package var index: Int

    /// The start of the list.
    package static var start: Anchor { Anchor(index: 0) }

    /// The end of the list.
    package static var end: Anchor { Anchor(index: .max) }

    /// Creates an anchor.
    package init(after: JSONValue? = nil, before: JSONValue? = nil, index: Int) {
        self.after = after
        self.before = before
        self.index = index
    }
}

/// The error of JSON that is not an edit.
package struct EditError: Error, Hashable, CustomStringConvertible {
    /// The reason, with the index of the edit if there are several.
    package let description: String

    init(_ reason: String) { description = reason }
}

extension Edit: Hashable {
    /// Returns whether both have the same JSON form.
    package static func == (left: Edit, right: Edit) -> Bool { left.json == right.json }

    /// Hashes the JSON form.
    package func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

extension Edit {
    /// The path of the member or element that the edit changes, or of the list.
    package var path: DocumentPath {
        switch self {
        case .set(let path, _), .text(let path, _, _), .remove(let path), .insert(let path, _, _),
            .move(let path, _, _, _), .splice(let path, _, _, _, _):
            path
        }
    }
}
