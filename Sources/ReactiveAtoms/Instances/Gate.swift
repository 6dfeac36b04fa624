// What tells an instance that nobody observes it any more, and how it is reached from another thread.

import Reactive

/// What a gate holds: its end is the end of the gate.
final class Gate {
    private weak var instance: _AnyNodeInstance?

    init(_ instance: _AnyNodeInstance) { self.instance = instance }

    deinit {
        guard let instance else { return }
        // Whoever frees the gate may be in the middle of something.
        let reference = InstanceReference(instance)
        reference.graph.whenFree { reference.close() }
    }
}

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
            guard let instance, instance.mayBePurged, instance.ending == nil else { return }
            instance.store?.end(instance, as: .released)
        }
    }

    func close() {
        graph.withLock { instance?.gateClosed() }
    }
}
