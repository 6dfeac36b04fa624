// Reactions that are made of parts, each with sources of its own, so that a change runs only the parts that it concerns.
//
// An ordinary reaction has one tracked closure, and finding out whether to run it takes a look at all that it read. A reaction that
// follows a million observables must not do that. Its *parts* are observers in the lists of the sources; a part that may have changed
// is collected, once, and its reaction is queued:
//
//     source ──▶ part ──collected by──▶ reaction ──▶ queue
//
// When the reaction's turn has come, it validates the collected parts alone, and hands each that did change to its content, which
// decides what to do with it: evaluate it again, make new ones, end old ones. All the rest (schedule, isolation, ownership, loops,
// the effect outside the lock) is an ordinary reaction's.
//
// A part has no registry: who makes it ends it. A collected part that ends is released by whoever takes it out of the list.

import CReactive

/// A part of a reaction. Public for the compiler's sake; not for use.
open class _ReactionPart: _Observer {
    /// Creates a part, which is kept alive until it ends. Public, because the compiler warns of less for no reason.
    public init(of reaction: Reaction) {
        super.init(
            flags: [.part, .live], graph: reaction.graph,
            origin: reaction.node.pointee.flags.contains(.named) ? 0 : reaction.node.pointee.origin)
        // Not retained: the reaction ends its parts before it goes.
        node.pointee.stamp = UInt64(UInt(bitPattern: Unmanaged.passUnretained(reaction).toOpaque()))
        _ = Unmanaged.passRetained(self)
    }

    /// Runs `body`: what it reads is what the part depends on from now on. Under the lock.
    package final func evaluate(_ body: () -> Void) {
        let graph = graph
        if graph.pointee.log_count > 0 { graph.claimLog() }
        graph.evaluate(observer, body)
        noteEvaluation()
    }

    /// Runs `body` as ``evaluate(_:)`` does. What it creates and registers belongs to the caller instead of to the reaction. Under the lock.
    ///
    /// - Returns: The reactions created and the clean-ups registered in `body`.
    package final func evaluateCollecting(_ body: () -> Void) -> Belongings {
        let reaction = observer.reactionOfPart.takeUnretainedValue()
        let before = reaction.extras?.tracked.exchangeItems(for: []) ?? []
        reaction.owning(.tracked) { evaluate(body) }
        return Belongings(items: reaction.extras?.tracked.exchangeItems(for: before) ?? [])
    }

    /// Counts as changed: the next update looks at it. Tells nobody. Under the lock.
    package final func markChanged() {
        guard !hasEnded else { return }
        observer.flags.insert(.stale)
        let reaction = observer.reactionOfPart.takeUnretainedValue()
        reaction.extras?.parts?.collect(observer)
    }

    /// Counts as evaluated, where the part is known to read the same as ever. Under the lock.
    package final func skipEvaluation() {
        if graph.pointee.log_count > 0 { graph.claimLog() }
        observer.flags.remove([.stale, .marks])
        observer.pointee.validated_at = graph.pointee.epoch
        noteEvaluation()
    }

    @inline(__always)
    private final func noteEvaluation() {
        if graph.pointee.log_count > 0 { graph.logRun(of: observer) }
    }

    /// Where the tracking of the running evaluation stands. Differs from before if something was read for the first time.
    package static var readMark: UnsafeRawPointer? { UnsafeRawPointer(reactive_current().pointee.cursor) }

    /// Whether the stack is too nearly used up for recursion to go on.
    package static var stackIsLow: Bool { reactive_stack_is_low() }

    /// Ends the part: it depends on nothing any more, and is released once the graph is unlocked. Under the lock.
    package final func end() {
        guard observer.flags.isDisjoint(with: .cancelled) else { return }
        observer.flags = observer.flags.union(.cancelled).subtracting(.checking)
        graph.dropSources(of: observer)
        if observer.flags.isDisjoint(with: .queued) { graph.releaseLater(.passUnretained(self)) }
    }

    /// Whether it has ended.
    package final var hasEnded: Bool { observer.flags.contains(.cancelled) }
}

/// What one evaluation of a part has created.
package struct Belongings {
    fileprivate let items: [OwnedScope.Item]

    package var isEmpty: Bool { items.isEmpty }

    /// Cancels the reactions and runs the clean-ups, the newest first. Outside the lock.
    package func end() { OwnedScope.dispose(items) }
}

/// What a reaction made of parts does.
package protocol PartedContent: AnyObject {
    /// Makes the first parts. Under the lock.
    func begin(in reaction: Reaction)

    /// Looks at a part of which something changed; it must be evaluated, or ended, before the end of the update. Under the lock.
    func update(_ part: _ReactionPart)

    /// Ends the update of one or several parts. Returns whether there is something to deliver, which happens then. Under the lock.
    func finishUpdate() -> Bool

    /// Ends the update, and forgets what has changed: what came before was rolled back. Under the lock.
    func discardUpdate()

    /// Delivers what is due. Outside the lock, never overlapping with itself or `update`.
    func deliver()

    /// Ends all parts and lets everything go. Under the lock, once, when the reaction has been cancelled.
    func end()

    /// Calls `body` with every part. Under the lock.
    func forEachPart(_ body: (_ReactionPart) -> Void)
}

