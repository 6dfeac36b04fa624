// Push: a source changed, so everything downstream may be stale, and the reactions downstream are due. They are queued,
// or, if a write affects only one, that one runs immediately.
//
// The push visits each live derivation once until that is validated again: a derivation that may already be stale has
// marked everything below it. Reactions are queued even if they are marked, since a marked one may have left the queue
// for a timer. The push runs no user code. The order is depth first along the lists of observers; `worklist` holds the
// edges at which to continue.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Gives a source's change its epoch, notifies the affected observers, and balances one `enter`.
    @inlinable @inline(__always)
    func noteChangeAndLeave(of source: NodePointer) {
        if reactive_mark_changed(source) { markObserversAndLeave(of: source) } else { leave() }
    }

    /// Marks everything downstream of `source`, and balances one `enter`.
    ///
    /// If only one reaction is due, it runs without going through the queue. There are two exceptions. A flush on this
    /// thread may be waiting for the end of an effect, whose writes are batched. Or a thread may be absent, whose work
    /// may have to be taken over. (Writes are recorded to name a loop only in a flush, so one of the two holds then.)
    @usableFromInline @inline(never)
    func markObserversAndLeave(of source: NodePointer) {
        let thread = reactive_current()
        // No test sees this: both ways lead to the same runs, the first one faster.
        if thread.pointee.depth == 1, pointee.due.work.isEmpty, thread.pointee.flush == nil, pointee.absences == nil {
            if let only = markLine(from: source) {
                flush(startingWith: only)
                return
            }
        } else {
            // No test sees this: it only saves a look at the source.
            markObservers(of: source, areOutdated: true)
            updateRoutersInEvaluation()
        }
        leave()
    }

    /// Does what `markObservers` does, with one exception: if a line of derivations with one observer each leads to a
    /// single reaction, returns that reaction instead of queueing it.
    @inline(__always)
    private func markLine(from source: NodePointer) -> ObserverPointer? {
        var edge = source.pointee.observers.unsafelyUnwrapped
        // No test sees this: it only saves the queue.
        guard edge.pointee.next_observer == nil else {
            // No test sees this: it only saves a look at the source.
            markObservers(of: source, areOutdated: true)
            return nil
        }
        var marks = NodeFlags.marks
        while true {
            var observer = edge.pointee.observer.unsafelyUnwrapped
            var before = observer.pointee.flags
            if !before.isDisjoint(with: [.reaction, .part]) {
                // No test sees this never hold: it only saves the queue.
                if before.isDisjoint(with: [.part, .held]) {
                    observer.pointee.flags = before.union(marks)
                    return observer.asObserver
                }
                guard before.contains(.parted) else {
                    notify(observer.asObserver, before.union(marks))
                    return nil
                }
                observer = collectForDerivation(observer)
                before = observer.pointee.flags
                // No test sees this: the derivation is stale, and so need not look at its sources.
                marks = .maybeStale
            }
            observer.pointee.flags = before.union(marks)
            // No test sees this: it only saves a walk.
            guard !before.contains(.maybeStale), let next = observer.pointee.observers else { return nil }
            // No test sees this: it only saves the queue.
            guard next.pointee.next_observer == nil else {
                markBelow(next)
                return nil
            }
            edge = next
            marks = .maybeStale
        }
    }

    /// Marks everything downstream of `source` as maybe stale and queues the reactions there.
    ///
    /// - Parameter areOutdated: Whether the source is known to have changed, so that its own observers need not check
    ///   it. Otherwise they must, whatever their marks were before.
    @usableFromInline @inline(never)
    func markObservers(of source: NodePointer, areOutdated: Bool) {
        if pointee.tracing != nil { Callbacks.written(source) }
        // No test sees this: it only saves a look at the source.
        let marks: NodeFlags = areOutdated ? .marks : .maybeStale
        // No test sees this: it only saves walks.
        let ignoresMarks = pointee.absences != nil && othersHaveDueWork
        var next = source.pointee.observers
        while let edge = next {
            next = edge.pointee.next_observer
            var observer = edge.pointee.observer.unsafelyUnwrapped
            var flags = observer.pointee.flags
            let isDerivation = flags.isDisjoint(with: [.reaction, .part])
            if isDerivation || flags.contains(.parted) {
                if isDerivation {
                    observer.pointee.flags = flags.subtracting(.sourceChanged).union(marks)
                } else {
                    observer = collectForDerivation(observer)
                    flags = observer.pointee.flags
                    // No test sees this: it only saves the walks of later changes.
                    observer.pointee.flags.insert(.maybeStale)
                }
                guard let first = observer.pointee.observers else { continue }
                if ignoresMarks {
                    markAllBelow(first)
                    // No test sees this: it only saves a walk.
                } else if !flags.contains(.maybeStale) {
                    markBelow(first)
                }
            } else {
                notify(observer.asObserver, flags.subtracting(.sourceChanged).union(marks))
            }
        }
    }

    /// Marks the observers from `first` on as maybe stale, and everything below them.
    @inline(__always)
    private func markBelow(_ first: EdgePointer) {
        visit(first, while: { !$0.contains(.maybeStale) }) { $0.union(.maybeStale) }
    }

    /// Changes the flags of the derivations from `first` on and below for which `condition` holds. Queues the reactions
    /// that it reaches.
    @inline(__always)
    func visit(_ first: EdgePointer, while condition: (NodeFlags) -> Bool, _ change: (NodeFlags) -> NodeFlags) {
        let bottom = pointee.worklist.count
        var next: EdgePointer? = first
        while true {
            while let edge = next {
                next = edge.pointee.next_observer
                var observer = edge.pointee.observer.unsafelyUnwrapped
                var flags = observer.pointee.flags
                if !flags.isDisjoint(with: [.reaction, .part]) {
                    guard flags.contains(.parted) else {
                        notify(observer.asObserver, flags.union(.maybeStale))
                        continue
                    }
                    observer = collectForDerivation(observer)
                    flags = observer.pointee.flags
                }
                if condition(flags) {
                    observer.pointee.flags = change(flags)
                    if let first = observer.pointee.observers {
                        if let next { pointee.worklist.push(next) }
                        next = first
                    }
                }
            }
            if pointee.worklist.count == bottom { return }
            next = pointee.worklist.pop(EdgePointer.self)
        }
    }

    /// Marks a reaction, or a part of one, and queues it.
    @inline(__always)
    func notify(_ observer: ObserverPointer, _ flags: NodeFlags) {
        if flags.contains(.part) {
            if flags.contains(.router) { pend(observer) } else { Callbacks.notify(observer) }
        } else {
            observer.flags = flags
            makeDue(observer)
        }
    }

    /// Retracts the mark that a source is known to have changed.
    func retractChange(of source: NodePointer) {
        var next = source.pointee.observers
        while let edge = next {
            next = edge.pointee.next_observer
            edge.pointee.observer.unsafelyUnwrapped.pointee.flags.remove(.sourceChanged)
        }
    }

    /// Marks all changes as seen by `observer`. The next change upstream still notifies it.
    func rearm(_ observer: ObserverPointer) {
        rearmSources(of: observer)
        observer.flags.remove(.marks)
    }

    /// Makes sure that the next change upstream reaches `observer` again, although its sources are not validated now.
    ///
    /// A mark stops the push, since everything below has been notified. Here an observer below needs the next
    /// notification too. Validating upstream would evaluate sources that may no longer be read. Instead each "maybe
    /// stale" becomes "stale", which does not stop the push.
    func rearmSources(of observer: ObserverPointer) {
        let bottom = pointee.worklist.count
        pointee.worklist.push(observer)
        if observer.flags.contains(.reaction) {
            Callbacks.forEachDuePart(of: observer) { pointee.worklist.push($0) }
        }
        while pointee.worklist.count > bottom {
            let next = pointee.worklist.pop(ObserverPointer.self)
            // No test sees this always hold: it only saves a call.
            if next.flags.contains(.parted) { next.forEachCollectedPart { pointee.worklist.push($0) } }
            var edge = next.pointee.sources
            while let source = edge.pointee.source {
                if source.pointee.flags.contains(.maybeStale) {
                    source.pointee.flags = source.pointee.flags.subtracting(.marks).union(.stale)
                    pointee.worklist.push(source.asObserver)
                }
                edge = edge.pointee.next_source
            }
        }
    }

    /// Marks a running observer that has just read a source that is not up to date, and that may change without another
    /// write.
    func noteUncertainty(of observer: ObserverPointer) {
        let flags = observer.flags
        // No test sees this always hold: everything below would only be marked once more.
        // No test sees this left out: as above.
        guard flags.isDisjoint(with: [.stale, .maybeStale]) else { return }
        observer.flags = flags.union(.maybeStale)
        if flags.contains(.parted), flags.contains(.part) {
            let derivation = collectForDerivation(observer.asNode)
            // No test sees this always hold: everything below would only be marked once more.
            guard !derivation.pointee.flags.contains(.maybeStale) else { return }
            // No test sees this: it only saves the walks of later changes.
            derivation.pointee.flags.insert(.maybeStale)
            markObservers(of: derivation, areOutdated: false)
        } else if flags.contains(.part) {
            notify(observer, observer.flags)
        } else if flags.contains(.reaction) {
            makeDue(observer)
        } else {
            markObservers(of: observer.asNode, areOutdated: false)
        }
    }
}
