// References to an instance: from another thread, and as a stand-in for a reader outside of the graph.

import Reactive

/// Carries an instance to another thread, where it is used under the graph's lock.
struct InstanceReference<Instance: _AnyNodeInstance>: @unchecked Sendable {
    weak var instance: Instance?
    let graph: GraphHandle

    init(_ instance: Instance) {
        self.instance = instance
        graph = instance.graph
    }

    func expire() {
        graph.withLock {
            guard let instance, instance.mayBePurged else { return }
            instance.store?.end(instance, as: .released)
        }
    }
}

/// Counts as a reader of an instance for as long as it exists.
final class ReaderStandIn {
    private let instance: _AnyNodeInstance

    /// Under the lock.
    init(_ instance: _AnyNodeInstance) {
        self.instance = instance
        instance.details.standIns += 1
    }

    deinit {
        let instance = instance
        instance.graph.lockWhenFree {
            instance.details.standIns -= 1
            // No test sees this always hold: `readersWent` checks it again.
            if !instance.isObserved { instance.table.noteUnobserved(instance) }
        }
    }
}
