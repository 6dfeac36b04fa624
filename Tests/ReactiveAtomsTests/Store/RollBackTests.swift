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

    @Test func aFailedTransactionReleasesNoNodeThatIsReadAgain() throws {
        let (usesPart, part) = (atom(true), atom(1, retention: .whileObserved))
        let node = selector { accessor in try accessor.get(usesPart) ? accessor.get(part) : 0 }
        let reaction = autorun { _ = store.getOrNil(node) }
        store.set(part, 5)
        fail {
            store.set(usesPart, false)
            #expect(store.getOrNil(node) == 0)
        }
        #expect(try store.value(part) == 5)
        #expect(try store.value(node) == 5)
        store.set(part, 6)
        #expect(try store.value(node) == 6)
        reaction.cancel()
    }

    // MARK: - Loads

    /// A node that has loaded its value for two numbers, with the loads to come.
    private func nodeWithTwoResults() async throws -> (input: Atom<Int>, node: AsyncSelector<Int>, loads: Loads<Int>) {
        let (input, loads) = (atom(1), Loads<Int>())
        let node = selector(cache: .all) { accessor -> Int in try await accessor.get(input) * 10 + loads() }
        for (load, number) in [1, 2].enumerated() {
            store.set(input, number)
            async let value = store.get(node)
            try await loads.waitForStart(load + 1)
            loads.finish(load, 0)
            #expect(try await value == number * 10)
        }
        return (input, node, loads)
    }

    /// Ends the third load, which must be the last one, and not cancelled.
    private func expectThatTheThirdLoadWentOn(_ node: AsyncSelector<Int>, _ loads: Loads<Int>) async throws {
        loads.finish(2, 7)
        #expect(try await store.get(node) == 37)
        #expect(loads.started == 3)
        #expect(loads.cancelled.isEmpty)
    }

    @Test func aLoadThatAFailedTransactionReplacesGoesOn() async throws {
        let (input, node, loads) = try await nodeWithTwoResults()
        store.set(input, 3)
        #expect(store.getOrNil(node) == nil)
        try await loads.waitForStart(3)
        fail {
            store.set(input, 1)
            #expect(store.getOrNil(node) == 10)
        }
        #expect(store.getOrNil(node) == nil)
        try await expectThatTheThirdLoadWentOn(node, loads)
    }

    @Test func aLoadThatATransactionWithoutNetEffectReplacesGoesOn() async throws {
        let (input, node, loads) = try await nodeWithTwoResults()
        store.set(input, 3)
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        defer { reaction.cancel() }
        try await loads.waitForStart(3)
        store.transaction {
            store.set(input, 1)
            #expect(store.getOrNil(node) == 10)
            store.set(input, 3)
        }
        try await expectThatTheThirdLoadWentOn(node, loads)
    }

    @Test func aLoadThatAnEffectReplacesGoesOnIfItWritesTheInputBack() async throws {
        let (input, node, loads) = try await nodeWithTwoResults()
        let trigger = Observable(0)
        let reaction = reaction(isolation: nil) {
            trigger.value
        } onChange: { _ in
            store.set(input, 1)
            #expect(store.getOrNil(node) == 10)
            store.set(input, 3)
        }
        defer { reaction.cancel() }
        store.set(input, 3)
        #expect(store.getOrNil(node) == nil)
        try await loads.waitForStart(3)
        trigger.value = 1
        try await expectThatTheThirdLoadWentOn(node, loads)
    }

    @Test func dependentsOfARolledBackResultFollowLaterChanges() async throws {
        let (input, node, _) = try await nodeWithTwoResults()
        let next = selector { accessor -> Int in try await accessor.get(node) + 1 }
        #expect(try await store.get(next) == 21)
        fail {
            store.set(input, 1)
            _ = store.getOrNil(next)
        }
        // It reads the restored result.
        store.refresh(next)
        #expect(try await store.get(next) == 21)
        store.set(input, 1)
        #expect(try await store.get(next) == 11)
    }
}
