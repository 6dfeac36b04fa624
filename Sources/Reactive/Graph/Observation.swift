// Sources that report whether a live observer reads them, such as those that represent something outside.
//
// A source may lose its last observer and get a new one several times in one flush: one reaction drops it, and the next
// one reads it. So a transition is only recorded, as due work. When no reaction is due any more, the flush compares the
// current state with the one reported last, and reports a difference.
//
//     edge added to an empty list, or last edge removed ──▶ recorded ──▶ end of the flush: reported, outside the lock
//
// A source may receive changes only while it is observed. Such a source is also recorded when a derivation without
// observers reads it, because nothing will notify that derivation of a change. If the source is not observed at the end
// of the flush either, it then counts as changed, and the next operation that reads the derivation evaluates it.

import CReactive

/// The action of a source when it gets its first live observer, and when it has lost the last one.
class ObservationReport {
    /// Whether the source receives changes only while it is observed.
    let followsOnlyObserved: Bool

    init(followsOnlyObserved: Bool) { self.followsOnlyObserved = followsOnlyObserved }

    /// Records whether the source is observed. Under the lock.
    ///
    /// - Returns: The action to run outside the lock; `nil` if there is no difference.
    func note(_ isObserved: Bool) -> (() -> Void)? { nil }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Records that a source has got its first live observer, or lost its last one, or is read without one.
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

    /// Reports the transitions of this flush that still hold and were not reported before. Invalidates the cached
    /// results of sources that are not observed.
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
        // No test sees this: it only saves an absence.
        if !reports.isEmpty { withLockReleased { for report in reports { report() } } }
    }
}
