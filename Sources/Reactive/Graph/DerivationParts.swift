// Derivations that follow many elements, and have a part for each element whose closure reads observables.
//
// An ordinary derivation has one tracked closure, and a change of anything that it read evaluates all of it. A view of
// a collection calls a closure for each element. If the closure of an element reads something, that element gets a
// *part*: an observer with sources of its own, which stores the element's row. A change reaches the part, which is
// collected, and continues at the derivation:
//
//     source ──▶ part ──collected by──▶ derivation ──▶ its observers
//
// The derivation's next evaluation checks only the collected parts.
//
// - *Liveness.* Parts are subscribed exactly while their derivation is live. A derivation that is not live and has
//   parts is always stale, so that each read evaluates it. The evaluation checks all parts, unless nothing in the graph
//   has changed since the last check.
// - *Lifetimes.* Parts belong to the state of their derivation, a value. In a transaction that has written, an
//   element's closure runs in a new part instead of the old one. So the earlier state, which the transaction log keeps,
//   has its parts with their edges, and a rollback restores them with it. A part stays subscribed and collected for as
//   long as it exists.
// - *The list* of all existing parts is separate memory, which is freed with the last of the derivation and its parts.
// - *Scratch.* A closure runs as the evaluation of a spare part. If it has read nothing, the next closure uses the
//   spare; otherwise the spare becomes the element's part. So an element whose closure reads nothing costs a
//   comparison.

import CReactive

/// Asks the processor to load the memory at an address, without waiting for it.
@inlinable @inline(__always)
// No test sees this: it only saves time.
package func prefetch(_ address: UnsafeRawPointer) { reactive_prefetch(address, 1) }

typealias PartListPointer = UnsafeMutablePointer<PartList>

/// The part of a derivation that represents one element. Public only for the compiler; do not use it directly.
public final class _DerivationPart: _Observer {
    /// The row of its element. Set once.
    @exclusivity(unchecked) @usableFromInline package fileprivate(set) final var row: UInt32 = 0
    @exclusivity(unchecked) fileprivate final var isListed = false

    /// Creates a part that is not in the list yet.
    fileprivate init(of derivation: _PartedDerivation) {
        super.init(flags: [.part, .parted], graph: derivation.graph, origin: 0)
        NodeName.share(derivation.node.pointee, with: &node.pointee)
        node.pointee.part_list = derivation.list
    }

    deinit {
        guard isListed else { return }
        // Not reached while this thread holds another graph: see `_PartedDerivation.mustFreeLater`.
        let graph = graph
        graph.enter()
        observer.uncollect()
        graph.dropSources(of: observer)
        observer.leavePartList()
        graph.leave()
    }
}

/// A derivation that has a part for each element whose closure reads observables. Public only for the compiler; do not
/// use it directly.
///
/// A subclass stores its state in a value, which owns the parts. Its evaluation begins with ``logState(_:)``, checks
/// ``takeDueRows()``, and runs the closures of elements in ``evaluateElements(_:)``.
open class _PartedDerivation: _Derivation {
    fileprivate final let list: PartListPointer
    /// The part that evaluates the closure of the next element.
    @exclusivity(unchecked) private final var spare: _DerivationPart?
    /// The spare part while closures may run. Otherwise undefined.
    @exclusivity(unchecked) @usableFromInline final var scratch: ObserverPointer
    /// The record of the evaluation of `scratch` while closures may run. Otherwise undefined.
    @exclusivity(unchecked) private final var evaluation: UnsafeMutablePointer<Evaluation>?
    /// The number in the order in which views are updated. Guarded by the graph's lock.
    @exclusivity(unchecked) final var number = reactive_next_view_number()
    /// The number of times that its router has updated it in one update of routers, and the number of that update.
    /// Guarded by the graph's lock.
    @exclusivity(unchecked) final var update: (number: UInt64, count: Int) = (0, 0)
    /// The epoch at which a derivation that is not live last checked all parts.
    @exclusivity(unchecked) private final var checkedAt = UInt64.max
    /// The reaction that owns whatever closures of elements create, if there is one.
    @exclusivity(unchecked) final var ownerOfElements: AnyObject?

