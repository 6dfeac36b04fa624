// Ownership: a run of a reaction owns the reactions created in it and the cleanups registered in it. They end before
// its next run.
//
// A reaction has two scopes, because its tracked closure and its effect run independently: if the tracked closure runs
// again and finds no change, the things that the effect created must stay. The thread's context says which part of
// which run is in progress.
//
// A cleanup runs where its closure was created. A reaction reruns there anyway. A reaction may be cancelled anywhere;
// its cleanups that belong to an actor are then sent there, in order. Cleanups whose actor is gone run immediately:
// they cannot have captured it.
//
// The effect of a `when` owns nothing beyond its end. It collects what it creates, so that its owner may end meanwhile.
// Then the run in which the `when` was created takes that over (`OwnerRun`). If that run is over by then, the collected
// items end too.
//
// Order: the newest item ends first. The items of a reaction end right after it, before its older siblings:
//
//     owner ─▶ a, b ─▶ (b1, b2), c        ends as  owner, c, b, b2, b1, a
//
// Ownership may be nested to any depth, so ending is a loop with a list of remaining items. A cleanup that cancels
// something nests, since `cancel` promises that everything has ended when it returns. Where nesting would exhaust the
// stack, the outermost cleanup ends the remaining items.

import CReactive

/// The part of a reaction's run that owns things.
enum OwnerPhase: UInt32 {
    case tracked, effectful
}

/// The items that the current run of one part of a reaction owns. Guarded by the lock of the reaction's graph.
struct OwnedScope {
    enum Item {
        case reaction(Reaction)
        case foreign(ForeignReaction)
        case cleanup(() -> Void)
        /// Marks where to continue while the items of a reaction of a different graph end: the scope to return to. It
        /// retains that reaction, and thereby its graph.
        case end(of: Reaction, scope: GraphPointer?)
    }

    private var items: [Item] = []
    /// The number of times that the items were taken. It identifies the run that owns them.
    private(set) var run: UInt32 = 0
    /// The number of items that may still be added or end before ended ones are removed.
    private var untilPruning = OwnedScope.leastPruning

    private static let leastPruning: UInt32 = 64

    var isEmpty: Bool { items.isEmpty }

    mutating func add(_ item: Item) {
        items.append(item)
        noteChange()
    }

    /// Records that an item was added, or has ended.
    ///
    /// An owner must not accumulate ended items, however long its run lasts. Pruning visits the items that the last
    /// pruning left, and those added since. At least as many items were added or ended meanwhile, so it takes amortised
    /// O(1).
    mutating func noteChange() {
        untilPruning -= 1
        guard untilPruning == 0 else { return }
        let last = items.last
        items.removeAll { $0.hasEnded }
        // A cancelled `when` may still be in flight, and pass on items later. A run that begins with an empty scope has
        // the number of the one before, so it would adopt them.
        if items.isEmpty, let last { items.append(last) }
        untilPruning = max(OwnedScope.leastPruning, UInt32(items.count))
    }

    /// Ends a run that owns nothing. Precondition: the scope is empty.
    mutating func endEmptyRun() { run &+= 1 }

    /// Removes and returns all items: the run is over.
    mutating func takeItems() -> [Item] {
        run &+= 1
        // No test sees this always hold: it only saves stores.
        guard !items.isEmpty else { return [] }
        untilPruning = OwnedScope.leastPruning
        defer { items = [] }
        return items
    }

    /// Exchanges the items for others within the same run. For parts of a reaction, each of which owns what it creates.
    mutating func exchangeItems(for new: [Item]) -> [Item] {
        // No test sees this always hold: it only saves an exchange of nothing.
        guard !(items.isEmpty && new.isEmpty) else { return [] }
        untilPruning = max(OwnedScope.leastPruning, UInt32(new.count))
        defer { items = new }
        return items
    }

    /// Ends the items of a scope, the newest first. Called outside the lock, except inside an enclosing transaction or
    /// tracked closure, which holds it.
    static func dispose(_ items: [Item]) {
        // No test sees this always hold: the loop then does nothing.
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
                // Its captures may own something that ends with them, recursively.
                DeferredReleases.add(closure: .init(call: cleanup))
            }
        }
        DeferredReleases.releaseAllIfUnlocked()
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

