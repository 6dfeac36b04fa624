// The bridge of a graph: it follows nodes on behalf of observers outside of the graph.
//
// Each graph has one reaction for this, which diagnostics omit. The reaction has a part for each node that was ever
// tracked from outside: a *relay*. The relay subscribes to the node while it is tracked:
//
//     read outside, an observer is tracking ──▶ the relay is armed, and subscribed if it was not
//     the node has changed                  ──▶ when the change ends, outside the lock: the notifier notifies, once
//     the node changes again                ──▶ no observer has registered again: the relay unsubscribes
//
// - *Whether the node has changed* is decided when the reaction runs, so that a rollback or an equal result is no
//   change. A relay always counts as stale. So the reaction asks this code, and does not evaluate the node itself.
// - *Lifetimes.* The graph keeps the relay until the node is freed; the relay does not keep the node. The relay
//   unsubscribes before the memory of the node is freed. But the deinitialisers may have begun on another thread, or
//   may even have ended (see FreedNode.swift). So the bridge evaluates and reports a node only through a strong
//   reference.
// - *Isolation.* A closure that belongs to an actor cannot be evaluated by every writer. If the relay was armed on the
//   main actor, the check runs there. Otherwise the notifier notifies without knowing whether the result differs.
// - *Atoms* live as long as they are observed. An atom would be released between the notification and the next read. So
//   the relay of a node that counts its observers stays subscribed for many more changes.

