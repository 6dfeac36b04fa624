// Pull: find out whether an observer that may be stale really is, by re-evaluating upstream only what must be.
//
// The plain form, which the tests keep as their oracle:
//
//     mustEvaluate(observer) = observer's sources, in the order they were read, until one of them has changed:
//         source is a derivation that may be stale:  if mustEvaluate(source) { evaluate(source) }
//         source.changed_at > observer.validated_at: return true
//     return false
//
// The order matters: a later source may be one that the observer no longer reads, and only unchanged earlier sources
// prove that it still does. Below, the recursion is a loop, and `path` stores the steps down, so that depth costs
// memory and not stack.
//
// Evaluating runs user code, which may read, write, cancel and validate anything, including nodes that the walk is
// checking. Such a node has the flag `checking`. Code that evaluates it or removes its edges clears the flag. When the
// walk returns to the node, it checks the flag before it uses an edge: without the flag, the node is already up to date
// and its edges may be gone. (Sources cannot be freed meanwhile, because releases are deferred to the end of the
// outermost operation.)

import CReactive

/// One step of a walk: `observer` is being checked, and its source at `edge` is not up to date yet.
struct Step: BitwiseCopyable {
    var observer: ObserverPointer
    var edge: EdgePointer
    /// The epoch at which the walk began.
    var epoch: UInt64
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Brings a derivation up to date. Precondition: it is not running.
    @inline(__always)
    func refresh(_ derivation: ObserverPointer) {
        let flags = derivation.flags
        // No test sees this left out: a derivation that is being checked would be checked once more.
        if !flags.isDisjoint(with: [.outdated, .checking]) {
            evaluate(derivation)
            // No test sees this always hold: it only saves a walk.
        } else if mayBeStale(derivation, flags), mustEvaluate(derivation) {
            evaluate(derivation)
        }
        // Evaluating may write. Usually that does not affect the sources of the derivation itself.
        // No test sees this always hold: it only saves walks.
        // No test sees this left out: as above.
        if derivation.pointee.validated_at != pointee.epoch, derivation.flags.isDisjoint(with: [.stale, .live]) {
            _ = mustEvaluate(derivation)
        }
    }

    /// Runs a derivation's closure and records whether its value changed.
    private func evaluate(_ derivation: ObserverPointer) {
        if reactive_stack_is_low() {
            evaluateOnMoreStack(derivation)
            return
        }
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if pointee.attention > 0 { attendToBegin(of: derivation) }
        let (wasStale, validatedAt) = (derivation.flags.contains(.stale), derivation.pointee.validated_at)
        let changed = evaluate(derivation) {
            derivation.derivation._withUnsafeGuaranteedRef {
                $0.evaluationCount &+= 1
                return $0.evaluate($0)
            }
        }
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if pointee.attention > 0 {
            attendToEnd(of: derivation, wasStale: wasStale, validatedAt: validatedAt, hasChanged: changed)
        }
        if changed { derivation.pointee.node.changed_at = pointee.epoch }
    }

    @inline(never)
    private func attendToBegin(of derivation: ObserverPointer) {
        claimLog()
        // No test sees this always hold: it only saves a call.
        if isRecorded { record(.begin(derivation)) }
    }

    @inline(never)
    private func attendToEnd(
        of derivation: ObserverPointer, wasStale: Bool, validatedAt: UInt64, hasChanged: Bool
    ) {
        if pointee.log_count > 0 { logEvaluation(of: derivation, wasStale: wasStale, validatedAt: validatedAt) }
        // No test sees this always hold: it only saves a call.
        if isRecorded { record(.evaluation(derivation, hasChanged: hasChanged)) }
    }

    @inline(__always)
    private func mayBeStale(_ derivation: ObserverPointer, _ flags: NodeFlags) -> Bool {
        // No test sees this never hold: it only saves walks.
        flags.contains(.live) ? flags.contains(.maybeStale) : derivation.pointee.validated_at != pointee.epoch
    }