    /// Creates a derivation in the graph of another node.
    ///
    /// - Parameters:
    ///   - other: The node.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - update: Brings the state up to date; returns whether its observers must check it. Runs under the lock,
    ///     tracked. A closure without captures, created where the types are known, so that the graph reaches
    ///     specialised code.
    public init(
        beside other: _Node, named name: String?, fileID: StaticString, line: UInt,
        update: @escaping (_PartedDerivation) -> Bool
    ) {
        list = .allocate(capacity: 1)
        list.initialize(to: PartList())
        scratch = UnsafeMutableRawPointer(list).assumingMemoryBound(to: ObserverHeader.self)
        super.init(graph: other.graph, name: name, fileID: fileID, line: line) { derivation in
            let derivation = unsafeDowncast(derivation, to: _PartedDerivation.self)
            let graph = derivation.graph
            let limit = graph.pointee.router_limit
            // No test sees this: `updateRouters` finds the same limit, by a longer search.
            if limit == 0 || limit > derivation.number { graph.pointee.router_limit = derivation.number }
            let hasChanged = update(derivation)
            graph.pointee.router_limit = limit
            // Reads of a derivation that is not live evaluate it, since it is not notified of changes.
            if derivation.list.pointee.count > 0, !derivation.observer.flags.contains(.live) {
                derivation.observer.flags.insert(.stale)
            }
            return hasChanged
        }
        list.pointee.derivation = observer
        observer.flags.insert(.parted)
    }

    deinit {
        let graph = graph
        guard forgetOutsideReads() else { return }
        // No test sees this: it only saves the object, which would do the same.
        if graph.isOutOfReach {
            DeferredReleases.add(object: AbandonedPartList(list, graph))
        } else {
            graph.enter()
            list.abandon()
            graph.leave()
        }
    }

    // MARK: - The state

    /// Swaps the state with one from the transaction log. Under the lock; must run no user code.
    ///
    /// - Parameter state: The address of the logged state.
    open func exchangeState(withLogged state: UnsafeMutableRawPointer) {}

    /// Removes a state from the transaction log, and releases it once the graph is unlocked. Under the lock; must run
    /// no user code.
    ///
    /// - Parameter state: The address of the logged state.
    open func discardState(logged state: UnsafeMutableRawPointer) {}

    /// A function that hops to an actor, and calls its argument there.
    public typealias Hop = (_ arrive: @escaping @Sendable () -> Void) -> Void

    /// Returns a function that hops to the actor of the closures, or `nil` if they may run here. Under the lock; must
    /// run no user code.
    open func hopToActor() -> Hop? { nil }

    /// Ends the program with a message: the closures would have to run off their actor.
    open func stopForEvaluationElsewhere() -> Never {
        preconditionFailure("internal inconsistency: a derivation without an actor failed its isolation check")
    }

    /// Discards the state, so that the next evaluation builds it anew. Under the lock; must run no user code.
    open func forgetState() {}

    override final func exchangeValue(withLogged value: UnsafeMutableRawPointer) { exchangeState(withLogged: value) }

    override final func discardValue(logged value: UnsafeMutableRawPointer) { discardState(logged: value) }

    /// Logs the state from before an evaluation, in case the transaction is rolled back. Must be called at the
    /// beginning of each evaluation, whatever the state is.
    ///
    /// - Parameter state: The state. Must be of the same type each time, and not empty.
    /// - Complexity: O(1).
    @inlinable @inline(__always)
    package final func logState<State>(_ state: @autoclosure () -> State) {
        // If the view has an entry without a state, it was being evaluated when the first write was logged. The state is
        // not the one from before then, and a rollback discards it.
        guard graph.pointee.log_count > 0, !graph.isLogged(node),
            let room = graph.roomForReplacedValue(
                of: node, size: MemoryLayout<State>.size, alignment: MemoryLayout<State>.alignment,
                needsDestruction: !_isPOD(State.self))
        else { return }
        room.initializeMemory(as: State.self, to: state())
    }

