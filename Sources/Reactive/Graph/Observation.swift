// Sources that are to know whether a live observer reads them, such as those that stand for something outside.
//
// A source may lose its last observer and get a new one several times in one flush: a reaction drops it, and the next
// takes it up. So a transition is only noted, with the work that is due. When no reaction is due any more, the flush
// compares what is with what was reported last, and reports a difference.
//
//     edge added to an empty list, or last edge removed ──▶ noted ──▶ end of the flush: reported, outside the lock
//
// A source that hears of changes only while it is observed is noted also when a derivation reads it that nobody observes.
// Nobody will tell that derivation of a change. So if the source is not observed at the end of the flush either, it
// counts as changed after that, and the derivation is evaluated by the next operation that reads it.

import CReactive

/// What a source does when it gets its first live observer, and when it has lost the last one.
class ObservationReport {
    /// Whether the source hears of changes only while it is observed.
    let followsOnlyObserved: Bool

    init(followsOnlyObserved: Bool) { self.followsOnlyObserved = followsOnlyObserved }

    /// Notes whether the source is observed. Under the lock.
    ///
    /// - Returns: What to run outside the lock; `nil` if it was noted before.
    func note(_ isObserved: Bool) -> (() -> Void)? { nil }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Notes that a source has got its first live observer, or lost its last one, or is read without one.
    @inline(never)
    func noteObservation(of source: NodePointer) {
        pointee.due.observation.push(source.object.retain().toOpaque())
        pointee.due.work.insert(.observation)
    }

    /// Reports that a source loses its last observer because it is being freed: nothing may keep it until the flush
    /// ends.
    @inline(never)
    func endObservation(of source: NodePointer) {
        source.pointee.flags.remove(.reportsObservation)
        if let report = NodeName.observation(of: source.pointee)?.note(false) { deferAction(report) }
    }

    /// Reports the transitions that this flush has noted, as far as they still hold and were not reported before, and
    /// ends what was cached of sources that nobody follows.
    @inline(never)
    func reportObservation() {
        var reports: [() -> Void] = []
        for index in 0..<pointee.due.observation.count {
            let source = Unmanaged<_Node>.fromOpaque(pointee.due.observation.elements(of: UnsafeRawPointer.self)[index])
            source._withUnsafeGuaranteedRef { source in
                let isObserved = source.node.pointee.observers != nil
                guard let hooks = NodeName.observation(of: source.node.pointee) else { return }
                if !isObserved, hooks.followsOnlyObserved { _ = reactive_mark_changed(source.node) }
                if let report = hooks.note(isObserved) { reports.append(report) }
            }
            releaseLater(source)
        }
        pointee.due.observation.count = 0
        if !reports.isEmpty { withLockReleased { for report in reports { report() } } }
    }
}