    /// Whether something that `root` read has changed since. If not, `root` is marked as validated.
    func mustEvaluate(_ root: ObserverPointer) -> Bool {
        let bottom = pointee.path.count
        let epoch = pointee.epoch
        var observer = root
        var edge = root.pointee.sources
        root.flags.insert(.checking)

        descending: while true {
            var changed = false
            scanning: while let source = edge.pointee.source {
                let flags = source.pointee.flags
                if flags.contains(.derivation) {
                    let derivation = source.asObserver
                    // No test sees this left out: a derivation that is being checked would be checked once more.
                    if !flags.isDisjoint(with: [.running, .checking]) {
                        // Either a cycle, which evaluating the observer will report, or a source that the observer is
                        // about to drop.
                        changed = true
                        break scanning
                    }
                    if !flags.isDisjoint(with: .outdated) {
                        // The step is needed for the path of a cycle.
                        pointee.path.push(Step(observer: observer, edge: edge, epoch: epoch))
                        // No test sees this always hold: it only saves a call.
                        if flags.contains(.parted), let part = firstPartToCheck(of: derivation) {
                            observer = part
                            edge = part.pointee.sources
                            continue descending
                        }
                        evaluate(derivation)
                        _ = pointee.path.pop(Step.self)
                        if !observer.flags.contains(.checking) { break scanning }
                        // No test sees this always hold: it only saves walks.
                    } else if mayBeStale(derivation, flags) {
                        pointee.path.push(Step(observer: observer, edge: edge, epoch: epoch))
                        derivation.flags.insert(.checking)
                        observer = derivation
                        edge = derivation.pointee.sources
                        continue descending
                    }
                }
                if source.pointee.changed_at > observer.pointee.validated_at {
                    changed = true
                    break scanning
                }
                edge = edge.pointee.next_source
            }

            // `observer` is done. Go up until there is a source left to check.
            while true {
                let flags = observer.flags
                // Otherwise it has been evaluated meanwhile, and nothing is known to have changed since.
                if flags.contains(.checking) {
                    observer.flags.remove(.checking)
                    // Derivations that write may have changed a source that was found unchanged before.
                    if pointee.epoch != epoch { changed = true }
                    if !changed {
                        observer.flags.remove(.marks)
                        observer.pointee.validated_at = epoch
                    }
                }
                if pointee.path.count == bottom { return changed }
                // Not for a reaction, which has no readers.
                if flags.contains(.part) {
                    // No test sees this: it only saves the derivation's evaluation a walk.
                    if changed { observer.flags.insert(.marks) }
                    let derivation = observer.wholeNode.asObserver
                    if let part = nextPartToCheck(after: observer) {
                        observer = part
                        edge = part.pointee.sources
                        continue descending
                    }
                    observer = derivation
                    if !observer.flags.isDisjoint(with: .outdated) { evaluate(observer) }
                } else if changed {
                    evaluate(observer)
                }

                let checked = observer
                let step = pointee.path.pop(Step.self)
                observer = step.observer
                changed = false
                if observer.flags.contains(.checking) {
                    if checked.pointee.node.changed_at <= observer.pointee.validated_at {
                        edge = step.edge.pointee.next_source
                        continue descending
                    }
                    changed = true
                }
            }
        }
    }

    // MARK: - Parts of derivations

    /// Returns the first part of a derivation whose sources the walk should check before it evaluates the derivation,
    /// whose evaluation would check them by recursion.
    ///
    /// `nil` if that evaluation might find that elements are gone or were replaced. Then the evaluation must decide
    /// which parts to check.
    @inline(never)
    private func firstPartToCheck(of derivation: ObserverPointer) -> ObserverPointer? {
        guard pointee.log_count == 0,
            // No test sees this always hold: what other views have read is not marked, so that no part needs a walk.
            derivation.flags.contains(.live)
        else { return nil }
        var edge = derivation.pointee.sources
        while let source = edge.pointee.source {
            if isNotCurrent(source) || source.pointee.changed_at > derivation.pointee.validated_at { return nil }
            edge = edge.pointee.next_source
        }
        return beginToCheck(derivation.lastCollectedPart(before: .max, where: { needsWalk($0) }))
    }

    /// Returns the part to check after a checked one. Ends the check of that one, which may then be freed.
    @inline(never)
    private func nextPartToCheck(after part: ObserverPointer) -> ObserverPointer? {
        // Before the graph is unlocked: a different thread may be waiting for the lock to free the part.
        defer { part.asNode.object.release() }
        // If the derivation has been evaluated meanwhile, the part is no longer collected, and its index is 0.
        let index = Int(part.pointee.node.collected_index)
        return beginToCheck(part.wholeNode.asObserver.lastCollectedPart(before: index, where: { needsWalk($0) }))
    }

    /// Retains and marks a part, because the state of its derivation may drop the part during the walk.
    private func beginToCheck(_ part: ObserverPointer?) -> ObserverPointer? {
        guard let part else { return nil }
        _ = part.asNode.object.retain()
        part.flags.insert(.checking)
        return part
    }

    /// Whether checking a part involves more than its direct sources.
    private func needsWalk(_ part: ObserverPointer) -> Bool {
        // No test sees this: it only saves walks.
        guard part.flags.isDisjoint(with: .outdated) else { return false }
        var edge = part.pointee.sources
        while let source = edge.pointee.source {
            // No test sees this always hold: it only saves walks.
            if isNotCurrent(source) { return true }
            edge = edge.pointee.next_source
        }
        // No test sees this: it only saves walks.
        return false
    }

    private func isNotCurrent(_ source: NodePointer) -> Bool { !source.pointee.flags.isDisjoint(with: .notCurrent) }

    // MARK: - When the stack runs out

    /// Continues with more stack if this depth is promised; otherwise ends the program before the stack overflows.
    @inline(never)
    private func evaluateOnMoreStack(_ derivation: ObserverPointer) {
        let hasRun = reactive_call_on_more_stack(
            pointee.evaluating,
            { argument in
                let derivation = argument.unsafelyUnwrapped.assumingMemoryBound(to: ObserverHeader.self)
                derivation.pointee.node.graph.evaluate(derivation)
            }, derivation)
        if !hasRun { stopForLackOfStack() }
    }

    /// Ends the program before the stack overflows; the message names the chain of derivations that are evaluated for
    /// the first time.
    private func stopForLackOfStack() -> Never {
        let chain = evaluationsInProgress.reversed().map { NodeName.text(of: $0.pointee) }
        fatalError(
            """
            Reactive: the stack is almost exhausted: \(chain.count) computeds that read one another are evaluated for \
            the first time: \(abbreviated(chain)). Read each computed of a long chain when it is created (later \
            updates do not recurse), or read the chain on a thread with a larger stack.
            """)
    }

    /// The evaluations in progress, innermost first.
    var evaluationsInProgress: [NodePointer] {
        var nodes: [NodePointer] = []
        var next = pointee.evaluating
        while let evaluation = next?.pointee {
            nodes.append(evaluation.node)
            next = evaluation.outer
        }
        return nodes
    }
}
