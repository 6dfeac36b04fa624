// How long a store keeps the instance of a node.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct RetentionTests {
    let store = RecoilStore()

    @Test func aSelectorIsKeptWhileItIsObserved() throws {
        var runs = 0
        let a = atom(1)
        let b = selector { accessor in
            runs += 1
            return try accessor.get(a)
        }
        let first = autorun { _ = store.getOrNil(b) }
        let second = autorun { _ = store.getOrNil(b) }
        #expect(store.instanceCount == 2)
        first.cancel()
        #expect(store.instanceCount == 2 && runs == 1)
        second.cancel()
        #expect(store.instanceCount == 1)
        #expect(try store.value(b) == 1)
        #expect(runs == 2)
    }

    @Test func inputsOfASelectorAreKeptAsLongAsTheSelector() throws {
        let a = atom(1, retention: .whileObserved)
        let b = selector { accessor in try accessor.get(a) }
        let c = selector { accessor in try accessor.get(b) }
        let reaction = autorun { _ = store.getOrNil(c) }
        #expect(store.instanceCount == 3)
        reaction.cancel()
        #expect(store.instanceCount == 0)
    }

    @Test func inputsThatASelectorNoLongerReadsAreReleased() throws {
        let usesB = atom(true)
        let b = selector { _ in 1 }
        let c = selector { accessor in try accessor.get(usesB) ? accessor.get(b) : 0 }
        let reaction = autorun { _ = store.getOrNil(c) }
        #expect(store.instanceCount == 3)
        store.set(usesB, false)
        #expect(store.instanceCount == 2)
        reaction.cancel()
    }

    @Test func anAtomIsKeptAsLongAsTheStoreByDefault() throws {
        let (kept, dropped) = (atom(1), atom(1, retention: .whileObserved))
        let reaction = autorun {
            _ = store.getOrNil(kept)
            _ = store.getOrNil(dropped)
        }
        store.set(kept, 5)
        store.set(dropped, 5)
        reaction.cancel()
        #expect(try store.value(kept) == 5)
        #expect(try store.value(dropped) == 1)
    }

    @Test func aSelectorThatIsKeptAsLongAsTheStore() throws {
        var runs = 0
        let node = selector(retention: .store) { _ in
            runs += 1
            return 1
        }
        autorun { _ = store.getOrNil(node) }.cancel()
        store.purge()
        #expect(try store.value(node) == 1)
        #expect(runs == 1)
    }

    @Test func aRunThatIsNoLongerObservedIsCancelled() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        try await loads.waitForStart()
        reaction.cancel()
        #expect(store.instanceCount == 0)
        try await loads.waitForCancellation()
        loads.finish(0, 1)
    }

    @Test func awaitingDoesNotObserve() async throws {
        let log = Log()
        let node = selector { _ async -> Int in
            log("run")
            return 1
        }
        #expect(try await store.get(node) == 1)
        #expect(store.value(node) == 1)
        #expect(log.take() == ["run"])
    }

    @Test func aTimeToLiveBeginsWhenTheLastObserverEnds() async throws {
        let clock = ManualClock()
        var runs = 0
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { _ in
            runs += 1
            return 1
        }
        let first = autorun(isolation: nil) { _ = store.getOrNil(node) }
        first.cancel()
        await clock.hasSleepers(1)
        #expect(store.instanceCount == 1)
        clock.advance(by: .seconds(3))
        let second = autorun(isolation: nil) { _ = store.getOrNil(node) }
        await clock.hasSleepers(0)
        #expect(runs == 1)
        second.cancel()
        await clock.hasSleepers(1)
        clock.advance(by: .seconds(3))
        await letOthersRun()
        #expect(store.instanceCount == 1)
        clock.advance(by: .seconds(3))
        await eventually { store.instanceCount == 0 }
        #expect(try store.value(node) == 1)
        #expect(runs == 2)
    }

    @Test func purgingReleasesUnobservedNodes() throws {
        let a = atom(1)
        let (observed, idle) = (selector { try $0.get(a) + 1 }, selector { try $0.get(a) + 2 })
        let reaction = autorun { _ = store.getOrNil(observed) }
        _ = try store.value(idle)
        store.set(a, 5)
        #expect(store.instanceCount == 3)
        store.purge()
        #expect(store.instanceCount == 2)
        #expect(try store.value(a) == 5)
        reaction.cancel()
    }

    @Test func releasingANodeNotifiesItsObservers() throws {
        let a = atom(1)
        let double = selector { accessor in try accessor.get(a) * 2 }
        var seen: [Int] = []
        let reaction = autorun { seen.append(store.getOrNil(double) ?? -1) }
        store.set(a, 5)
        store.release(a)
        #expect(seen == [2, 10, 2])
        store.set(a, 7)
        #expect(seen == [2, 10, 2, 14])
        store.release(double)
        store.set(a, 8)
        #expect(seen == [2, 10, 2, 14, 14, 16])
        reaction.cancel()
    }

    @Test func membersOfFamiliesLeaveNothingBehind() throws {
        let tracker = LifetimeTracker()
        let source = atom(1)
        let member = selectorFamily { (id: Int, accessor: StateGetter) -> LifetimeTracker.Token in
            _ = try accessor.get(source)
            return tracker.token()
        }
        let sum = selectorFamily { (id: Int, accessor: StateGetter) -> Int in
            try accessor.get(member(id)).number + accessor.get(member(id + 1)).number
        }
        for start in stride(from: 0, to: 1000, by: 100) {
            let reactions = (start..<start + 100).map { id in autorun { _ = store.getOrNil(sum(id)) } }
            #expect(store.instanceCount == 202)
            store.update(source) { $0 += 1 }
            for reaction in reactions { reaction.cancel() }
            #expect(store.instanceCount == 1)
            #expect(tracker.alive == 0)
        }
    }

    @Test func storesLeaveNothingBehind() async throws {
        let tracker = LifetimeTracker()
        let loads = Loads<Int>()
        for round in 1...20 {
            let store = RecoilStore()
            let token = tracker.token()
            let held = atom(token as any Sendable)
            let derived = selector { accessor in
                withExtendedLifetime(token) {}
                return try accessor.get(held)
            }
            let loading = selector { accessor in
                _ = try accessor.get(derived)
                return try await loads()
            }
            let reaction = autorun(isolation: nil) { [weak store] in _ = store?.loadable(loading).data }
            _ = store.snapshot()
            store.observe(derived, isolation: nil) { _ in }.cancel()
            try await loads.waitForStart(round)
            reaction.cancel()
        }
        for call in 0..<loads.started { loads.finish(call, 1) }
        await eventually { tracker.alive == 0 }
    }

    @Test func asyncMembersLeaveNothingBehind() async throws {
        let tracker = LifetimeTracker()
        let source = atom(1)
        let member = selectorFamily { (id: Int, accessor: StateGetter) async throws -> LifetimeTracker.Token in
            _ = try accessor.get(source)
            await Task.yield()
            return tracker.token()
        }
        let pair = selectorFamily { (id: Int, accessor: StateGetter) async throws -> Int in
            let (a, b) = try await accessor.get(waitForAll(member(id), member(id + 1)))
            return a.number + b.number
        }
        for id in 0..<50 {
            let reaction = autorun(isolation: nil) { _ = store.getOrNil(pair(id)) }
            _ = try await store.get(pair(id))
            store.update(source) { $0 += 1 }
            _ = try await store.get(pair(id))
            store.refresh(pair(id))
            if id % 3 == 0 { store.override(member(id), error: Refused.once) }
            _ = try? await store.get(pair(id))
            store.removeOverride(of: member(id))
            reaction.cancel()
        }
        // Cancelled tasks end.
        await eventually {
            store.purge()
            return store.instanceCount == 1 && tracker.alive == 0
        }
    }

    @Test func storesInGraphsOfTheirOwnLeaveNothingBehind() async throws {
        let tracker = LifetimeTracker()
        for _ in 0..<20 {
            let session = IndependentGraph(named: "session")
            let store = session.run { RecoilStore() }
            let held = atom { tracker.token() }
            let number = selector { accessor in try accessor.get(held).number }
            let later = selector { accessor in
                await Task.yield()
                return try accessor.get(number)
            }
            let reaction = session.run { autorun(isolation: nil) { [weak store] in _ = store?.loadable(later).data } }
            let snapshot = store.snapshot()
            #expect(try await store.get(later) == (try store.get(number)))
            store.restore(snapshot)
            reaction.cancel()
        }
        await eventually { tracker.alive == 0 }
    }

    @Test func longChainsAreReleasedWithoutRecursion() throws {
        let base = atom(1)
        let family = ChainFamily(base: base)
        for index in 0..<20_000 { _ = try store.value(family.link(index)) }
        store.set(base, 2)
        #expect(try store.value(family.link(19_999)) == 20_002)
        store.purge()
        #expect(store.instanceCount == 1)
    }

    private struct ChainFamily: Sendable {
        let base: Atom<Int>

        func link(_ index: Int) -> Selector<Int> { family(index) }

        private var family: SelectorFamily<Int, Int> {
            selectorFamily { index, accessor in
                try index == 0 ? accessor.get(base) + 1 : accessor.get(link(index - 1)) + 1
            }
        }
    }
}
