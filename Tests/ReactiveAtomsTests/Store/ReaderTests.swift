// The readers of instances: which of them keep a node, and what is released after the last one.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct ReaderTests {
    let store = RecoilStore()
    let log = Log()

    // MARK: - Nodes that stay

    @Test(arguments: [true, false]) func aReaderThatReplacesTheLastOneKeepsTheNode(isInOneReaction: Bool) {
        let isFirst = atom(true)
        let node = selector { [log] _ in
            log("run")
            return 1
        }
        let first = selector { accessor in try accessor.get(isFirst) ? accessor.get(node) : 0 }
        let second = selector { accessor in try accessor.get(isFirst) ? 0 : accessor.get(node) }
        let reactions = [
            autorun {
                _ = store.getOrNil(first)
                if isInOneReaction { _ = store.getOrNil(second) }
            },
            autorun { if !isInOneReaction { _ = store.getOrNil(second) } },
        ]
        for value in [false, true, false] { store.set(isFirst, value) }
        #expect(log.take() == ["run"])
        for reaction in reactions { reaction.cancel() }
        #expect(store.instanceCount == 1)
    }

    @Test func purgingLeavesObservedNodesAlone() {
        let node = selector { [log] _ in
            log("run")
            return 1
        }
        let reaction = autorun { _ = store.getOrNil(node) }
        store.purge()
        #expect(log.take() == ["run"])
        reaction.cancel()
    }

    @Test func purgingLeavesNodesAloneThatAComputedHasRead() throws {
        let node = atom(1, retention: .whileObserved)
        store.set(node, 5)
        let double = Computed { (store.getOrNil(node) ?? 0) * 2 }
        #expect(double.value == 10)
        store.purge()
        #expect(try store.value(node) == 5)
        withExtendedLifetime(double) {}
    }

    @Test func anObserverThatStartsAsTheTimeToLiveEndsKeepsTheNode() async {
        let clock = ManualClock()
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { [log] _ in
            log("run")
            return 1
        }
        autorun(isolation: nil) { _ = store.getOrNil(node) }.cancel()
        await clock.hasSleepers(1)
        let reaction = store.transaction {
            // The task that releases the node waits for the end of the transaction.
            clock.advance(by: .seconds(5))
            return autorun(isolation: nil) { _ = store.getOrNil(node) }
        }
        await letOthersRun()
        #expect(log.take() == ["run"])
        reaction.cancel()
    }

    @Test func anObservedNodeOfAFreedOwnerStays() {
        final class Owner {
            let log: Log
            init(_ log: Log) { self.log = log }
            var node: Selector<Int> {
                selector(of: self, retention: .store) { owner, _ in
                    owner.log("run")
                    return 1
                }
            }
        }
        var owner: Owner? = Owner(log)
        guard let node = owner?.node else { return }
        let reaction = autorun { log("\(store.getOrNil(node) ?? -1)") }
        owner = nil
        // The store looks for nodes of freed owners from time to time.
        for _ in 0..<100 { _ = store.getOrNil(Owner(Log()).node) }
        #expect(store.instanceCount < 100)
        #expect(log.take() == ["run", "1"])
        reaction.cancel()
    }

    @Test func aReadWithoutAnObserverDoesNotEndTheTimeToLive() async throws {
        let clock = ManualClock()
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { _ in 1 }
        autorun(isolation: nil) { _ = store.getOrNil(node) }.cancel()
        await clock.hasSleepers(1)
        #expect(try store.value(node) == 1)
        await letOthersRun()
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(5))
        await letOthersRun()
        #expect(store.instanceCount == 0)
    }

    // MARK: - Nodes that go

    @Test func aNodeReleasedWithItsLastReaderStartsNoTimeToLive() async {
        let clock = ManualClock()
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { _ in 1 }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        store.transaction {
            reaction.cancel()
            store.release(node)
        }
        await letOthersRun()
        #expect(clock.sleeperCount == 0)
    }

    @Test func aReaderDoesNotKeepANodeThatItsEffectReleases() {
        let tracker = LifetimeTracker()
        let own = Shared<Atom<LifetimeTracker.Token>?>(nil)
        let releasing = AtomEffect<LifetimeTracker.Token> { context in
            if let node = own.value { context.accessor?.store.release(node) }
        }
        let node = atom(effects: [releasing]) { tracker.token() }
        own.value = node
        let reaction = autorun { _ = store.getOrNil(node) }
        #expect(tracker.created == 1 && tracker.alive == 0)
        reaction.cancel()
        own.value = nil
    }

    @Test func aReleasedInputIsFreedDuringTheNextLoad() async throws {
        let (tracker, loads) = (LifetimeTracker(), Loads<Int>())
        let input = atom(retention: .whileObserved) { tracker.token() }
        let node = selector { accessor async throws -> Int in
            _ = try accessor.get(input)
            return try await loads()
        }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        try await loads.waitForStart()
        store.release(input)
        try await loads.waitForStart(2)
        #expect(tracker.created == 2)
        loads.finish(0, 1)
        await eventually { tracker.alive == 1 }
        #expect(tracker.alive == 1)
        loads.finish(1, 1)
        _ = try await store.get(node)
        reaction.cancel()
    }
}
