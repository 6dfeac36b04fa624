// What a run of a reaction owns: the reactions created in it, and the clean-ups registered in it. Both end before its next run.
//
// A reaction has two scopes, because its tracked part and its effect run again independently: what the effect created stays when the
// tracked part runs and finds nothing changed. The thread's context says whose run, and which part of it, is in progress.
//
// A clean-up runs where its closure was created. A reaction reruns there anyway; whoever cancels it may be anywhere, and
// then the clean-ups that belong to an actor are sent there, in order. Those whose actor is gone run at once: they cannot
// have captured it.
//
// The effect of a `when` owns nothing beyond its end. It collects what it creates, so that its owner may end meanwhile, and then hands
// that to the run in which the `when` was created (`OwnerRun`). If that run's things have ended by then, what the effect created ends too.
//
// Order: the newest ends first, and what a reaction owned ends right after it, before its older siblings:
//
//     owner ─▶ a, b ─▶ (b1, b2), c        ends as  owner, c, b, b2, b1, a
//
// Ownership may be of any depth, so ending is a loop with a list of what is left. A clean-up that cancels something nests, since
// `cancel` promises that all is over when it returns. Where nesting would use up the stack, the outermost of them does the rest.

import CReactive

/// The part of a reaction's run that owns something.
enum OwnerPhase: UInt32 {
    case tracked, effectful
}

/// What the current run of one part of a reaction owns. Guarded by the lock of the reaction's graph.
struct OwnedScope {
    enum Item {
        case reaction(Reaction)
        case foreign(ForeignReaction)
        case cleanup(() -> Void)
        /// While the items of a reaction of a different graph end: the scope from which to go on afterwards. Keeps that reaction, and so its graph.
        case end(of: Reaction, scope: GraphPointer?)
    }

    private var items: [Item] = []
    /// How often the items were taken: the number of the run that owns them.
    private(set) var run: UInt32 = 0
    /// How many items may still come or end before those that have ended are removed.
    private var untilPruning = OwnedScope.leastPruning

    private static let leastPruning: UInt32 = 64

    var isEmpty: Bool { items.isEmpty }

    mutating func add(_ item: Item) {
        items.append(item)
        noteChange()
    }

    /// Notes that an item has come, or that one has ended.
    ///
    /// An owner must not collect what has ended, however long its run lasts. Pruning looks at the items that the last pruning left, and at
    /// those that have come since; as many have come or ended meanwhile. So it is amortised O(1).
    mutating func noteChange() {
        untilPruning -= 1
        guard untilPruning == 0 else { return }
        items.removeAll { $0.hasEnded }
        untilPruning = max(OwnedScope.leastPruning, UInt32(items.count))
    }

    /// The run is over, and owns nothing. Precondition: as it says.
    mutating func endEmptyRun() { run &+= 1 }

    /// Takes everything out: the run is over.
    mutating func takeItems() -> [Item] {
        run &+= 1
        guard !items.isEmpty else { return [] }
        untilPruning = OwnedScope.leastPruning
        defer { items = [] }
        return items
    }

    /// Takes everything out and puts other items in, in the same run: for the parts of a reaction, each of which owns what it creates.
    mutating func exchangeItems(for new: [Item]) -> [Item] {
        guard !(items.isEmpty && new.isEmpty) else { return [] }
        untilPruning = max(OwnedScope.leastPruning, UInt32(new.count))
        defer { items = new }
        return items
    }

    /// Ends what a scope owned, the newest first. Outside the lock, unless an enclosing transaction or tracked closure holds it.
    static func dispose(_ items: [Item]) {
        guard !items.isEmpty else { return }
        let thread = reactive_current()
        let owner = thread.pointee.owner
        thread.pointee.owner = nil
        defer { thread.pointee.owner = owner }
        var remaining = items
        while let item = remaining.popLast() {
            switch item {
            case .reaction(let reaction): remaining += reaction.end()
            case .foreign(let foreign):
                guard let reaction = foreign.reaction else { continue }
                remaining.append(.end(of: reaction, scope: thread.pointee.scope))
                remaining += reaction.end()
                thread.pointee.scope = reaction.graph
            case .end(of: _, let scope): thread.pointee.scope = scope
            case .cleanup(let cleanup):
                cleanup()
                // Its captures may own something that ends with them, and so on.
                Trash.add(closure: .init(call: cleanup))
            }
        }
        Trash.emptyIfUnlocked()
    }
}

