// The invariants that hold whenever no evaluation is in progress, as code. Only in debug builds, for tests; see
// `GraphHandle.checkInvariants`.
//
// The check starts at the live reactions and follows edges in both directions. So it reaches the dependencies of those,
// what stores their values, and everything that depends on them. Broken invariants are returned as sentences, so that a
// test can break one and expect its sentence.

#if DEBUG
import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Returns a sentence for each broken invariant. Under the lock, outside of evaluations.
    func brokenInvariants() -> [String] {
        var check = InvariantCheck(graph: self)
        check.run()
        return check.broken
    }
}

private struct InvariantCheck {
    let graph: GraphPointer
    var broken: [String] = []
    /// The nodes found so far, in the order in which they were found.
    private var nodes: [NodePointer] = []
    private var found: Set<NodePointer> = []
    /// The edges in the lists of observers' sources, and in those of sources' observers.
    private var inSources: Set<EdgePointer> = []
    private var inObservers: Set<EdgePointer> = []

    init(graph: GraphPointer) { self.graph = graph }

    mutating func run() {
        checkWork()
        checkRegistry()
        var next = 0
        while next < nodes.count {
            let node = nodes[next]
            next += 1
            expect(
                node.pointee.graph == graph, node, "belongs to a different graph than the nodes that it is linked to")
            if node.isObserver { followSources(of: node.asObserver) }
            if node.isSource { followObservers(of: node) }
            checkFlags(of: node)
            checkNumbers(of: node)
            checkLogIndex(of: node)
            for sentence in node.object._withUnsafeGuaranteedRef({ $0.brokenInvariants() }) {
                broken.append("\(node.name): \(sentence)")
            }
            if let storing = node.object._withUnsafeGuaranteedRef({ $0.storingNode?.node }) { find(storing) }
        }
        for edge in inObservers.subtracting(inSources) {
            report(edge.pointee.observer, "is in the observer list of a node that is not among its sources")
        }
        for edge in inSources {
            guard let observer = edge.pointee.observer, let source = edge.pointee.source else { continue }
            let isLive = observer.pointee.flags.contains(.live)
            if isLive != inObservers.contains(edge) {
                let sentence =
                    isLive ? "is not in the observer list of \(source.name)" : "is in an observer list, but not live"
                report(observer, sentence)
            }
        }
        broken += graph.brokenInvariantsOfEdges(inSources)
    }

    // MARK: - Edges

    private mutating func find(_ node: NodePointer) {
        if found.insert(node).inserted { nodes.append(node) }
    }

    private mutating func followSources(of observer: ObserverPointer) {
        observer.forEachPartOfDerivation { part in
            find(part.asNode)
            let isListed = part.flags.isSuperset(of: [.part, .parted])
            expect(isListed, part.asNode, "is in a derivation's list of parts, but is not a part")
            let isLive = part.flags.contains(.live)
            let isDerivationLive = observer.flags.contains(.live)
            expect(isLive == isDerivationLive, part.asNode, "is live and its derivation is not, or vice versa")
            let isMarked = !part.flags.isDisjoint(with: [.stale, .maybeStale])
            if isLive, isMarked { expect(part.flags.contains(.queued), part.asNode, "is marked, but not collected") }
            let isCollected = part.flags.contains(.queued)
            let isInParts = part.isInCollectedParts
            expect(isCollected == isInParts, part.asNode, "is queued, but not among the collected parts, or vice versa")
        }
        if observer.hasParts, !observer.flags.contains(.live) {
            expect(observer.flags.contains(.stale), observer.asNode, "has parts, but is neither live nor stale")
        }
        var edge = observer.pointee.sources
        while edge != reactive_end_of_sources() {
            guard inSources.insert(edge).inserted else {
                return report(observer.asNode, "has a cycle in its source list")
            }
            expect(
                edge.pointee.observer == observer.asNode, observer.asNode,
                "has a different observer's edge in its source list")
            guard let source = edge.pointee.source else {
                return report(observer.asNode, "has an edge without a source")
            }
            find(source)
            edge = edge.pointee.next_source
        }
        expect(edge.pointee.source == nil, observer.asNode, "ends its source list with an edge that has a source")
    }

