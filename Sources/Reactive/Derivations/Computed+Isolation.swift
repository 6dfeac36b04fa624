// Computeds whose closures belong to an actor: they are evaluated there, or the program says so.
//
// The check is a part of the closure that is stored, and only if there is an actor. So computeds of no isolation
// neither store nor check anything, and a cached value that is current can be read anywhere. The message finds the name
// of the computed as that of the evaluation in progress.

import CReactive

extension Computed {
    /// `compute` as a closure that stops the program elsewhere than on its actor; just `compute`, if there is none.
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
    /// Stops the program unless the calling code, an evaluation of a computed, runs on the actor, or that is gone: the
    /// closure cannot have captured it then, and evaluations take turns.
    package func checkEvaluation() {
        RunningDerivation.beConfined()
        guard let actor, !Isolation.isCurrent(actor) else { return }
        Isolation.stopForEvaluation(of: "computed \(RunningDerivation.name)", belongingTo: self)
    }

    /// Does what `checkEvaluation` does, once for each evaluation. For closures that one evaluation calls many times.
    ///
    /// - Parameter checked: The number of the evaluation that was checked last.
    package func checkEvaluation(since checked: inout UInt64) {
        let evaluation = reactive_tracking_number()
        if evaluation == checked { return }
        checkEvaluation()
        checked = evaluation
    }
}

/// The computed whose closure this thread has just begun to run.
enum RunningDerivation {
    private static var node: NodePointer { reactive_current().pointee.tracking.pointee.node }

    static var name: String { NodeName.text(of: node.pointee) }

    /// Notes that its closure belongs to an actor.
    static func beConfined() {
        guard reactive_is_tracking() else { return }
        node.pointee.flags.insert(.confined)
        node.pointee.graph.details.hasConfinedNodes = true
    }

    /// The value that it has had up to now, if any.
    static func lastValue<Value>(of type: Computed<Value>.Type) -> Value? {
        guard node.pointee.flags.contains(.hasValue) else { return nil }
        return Computed<Value>.place(in: node.asObserver).pointee
    }
}
