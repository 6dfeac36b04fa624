// The parts of a document that edits have read or changed, so that a difference is searched only there.
//
// The footprint depends on the edits alone, and not on whether they fit. So it covers two versions of a document, even
// if the edits fit only one of them.
//
//     footprint ── "columns" ── {id: a} ── "title"        isWhole
//                           │          └── "cards"        moved: 3, 7
//                           └── moved: b

import ReactiveCodable

/// The parts of a document that edits have read or changed, as a tree of paths.
package struct Footprint: Sendable {
    /// An element that was moved from one list to a different one.
    struct Relocation: Hashable {
        let identity: JSONValue
        let from: DocumentPath
        let to: DocumentPath
    }

    /// A part of the document, on a path or at its end.
    struct Region {
        /// Whether anything in this part may have changed.
        var isWhole = false
        /// Whether elements of this list were replaced as wholes, or their identities have changed.
        var isSpliced = false
        /// The identities of elements of this list that were inserted, removed or moved.
        var moved: Set<JSONValue> = []
        /// The regions inside.
        var children: [DocumentPath.Token: Region] = [:]
    }

    private(set) var root = Region()
    private(set) var relocations: Set<Relocation> = []

    /// Creates an empty footprint.
    package init() {}

    /// Whether no part was read or changed.
    package var isEmpty: Bool {
        !root.isWhole && !root.isSpliced && root.moved.isEmpty && root.children.isEmpty
    }

    /// Adds the parts that an edit reads or changes.
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

    /// Marks the list of an element whose member `id` is at the path: the edit may change its identity.
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
        // All values in a whole region are compared anyway.
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
