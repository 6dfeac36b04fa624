// Steps, reported as they happen. A step is a recorded transaction, an undo or a redo.
//
// The observation finds a step under the graph's lock, and its patch is created there, while its values are available.
// The user's closure runs later, outside the lock, as the effect of a reaction, and receives all steps in order.

public import Reactive

/// A step of a ``History``: a recorded transaction, an undo or a redo.
public struct HistoryStep: Hashable, Sendable {
    /// The kinds of steps.
    public enum Kind: Hashable, Sendable {
        /// A transaction changed something.
        case done
        /// An entry was undone.
        case undone
        /// An entry was redone.
        case redone
    }

    /// The kind of the step.
    public let kind: Kind
    /// The patch from the state before the step to the state after it.
    public let patch: JSONPatch
    /// The patch from the state after the step to the state before it.
    public let inverse: JSONPatch

    init(kind: Kind, patch: JSONPatch) {
        self.kind = kind
        self.patch = patch
        inverse = JSONPatch(patch.undoing ?? [], undoing: patch.operations)
    }
}

/// The steps that wait for delivery to one listener. Guarded by the graph's lock.
final class HistoryListener {
    private let graph: GraphHandle
    private var steps: [HistoryStep] = []
    /// The number of steps added so far.
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

    /// Removes and returns the steps added since the last call.
    func take() -> [HistoryStep] {
        graph.withUntrackedLock {
            defer { steps = [] }
            return steps
        }
    }
}

extension History {
    /// Calls `onStep` with each later step: each recorded transaction, each undo and each redo.
    ///
    /// ```swift
    /// let listener = history.onStep { step in print(step.kind, step.patch) }
    /// ```
    ///
    /// Each transaction is a step of its own, even if it merges into the last entry. Changes in ``untracked(_:)`` are
    /// not reported, nor are steps with an empty patch. Patches are created only while there are listeners.
    ///
    /// If a change cannot be encoded, the step is left out, and `Diagnostics.onIssue` receives an issue.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics. Without one, the file and line of the call.
    ///   - isolation: The actor that runs `onStep`; by default the caller's. Steps made elsewhere reach it with one
    ///     hop.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    ///   - onStep: Receives the steps in order. Runs outside the library's lock, untracked, its writes batched. Its
    ///     runs never overlap. Kept until the reaction is cancelled.
    /// - Returns: The reaction, to cancel it. Releasing it does not stop it.
    /// - Complexity: For each step that of ``DeepChanges/jsonPatch(using:)``.
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
