// Results of an asynchronous selector, to be used again when everything it read is once more what it was.

import Reactive

struct ResultCache {
    private struct Input {
        let instance: _AnyNodeInstance
        let kind: Dependency.Kind
        /// Whether the node is settled, and what it was.
        let isSame: () throws -> Bool
    }

    private struct Entry {
        let inputs: [Input]
        let outcome: Loader.Outcome
    }

    private let capacity: Int
    /// The last used ones last.
    private var entries: [Entry] = []

    init(capacity: Int) { self.capacity = capacity }

    /// Keeps a result with what was read for it. What the nodes said when the run settled is what they say now.
    mutating func insert(_ outcome: Loader.Outcome, of inputs: RunInputs) {
        guard capacity > 0, !inputs.isEmpty else { return }
        // A result of something that was released never fits again.
        entries.removeAll { $0.inputs.contains { $0.instance.ending != nil } }
        if entries.count == capacity { entries.removeFirst() }
        let inputs = inputs.dependencies.map {
            Input(instance: $0.instance, kind: $0.kind, isSame: $0.instance.fingerprint())
        }
        entries.append(Entry(inputs: inputs, outcome: outcome))
    }

    /// A result that fits to what the nodes say now. Tracks what it looks at.
    ///
    /// - Throws: The core's error for a cycle.
    /// - Complexity: O(number of results), and what evaluating the inputs takes.
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