    /// Whether a deinitialiser of a subclass must pass its state to ``release(later:)`` instead of freeing it in place:
    /// this thread holds another graph, and so cannot lock the graph of the parts.
    @usableFromInline
    package final var mustFreeLater: Bool { graph.isOutOfReach }

    // MARK: - Parts

    /// Whether it is subscribed to its sources, because it has a live observer. Under the lock.
    @usableFromInline
    package final var isLive: Bool { observer.flags.contains(.live) }

    /// The number of existing parts, including those in logged states. Under the lock.
    @usableFromInline
    package final var partCount: Int { list.pointee.count }

    /// Returns the rows whose parts may have changed since they were last validated. Rows may repeat, and may belong to
    /// parts that only a logged state has. Under the lock, in an evaluation.
    ///
    /// The caller calls ``hasChanged(_:)`` for each part that it still has. A part stays due until that returns false,
    /// or the part is evaluated.
    ///
    /// - Complexity: O(rows) if the derivation is live; else O(parts), or O(1) if nothing in the graph has changed
    ///   since the last call.
    @usableFromInline
    package final func takeDueRows() -> [UInt32] {
        var rows: [UInt32] = []
        // No test sees this: it only saves a look at all parts.
        if isLive {
            // No test sees this: it only saves two calls.
            guard list.pointee.collected.count > 0 else { return rows }
            // No test sees this: it only saves growth.
            rows.reserveCapacity(list.pointee.collected.count)
            observer.forEachCollectedPart { rows.append($0.derivationPart.row) }
            // No test sees this: it only saves a look at all parts.
        } else if checkedAt != graph.pointee.epoch {
            // No test sees this: it only saves a look at all parts.
            checkedAt = graph.pointee.epoch
            observer.forEachPartOfDerivation { rows.append($0.derivationPart.row) }
        }
        return rows
    }

    /// The row that ``takeDueRows()`` would return, if the derivation is live and there is exactly one. This common
    /// case needs no allocation.
    @usableFromInline
    package final var onlyDueRow: UInt32? {
        guard isLive, list.pointee.collected.count == 1 else { return nil }
        return list.pointee.collected.elements(of: ObserverPointer.self)[0].derivationPart.row
    }

    /// Whether something that a part has read has really changed since its evaluation. Under the lock, in an
    /// evaluation. May evaluate computeds, and so run user code.
    @usableFromInline
    package final func hasChanged(_ part: _DerivationPart) -> Bool {
        let observer = part.observer
        // No test sees this: it only saves a walk.
        if graph.isValid(observer) {
            observer.uncollect()
            return false
        }
        // No test sees this never hold: the walk would find the same.
        if !observer.flags.isDisjoint(with: .outdated) || graph.mustEvaluate(observer) { return true }
        observer.uncollect()
        return false
    }

    /// Calls `body` with each existing part, including those in logged states. Under the lock; `body` must not change
    /// anything.
    @usableFromInline
    package final func forEachPart(_ body: (_DerivationPart) -> Void) {
        observer.forEachPartOfDerivation { body($0.derivationPart) }
    }

    // MARK: - Closures of elements

    /// Calls `body`, which runs closures of elements with ``run(row:part:_:)``. Under the lock, in an evaluation; not
    /// nested.
    ///
    /// Reads of `body` itself are lost: it must read nothing tracked.
    @usableFromInline
    package final func evaluateElements(_ body: () -> Void) {
        let graph = graph
        let thread = reactive_current()
        let owner = thread.pointee.owner
        let tracking = thread.pointee.tracking
        if spare == nil { spare = _DerivationPart(of: self) }
        let scratch = spare.unsafelyUnwrapped.observer
        var record = Evaluation(
            expected: nil, cursor: graph.addressOfSources(of: scratch), number: 0, node: scratch.asNode,
            outer: graph.pointee.evaluating, path_count: graph.pointee.path.count)
        withUnsafeMutablePointer(to: &record) { record in
            graph.pointee.evaluating = record
            evaluation = record
            thread.pointee.tracking = record
            thread.pointee.owner = nil
            beginScratch()

            body()

            thread.pointee.owner = owner
            graph.pointee.evaluating = record.pointee.outer
            thread.pointee.tracking = tracking
        }
    }