    private mutating func followObservers(of source: NodePointer) {
        guard let first = source.pointee.observers else { return }
        var last = first
        var next: EdgePointer? = first
        while let edge = next {
            guard inObservers.insert(edge).inserted else { return report(source, "has a cycle in its observer list") }
            expect(edge.pointee.source == source, source, "has an edge to a different source in its observer list")
            let isBehindLast = edge == first || edge.pointee.previous_observer == last
            expect(isBehindLast, source, "has an edge with a wrong neighbour in its observer list")
            guard let observer = edge.pointee.observer else {
                return report(source, "has an edge without an observer in its observer list")
            }
            find(observer)
            last = edge
            next = edge.pointee.next_observer
        }
        expect(first.pointee.previous_observer == last, source, "has a wrong pointer to its last observer")
    }

    // MARK: - Nodes

    private mutating func checkFlags(of node: NodePointer) {
        let flags = node.pointee.flags
        let transient: NodeFlags = [.running, .checking, .modifying, .visited]
        expect(flags.isDisjoint(with: transient), node, "has a flag of an operation in progress")
        let isMarked = !flags.isDisjoint(with: [.stale, .maybeStale])
        expect(
            flags.isDisjoint(with: .sourceChanged) || flags.contains(.maybeStale), node,
            "is marked sourceChanged, but not maybeStale")
        if node.isSource {
            let isObserved = flags.contains(.derivation) && node.pointee.observers != nil
            expect(flags.contains(.live) == isObserved, node, "is live and not observed, or vice versa")
        }
        guard flags.contains(.live) else { return }
        if flags.contains(.router), isMarked { expect(flags.contains(.queued), node, "is marked, but not pending") }
        node.asObserver.forEachSource { source in
            // Such a mark stops the push, so everything below must have been notified.
            if source.pointee.flags.isSuperset(of: [.derivation, .maybeStale]) {
                expect(isMarked, node, "is not marked, but its source \(source.name) is")
            }
            if !isMarked, source.pointee.changed_at > node.asObserver.pointee.validated_at {
                report(node, "is not marked, but its source \(source.name) has changed")
            }
        }
    }

    private mutating func checkNumbers(of node: NodePointer) {
        if node.isSource {
            expect(node.pointee.changed_at <= graph.pointee.epoch, node, "changed at a future epoch")
            expect(node.pointee.last_reader <= graph.pointee.evaluations, node, "was last read by a future evaluation")
        }
        if node.isObserver {
            expect(node.asObserver.pointee.validated_at <= graph.pointee.epoch, node, "was validated at a future epoch")
        }
    }

    private mutating func checkLogIndex(of node: NodePointer) {
        let index = node.pointee.log_index
        guard node.isSource, index != 0 else { return }
        guard index <= graph.pointee.log_count else { return report(node, "has an index past the end of the log") }
        expect(graph.logEntry(index - 1).pointee.node == node, node, "points to the log entry of a different node")
    }

    private mutating func checkRegistry() {
        var numbers: Set<UInt64> = []
        for index in 0..<graph.pointee.reactions.count {
            let reaction = graph.pointee.reactions.elements(of: ObserverPointer.self)[index]
            let node = reaction.asNode
            find(node)
            expect(Int(node.pointee.registry_index) == index, node, "has a wrong index in the registry")
            expect(
                node.pointee.flags.isSuperset(of: [.reaction, .live]), node, "is registered, but not a live reaction")
            expect(!node.pointee.flags.contains(.cancelled), node, "is registered, but cancelled")
            expect(
                node.pointee.creation_number <= graph.pointee.reactions_created, node,
                "has a creation number that was not assigned yet")
            let isNew = numbers.insert(node.pointee.creation_number).inserted
            expect(isNew, node, "has the creation number of a different reaction")
            checkHolder(of: reaction)
            Callbacks.forEachDuePart(of: reaction) { part in
                find(part.asNode)
                expect(part.pointee.node.part_of == reaction, part.asNode, "is a part of a different reaction")
                expect(part.flags.contains(.queued), part.asNode, "is collected, but not queued")
            }
        }
    }