#if canImport(Observation)
import CReactive

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class GraphBridge: OutsideReader, PartsDelegate, @unchecked Sendable {
    // Sendable because the graph's lock guards it.
    static let maker: @convention(c) (GraphPointer) -> UnsafeMutableRawPointer = {
        Unmanaged<OutsideReader>.passRetained(GraphBridge(of: $0)).toOpaque()
    }

    private let graph: GraphPointer
    /// The relays of all nodes that were ever tracked.
    @exclusivity(unchecked) private var relays = RelayTable()
    /// The notifier for the next node that is tracked. It also checks whether an observer is tracking.
    @exclusivity(unchecked) private var spare = ChangeNotifier()
    /// The reaction of the relays, while there are any.
    private var reaction: Reaction?
    /// The notifications of the update in progress.
    private var due: NotificationBatch?

    private init(of graph: GraphPointer) { self.graph = graph }

    deinit { relays.deallocate() }

    // MARK: - Reads

    override func note(_ node: NodePointer) {
        // A part of a view, which only the view's evaluation changes: it reports a change after each evaluation of the
        // view.
        if node.pointee.flags.contains(.routed), let view = node.evaluatedObserver {
            note(view.asNode, everyEvaluation: true)
        } else {
            note(node, everyEvaluation: false)
        }
    }

    private func note(_ node: NodePointer, everyEvaluation: Bool) {
        if node.pointee.flags.contains(.followedOutside) {
            relays.find(node)?._withUnsafeGuaranteedRef { relay in
                if relay.notifier.isTracked() { arm(relay, everyEvaluation) }
            }
        } else if Unmanaged.passUnretained(spare)._withUnsafeGuaranteedRef({ $0.isTracked() }) {
            let relay = Relay(of: node, notifier: spare, in: reaction ?? newReaction())
            spare = ChangeNotifier()
            relays.insert(relay)
            node.pointee.flags.insert(.followedOutside)
            arm(relay, everyEvaluation)
        }
    }

    private func arm(_ relay: Relay, _ everyEvaluation: Bool) {
        let node = relay.source
        if node.pointee.flags.contains(.derivation) { graph.refresh(node.asObserver) }
        if !relay.isSubscribed { graph.linkUnkept(relay.observer, to: node) }
        if everyEvaluation, relay.evaluations == nil { relay.evaluations = 0 }
        relay.arm(at: graph.pointee.epoch, remembersActor: graph.details.hasConfinedNodes)
    }

    /// Creates the reaction that the relays are parts of. It has no owner.
    private func newReaction() -> Reaction {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        thread.pointee.owner = nil
        defer { thread.pointee.owner = owner }
        let reaction = Reaction.started(
            of: self, named: "ObservationBridge", schedule: .immediate, isolation: nil, fileID: #fileID, line: #line)
        self.reaction = reaction
        return reaction
    }

    override func forget(_ node: NodePointer) {
        guard let relay = relays.remove(node)?.takeUnretainedValue() else { return }
        graph.unlinkUnkept(relay.observer, isBeingFreed: true)
        relay.notifier.retire()
        relay.end()
        // The reaction keeps an independent graph alive.
        guard relays.isEmpty, graph != .default, let reaction else { return }
        self.reaction = nil
        DeferredReleases.add(object: AnyCancellable(reaction))
    }

    // MARK: - Changes

    func begin(in reaction: Reaction) {}

    func update(_ part: _ReactionPart) {
        let relay = unsafeDowncast(part, to: Relay.self)
        part.observer.flags.remove(.marks)
        check(relay)
    }

    /// Checks whether the node of a relay has changed, and if so, adds its notifier to the notifications that are due.
    private func check(_ relay: Relay) {
        guard !relay.hasEnded, relay.keepSource() else { return }
        let node = relay.source
        guard relay.isArmed else {
            relay.unarmedChanges += 1
            if relay.unarmedChanges >= relay.unarmedLimit { graph.unlinkUnkept(relay.observer, isBeingFreed: false) }
            return
        }
        if node.pointee.flags.contains(.derivation), node.pointee.flags.isDisjoint(with: .running) {
            if mustEvaluateElsewhere(relay) {
                if relay.belongsToMainActor { return checkOnMainActor(relay) }
            } else {
                graph.refresh(node.asObserver)
                guard relay.sourceHasChanged else { return }
            }
        } else {
            guard relay.sourceHasChanged else { return }
        }
        relay.isArmed = false
        let batch = due ?? NotificationBatch()
        due = batch
        relay.notifier.add(to: batch)
    }

    /// Hands the notifications to this thread, which sends them once it holds no graph. The reaction is not in flight
    /// meanwhile. So while an `onChange` runs, other threads send their own notifications.
    func finishUpdate() -> Bool {
        sendDue()
        return false
    }

    /// A relay may be due although the update is rolled back: a read outside of the transaction has armed it.
    func discardUpdate() { sendDue() }

    func deliver() {}

    /// Sends the notifications that are due, outside the lock. Under the lock.
    private func sendDue() {
        guard let batch = due else { return }
        due = nil
        graph.deferAction { self.send(batch) }
    }

    private func send(_ batch: NotificationBatch) {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        let tracking = thread.pointee.tracking
        thread.pointee.owner = nil
        thread.pointee.tracking = reactive_outside_record()
        defer {
            thread.pointee.owner = owner
            thread.pointee.tracking = tracking
        }
        batch.run()
        graph.enter()
        batch.isDone = true
        graph.leave()
    }

    func end() {}
    func forEachPart(_ body: (_ReactionPart) -> Void) {}
    var isInternal: Bool { true }

    // MARK: - Isolation

    /// Whether a check for changes has to run a closure of an actor other than the current one.
    private func mustEvaluateElsewhere(_ relay: Relay) -> Bool {
        guard graph.details.hasConfinedNodes else { return false }
        if relay.belongsToMainActor, Isolation.isCurrent(MainActor.shared) { return false }
        return graph.isConfined(relay.source.asObserver)
    }

    private func checkOnMainActor(_ relay: Relay) {
        guard !relay.isHopping else { return }
        relay.isHopping = true
        graph.deferAction {
            Isolation.hop(to: MainActor.shared) {
                let graph = relay.graph
                graph.enter()
                relay.isHopping = false
                self.check(relay)
                self.sendDue()
                graph.leave()
            }
        }
    }
}

/// A part of a graph's bridge, which follows one node.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class Relay: _ReactionPart, @unchecked Sendable {
    // Sendable because the graph's lock guards it.
    let notifier: ChangeNotifier
    /// The node. Not retained.
    let source: NodePointer
    /// The node, for derivations, and for nodes that count their observers or report whether they have any. Another
    /// thread may be freeing such a node, and a node that is being freed must not be evaluated, notified or reported.
    private weak var weakSource: _Node?
    private let isWeak: Bool
    /// Whether a tracking observer has read the node since the last notification.
    var isArmed = false
    /// The number of changes since then, while the relay was not armed. `unarmedLimit` is the limit.
    var unarmedChanges = 0
    let unarmedLimit: Int
    /// Whether code on the main actor armed the relay.
    private(set) var belongsToMainActor = false
    var isHopping = false
    /// The number of evaluations of the node when the relay was armed, if each evaluation counts as a change.
    var evaluations: Int?

    init(of source: NodePointer, notifier: ChangeNotifier, in reaction: Reaction) {
        self.source = source
        self.notifier = notifier
        isWeak = !source.pointee.flags.isDisjoint(with: [.derivation, .counted, .reportsObservation])
        unarmedLimit = source.pointee.flags.contains(.counted) ? 64 : 1
        super.init(of: reaction)
        if isWeak { weakSource = source.object._withUnsafeGuaranteedRef { $0 } }
        observer.flags.insert(.stale)
    }

    private var evaluationsOfSource: Int {
        source.asObserver.derivation._withUnsafeGuaranteedRef { $0.evaluationCount }
    }

    /// Whether the node, which is up to date, has changed since the relay was armed.
    var sourceHasChanged: Bool {
        source.pointee.changed_at > observer.pointee.validated_at
            || evaluations.map { $0 != evaluationsOfSource } ?? false
    }

    var isSubscribed: Bool { observer.pointee.sources != reactive_end_of_sources() }

    /// Retains the node until the lock is released, if that is necessary. Returns false if the node is being freed.
    func keepSource() -> Bool {
        guard isWeak else { return true }
        guard let weakSource else { return false }
        DeferredReleases.add(object: weakSource)
        return true
    }

    func arm(at epoch: UInt64, remembersActor: Bool) {
        isArmed = true
        unarmedChanges = 0
        if evaluations != nil { evaluations = evaluationsOfSource }
        observer.pointee.validated_at = epoch
        if remembersActor { belongsToMainActor = Isolation.isCurrent(MainActor.shared) }
    }
}

