// The parts of a reaction: the list of those that may have changed, and the delegate that handles them.

import CReactive

/// The delegate of a reaction that consists of parts.
package protocol PartsDelegate: AnyObject {
    /// Creates the first parts. Under the lock.
    func begin(in reaction: Reaction)

    /// Updates a part after something that it read has changed. The part must be evaluated or ended before the end of
    /// the update. Under the lock.
    func update(_ part: _ReactionPart)

    /// Ends the update of one or several parts. Returns whether `deliver` must be called. Under the lock.
    func finishUpdate() -> Bool

    /// Ends the update and discards its changes, because the earlier state was rolled back. Under the lock.
    func discardUpdate()

    /// Delivers the changes. Outside the lock; never overlaps with itself or `update`.
    func deliver()

    /// Ends all parts and releases everything. Under the lock, once, when the reaction has been cancelled.
    func end()

    /// Calls `body` with every part. Under the lock.
    func forEachPart(_ body: (_ReactionPart) -> Void)

    /// Whether the reaction is an internal one of the library, which diagnostics omit.
    var isInternal: Bool { get }
}

extension PartsDelegate {
    package var isInternal: Bool { false }
}

extension Reaction {
    /// Creates and starts a reaction that consists of parts.
    package static func started(
        of delegate: any PartsDelegate, for owner: OwnerReference? = nil, named name: String?, schedule: Schedule,
        isolation: (any Actor)?, fileID: StaticString, line: UInt
    ) -> Reaction {
        let parts = ReactionParts(delegate)
        let options = ReactionOptions(isolation: isolation, owner: owner, schedule: schedule, effect: parts)
        options.parts = parts
        let reaction = Reaction(named: name, fileID: fileID, line: line, options: options) { parts.track() }
        parts.reaction = reaction
        if owner == nil { reaction.start() } else { reaction.startOwned() }
        return reaction
    }
}

/// The parts of a reaction, as the graph sees them. Guarded by the graph's lock; exclusivity is unchecked for the
/// reason given at `ReactionOptions`.
final class ReactionParts: ReactionEffect {
    final let delegate: any PartsDelegate
    /// The parts that may have changed.
    @exclusivity(unchecked) final var collected: [ObserverPointer] = []
    // Not retained: it retains this.
    @exclusivity(unchecked) final unowned(unsafe) var reaction: Reaction?
    @exclusivity(unchecked) private final var hasBegun = false
    /// Whether the next update starts over, because the first run was rolled back.
    @exclusivity(unchecked) private final var startsOver = false

    init(_ delegate: any PartsDelegate) { self.delegate = delegate }

    /// Returns whether some collected part has really changed. Removes the unchanged ones in front of it from the list.
    func haveChanged() -> Bool {
        var index = 0
        while index < collected.count {
            let part = collected[index]
            let hasChanged = hasChanged(part)
            guard index < collected.count, collected[index] == part else {
                // A computed that was evaluated has cancelled the reaction, or brought it up to date.
                index = 0
                continue
            }
            if hasChanged {
                collected.removeFirst(index)
                return true
            }
            forget(part)
            index += 1
        }
        emptyList()
        reaction?.observer.flags.remove(.marks)
        return false
    }

    /// Returns whether a part has really changed. If so, it is stale from then on, unless that may be rolled back.
    private func hasChanged(_ part: ObserverPointer) -> Bool {
        let flags = part.flags
        guard flags.isDisjoint(with: .cancelled) else { return false }
        let graph = part.pointee.node.graph
        guard flags.contains(.stale) || graph.mustEvaluate(part) else { return false }
        // No test sees this never hold: it only saves a second check.
        // No test sees this left out: as above.
        if graph.pointee.rollback_depth == 0 { part.flags.insert(.stale) }
        return true
    }

    /// Removes a part from the list.
    private func forget(_ part: ObserverPointer) {
        part.flags.remove(.queued)
        if part.flags.contains(.cancelled) { part.pointee.node.graph.releaseLater(part.asNode.object) }
    }

    /// Empties the list, and keeps its memory.
    private func emptyList() {
        // No test sees this: the kept memory only saves allocations.
        collected.removeAll(keepingCapacity: true)
    }

    /// Runs the tracked part of the reaction.
    func track() {
        guard hasBegun else {
            hasBegun = true
            if let reaction { delegate.begin(in: reaction) }
            return
        }
        var index = 0
        while index < collected.count {
            let part = collected[index]
            index += 1
            let hasChanged = hasChanged(part)
            // Before the update, in which the part may be collected again or end.
            forget(part)
            if hasChanged {
                delegate.update(part.part.takeUnretainedValue())
                isDue = true
            }
        }
        emptyList()
        if startsOver {
            startsOver = false
            isDue = false
            delegate.discardUpdate()
        } else if isDue {
            isDue = delegate.finishUpdate()
        }
    }

    override func startOver() { startsOver = true }

    override func run() { delegate.deliver() }

    override func end() {
        for part in collected { forget(part) }
        collected = []
        delegate.end()
    }

    /// Collects a part that may have changed, and queues the reaction.
    func collect(_ part: ObserverPointer, for reaction: ObserverPointer) {
        collect(part)
        reaction.flags.insert(.maybeStale)
        reaction.pointee.node.graph.makeDue(reaction)
    }

    /// Collects a part that may have changed.
    func collect(_ part: ObserverPointer) {
        guard part.flags.isDisjoint(with: .queued) else { return }
        part.flags.insert(.queued)
        collected.append(part)
    }

    /// Marks the changes of all parts as seen.
    func forgetChanges() {
        for part in collected {
            part.flags.remove([.stale, .marks])
            part.pointee.validated_at = part.pointee.node.graph.pointee.epoch
            forget(part)
        }
        emptyList()
    }

    /// Calls `body` with the parts that may have changed.
    func forEachCollected(_ body: (ObserverPointer) -> Void) { collected.forEach(body) }

    /// Calls `body` with every part.
    func forEach(_ body: (ObserverPointer) -> Void) { delegate.forEachPart { body($0.observer) } }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Collects a part that may have changed.
    func collect(_ part: ObserverPointer) {
        guard part.flags.isDisjoint(with: .cancelled) else { return }
        part.flags.insert(.maybeStale)
        part.reactionOfPart._withUnsafeGuaranteedRef { $0.options?.parts?.collect(part, for: $0.observer) }
    }
}
