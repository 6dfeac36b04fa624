// A reaction that waits for a debounced schedule: which changes begin its pause again.
//
// As for an immediate reaction, a change counts if it reaches the reaction: if a source has a new value, after
// computeds were brought up to date. But the reaction is stale already, so some of its sources may be ones that it will
// not read again, and evaluating those may even be invalid:
//
//     sources, in the order they were read:    a   b   c   d   e
//                                                      ^ the first one that has changed since the last run
//
// All sources before `c` are unchanged, so the next run reads `a`, `b` and `c` again: these are brought up to date.
// Whether it reads `d` and `e` is unknown: if one of them is a computed that is not up to date, the change counts.

import CReactive

extension Reaction {
    /// Whether a request to the schedule is waiting, and the reaction is stale because of changes before it.
    func isWaiting(with options: ReactionOptions) -> Bool { options.requestEpoch >= observer.pointee.validated_at }

    /// Whether a change since the request has reached the reaction. Under the lock, where the reaction runs.
    ///
    /// False if a computed that was evaluated has run or cancelled the reaction.
    func hasChangedWhileWaiting(with options: ReactionOptions) -> Bool {
        // The parts of a reaction are checked when it runs. The request has removed earlier marks.
        // No test sees this never hold: a source that has changed is found below, too.
        if options.parts != nil || observer.flags.contains(.sourceChanged) { return true }
        // No test sees this always hold: it only saves searches.
        let confines = options.isolation == nil && graph.details.hasConfinedNodes
        return graph.hasChanged(observer, since: options.requestEpoch) { derivation in
            // Otherwise this thread may be one on which the derivation cannot be evaluated.
            !confines || !graph.isConfined(derivation)
        }
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Whether a source of a stale observer has changed since an epoch, or may have changed and cannot be checked. No
    /// evaluation is in progress.
    ///
    /// A derivation that writes may change a source that was found unchanged before. That makes the observer due again.
    fileprivate func hasChanged(
        _ observer: ObserverPointer, since epoch: UInt64, mayEvaluate: (ObserverPointer) -> Bool
    ) -> Bool {
        var willBeRead = true
        var edge = observer.pointee.sources
        // As in Validation.swift: code that runs the observer, or removes its edges, clears the flag.
        observer.flags.insert(.checking)
        defer { observer.flags.remove(.checking) }
        while let source = edge.pointee.source {
            let flags = source.pointee.flags
            // No test sees this always hold: only derivations have these flags while nothing is modified.
            if flags.contains(.derivation), !flags.isDisjoint(with: .notCurrent) {
                guard willBeRead, mayEvaluate(source.asObserver) else { return true }
                refresh(source.asObserver)
                guard observer.flags.contains(.checking) else { return false }
            }
            if source.pointee.changed_at > epoch { return true }
            if source.pointee.changed_at > observer.pointee.validated_at { willBeRead = false }
            edge = edge.pointee.next_source
        }
        return false
    }
}
