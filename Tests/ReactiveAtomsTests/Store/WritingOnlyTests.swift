// Observers that write nodes depend on their own reads, and on no reads of the store.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct WritingOnlyTests {
    let store = RecoilStore()

    /// Returns the number of runs of an observer: at first, and after each change of its input.
    private func runs(after changes: () -> Void = {}, _ write: @escaping (_ input: Int) -> Void) -> Int {
        let input = Observable(1)
        var runs = 0
        let reaction = autorun {
            runs += 1
            write(input.value)
        }
        defer { reaction.cancel() }
        input.value = 2
        input.value = 3
        changes()
        return runs
    }

    @Test func settingAnAsyncAtomDoesNotFollowIt() {
        let node = atom { () async throws in 0 }
        store.set(node, 0)
        #expect(store.value(node) == 0)
        #expect(runs(after: { store.set(node, 99) }) { store.set(node, $0) } == 3)
        #expect(store.value(node) == 99)
    }

    @Test func refreshingDoesNotFollowTheLoadedNode() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let online = Observable(false)
        var runs = 0
        let reaction = autorun(isolation: nil) {
            runs += 1
            if online.value { store.refresh(node) }
        }
        online.value = true
        try await loads.waitForStart()
        loads.finish(0, 1)
        #expect(try await store.get(node) == 1)
        store.refresh(node)
        try await loads.waitForStart(2)
        loads.finish(1, 2)
        #expect(try await store.get(node) == 2)
        #expect(runs == 2)
        reaction.cancel()
    }

    @Test func refreshingAFailedDefaultDoesNotFollowIt() {
        var isReady = false
        let node = atom { () throws -> Int in if isReady { 1 } else { throw Refused.once } }
        let change = {
            isReady = true
            store.refresh(node)
            store.set(node, 5)
        }
        #expect(runs(after: change) { _ in store.refresh(node) } == 3)
    }

    @Test func releasingAnObservedNodeDoesNotFollowIt() {
        let node = atom(1)
        let total = selector { accessor in try accessor.get(node) }
        let other = autorun { _ = (store.getOrNil(node), store.loadable(total).isLoading) }
        let change = {
            store.set(node, 7)
            store.release(node)
            store.refresh(total)
        }
        #expect(runs(after: change) { _ in store.release(node) } == 3)
        #expect(runs(after: change) { _ in store.refresh(total) } == 3)
        other.cancel()
    }

    @Test func updatingDoesNotFollowTheUpdatedNode() throws {
        let list = atom([0])
        #expect(runs(after: { store.set(list, []) }) { value in store.update(list) { $0.append(value) } } == 3)
        let number = atom(0)
        #expect(runs(after: { store.set(number, 50) }) { value in store.update(number) { $0 += value } } == 3)
        let loaded = atom { () async throws in 0 }
        store.set(loaded, 1)
        #expect(runs(after: { store.set(loaded, 50) }) { value in store.update(loaded) { $0 += value } } == 3)
        #expect(try store.value(number) == 50)
    }

    @Test func anUpdateFollowsOtherNodesThatItReads() throws {
        let (list, extra) = (atom([0]), atom(1))
        let reaction = autorun { store.update(list) { $0.append(store.getOrNil(extra) ?? 0) } }
        store.set(extra, 2)
        #expect(try store.value(list) == [0, 1, 2])
        reaction.cancel()
    }

    @Test func resettingASelectorDoesNotFollowIt() {
        let node = atom(1)
        let double = selector { accessor in
            try accessor.get(node) * 2
        } set: { context, newValue in
            context.set(node, newValue / 2)
        }
        #expect(runs(after: { store.set(node, 5) }) { _ in store.reset(double) } == 3)
    }

    @Test func restoringDoesNotFollowTheRestoredNodes() {
        let (early, late, loaded) = (atom(1), atom(1), atom { () async throws in 0 })
        store.set(early, 2)
        let before = store.snapshot()
        store.set(late, 2)
        store.set(loaded, 2)
        let change = {
            store.set(early, 3)
            store.set(late, 3)
            store.set(loaded, 3)
        }
        #expect(runs(after: change) { _ in store.restore(before) } == 3)
    }
}