    // MARK: - Work

    private mutating func checkWork() {
        let thread = reactive_current()
        let graph = graph.pointee
        if graph.evaluating != nil { broken.append("An evaluation is in progress.") }
        if graph.path.count > 0 || graph.worklist.count > 0 { broken.append("A traversal is in progress.") }
        if thread.pointee.depth == 1, !graph.due.isEmpty { broken.append("The graph was unlocked with work due.") }
        if thread.pointee.depth == 1, graph.hopping.count == 0, !graph.due.work.isEmpty {
            broken.append("The graph was unlocked with flags of work.")
        }
        for index in 0..<graph.hopping.count {
            let router = graph.hopping.elements(of: ObserverPointer.self)[index]
            expect(router.flags.contains(.queued), router.asNode, "is hopping, but not pending")
        }
        if reactive_reads_take_lock(self.graph) != (graph.hopping.count > 0) {
            broken.append("Reads take the lock while no router is hopping, or vice versa.")
        }
        var absences: UInt64 = 0
        var previous: UnsafeMutablePointer<Absence>?
        var next = graph.absences
        while let absence = next, absences < 1 << 16 {
            if absence.pointee.previous != previous { broken.append("An absence has a wrong neighbour.") }
            absences += 1
            previous = absence
            next = absence.pointee.next
        }
        if (graph.logging & ~REACTIVE_LOGGING_RECORDING) / REACTIVE_LOGGING_ABSENCE != absences {
            broken.append("The number of absences is wrong.")
        }
        if graph.logging & ~REACTIVE_LOGGING_RECORDING == 0, graph.log_count > 0 {
            broken.append("The log is not empty outside transactions.")
        }
        if graph.level_start > graph.log_count { broken.append("A transaction begins past the end of the log.") }
    }

    /// Checks that a queued or suspended reaction is held as its flags say.
    private mutating func checkHolder(of reaction: ObserverPointer) {
        let flags = reaction.flags
        guard !flags.isDisjoint(with: [.queued, .suspended]) else { return }
        guard flags.isDisjoint(with: .queued) || flags.isDisjoint(with: .suspended) else {
            return report(reaction.asNode, "is queued and suspended")
        }
        guard let holder = reaction.pointee.node.held_by else {
            return report(reaction.asNode, "is queued or suspended, but held by no thread")
        }
        var isHeld = holder == reactive_current() && graph.pointee.due.holds(reaction)
        var next = graph.pointee.absences
        while let absence = next {
            let due = absence.pointee.due
            if absence.pointee.thread == holder, !due.isUntouched, due.holds(reaction) { isHeld = true }
            next = absence.pointee.next
        }
        expect(isHeld, reaction.asNode, "is not in the queue of the thread that holds it")
    }

    // MARK: - Reporting

    private mutating func expect(_ condition: Bool, _ node: NodePointer, _ sentence: @autoclosure () -> String) {
        if !condition { report(node, sentence()) }
    }

    private mutating func report(_ node: NodePointer?, _ sentence: String) {
        broken.append("\(node?.name ?? "An unknown node") \(sentence).")
    }
}

extension UnsafeMutablePointer where Pointee == NodeHeader {
    fileprivate var name: String { NodeName.text(of: pointee) }
    fileprivate var isObserver: Bool { !pointee.flags.isDisjoint(with: .observers) }
    fileprivate var isSource: Bool { pointee.flags.isDisjoint(with: [.reaction, .part]) }
}

extension DueWork {
    /// Whether a reaction is queued or suspended here.
    fileprivate func holds(_ reaction: ObserverPointer) -> Bool {
        if reaction.flags.contains(.suspended) {
            let object = UnsafeMutableRawPointer(reaction.asNode.object.toOpaque())
            return (0..<suspended.count).contains { suspended.elements(of: UnsafeMutableRawPointer.self)[$0] == object }
        }
        return (queue_head..<queue.count).contains { queue.elements(of: ObserverPointer.self)[$0] == reaction }
            || (0..<stragglers.count).contains { stragglers.elements(of: ObserverPointer.self)[$0] == reaction }
    }
}
#endif
