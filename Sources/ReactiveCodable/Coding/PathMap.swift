// The paths to the observables of a graph: how many lead to one.
//
// Patch asks. If the graph is observed, Observing knows the answer; neither names the other, so the question is declared
// here.

import Reactive

/// The observables and objects of a graph, with what leads to each from the root.
protocol PathMap: AnyObject {
    /// The identity of the root in this map.
    var rootIdentity: Identity? { get }

    /// The identities that lead to a thing directly, one entry for each time they do. `nil` if the thing is unknown.
    func parents(of thing: Identity) -> [Identity]?
}

/// A part of a reaction that observes a graph.
protocol PartOfPathMap: _ReactionPart {
    /// The paths below a root, if the reaction observes that root and is up to date, or can be brought up to date now.
    /// Under the lock.
    func pathMap<Root: Encodable>(below root: Root) -> (any PathMap)?
}

/// The maximum number of steps to count paths.
private let stepLimit = 10_000

/// A thing whose parents are being looked at.
private struct Visit {
    let thing: Identity
    let parents: [Identity]
    var next = 0
}

extension PathMap {
    /// Whether there is exactly one path from the root to a thing. `nil` if that is unknown.
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

    /// The number of paths from the root to a thing that pass nothing twice, but at most `limit`. `nil` if too many
    /// paths lead nowhere.
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
