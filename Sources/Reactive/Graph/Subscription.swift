// The creation and removal of edges, and the spread of liveness.
//
// An observer is live if it is a reaction, or if a chain of subscriptions leads from it to a reaction. A live observer
// is in the lists of its sources and is notified of changes. A derivation without live observers keeps its edges, so
// that its cache can be checked, but leaves those lists: unneeded observers cost their sources nothing, and are not
// kept alive by them. Liveness starts and ends along chains of any length, hence the loops over `worklist` instead of
// recursion.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Creates an edge from `observer` to `source`; the caller adds it to the observer's list.
    func link(_ observer: ObserverPointer, to source: NodePointer) -> EdgePointer {
        let edge = allocateEdge()
        edge.pointee.source = source
        edge.pointee.observer = observer.asNode
        _ = source.object.retain()
        // No test sees this always hold: it only saves a call.
        if source.pointee.flags.contains(.counted) { countEdge(to: source) }
        if observer.flags.contains(.live) {
            subscribe(edge, of: source)
            // No test sees this left out: a source that was read is not running, and not stale without a mark.
            if !source.pointee.flags.isDisjoint(with: [.stale, .maybeStale, .running]) {
                noteUncertainty(of: observer)
            }
        }
        return edge
    }

    /// Unlinks a chain of edges that their observer no longer holds.
    func drop(_ first: EdgePointer) {
        var edge = first
        while let source = edge.pointee.source {
            let next = edge.pointee.next_source
            let observer = edge.pointee.observer.unsafelyUnwrapped
            if observer.pointee.flags.contains(.live) {
                if observer.pointee.flags.contains(.reaction) { Callbacks.unwatched(source, by: observer.asObserver) }
                unsubscribe(edge, of: source)
                freeEdge(edge)
                if source.pointee.observers == nil, source.pointee.flags.contains(.live) {
                    makeNotLive(source.asObserver)
                }
            } else {
                freeEdge(edge)
            }
            // No test sees this always hold: it only saves a call.
            if source.pointee.flags.contains(.counted) { uncountEdge(to: source) }
            releaseLater(source.object)
            edge = next
        }
    }

    /// Unlinks a freed observer from its sources and parts. Precondition: it has no observers.
    func abandon(_ observer: ObserverPointer) {
        observer.abandonParts()
        drop(abandoned: observer.pointee.sources)
    }

    /// Unlinks a chain of edges whose observer is gone. It had no observers, so the edges are in no other list.
    fileprivate func drop(abandoned first: EdgePointer) {
        var edge = first
        while let source = edge.pointee.source {
            let next = edge.pointee.next_source
            freeEdge(edge)
            // No test sees this always hold: it only saves a call.
            if source.pointee.flags.contains(.counted) { uncountEdge(to: source) }
            releaseLater(source.object)
            edge = next
        }
    }

    @inline(never)
    private func countEdge(to source: NodePointer) {
        source.object._withUnsafeGuaranteedRef { $0.edgeWasAdded() }
    }

    /// The freed edge's reference keeps the source until the graph is unlocked.
    @inline(never)
    private func uncountEdge(to source: NodePointer) {
        source.object._withUnsafeGuaranteedRef { $0.edgeWasRemoved() }
    }

    /// Unlinks everything that `observer` reads.
    func dropSources(of observer: ObserverPointer) {
        let first = observer.pointee.sources
        observer.pointee.sources = reactive_end_of_sources()
        drop(first)
    }

    // MARK: - Edges that keep nothing alive

    /// Subscribes an observer to a single source, which it does not keep alive. Precondition: the source is up to date,
    /// and the code that frees the source first calls `unlinkUnkept`.
    func linkUnkept(_ observer: ObserverPointer, to source: NodePointer) {
        let edge = link(observer, to: source)
        edge.pointee.next_source = reactive_end_of_sources()
        observer.pointee.sources = edge
        source.object.release()
    }

    /// Undoes one `linkUnkept`, if there was one.
    ///
    /// - Parameter isBeingFreed: Whether the reason is that the source is being freed.
    func unlinkUnkept(_ observer: ObserverPointer, isBeingFreed: Bool) {
        let edge = observer.pointee.sources
        guard let source = edge.pointee.source else { return }
        observer.pointee.sources = reactive_end_of_sources()
        if isBeingFreed {
            // No test sees this always hold: it only saves a call.
            if source.pointee.flags.contains(.reportsObservation) { endObservation(of: source) }
        }
        unsubscribe(edge, of: source)
        freeEdge(edge)
        if source.pointee.observers == nil, source.pointee.flags.contains(.live) { makeNotLive(source.asObserver) }
        if !isBeingFreed {
            // No test sees this always hold: it only saves a call.
            if source.pointee.flags.contains(.counted) { uncountEdge(to: source) }
        }
    }

    // MARK: - The list of a source

    private func append(_ edge: EdgePointer, to source: NodePointer) {
        edge.pointee.next_observer = nil
        if let first = source.pointee.observers {
            let last = first.pointee.previous_observer.unsafelyUnwrapped
            last.pointee.next_observer = edge
            edge.pointee.previous_observer = last
            first.pointee.previous_observer = edge
        } else {
            edge.pointee.previous_observer = edge
            source.pointee.observers = edge
            // No test sees this always hold: it only saves a look at the end of the flush.
            if source.pointee.flags.contains(.reportsObservation) { noteObservation(of: source) }
        }
    }

    private func unsubscribe(_ edge: EdgePointer, of source: NodePointer) {
        let first = source.pointee.observers.unsafelyUnwrapped
        let previous = edge.pointee.previous_observer.unsafelyUnwrapped
        let next = edge.pointee.next_observer
        if edge == first {
            source.pointee.observers = next
            // No test sees this always hold: it only saves a look at the end of the flush.
            if next == nil, source.pointee.flags.contains(.reportsObservation) { noteObservation(of: source) }
        } else {
            previous.pointee.next_observer = next
        }
        // The next neighbour stores the new neighbour in front of it. If there is none, the first one does.
        if let next {
            next.pointee.previous_observer = previous
        } else {
            first.pointee.previous_observer = previous
        }
    }

    // MARK: - Liveness

    private func subscribe(_ edge: EdgePointer, of source: NodePointer) {
        append(edge, to: source)
        if source.pointee.flags.contains(.derivation), !source.pointee.flags.contains(.live) {
            makeLive(source.asObserver)
        }
    }

    /// Subscribes a derivation to its sources, and these to theirs, recursively.
    ///
    /// The caller has brought the derivation up to date, and with it the sources that go live. There are two exceptions,
    /// in which what was not validated is marked: an evaluation that itself changed state, and what only parts of an
    /// earlier state of a view read.
    private func makeLive(_ derivation: ObserverPointer) {
        let bottom = pointee.worklist.count
        derivation.flags.insert(.live)
        pointee.worklist.push(derivation)
        while pointee.worklist.count > bottom {
            let observer = pointee.worklist.pop(ObserverPointer.self)
            if observer.pointee.validated_at != pointee.epoch { observer.flags.insert(.maybeStale) }
            subscribeToSources(observer)
            // No test sees this always hold: it only saves a call.
            if observer.flags.contains(.parted) { makePartsLive(of: observer) }
        }
    }

    /// Adds the edges of an observer that goes live to the lists of its sources. Derivations among the sources go live
    /// next.
    @inline(__always)
    private func subscribeToSources(_ observer: ObserverPointer) {
        var edge = observer.pointee.sources
        while let source = edge.pointee.source {
            append(edge, to: source)
            if source.pointee.flags.contains(.derivation), !source.pointee.flags.contains(.live) {
                source.pointee.flags.insert(.live)
                pointee.worklist.push(source.asObserver)
            }
            edge = edge.pointee.next_source
        }
    }

    /// Subscribes the parts of a derivation that goes live. Those that are not known to be valid are collected.
    ///
    /// If the derivation is valid, these belong to an earlier state of it, and need a check only if a roll-back
    /// restores that state.
    private func makePartsLive(of derivation: ObserverPointer) {
        let isUncertain = derivation.pointee.validated_at != pointee.epoch
        derivation.forEachPartOfDerivation { part in
            part.flags.insert(.live)
            subscribeToSources(part)
            // No test sees this never hold: only parts that were validated after the last change need no check.
            if isUncertain || !isValidated(part) { _ = collectForDerivation(part.asNode) }
        }
        if !isUncertain { derivation.flags.remove(.stale) }
    }

    /// Subscribes a part whose first evaluation has ended, or a new router. Precondition: a part's derivation is live,
    /// and being evaluated.
    func makePartLive(_ part: ObserverPointer) {
        part.flags.insert(.live)
        var isUncertain = !isValidated(part)
        var edge = part.pointee.sources
        while let source = edge.pointee.source {
            subscribe(edge, of: source)
            // No test sees this left out: a stale view is maybe stale, too; one that runs marks its keys when it ends.
            if !source.pointee.flags.isDisjoint(with: [.stale, .maybeStale, .running]) { isUncertain = true }
            edge = edge.pointee.next_source
        }
        if isUncertain { noteUncertainty(of: part) }
    }

    /// Whether nothing can have changed since a part was validated. Precondition: it was not live, so that no change
    /// has marked it.
    private func isValidated(_ part: ObserverPointer) -> Bool {
        part.pointee.validated_at == pointee.epoch
    }

    /// Unsubscribes a derivation that lost its last live observer, and everything that only it kept live.
    private func makeNotLive(_ derivation: ObserverPointer) {
        let bottom = pointee.worklist.count
        pointee.worklist.push(derivation)
        while pointee.worklist.count > bottom {
            let observer = pointee.worklist.pop(ObserverPointer.self)
            unsubscribeFromSources(observer)
            // No test sees this always hold: it only saves two calls.
            if observer.flags.contains(.parted) {
                observer.forEachPartOfDerivation { unsubscribeFromSources($0) }
                // Its next evaluation checks the parts itself.
                if observer.hasParts { observer.flags.insert(.stale) }
            }
        }
    }

    /// Removes the edges of an observer that stops being live from the lists of its sources. Derivations that then have
    /// no observers stop being live next.
    @inline(__always)
    private func unsubscribeFromSources(_ observer: ObserverPointer) {
        var flags = observer.flags
        // A clean cache is valid up to now; any other, up to its last validation.
        // No test sees this: it only saves a walk. (One that is stale is evaluated in any case.)
        if flags.isDisjoint(with: [.stale, .maybeStale, .running]) {
            // No test sees this: it only saves a walk.
            observer.pointee.validated_at = pointee.epoch
        }
        flags.remove([.live, .marks])
        observer.flags = flags
        var edge = observer.pointee.sources
        while let source = edge.pointee.source {
            unsubscribe(edge, of: source)
            if source.pointee.observers == nil, source.pointee.flags.contains(.live) {
                pointee.worklist.push(source.asObserver)
            }
            edge = edge.pointee.next_source
        }
    }
}

/// The sources of an observer that has been freed. Keeps the graph.
final class AbandonedSources {
    private let first: EdgePointer
    private let graph: GraphPointer

    /// Unlinks the sources of an observer that is being freed: now, or, if this thread holds another graph, after it
    /// has released that one.
    static func drop(_ first: EdgePointer, of graph: GraphPointer) {
        if graph.isOutOfReach {
            DeferredReleases.add(object: AbandonedSources(first, graph))
        } else {
            graph.enter()
            graph.drop(abandoned: first)
            graph.leave()
        }
    }

    private init(_ first: EdgePointer, _ graph: GraphPointer) {
        self.first = first
        self.graph = graph
        graph.retain()
    }

    deinit {
        AbandonedSources.drop(first, of: graph)
        graph.release()
    }
}
