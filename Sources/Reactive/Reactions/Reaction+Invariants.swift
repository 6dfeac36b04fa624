// What holds for a reaction and its parts whenever no evaluation is in progress; see Graph/Invariants.swift.

#if DEBUG
import CReactive

extension Reaction {
    /// A sentence for each broken invariant.
    func brokenInvariantsOfRuns() -> [String] {
        var broken: [String] = []
        let isMarked = !observer.flags.isDisjoint(with: [.stale, .maybeStale])
        if isMarked, !willBeChecked { broken.append("It is marked, but not scheduled for a check.") }
        guard let parts = options?.parts else { return broken }
        var collected: Set<ObserverPointer> = []
        parts.forEachCollected { collected.insert($0) }
        parts.forEach { part in
            if part.pointee.node.part_of != observer { broken.append("A part belongs to a different reaction.") }
            if !part.flags.isSuperset(of: [.part, .live]) { broken.append("A part is not live.") }
            let isMarked = !part.flags.isDisjoint(with: [.stale, .maybeStale])
            if part.flags.contains(.queued) != collected.contains(part) || isMarked && !collected.contains(part) {
                broken.append("A part is marked or queued, but not collected, or vice versa.")
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
