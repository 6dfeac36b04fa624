// Snapshots of a store's values, and drawings of its graph.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct SnapshotTests {
    let store = RecoilStore()

    @Test func aSnapshotDoesNotShowLaterChanges() throws {
        let a = atom(1)
        let double = selector { accessor in try accessor.get(a) * 2 }
        store.set(a, 5)
        let snapshot = store.snapshot()
        store.set(a, 6)
        #expect(try snapshot.value(a) == 5)
        #expect(try snapshot.value(double) == 10)
        #expect(try store.value(double) == 12)
        #expect(try snapshot.value(atom("default")) == "default")
    }

    @Test func aSnapshotSharesValuesInsteadOfCopyingThem() throws {
        let list = atom(Array(0..<10_000))
        let before = try store.value(list).withUnsafeBufferPointer { $0.baseAddress }
        let snapshot = store.snapshot()
        #expect(try snapshot.value(list).withUnsafeBufferPointer { $0.baseAddress } == before)
        store.set(list, [])
        store.restore(snapshot)
        #expect(try store.value(list).withUnsafeBufferPointer { $0.baseAddress } == before)
    }

    @Test func restoringNotifiesOnlyObserversOfDifferentValues() throws {
        let (a, b) = (atom(1), atom(1))
        let log = Log()
        store.set(a, 5)
        let first = autorun { log("a \(store.getOrNil(a) ?? 0)") }
        let second = autorun { log("b \(store.getOrNil(b) ?? 0)") }
        let both = autorun { log("sum \((store.getOrNil(a) ?? 0) + (store.getOrNil(b) ?? 0))") }
        let snapshot = store.snapshot()
        store.set(a, 7)
        _ = log.take()
        store.restore(snapshot)
        #expect(log.take() == ["a 5", "sum 6"])
        store.restore(snapshot)
        #expect(log.take().isEmpty)
        for reaction in [first, second, both] { reaction.cancel() }
    }

    @Test func atomsThatAreNewerThanTheSnapshotAreReset() throws {
        let snapshot = store.snapshot()
        let a = atom(1)
        store.set(a, 5)
        store.restore(snapshot)
        #expect(try store.value(a) == 1)
    }

    @Test func restoringRunsNoEffects() throws {
        let log = Log()
        let node = atom(
            1,
            effects: [
                AtomEffect { context in
                    log("run")
                    context.onSet { new, _, _ in log("set \(new)") }
                }
            ])
        store.set(node, 2)
        let snapshot = store.snapshot()
        store.set(node, 3)
        #expect(try snapshot.value(node) == 2)
        _ = log.take()
        store.restore(snapshot)
        #expect(try store.value(node) == 2)
        #expect(log.take().isEmpty)
        store.set(node, 4)
        #expect(log.take() == ["set 4"])
    }

    @Test func aDifferentStoreCanRestoreTheValues() throws {
        let a = atom([1])
        store.set(a, [1, 2])
        let other = RecoilStore()
        other.restore(store.snapshot())
        #expect(try other.value(a) == [1, 2])
        other.update(a) { $0.append(3) }
        #expect(try store.value(a) == [1, 2])
    }

    @Test func asyncAtomsAreCapturedOnceTheyHaveAValue() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        let before = store.snapshot()
        _ = store.loadable(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        _ = try await store.get(node)
        let loaded = store.snapshot()
        store.set(node, 6)
        store.restore(loaded)
        #expect(store.value(node) == 5)
        #expect(loaded.value(node) == 5)
        store.set(node, 7)
        store.restore(before)
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart(2)
        loads.finish(1, 8)
        #expect(try await store.get(node) == 8)
    }

    @Test func aRestoreInAFailedTransactionIsRolledBack() throws {
        let a = atom(1)
        let snapshot = store.snapshot()
        store.set(a, 2)
        try? store.transaction {
            store.restore(snapshot)
            throw Refused.once
        }
        #expect(try store.value(a) == 2)
    }

    // MARK: - The graph

    private enum Shop {
        static var items: Atom<[Int]> { atom([]) }
        static var total: Selector<Int> { selector { accessor in try accessor.get(items).count } }
        static var badge: Selector<String> { selector { accessor in "\(try accessor.get(total))" } }
    }

    @Test func theGraphHasAtomsAndSelectorsInTwoColours() throws {
        #expect(store.snapshot().generateDotGraph() == "digraph Empty { label=\"Empty Store\"; }")
        _ = try store.value(Shop.badge)
        #expect(
            store.snapshot().generateDotGraph(isSortNodeByName: true) == """
                digraph Store {
                node [style="filled"];
                badge [fillcolor="lightskyblue"];
                items [fillcolor="gold"];
                items -> total;
                total [fillcolor="lightskyblue"];
                total -> badge;
                }
                """)
        #expect(store.snapshot().generateDotGraph().split(separator: "\n").count == 8)
    }

    @Test func theGraphForMermaidHasTheSameNodesAndEdges() throws {
        #expect(store.snapshot().generateMermaidGraph() == "flowchart LR")
        _ = try store.value(Shop.badge)
        let todo = atom(1, named: "todo \"#1\"")
        _ = try store.value(todo)
        #expect(
            store.snapshot().generateMermaidGraph(isSortNodeByName: true) == """
                flowchart LR
                  n0["badge"]
                  n1(["items"])
                  n2(["todo #quot;#35;1#quot;"])
                  n3["total"]
                  n3 --> n0
                  n1 --> n3
                """)
    }

    @Test func anEdgeIsDrawnOnceHoweverOftenItIsRead() throws {
        let source = atom(1, named: "source")
        let middle = selector(named: "middle") { accessor in try accessor.get(source) }
        let reader = selector(named: "reader") { accessor in
            let first = try accessor.get(source)
            return try first + accessor.get(middle) + accessor.get(source)
        }
        _ = try store.value(reader)
        let graph = store.snapshot().generateDotGraph(isSortNodeByName: true)
        #expect(graph.split(separator: "\n").filter { $0 == "source -> reader;" }.count == 1)
    }

    @Test func namesInTheGraphAreQuotedAndUnique() async throws {
        let member = atomFamily(named: "todo \"x\"") { (id: Int) in id }
        _ = try store.value(member(1))
        let twins = (atom(1, named: "twin"), atom(2, named: "twin"))
        let reader = selector(named: "reader") { accessor in
            try await Task { try accessor.get(twins.0) + accessor.get(twins.1) }.value
        }
        _ = try await store.get(reader)
        let graph = store.snapshot().generateDotGraph(isSortNodeByName: true)
        #expect(graph.contains("\"todo \\\"x\\\"(1)\" [fillcolor=\"gold\"];"))
        #expect(graph.contains("twin -> reader;"))
        #expect(graph.contains("\"twin #2\" -> reader;"))
    }

    @Test func takingASnapshotStartsNoLoad() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        store.set(node, 5)
        store.reset(node)
        let loading = store.snapshot()
        await letOthersRun()
        #expect(loads.started == 0)
        _ = store.value(node)
        try await loads.waitForStart()
        loads.finish(0, 7)
        #expect(try await store.get(node) == 7)
        let loaded = store.snapshot()
        store.set(node, 8)
        store.restore(loaded)
        #expect(store.value(node) == 7)
        store.restore(loading)
        #expect(loaded.value(node) == 7)
    }
}
