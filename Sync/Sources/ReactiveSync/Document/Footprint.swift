// Where edits have looked at or changed a document, so that a difference need not look anywhere else.
//
// The footprint follows from the edits alone: an edit that does not fit leaves the same one. So it covers both versions
// when edits apply to two versions of a document and fit in only one of them.
//
//     footprint ── "columns" ── {id: a} ── "title"        isWhole
//                           │          └── "cards"        moved: 3, 7
//                           └── moved: b

import ReactiveCodable

/// The parts of a document that edits have looked at or changed, as a tree of paths.
package struct Footprint: Sendable {
    /// An element that was moved from one list to a different one.
    struct Relocation: Hashable {
        let identity: JSONValue
        let from: DocumentPath
        let to: DocumentPath
    }

    /// A part of the document on or at the end of a path.
    struct Region {
        /// Whether anything here and inside may have changed.
        var isWhole = false
        /// Whether elements of this list were exchanged as wholes, or have got a different identity.
        var isSpliced = false
        /// The identities of elements of this list that came, went or moved.
        var moved: Set<JSONValue> = []
        /// The regions inside.
        var children: [DocumentPath.Token: Region] = [:]
    }

    private(set) var root = Region()
    private(set) var relocations: Set<Relocation> = []

    /// Creates an empty footprint.
    package init() {}

    /// Whether nothing was looked at.
    package var isEmpty: Bool {
        !root.isWhole && !root.isSpliced && root.moved.isEmpty && root.children.isEmpty
    }

    /// Adds the parts that an edit looks at.
    package mutating func touch(_ edit: Edit) {
        switch edit {
        case .set(let path, let value):
            mark(path.tokens[...]) { $0.isWhole = true }
            if case .element(let identity)? = path.tokens.last, value.identity != identity { markSpliced(path, 1) }
            markIdentity(path)
        case .text(let path, _, _):
            mark(path.tokens[...]) { $0.isWhole = true }
            markIdentity(path)
        case .remove(let path):
            if case .element(let identity)? = path.tokens.last {
                mark(path.tokens.dropLast()) { $0.moved.insert(identity) }
            } else {
                mark(path.tokens[...]) { $0.isWhole = true }
                markIdentity(path)
            }
        case .insert(let list, let value, _):
            if let identity = value.identity { mark(list.tokens[...]) { $0.moved.insert(identity) } }
        case .move(let list, let identity, let from, _):
            mark(list.tokens[...]) { $0.moved.insert(identity) }
            guard let from, from != list else { return }
            mark(from.tokens[...]) { $0.moved.insert(identity) }
            relocations.insert(Relocation(identity: identity, from: from, to: list))
        case .splice(let list, _, _, _, _):
            mark(list.tokens[...]) { $0.isSpliced = true }
        }
    }

    /// Adds a different footprint.
    package mutating func formUnion(_ other: Footprint) {
        root.formUnion(other.root)
        relocations.formUnion(other.relocations)
    }

    /// A change of a member `id` may change the identity of an element.
    private mutating func markIdentity(_ path: DocumentPath) {
        guard path.tokens.last == .member("id"), path.tokens.count > 1 else { return }
        if case .element = path.tokens[path.tokens.count - 2] { markSpliced(path, 2) }
    }

    private mutating func markSpliced(_ path: DocumentPath, _ steps: Int) {
        mark(path.tokens.dropLast(steps)) { $0.isSpliced = true }
    }

    private mutating func mark(_ path: ArraySlice<DocumentPath.Token>, _ change: (inout Region) -> Void) {
        if path.count > Node.openedLevels {
            root.mark(path.prefix(Node.openedLevels)) { $0.isWhole = true }
        } else {
            root.mark(path, change)
        }
    }
}

extension Footprint.Region {
    fileprivate mutating func mark(
        _ path: ArraySlice<DocumentPath.Token>, _ change: (inout Footprint.Region) -> Void
    ) {
        // Everything in a whole region is compared anyway.
        guard !isWhole else { return }
        guard let token = path.first else { return change(&self) }
        children[token, default: Footprint.Region()].mark(path.dropFirst(), change)
    }

    fileprivate mutating func formUnion(_ other: Footprint.Region) {
        isWhole = isWhole || other.isWhole
        isSpliced = isSpliced || other.isSpliced
        moved.formUnion(other.moved)
        for (token, region) in other.children { children[token, default: Footprint.Region()].formUnion(region) }
    }
}
