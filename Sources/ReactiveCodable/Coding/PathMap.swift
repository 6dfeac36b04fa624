// The paths to the observables of a graph, and their number.
//
// Patch needs this information. If the graph is observed, Observing has it. Neither names the other, so the protocol is
// declared here.

import Reactive

/// The observables and objects of a graph, with their parents on the paths from the root.
protocol PathMap: AnyObject {
    /// The identity of the root in this map.
    var rootIdentity: Identity? { get }

    /// Returns the identities that lead directly to an observable or object, one entry for each link. `nil` if it is
    /// unknown.
    func parents(of identity: Identity) -> [Identity]?
}

/// A part of a reaction that observes a graph.
protocol PartOfPathMap: _ReactionPart {
    /// Returns the paths below a root, if the reaction observes that root and is up to date or can be updated now.
    /// Under the lock.
    func pathMap<Root: Encodable>(below root: Root) -> (any PathMap)?
}

/// The maximum number of visited links while paths are counted.
private let linkLimit = 10_000

/// An observable or object whose parents are visited.
private struct Visit {
    let identity: Identity
    let parents: [Identity]
    var next = 0
}

extension PathMap {
    /// Whether there is exactly one path from the root to an observable or object. `nil` if that is unknown.
    func hasOnePath(_ identity: Identity) -> Bool? {
        let root = rootIdentity
        var identity = identity
        while identity != root {
            guard let parents = parents(of: identity), let parent = parents.first else { return nil }
            // No test sees this never hold: if it is said to have several paths, they are counted.
            guard parents.count == 1 else { return false }
            identity = parent
        }
        // No test sees this: as above.
        return true
    }

    /// Returns the number of paths from the root to an observable or object that pass nothing twice, but at most
    /// `limit`. `nil` if too many links do not lead to the root.
    func pathCount(of identity: Identity, limit: Int) -> Int? {
        let root = rootIdentity
        var count = 0
        var visits: [Visit] = []
        var visited: Set<Identity> = []
        func visit(_ identity: Identity) {
            if identity == root {
                count += 1
            } else if visited.insert(identity).inserted {
                visits.append(Visit(identity: identity, parents: parents(of: identity) ?? []))
            }
        }
        visit(identity)
        var linkCount = 0
        // No test sees this boundary: callers ask only whether the number is one below the limit.
        while let current = visits.last, count < limit {
            linkCount += 1
            // No test sees this boundary: the limit is a round number.
            guard linkCount < linkLimit else { return nil }
            guard current.next < current.parents.count else {
                visited.remove(current.identity)
                visits.removeLast()
                continue
            }
            visits[visits.count - 1].next += 1
            visit(current.parents[current.next])
        }
        return count
    }
}