extension Reaction {
    /// Makes and starts a reaction that consists of parts.
    package static func made(
        of content: any PartedContent, for owner: OwnerReference? = nil, named name: String?, schedule: Schedule,
        isolation: (any Actor)?, fileID: StaticString, line: UInt
    ) -> Reaction {
        let parts = ReactionParts(content)
        let extras = ReactionExtras(isolation: isolation, owner: owner, schedule: schedule, effect: parts)
        extras.parts = parts
        let reaction = Reaction(named: name, fileID: fileID, line: line, extras: extras) { parts.track() }
        parts.reaction = reaction
        if owner == nil { reaction.start() } else { reaction.startOwned() }
        return reaction
    }
}

/// The parts of a reaction, as far as the graph needs to know them. Guarded by the graph's lock.
final class ReactionParts: ReactionEffect {
    @exclusivity(unchecked) fileprivate final let content: any PartedContent
    /// The parts that may have changed.
    @exclusivity(unchecked) fileprivate final var collected: [ObserverPointer] = []
    // Not retained: it retains this.
    @exclusivity(unchecked) fileprivate final unowned(unsafe) var reaction: Reaction?
    @exclusivity(unchecked) private final var hasBegun = false
    /// The next update begins anew, because the first run was rolled back.
    @exclusivity(unchecked) private final var startsOver = false

    fileprivate init(_ content: any PartedContent) { self.content = content }

    /// Whether some collected part has really changed. Forgets those in front of it that have not.
    func haveChanged() -> Bool {
        var index = 0
        while index < collected.count {
            let part = collected[index]
            let hasChanged = hasChanged(part)
            guard index < collected.count, collected[index] == part else {
                // A computed that was asked has cancelled the reaction, or brought it up to date.
                index = 0
                continue
            }
            if hasChanged {
                if index > 0 { collected.removeFirst(index) }
                return true
            }
            forget(part)
            index += 1
        }
        collected.removeAll(keepingCapacity: true)
        reaction?.observer.flags.remove(.marks)
        return false
    }

    /// Whether a part has really changed. If so, it is stale from then on.
    private func hasChanged(_ part: ObserverPointer) -> Bool {
        let flags = part.flags
        guard flags.isDisjoint(with: .cancelled) else { return false }
        guard flags.contains(.stale) || part.pointee.node.graph.mustEvaluate(part) else { return false }
        part.flags.insert(.stale)
        return true
    }

    /// Takes a part out of the list.
    private func forget(_ part: ObserverPointer) {
        part.flags.remove(.queued)
        if part.flags.contains(.cancelled) { part.pointee.node.graph.releaseLater(part.asNode.object) }
    }

    /// The tracked closure of the reaction.
    fileprivate func track() {
        guard hasBegun else {
            hasBegun = true
            if let reaction { content.begin(in: reaction) }
            return
        }
        var index = 0
        while index < collected.count {
            let part = collected[index]
            index += 1
            let hasChanged = hasChanged(part)
            // Before the update, in which it may be collected anew or end.
            forget(part)
            if hasChanged {
                content.update(part.part.takeUnretainedValue())
                isDue = true
            }
        }
        collected.removeAll(keepingCapacity: true)
        if startsOver {
            startsOver = false
            isDue = false
            content.discardUpdate()
        } else if isDue {
            isDue = content.finishUpdate()
        }
    }

    override func startOver() {
        super.startOver()
        startsOver = true
    }

    override func run() { content.deliver() }

    override func end() {
        for part in collected { forget(part) }
        collected = []
        content.end()
    }

    /// Remembers that a part may have changed, and queues the reaction.
    fileprivate func collect(_ part: ObserverPointer, for reaction: ObserverPointer) {
        collect(part)
        reaction.flags.insert(.maybeStale)
        reaction.pointee.node.graph.makeDue(reaction)
    }

    /// Remembers that a part may have changed.
    fileprivate func collect(_ part: ObserverPointer) {
        guard part.flags.isDisjoint(with: .queued) else { return }
        part.flags.insert(.queued)
        collected.append(part)
    }

    /// Counts the changes of all parts as seen.
    func forgetChanges() {
        for part in collected {
            part.flags.remove([.stale, .marks])
            part.pointee.validated_at = part.pointee.node.graph.pointee.epoch
            forget(part)
        }
        collected.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with the parts that may have changed.
    func forEachCollected(_ body: (ObserverPointer) -> Void) { collected.forEach(body) }

    /// Calls `body` with every part.
    func forEach(_ body: (ObserverPointer) -> Void) { content.forEachPart { body($0.observer) } }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    /// The part that the header lies in. Precondition: it is one.
    fileprivate var part: Unmanaged<_ReactionPart> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }

    /// The reaction that the part belongs to. Precondition: it is one, and has not ended.
    fileprivate var reactionOfPart: Unmanaged<Reaction> {
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: UInt(pointee.node.stamp)).unsafelyUnwrapped)
    }

    /// Calls `body` with the parts, if this is a reaction that has any.
    func forEachPart(_ body: (ObserverPointer) -> Void) {
        guard flags.contains(.reaction) else { return }
        reaction._withUnsafeGuaranteedRef { $0.extras?.parts?.forEach(body) }
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Notes that a part may have changed.
    func collect(_ part: ObserverPointer) {
        guard part.flags.isDisjoint(with: .cancelled) else { return }
        part.flags.insert(.maybeStale)
        part.reactionOfPart._withUnsafeGuaranteedRef { $0.extras?.parts?.collect(part, for: $0.observer) }
    }
}
