// Which operations a failed transaction rolls back, and which not.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct RollBackTests {
    let store = RecoilStore()

    private func fail(_ body: () -> Void) {
        try? store.transaction { () throws in
            body()
            throw Refused.once
        }
    }

    @Test func aRolledBackSetOfAnUnreadAsyncAtomIsDiscarded() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        fail { store.set(node, 5) }
        #expect(store.value(node) == nil)
        try await loads.waitForStart()
        loads.finish(0, 1)
        #expect(try await store.get(node) == 1)
    }

    @Test func aRestoreIsRolledBackToo() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        let other = RecoilStore()
        other.set(node, 5)
        let snapshot = other.snapshot()
        fail { store.restore(snapshot) }
        #expect(store.value(node) == nil)
        try await loads.waitForStart()
        loads.finish(0, 1)
        #expect(try await store.get(node) == 1)
    }

    /// The last values that observers of an atom, a selector and a loadable have seen.
    private func lastSeen(_ node: Atom<Int>, after body: () -> Void) -> [Int?] {
        let double = selector { accessor in try accessor.get(node) * 2 }
        var seen: [Int?] = [nil, nil, nil]
        let reactions = [
            autorun { seen[0] = store.getOrNil(node) },
            autorun { seen[1] = store.getOrNil(double) },
            autorun { seen[2] = store.loadable(double).data },
        ]
        body()
        for reaction in reactions { reaction.cancel() }
        return seen
    }

    @Test func observersOfANodeReleasedInAFailedTransactionFollowLaterChanges() {
        let node = atom(1)
        store.set(node, 5)
        #expect(lastSeen(node) { fail { store.release(node) } } == [1, 2, 2])
        let seen = lastSeen(node) {
            store.set(node, 5)
            fail { store.release(node) }
            store.set(node, 3)
        }
        #expect(seen == [3, 6, 6])
    }

    @Test func observersOfANodeOverriddenInAFailedTransactionFollowLaterChanges() {
        let node = atom(1)
        #expect(lastSeen(node) { fail { store.override(node, value: 7) } } == [7, 14, 14])
        #expect(lastSeen(node) { fail { store.removeOverride(of: node) } } == [1, 2, 2])
    }

    @Test func observersRunOnceForAReleaseInAFailedTransaction() {
        let node = atom(1)
        var seen: [Int] = []
        let reaction = autorun { seen.append(store.getOrNil(node) ?? -1) }
        try? store.transaction { () throws in
            store.set(node, 5)
            store.release(node)
        }
        store.override(node, value: 7)
        #expect(seen == [1, 1, 7])
        reaction.cancel()
    }
}