/// The relays of a graph by their nodes: a hash table with linear probing. It does not retain the relays, which live
/// until they end.
///
/// (With a dictionary, a read of a tracked node took 43 ns instead of 18.)
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private struct RelayTable {
    private var buckets: UnsafeMutablePointer<Unmanaged<Relay>?>
    /// The binary logarithm of the number of buckets, of which at most half are used.
    private var scale = 3
    private var count = 0

    init() { buckets = RelayTable.emptyBuckets(scale: 3) }

    private static func emptyBuckets(scale: Int) -> UnsafeMutablePointer<Unmanaged<Relay>?> {
        let buckets = UnsafeMutablePointer<Unmanaged<Relay>?>.allocate(capacity: 1 << scale)
        buckets.initialize(repeating: nil, count: 1 << scale)
        return buckets
    }

    func deallocate() { buckets.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// Returns the bucket at which the search for a node begins.
    @inline(__always)
    private func home(of node: NodePointer) -> Int {
        Int((UInt64(UInt(bitPattern: node)) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - scale))
    }

    @inline(__always)
    private func next(_ bucket: Int) -> Int { (bucket + 1) & (1 << scale - 1) }

    private func node(in bucket: Int) -> NodePointer? { buckets[bucket]?._withUnsafeGuaranteedRef { $0.source } }

    private func bucket(of node: NodePointer) -> Int? {
        var bucket = home(of: node)
        while let found = self.node(in: bucket) {
            if found == node { return bucket }
            bucket = next(bucket)
        }
        return nil
    }

    func find(_ node: NodePointer) -> Unmanaged<Relay>? { bucket(of: node).flatMap { buckets[$0] } }

    mutating func insert(_ relay: Relay) {
        if count * 2 >= 1 << scale { grow() }
        put(.passUnretained(relay))
        count += 1
    }

    private func put(_ relay: Unmanaged<Relay>) {
        var bucket = home(of: relay._withUnsafeGuaranteedRef { $0.source })
        while buckets[bucket] != nil { bucket = next(bucket) }
        buckets[bucket] = relay
    }

    private mutating func grow() {
        let (old, size) = (buckets, 1 << scale)
        scale += 1
        buckets = RelayTable.emptyBuckets(scale: scale)
        for bucket in 0..<size { if let relay = old[bucket] { put(relay) } }
        old.deallocate()
    }

    mutating func remove(_ node: NodePointer) -> Unmanaged<Relay>? {
        guard var hole = bucket(of: node) else { return nil }
        let removed = buckets[hole]
        buckets[hole] = nil
        count -= 1
        // Entries after the hole move up, except those whose search begins behind the hole.
        var bucket = next(hole)
        while let other = self.node(in: bucket) {
            let distance = (bucket - home(of: other)) & (1 << scale - 1)
            if distance >= (bucket - hole) & (1 << scale - 1) {
                buckets[hole] = buckets[bucket]
                buckets[bucket] = nil
                hole = bucket
            }
            bucket = next(bucket)
        }
        return removed
    }
}
#endif
