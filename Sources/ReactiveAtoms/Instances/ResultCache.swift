// The cached results of an asynchronous selector. A result is used again when all its inputs have their old values.

import Reactive

struct ResultCache {
    private struct Input {
        let instance: _AnyNodeInstance
        let kind: Dependency.Kind
        /// Returns whether the node has an outcome that equals the old one.
        let isSame: () throws -> Bool
    }

    private struct Entry {
        let inputs: [Input]
        let outcome: Loader.Outcome
    }

    private let capacity: Int
    /// The entries, in the order of their last use.
    private var entries: [Entry] = []

    init(capacity: Int) { self.capacity = capacity }

    /// Adds a result and its inputs. The nodes have the same outcomes now as at the end of the run.
    mutating func insert(_ outcome: Loader.Outcome, of inputs: RunInputs) {
        guard !inputs.isEmpty else { return }
        // A result with a released input never fits again.
        entries.removeAll { $0.inputs.contains { $0.instance.ending != nil } }
        if entries.count == capacity { entries.removeFirst() }
        let inputs = inputs.dependencies.map {
            Input(instance: $0.instance, kind: $0.kind, isSame: $0.instance.fingerprint())
        }
        entries.append(Entry(inputs: inputs, outcome: outcome))
    }

    /// Returns a result that fits the current values of its inputs. Tracks the inputs that it compares.
    ///
    /// - Throws: The core's error for a cycle.
    /// - Complexity: O(number of results), and the evaluation of the inputs.
    mutating func lookUp() throws -> (outcome: Loader.Outcome, inputs: RunInputs)? {
        for index in entries.indices.reversed() {
            let entry = entries[index]
            guard try entry.inputs.allSatisfy({ try $0.isSame() }) else { continue }
            entries.append(entries.remove(at: index))
            let dependencies = try entry.inputs.map {
                $0.instance.noteObserver()
                return Dependency(
                    instance: $0.instance, kind: $0.kind, stamp: try $0.instance.stamp(of: $0.kind))
            }
            return (entry.outcome, RunInputs(dependencies))
        }
        return nil
    }

    mutating func removeAll() { entries = [] }
}
