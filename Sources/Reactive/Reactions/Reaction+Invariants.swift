// The invariants of reactions and their parts, whenever no evaluation is in progress; see Graph/Invariants.swift.

#if DEBUG
import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Returns a sentence for each broken invariant of reactions. Under the lock, outside of evaluations.
    func brokenInvariantsOfReactions() -> [String] {
        reactionsInOrder().flatMap { $0.reaction._withUnsafeGuaranteedRef { $0.brokenInvariants() } }
    }
}

extension Reaction {
    fileprivate func brokenInvariants() -> [String] {
        var broken: [String] = []
        let isMarked = !observer.flags.isDisjoint(with: [.stale, .maybeStale])
        if isMarked, !willBeChecked { broken.append("\(name) is marked, but not scheduled for a check.") }
        guard let parts = options?.parts else { return broken }
        var collected: Set<ObserverPointer> = []
        parts.forEachCollected { collected.insert($0) }
        parts.forEach { part in
            let name = "a part of \(name)"
            if part.pointee.node.part_of != observer { broken.append("\(name) belongs to a different reaction.") }
            if !part.flags.isSuperset(of: [.part, .live]) { broken.append("\(name) is not live.") }
            let isMarked = !part.flags.isDisjoint(with: [.stale, .maybeStale])
            if part.flags.contains(.queued) != collected.contains(part) || isMarked && !collected.contains(part) {
                broken.append("\(name) is marked or queued, but not collected, or vice versa.")
            }
        }
        return broken
    }

    /// Whether something is known that will check the reaction later.
    private var willBeChecked: Bool {
        if !observer.flags.isDisjoint(with: [.queued, .suspended, .inFlight, .scheduled]) { return true }
        return options?.isHopping == true || options?.schedule?.wantsEveryChange == true
    }
}
#endif