    /// Runs the closure of an element, tracked. In ``evaluateElements(_:)``.
    ///
    /// - Parameters:
    ///   - row: The row of the element.
    ///   - part: The part that the element has, or `nil`.
    ///   - body: The closure. It may run any code.
    /// - Returns: The value that `body` returns, and the part that the element has from now on: `nil` if the closure
    ///   has read nothing.
    /// - Complexity: O(reads).
    @inlinable @inline(__always)
    package final func run<Result>(
        row: UInt32, part: _DerivationPart?, _ body: () -> Result
    ) -> (Result, _DerivationPart?) {
        // In a transaction the old part belongs to the logged state.
        if let part, graph.pointee.log_count == 0 {
            var result: Result?
            let isNeeded = evaluate(part) { result = body() }
            return (result.unsafelyUnwrapped, isNeeded ? part : nil)
        }
        scratch.pointee.validated_at = graph.pointee.epoch
        let result = body()
        if scratch.pointee.sources == reactive_end_of_sources() { return (result, nil) }
        return (result, adoptScratch(for: row))
    }

    /// Runs `body` as the evaluation of a part. Returns whether it has read anything.
    @usableFromInline
    final func evaluate(_ part: _DerivationPart, _ body: () -> Void) -> Bool {
        part.observer.uncollect()
        graph.evaluate(part.observer, body)
        return part.observer.pointee.sources != reactive_end_of_sources()
    }

    /// Turns the spare part into the part of an element.
    @usableFromInline @inline(never)
    final func adoptScratch(for row: UInt32) -> _DerivationPart {
        let part = spare.unsafelyUnwrapped
        part.row = row
        part.isListed = true
        part.observer.joinPartList()
        if isLive { graph.makePartLive(part.observer) }
        spare = _DerivationPart(of: self)
        beginScratch()
        return part
    }

    /// Makes the thread record reads as those of the spare part.
    private final func beginScratch() {
        let evaluation = evaluation.unsafelyUnwrapped
        let graph = graph
        scratch = spare.unsafelyUnwrapped.observer
        graph.pointee.evaluations &+= 1
        evaluation.pointee.number = graph.pointee.evaluations
        evaluation.pointee.node = scratch.asNode
        evaluation.pointee.cursor = graph.addressOfSources(of: scratch)
    }
}

/// The list of parts of a derivation that was freed while its thread held another graph. Keeps the graph.
private final class AbandonedPartList {
    private let list: PartListPointer
    private let graph: GraphPointer

    init(_ list: PartListPointer, _ graph: GraphPointer) {
        self.list = list
        self.graph = graph
        graph.retain()
    }

    // This thread holds no graph: it is performing its deferred releases.
    deinit {
        graph.enter()
        list.abandon()
        graph.leave()
        graph.release()
    }
}

extension UnsafeMutablePointer where Pointee == PartList {
    /// Records that the derivation is gone. Its parts have no subscriptions, since it has no observers.
    fileprivate func abandon() {
        pointee.derivation = nil
        // No test sees this: only a leak checker sees memory that stays.
        freeIfUnused()
    }

    // No test sees this block: only a leak checker sees memory that stays. (Tests see memory that is freed too early.)
    fileprivate func freeIfUnused() {
        guard pointee.derivation == nil, pointee.count == 0 else { return }
        reactive_free(pointee.collected.base)
        deallocate()
    }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    /// Ends the list of parts of a derivation that is gone, if there is one.
    func abandonParts() { partList?.abandon() }

