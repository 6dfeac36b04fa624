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
    func parents(of thing: Identity) -> [Identity]?
}

/// A part of a reaction that observes a graph.
protocol PartOfPathMap: _ReactionPart {
    /// Returns the paths below a root, if the reaction observes that root and is up to date or can be updated now.
    /// Under the lock.
    func pathMap<Root: Encodable>(below root: Root) -> (any PathMap)?
}

/// The maximum number of visited links while paths are counted.
private let stepLimit = 10_000

/// An observable or object whose parents are visited.
private struct Visit {
    let thing: Identity
    let parents: [Identity]
    var next = 0
}

extension PathMap {
    /// Whether there is exactly one path from the root to an observable or object. `nil` if that is unknown.
    func hasOnePath(_ thing: Identity) -> Bool? {
        let root = rootIdentity
        var thing = thing
        while thing != root {
            guard let parents = parents(of: thing), let parent = parents.first else { return nil }
            guard parents.count == 1 else { return false }
            thing = parent
        }
        return true
    }

    /// Returns the number of paths from the root to an observable or object that pass nothing twice, but at most
    /// `limit`. `nil` if too many links do not lead to the root.
    func pathCount(of thing: Identity, limit: Int) -> Int? {
        let root = rootIdentity
        var count = 0
        var visits: [Visit] = []
        var visited: Set<Identity> = []
        func visit(_ thing: Identity) {
            if thing == root {
                count += 1
            } else if visited.insert(thing).inserted {
                visits.append(Visit(thing: thing, parents: parents(of: thing) ?? []))
            }
        }
        visit(thing)
        var steps = 0
        while let current = visits.last, count < limit {
            steps += 1
            guard steps < stepLimit else { return nil }
            guard current.next < current.parents.count else {
                visited.remove(current.thing)
                visits.removeLast()
                continue
            }
            visits[visits.count - 1].next += 1
            visit(current.parents[current.next])
        }
        return count
    }
}
