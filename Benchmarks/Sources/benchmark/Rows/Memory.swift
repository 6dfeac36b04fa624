// The heap memory of a node in bytes: the growth of the heap by 100,000 nodes, divided by their number.

import CLimit
import Harness
import Reactive

private let count = 100_000

extension Row {
    static var memory: [Row] {
        [
            memory("mem observable") { nodes in nodes.addObservables() },
            memory("mem computed (unlinked)", before: { $0.addObservables() }, { $0.addComputeds() }),
            memory(
                "mem edge",
                before: {
                    $0.addObservables()
                    $0.addComputeds()
                },
                { $0.link() }),
            memory(
                "mem effect (1 edge)",
                before: {
                    $0.addObservables()
                    $0.addComputeds()
                    $0.link()
                },
                { $0.addEffects() }),
        ]
    }

    private static func memory(
        _ name: String, before: @escaping (Nodes) -> Void = { _ in }, _ body: @escaping (Nodes) -> Void
    ) -> Row {
        Row(name: name, unit: .bytes) {
            {
                let nodes = Nodes()
                before(nodes)
                let start = measure_heap()
                body(nodes)
                let growth = measure_heap() - start
                nodes.free()
                return Double(growth) / Double(count)
            }
        }
    }
}

/// The nodes of a sample, in arrays with reserved capacity.
private final class Nodes {
    private var observables: [Observable<Int>] = []
    private var computeds: [Computed<Int>] = []
    private var reactions: [Reaction] = []

    init() {
        observables.reserveCapacity(count)
        computeds.reserveCapacity(count)
        reactions.reserveCapacity(count)
    }

    func addObservables() {
        for i in 0..<count { observables.append(Observable(i)) }
    }

    func addComputeds() {
        for observable in observables { computeds.append(Computed { observable.value }) }
    }

    func link() {
        for computed in computeds { _ = computed.value }
    }

    func addEffects() {
        for computed in computeds { reactions.append(autorun { _ = computed.value }) }
    }

    func free() {
        for reaction in reactions { reaction.cancel() }
    }
}
