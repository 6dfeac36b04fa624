// Each step as it happens, for those who send it elsewhere.
//
// A step is found under the graph's lock, and its patch is made there and then: that is when its values are at hand.
// The closure of the user runs later, outside the lock, as any reaction's effect does, and gets all steps in order.

public import Reactive

/// A step of a ``History``, as it happens.
public struct HistoryStep: Hashable, Sendable {
    /// How a step comes about.
    public enum Kind: Hashable, Sendable {
        /// A transaction has changed something.
        case done
        /// An entry was undone.
        case undone
        /// An entry was redone.
        case redone
    }

    /// How the step came about.
    public let kind: Kind
    /// What leads from the state before the step to the state after it.
    public let patch: JSONPatch
    /// What leads back.
    public let inverse: JSONPatch

    init(kind: Kind, patch: JSONPatch) {
        self.kind = kind
        self.patch = patch
        inverse = JSONPatch(patch.undoing ?? [], undoing: patch.operations)
    }
}

/// What waits to be delivered to one listener. Guarded by the graph's lock.
final class HistoryListener {
    private let graph: GraphHandle
    private var steps: [HistoryStep] = []
    /// Counts the steps that were added.
    let count: Observable<Int>

    init(in graph: GraphHandle) {
        self.graph = graph
        count = graph.run { Observable(0) }
    }

    /// Adds a step. Under the lock.
    func add(_ step: HistoryStep) {
        steps.append(step)
        count.value += 1
    }

    /// Takes out what has been added since the last time.
    func take() -> [HistoryStep] {
        graph.withUntrackedLock {
            defer { steps = [] }
            return steps
        }
    }
}

extension History {
    /// Calls `onStep` with each step from now on: what was done, undone and redone.
    ///
    /// ```swift
    /// let listener = history.onStep { step in print(step.kind, step.patch) }
    /// ```
    ///
    /// Each transaction is a step of its own here, also if it merges into the last entry. Changes in
    /// ``untracked(_:)`` are no steps. Patches are made only while somebody listens.
    ///
    /// A change that cannot be encoded is reported to `Diagnostics.onIssue` and left out.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the listener. Without one: the file and line that created it.
    ///   - isolation: The actor that `onStep` belongs to; by default the caller's. Steps elsewhere reach it by one hop.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - onStep: Gets the steps in order. Runs outside the library's lock, untracked, its writes batched; its runs
    ///     never overlap. Kept until the reaction is cancelled.
    /// - Returns: The reaction, to cancel it; dropping it does not stop it.
    /// - Complexity: For each step what ``DeepChanges/jsonPatch(using:)`` takes.
    @discardableResult
    public func onStep(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ onStep: @escaping (HistoryStep) -> Void
    ) -> Reaction {
        let listener = listen()
        return graph.run {
            reaction(
                named: name, isolation: isolation, fileID: fileID, line: line
            ) {
                listener.count.value
            } onChange: { _ in
                for step in listener.take() { onStep(step) }
            }
        }
    }
}
