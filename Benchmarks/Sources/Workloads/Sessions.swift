// Sessions of a server: 18 nodes in an independent graph. By hand, the same nodes belong to the graph of the process.

import Harness
import Reactive

extension Workload {
    static var sessions: [Workload] {
        [
            Workload("create and free a session of 18 nodes", repetitions: 500) {
                { count in for _ in 0..<count { _ = Session() } }
            } ours: {
                { count in for _ in 0..<count { _ = SessionWithGraph() } }
            }
        ]
    }

    /// The bytes of a session on the heap.
    static var sessionMemory: (byHand: Row, ours: Row) {
        let (name, count) = ("bytes of a session of 18 nodes", 1_000)
        return (
            byHand: Row.memory(name, count) { { (0..<count).map { _ in Session() } } },
            ours: Row.memory(name, count) { { (0..<count).map { _ in SessionWithGraph() } } }
        )
    }
}

/// Six numbers, their doubles, and an observer of each double.
private final class Session {
    private let nodes: [(number: Observable<Int>, double: Computed<Int>, observer: Reaction)]

    init() {
        nodes = (0..<6).map { i in
            let number = Observable(i)
            let double = Computed { number.value * 2 }
            return (number, double, autorun { check(double.value, i * 2) })
        }
    }

    deinit {
        for node in nodes { node.observer.cancel() }
    }
}

private struct SessionWithGraph {
    private let graph = IndependentGraph()
    private let session: Session

    init() { session = graph.run { Session() } }
}