    /// The part of a derivation that contains the header. Precondition: the node is such a part.
    fileprivate var derivationPart: _DerivationPart {
        Unmanaged<_DerivationPart>.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize).takeUnretainedValue()
    }

    /// The node that diagnostics name: the derivation, if this is a part of one.
    var wholeNode: NodePointer {
        guard flags.isSuperset(of: [.part, .parted]) else { return asNode }
        return pointee.node.part_list?.pointee.derivation?.asNode ?? asNode
    }

    /// The list of parts, if this is a derivation that may have some.
    private var partList: PartListPointer? {
        guard flags.isSuperset(of: [.derivation, .parted]) else { return nil }
        return derivation._withUnsafeGuaranteedRef { unsafeDowncast($0, to: _PartedDerivation.self).list }
    }

    /// Whether this is a derivation that has parts.
    var hasParts: Bool { (partList?.pointee.count ?? 0) > 0 }

    /// Calls `body` with each part, if this is a derivation that has any. `body` must not free one.
    func forEachPartOfDerivation(_ body: (ObserverPointer) -> Void) {
        var next = partList?.pointee.first
        while let part = next {
            next = part.pointee.node.next_part
            body(part)
        }
    }

    /// Calls `body` with each collected part, if this is a derivation that has any. `body` must collect none.
    package func forEachCollectedPart(_ body: (ObserverPointer) -> Void) {
        guard let list = partList else { return }
        for index in 0..<list.pointee.collected.count {
            body(list.pointee.collected.elements(of: ObserverPointer.self)[index])
        }
    }

    /// Returns the last collected part before an index, among those for which `condition` holds.
    func lastCollectedPart(before index: Int, where condition: (ObserverPointer) -> Bool) -> ObserverPointer? {
        guard let list = partList else { return nil }
        var index = min(index, list.pointee.collected.count)
        while index > 0 {
            index -= 1
            let part = list.pointee.collected.elements(of: ObserverPointer.self)[index]
            // No test sees this never hold: it only saves walks.
            // No test sees this always hold: as above.
            if condition(part) { return part }
        }
        return nil
    }

    fileprivate func joinPartList() {
        guard let list = pointee.node.part_list else { return }
        list.pointee.first?.pointee.node.previous_part = self
        pointee.node.next_part = list.pointee.first
        list.pointee.first = self
        list.pointee.count += 1
    }

    fileprivate func leavePartList() {
        guard let list = pointee.node.part_list else { return }
        if let previous = pointee.node.previous_part {
            previous.pointee.node.next_part = pointee.node.next_part
        } else {
            list.pointee.first = pointee.node.next_part
        }
        pointee.node.next_part?.pointee.node.previous_part = pointee.node.previous_part
        list.pointee.count -= 1
        // No test sees this: only a leak checker sees memory that stays.
        list.freeIfUnused()
    }

    /// Removes a part from those that may have changed. The last of them moves to its index.
    fileprivate func uncollect() {
        guard flags.contains(.queued), let list = pointee.node.part_list else { return }
        flags.remove(.queued)
        let last = list.pointee.collected.pop(ObserverPointer.self)
        list.pointee.collected.elements(of: ObserverPointer.self)[Int(pointee.node.collected_index)] = last
        last.pointee.node.collected_index = pointee.node.collected_index
        pointee.node.collected_index = 0
    }

    #if DEBUG
    /// Whether a part is at its index among those that may have changed.
    var isInCollectedParts: Bool {
        guard let list = pointee.node.part_list else { return false }
        let index = Int(pointee.node.collected_index)
        return index < list.pointee.collected.count
            && list.pointee.collected.elements(of: ObserverPointer.self)[index] == self
    }
    #endif
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Records that a part of a derivation may have changed. Returns the derivation, which must be evaluated. The
    /// caller marks everything below it.
    func collectForDerivation(_ part: NodePointer) -> NodePointer {
        let list = part.pointee.part_list.unsafelyUnwrapped
        if !part.pointee.flags.contains(.queued) {
            part.pointee.collected_index = UInt32(list.pointee.collected.count)
            list.pointee.collected.push(part.asObserver)
        }
        part.pointee.flags.insert([.queued, .maybeStale])
        let derivation = list.pointee.derivation.unsafelyUnwrapped.asNode
        derivation.pointee.flags.insert(.stale)
        return derivation
    }

    /// Whether a part is known to reflect its sources.
    fileprivate func isValid(_ part: ObserverPointer) -> Bool {
        // No test sees this never hold: it only saves walks.
        guard part.flags.isDisjoint(with: .maybeStale) else { return false }
        // No test sees this never hold: it only saves walks.
        return part.flags.contains(.live) || part.pointee.validated_at == pointee.epoch
    }
}