/// A reaction of a different graph than its owner's. The lock of the owner's graph does not guard its flags, but its
/// own graph keeps it alive while it is live.
final class ForeignReaction {
    fileprivate weak var reaction: Reaction?
    fileprivate init(_ reaction: Reaction) { self.reaction = reaction }
}

/// One part of one run of a reaction, as the owner of things that are created later on its behalf.
struct OwnerRun {
    private let reaction: Reaction
    private let phase: OwnerPhase
    private let number: UInt32

    /// The run in progress on this thread that owns what is created now. In an effect of a `when`: the run that takes
    /// over from it.
    ///
    /// Needs no lock: this thread runs the reaction, so that no other thread ends the run.
    static var current: OwnerRun? {
        guard let reaction = Reaction.currentOwner else { return nil }
        let phase = Reaction.currentPhase
        if phase == .effectful, let heir = reaction.options?.effect?.heir { return heir }
        return OwnerRun(reaction: reaction, phase: phase, number: number(of: reaction, phase))
    }

    /// Takes over items that were created on the run's behalf, or ends them if the run is over. Called outside the
    /// lock.
    ///
    /// A `when` whose items are taken over has ended, and was an item itself. That counts as a change too.
    func adopt(_ items: [OwnedScope.Item]) {
        let graph = reaction.graph
        graph.enter()
        let isOver = reaction.observer.flags.contains(.cancelled) || number != OwnerRun.number(of: reaction, phase)
        if !isOver {
            let options = reaction.ensureOptions()
            options[phase].noteChange()
            for item in items { options[phase].add(item) }
        }
        graph.leave()
        if isOver { OwnedScope.dispose(items) }
    }

    private static func number(of reaction: Reaction, _ phase: OwnerPhase) -> UInt32 {
        reaction.options?[phase].run ?? 0
    }
}

extension Reaction {
    /// The reaction whose run on this thread owns what is created now; `nil` inside a derivation.
    static var currentOwner: Reaction? {
        if let evaluation = reactive_current().pointee.graph?.pointee.evaluating,
            evaluation.pointee.node.pointee.flags.isDisjoint(with: [.reaction, .part])
        {
            return nil
        }
        return reactive_current().pointee.owner.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// The part of that reaction that is running.
    fileprivate static var currentPhase: OwnerPhase {
        OwnerPhase(rawValue: reactive_current().pointee.owner_phase) ?? .tracked
    }

    /// Adds a new reaction to the scope of the reaction in whose run it is created. Under the lock.
    func adoptByOwner() {
        guard let owner = Reaction.currentOwner else { return }
        // No test sees this never hold: it only saves an object with a weak reference.
        owner.own(owner.graph == graph ? .reaction(self) : .foreign(ForeignReaction(self)))
    }

    /// Adds an item to the scope of the part that is running on this thread.
    func own(_ item: OwnedScope.Item) {
        if let held = reactive_current().pointee.graph, held != graph {
            // A thread holds one graph at a time. When it has released that one, the run may be over.
            guard let run = OwnerRun.current else { return }
            held.deferAction { run.adopt([item]) }
            return
        }
        graph.enter()
        ensureOptions()[Reaction.currentPhase].add(item)
        graph.leave()
    }

    /// Runs `body` so that whatever it creates belongs to this reaction.
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

    /// Removes and returns the items that the effect in progress has created so far. Outside the lock, on the thread
    /// that runs the effect.
    func takeItemsOfEffect() -> [OwnedScope.Item] {
        graph.enter()
        defer { graph.leave() }
        return options?.effectful.takeItems() ?? []
    }
}

extension ReactionOptions {
    fileprivate subscript(phase: OwnerPhase) -> OwnedScope {
        @inline(__always) get { phase == .tracked ? tracked : effectful }
        @inline(__always) _modify {
            if phase == .tracked { yield &tracked } else { yield &effectful }
        }
    }
}
