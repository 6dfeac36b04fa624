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
        // The caller has found this part among the observers of an observable, so it has not ended.
        guard let cell = owner.root, cell.represents(root) else { return nil }
        let reaction: Reaction = owner.reaction
        // If an update finds links in a transaction, they must not survive a rollback.
        // No test sees this always hold: a reaction that is not stale has nothing to catch up with.
        // No test sees this never hold: the caller finds the paths itself if it gets no map.
        // No test sees this left out: as above.
        if reaction.isStale, !owner.graph.mayRollBack { reaction.catchUp() }
        return reaction.isStale ? nil : owner
    }
}