extension OwnedScope.Item {
    fileprivate var hasEnded: Bool {
        switch self {
        case .reaction(let reaction): reaction.observer.flags.contains(.cancelled)
        case .foreign(let foreign): foreign.reaction == nil
        case .cleanup, .end: false
        }
    }
}

/// A reaction of a different graph than its owner's. The owner's lock does not guard its flags, but its graph keeps it while it is live.
final class ForeignReaction {
    fileprivate weak var reaction: Reaction?
    fileprivate init(_ reaction: Reaction) { self.reaction = reaction }
}

/// One part of one run of a reaction, as the owner of what is created later on its behalf.
struct OwnerRun {
    private let reaction: Reaction
    private let phase: OwnerPhase
    private let number: UInt32

    /// The run in progress on this thread that owns what is created now. In an effect of a `when`: the one that this hands over to.
    ///
    /// Needs no lock: it is the run of a reaction that this thread runs, so that no other thread ends it.
    static var current: OwnerRun? {
        guard let reaction = Reaction.currentOwner else { return nil }
        let phase = Reaction.currentPhase
        if phase == .effectful, let heir = reaction.extras?.effect?.heir { return heir }
        return OwnerRun(reaction: reaction, phase: phase, number: number(of: reaction, phase))
    }

    /// Takes over what was created on the run's behalf, or ends it if the run's things have ended. Outside the lock.
    ///
    /// A `when` that hands over has ended, and was an item itself: that counts as a change, too.
    func adopt(_ items: [OwnedScope.Item]) {
        let graph = reaction.graph
        graph.enter()
        let isOver = reaction.observer.flags.contains(.cancelled) || number != OwnerRun.number(of: reaction, phase)
        if !isOver {
            let extras = reaction.needExtras()
            extras[phase].noteChange()
            for item in items { extras[phase].add(item) }
        }
        graph.leave()
        if isOver { OwnedScope.dispose(items) }
    }

    private static func number(of reaction: Reaction, _ phase: OwnerPhase) -> UInt32 {
        reaction.extras?[phase].run ?? 0
    }
}

extension Reaction {
    /// The reaction whose run, on this thread, owns what is created now: nobody's inside a derivation.
    static var currentOwner: Reaction? {
        if let evaluation = reactive_current().pointee.graph?.pointee.evaluating,
            evaluation.pointee.node.pointee.flags.isDisjoint(with: [.reaction, .part])
        {
            return nil
        }
        return reactive_current().pointee.owner.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// The part of it that runs.
    fileprivate static var currentPhase: OwnerPhase {
        OwnerPhase(rawValue: reactive_current().pointee.owner_phase) ?? .tracked
    }

    /// Hands a new reaction to the reaction in whose run it is created. Under the lock.
    func adoptByOwner() {
        guard let owner = Reaction.currentOwner else { return }
        owner.own(owner.graph == graph ? .reaction(self) : .foreign(ForeignReaction(self)))
    }

    /// Adds to the scope of the part that runs now, on this thread.
    func own(_ item: OwnedScope.Item) {
        if let held = reactive_current().pointee.graph, held != graph {
            // A thread holds one graph at a time. By the time it has released that one, the run may be over.
            guard let run = OwnerRun.current else { return }
            held.deferAction { run.adopt([item]) }
            return
        }
        graph.enter()
        needExtras()[Reaction.currentPhase].add(item)
        graph.leave()
    }

    /// Runs `body` so that what it creates belongs to this reaction.
    @inline(__always)
    func owning(_ phase: OwnerPhase, _ body: () -> Void) {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        let ownerPhase = thread.pointee.owner_phase
        thread.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        thread.pointee.owner_phase = phase.rawValue
        defer {
            thread.pointee.owner = owner
            thread.pointee.owner_phase = ownerPhase
        }
        body()
    }

    /// Takes away what the effect in progress has created so far. Outside the lock, on the thread that runs the effect.
    func takeWhatEffectCreated() -> [OwnedScope.Item] {
        graph.enter()
        defer { graph.leave() }
        return extras?.effectful.takeItems() ?? []
    }
}

extension ReactionExtras {
    fileprivate subscript(phase: OwnerPhase) -> OwnedScope {
        @inline(__always) get { phase == .tracked ? tracked : effectful }
        @inline(__always) _modify {
            if phase == .tracked { yield &tracked } else { yield &effectful }
        }
    }
}
