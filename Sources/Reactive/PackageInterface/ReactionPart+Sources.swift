// The dependencies of a part of a reaction.

import CReactive

extension _ReactionPart {
    /// Calls `body` once with each state that the last evaluation read, directly or through computeds. Under the lock.
    ///
    /// - Complexity: O(reads), plus the sources of the computeds that were read.
    package final func forEachState(_ body: (any RecordableState) -> Void) {
        var known: Set<NodePointer> = []
        var reported: Set<ObjectIdentifier> = []
        var observers = [observer]
        while let observer = observers.popLast() {
            observer.forEachPart { observers.append($0) }
            var edge = observer.pointee.sources
            while let source = edge.pointee.source {
                edge = edge.pointee.next_source
                // No test sees this always hold: it only saves visits.
                guard known.insert(source).inserted else { continue }
                if source.pointee.flags.contains(.derivation) {
                    observers.append(source.asObserver)
                } else {
                    let object = source.object.takeUnretainedValue()
                    let state = object as? any RecordableState ?? (object as? any AspectOfState)?.recordableState
                    // No test sees this always hold: to note a state twice does no harm.
                    if let state, reported.insert(ObjectIdentifier(state)).inserted { body(state) }
                }
            }
        }
    }
}
