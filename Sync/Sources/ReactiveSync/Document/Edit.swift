// The changes of a transaction, in a form that other replicas can apply after changes of their own.
//
//     op       fits if …                                              does
//     set      the parent is there                                    sets a member, replaces an element or the root
//     text     there is a string, and no change overlaps              merges both changes of a text
//     remove   always, but for the root and ambiguous identities      removes the member or element, if any
//     insert   the list is there and nothing else has the identity    inserts an element at its anchor
//     move     the element and the list are there                     moves an element, also from a different list
//     splice   the elements to exchange are there                     exchanges elements without identities
//
// Rules that hold for all of them:
// - A step `.element` leads to the one element with that identity. If several have it, the edit does not fit.
// - A change may give an element a different identity, through `set` of the element or of its `id`, only if no element of
//   its list has that one. A change may take an element's identity away. The element is then exchanged by `splice`.
// - An edit that does not fit changes nothing.
//
// The JSON form names the operation by the key of its path. Members that a version does not know are ignored; an object
// without a known operation is an error, since dropping it would let replicas of two versions disagree.
//
//     {"set":["columns",{"id":"a"},"title"],"value":"To do"}
//     {"text":["note"],"base":"Buy milk","value":"Buy oat milk"}
//     {"remove":["columns",{"id":"a"}]}
//     {"insert":["columns"],"value":{"id":"b"},"after":"a","before":"c","index":1}
//     {"move":["columns",{"id":"b"},"cards"],"id":7,"from":["columns",{"id":"a"},"cards"],"after":3,"index":0}
//     {"splice":["tags"],"index":1,"removed":["x"],"inserted":["y","z"],"after":"w"}
//
// An anchor without an index leads to the end, and one with the index 0 alone to the start.

import ReactiveCodable

/// A change of a document that names elements by their identity.
package enum Edit: Sendable {
    /// Sets a member, or replaces an element or the document. The last writer wins.
    case set(DocumentPath, JSONValue)

    /// Changes a text from `base` to `value`, merged with the changes of others.
    case text(DocumentPath, base: String, value: String)

    /// Removes a member or an element. Fits without effect if it is gone.
    case remove(DocumentPath)

    /// Inserts an element with an identity into a list. Fits without effect if the list has an equal element.
    case insert(DocumentPath, JSONValue, Anchor)

    /// Moves the element with an identity within a list, or to the list from a different one. It keeps its content.
    case move(DocumentPath, JSONValue, from: DocumentPath?, Anchor)

    /// Exchanges elements of a list as wholes, at an index or at the nearest one where they are.
    ///
    /// A splice that removes nothing goes behind an element that equals `after`, or to the start if `after` is `nil`. For
    /// an element with an identity, `after` is `{"id": identity}` and matches by the identity alone. Of two indices at the
    /// same distance, the lower one counts; elements further away than 4,096 are not found.
    case splice(DocumentPath, index: Int, removed: [JSONValue], inserted: [JSONValue], after: JSONValue?)
}

/// Where an element goes in a list: behind one neighbour, else before the other, else to an index.
package struct Anchor: Hashable, Sendable {
    /// The identity of the element before.
    package var after: JSONValue?

    /// The identity of the element behind.
    package var before: JSONValue?

    /// The index where neither of them is there; the end if there are fewer elements.
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

/// Says why JSON is no edit.
package struct EditError: Error, Hashable, CustomStringConvertible {
    /// The reason, with the number of the edit if there are several.
    package let description: String

    init(_ reason: String) { description = reason }
}

extension Edit: Hashable {
    /// Whether both have the same JSON form.
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
