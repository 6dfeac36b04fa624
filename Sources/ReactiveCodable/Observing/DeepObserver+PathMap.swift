// The links of a deep observation as a map of paths, for patches that are applied to its root.

import Reactive

extension DeepObserver: PathMap {
    var rootIdentity: Identity? { root?.identity }

    func parents(of identity: Identity) -> [Identity]? {
        cells[identity].map { $0.links.map(\.region.cell.identity) }
    }
}

extension Cell: PartOfPathMap {
    func pathMap<Root: Encodable>(below root: Root) -> (any PathMap)? {
        guard !hasEnded, let cell = owner.root, cell.represents(root) else { return nil }
        let reaction: Reaction = owner.reaction
        // If an update finds links in a transaction, they must not survive a rollback.
        if reaction.isStale, !owner.graph.mayRollBack { reaction.catchUp() }
        return reaction.isStale ? nil : owner
    }
}
