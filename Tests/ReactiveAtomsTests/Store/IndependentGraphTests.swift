// Stores in graphs of their own.

import Foundation
import Reactive
import ReactiveAtomsTesting
import Testing

@testable import ReactiveAtoms
import TestSupport

private let count = atom(0, named: "count")
private let double = selector(named: "double") { accessor in try accessor.get(count) * 2 }
private let slowDouble = selector(named: "slowDouble") { accessor in
    let count = try accessor.get(count)
    await Task.yield()
    return try await accessor.get(slowCount) + count
}
private let slowCount = selector(named: "slowCount") { accessor in
    await Task.yield()
    return try accessor.get(count)
}

@Suite(.ownGraph, .timeLimit, .inDefaultGraph) struct IndependentGraphTests {
    @Test func twoStoresInTwoGraphsAreInTransactionsAtTheSameTime() {
        let stores = (0..<2).map { index in IndependentGraph(named: "session \(index)").run { RecoilStore() } }
        let hasBegun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let results = Shared<[Int: Int]>([:])
        onThreads(2) { thread in
            let store = stores[thread]
            // No node has been instantiated yet; the graph is not the thread's own.
            store.transaction {
                store.set(count, thread + 1)
                hasBegun[thread].signal()
                // Neither transaction ends before the other has begun.
                hasBegun[1 - thread].wait()
                results.withLock { $0[thread] = store.getOrNil(double) }
            }
        }
        #expect(results.value == [0: 2, 1: 4])
    }

    @Test func nodesInstantiatedInAnotherGraphBelongToTheGraphOfTheStore() {
        let graph = IndependentGraph(named: "session")
        let store = graph.run { RecoilStore() }
        // In the default graph's scope.
        #expect(store.getOrNil(double) == 0)
        let log = Log()
        let report = graph.run { autorun { log("\(store.getOrNil(double) ?? -1)") } }
        let observer = store.observe(double) { log("observed \($0)") }
        store.set(count, 1)
        store.update(count) { $0 += 1 }
        store.reset(count)
        #expect(Set(log.take()) == ["0", "2", "observed 2", "4", "observed 4", "observed 0"])
        report.cancel()
        observer.cancel()
        // In an effect during a transaction of the default graph.
        let source = Observable(5)
        let bridge = reaction(fireImmediately: true) {
            source.value
        } onChange: {
            store.set(count, $0)
        }
        #expect(store.getOrNil(double) == 10)
        bridge.cancel()
    }

    @Test func loadingHappensInTheGraphOfTheStore() async throws {
        let store = IndependentGraph(named: "session").run { RecoilStore() }
        store.set(count, 3)
        #expect(try await store.get(slowDouble) == 6)
        #expect(try await store.get(waitForAll(slowDouble, slowCount)) == (6, 3))
        #expect(try await store.get(waitForAll([slowCount, slowCount])) == [3, 3])
        store.set(count, 4)
        #expect(try await store.get(slowDouble) == 8)
        store.refresh(slowDouble)
        #expect(try await store.get(slowDouble) == 8)
        let kept = store.snapshot()
        store.set(count, 9)
        #expect(try kept.value(double) == 8)
        store.restore(kept)
        #expect(try store.get(double) == 8)
        store.purge()
    }

    @Test func scopesEffectsAndOverridesWorkInTheGraphOfTheStore() {
        let log = Log()
        let store = IndependentGraph(named: "session").run { RecoilStore() }
        let volume = atom(
            5,
            effects: [
                AtomEffect { context in
                    context.onSet { new, _, _ in log("set \(new)") }
                    return { log("end") }
                }
            ])
        let recoil = ScopedRecoilContext(store: store) { log("refresh") }
        #expect(recoil.useValue(volume) == 5)
        recoil.useUpdate(volume)(6)
        #expect(Set(log.take()) == ["set 6", "refresh"])
        store.override(volume, value: 7)
        #expect(recoil.useValue(volume) == 7)
        store.release(volume)
        #expect(Set(log.take()) == ["end", "refresh"])
    }

    @Test func anAtomOfAnyGraphIsSaved() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        let note = atom(["empty"], effects: [.persist(to: url)])
        for text in ["one", "two"] {
            let store = IndependentGraph(named: "session").run { RecoilStore() }
            store.update(note) { $0.append(text) }
            store.transaction { store.update(note) { $0[0] = text } }
            store.release(note)
        }
        let store = IndependentGraph(named: "session").run { RecoilStore() }
        #expect(try store.get(note) == ["two", "one", "two"])
    }

    @Test func aStoreMayEndInATransactionOfAnotherGraph() {
        let log = Log()
        let kept = atom(0, effects: [AtomEffect { context in context.onCleanup { log("end") } }])
        let box = Shared<RecoilStore?>(IndependentGraph(named: "session").run { RecoilStore() })
        box.value?.set(kept, 1)
        _ = box.value?.getOrNil(double)
        inTransaction {
            box.value = nil
            #expect(log.take().isEmpty)
        }
        #expect(log.take() == ["end"])
    }

    @Test func theSharedStoreIsOfTheDefaultGraph() {
        let other = atom(0)
        IndependentGraph(named: "session").run {
            _ = RecoilStore.shared
        }
        let reaction = autorun { _ = RecoilStore.shared.getOrNil(other) }
        RecoilStore.shared.set(other, 1)
        reaction.cancel()
        RecoilStore.shared.release(other)
    }

    @Test func storesInSeveralGraphsWorkInParallel() {
        let failures = Shared<[String]>([])
        onThreads(4) { thread in
            let store = IndependentGraph(named: "session \(thread)").run { RecoilStore() }
            let recoil = ScopedRecoilContext(store: store, isolation: nil)
            let family = atomFamily { (id: Int) in id }
            for round in 1...200 {
                store.transaction {
                    store.set(count, round)
                    store.set(family(round % 7), round)
                }
                let seen = recoil.useValue(double) ?? -1
                if seen != 2 * round { failures.withLock { $0.append("\(thread): \(seen) in round \(round)") } }
                if round % 50 == 0 { store.release(count) }
            }
        }
        #expect(failures.value.isEmpty)
    }
}
