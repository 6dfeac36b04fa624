// Computeds whose closures belong to an actor. They are evaluated on that actor; an evaluation elsewhere stops the
// program.
//
// The check is a part of the stored closure, and exists only if there is an actor. So computeds without isolation
// neither store nor check anything, and a cached value that is up to date can be read anywhere. The message takes the
// name of the computed from the evaluation in progress.

import CReactive

extension Computed {
    /// Returns `compute` wrapped in a check that stops the program off its actor; `compute` itself if there is no
    /// actor.
    @inlinable @inline(__always)
    static func confined(_ compute: @escaping () -> Value, to isolation: (any Actor)?) -> () -> Value {
        if let isolation { return Computed.checking(compute, on: isolation) }
        return compute
    }

    @usableFromInline @inline(never)
    static func checking(_ compute: @escaping () -> Value, on actor: any Actor) -> () -> Value {
        let isolation = ClosureIsolation(actor)
        return {
            isolation.checkEvaluation()
            return compute()
        }
    }
}

extension ClosureIsolation {
    /// Stops the program if an evaluation of a computed runs off its actor. It continues if the actor is gone: the
    /// closure cannot have captured it then, and the lock serialises evaluations.
    package func checkEvaluation() {
        RunningDerivation.markConfined()
        guard let actor, !Isolation.isCurrent(actor) else { return }
        Isolation.stopForEvaluation(of: "computed \(RunningDerivation.name)", belongingTo: self)
    }

    /// Runs `checkEvaluation` once for each evaluation. For closures that one evaluation calls many times.
    ///
    /// - Parameter checked: The number of the evaluation that was checked last.
    package func checkEvaluation(since checked: inout UInt64) {
        let evaluation = reactive_tracking_number()
        // No test sees this never hold: it only saves checks.
        if evaluation == checked { return }
        checkEvaluation()
        // No test sees this left out: as above.
        checked = evaluation
    }
}

/// The computed whose closure has just begun to run on this thread.
enum RunningDerivation {
    private static var node: NodePointer { reactive_current().pointee.tracking.pointee.node }

    static var name: String { NodeName.text(of: node.pointee) }

    /// Records that its closure belongs to an actor.
    static func markConfined() {
        // No test sees this always hold: no closure of an actor runs in an untracked part of an evaluation.
        guard reactive_is_tracking() else { return }
        node.pointee.flags.insert(.confined)
        node.pointee.graph.details.hasConfinedNodes = true
    }

    /// Returns its previous value, if it has one.
    static func lastValue<Value>(of type: Computed<Value>.Type) -> Value? {
        guard node.pointee.flags.contains(.hasValue) else { return nil }
        return Computed<Value>.storage(in: node.asObserver).pointee
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Returns whether bringing a derivation up to date may evaluate a closure that belongs to an actor.
    func isConfined(_ derivation: ObserverPointer) -> Bool {
        var seen: Set<ObserverPointer> = [derivation]
        var pending = [derivation]
        while let next = pending.popLast() {
            if next.flags.contains(.confined) { return true }
            // No test sees this always hold: it only saves a cast.
            if next.flags.contains(.parted), let view = next.derivation.takeUnretainedValue() as? _PartedDerivation,
                view.hopToActor() != nil
            {
                return true
            }
            next.forEachSource { source in
                guard source.pointee.flags.contains(.derivation) else { return }
                if seen.insert(source.asObserver).inserted { pending.append(source.asObserver) }
            }
        }
        return false
    }
}
