// Sources that are to know whether a live observer reads them, such as those that stand for something outside.
//
// A source may lose its last observer and get a new one several times in one flush: a reaction drops it, and the next
// takes it up. So a transition is only noted, with the work that is due. When no reaction is due any more, the flush
// compares what is with what was reported last, and reports a difference.
//
//     edge added to an empty list, or last edge removed ──▶ noted ──▶ end of the flush: reported, outside the lock

import CReactive

/// What a source does when it gets its first live observer, and when it has lost the last one.
class ObservationReport {
    /// Notes whether the source is observed. Under the lock.
    ///
    /// - Returns: What to run outside the lock; `nil` if it was noted before.
    func note(_ isObserved: Bool) -> (() -> Void)? { nil }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Notes that a source has got its first live observer, or lost its last one.
    @inline(never)
    func noteObservation(of source: NodePointer) {
        pointee.due.observation.push(source.object.retain().toOpaque())
        pointee.due.work.insert(.observation)
    }

    /// Reports the transitions that this flush has noted, as far as they still hold and were not reported before.
    @inline(never)
    func reportObservation() {
        var reports: [() -> Void] = []
        for index in 0..<pointee.due.observation.count {
            let source = Unmanaged<_Node>.fromOpaque(pointee.due.observation.elements(of: UnsafeRawPointer.self)[index])
            let header = source._withUnsafeGuaranteedRef { $0.node.pointee }
            if let report = NodeName.observation(of: header)?.note(header.observers != nil) { reports.append(report) }
            releaseLater(source)
        }
        pointee.due.observation.count = 0
        if !reports.isEmpty { withLockReleased { for report in reports { report() } } }
    }
}
