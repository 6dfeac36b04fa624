// Instances: their activity, their end, and the effects and defaults of atoms.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct InstanceTests {
    let store = RecoilStore()
    let log = Log()

    // MARK: - Activity

    @Test func aLoadableOfAnAtomDoesNotKeepIt() {
        let node = atom(1, retention: .whileObserved)
        let reaction = autorun { _ = store.loadable(node).errors }
        #expect(store.instanceCount == 1)
        reaction.cancel()
        #expect(store.instanceCount == 0)
    }

    @Test func errorsOfASelectorThatIsRefreshedAreForgottenByAllDependents() throws {
        var fails = true
        let source = selector { _ -> Int in
            if fails { throw Refused.once }
            return 1
        }
        let dependent = selectorFamily { (number: Int, accessor: StateGetter) -> Int in
            _ = accessor.getOrNil(source)
            return number
        }
        let loadables = (0..<2).map { store.loadable(dependent($0)) }
        let reactions = loadables.map { loadable in autorun { log("\(loadable.errors.count)") } }
        #expect(log.take() == ["1", "1"])
        fails = false
        store.refresh(source)
        #expect(log.take() == ["0", "0"])
        #expect(loadables.map(\.errors.count) == [0, 0])
        for reaction in reactions { reaction.cancel() }
    }

    @Test func retryingReachesIndirectDependencies() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let middle = selector { accessor in accessor.getOrNil(source) ?? 0 }
        let last = selector { accessor in try accessor.get(middle) + 1 }
        let loadable = store.loadable(last)
        #expect(loadable.isLoading)
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        _ = try? await store.get(source)
        #expect(loadable.hasError)
        loadable.load()
        try await loads.waitForStart(2)
        loads.finish(1, 4)
        _ = try await store.get(source)
        #expect(loadable.data == 5 && !loadable.hasError)
    }

    @Test func manyPathsToANodeAreFollowedOnce() async throws {
        // Each level reads both nodes of the level below, so the number of paths doubles with each.
        let top = Ladder.node(120)
        #expect(!store.loadable(top).isLoading)
        let node = selector { accessor async throws -> Int in try accessor.get(top) }
        #expect(try await store.get(node) == 1)
    }

    // MARK: - The end

    @Test func aReleasedAtomIsReadAnewByAComputedWithoutObservers() {
        let node = atom(1)
        let double = Computed { (store.getOrNil(node) ?? 0) * 2 }
        store.set(node, 5)
        #expect(double.value == 10)
        store.release(node)
        #expect(double.value == 2)
    }

    @Test func eachUseStartsTheTimeToLiveAgain() async throws {
        let clock = ManualClock()
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { _ async -> Int in 1 }
        _ = try await store.get(node)
        await clock.hasSleepers(1)
        clock.advance(by: .seconds(3))
        _ = try await store.get(node)
        await clock.hasSleepers(1)
        await letOthersRun()
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(3))
        await letOthersRun()
        #expect(store.instanceCount == 1)
        clock.advance(by: .seconds(3))
        await eventually { store.instanceCount == 0 }
        #expect(store.instanceCount == 0)
    }

    @Test func theTimeToLiveBeginsAfterAWait() async throws {
        let (clock, loads) = (ManualClock(), Loads<Int>())
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { _ in try await loads() }
        autorun(isolation: nil) { _ = store.getOrNil(node) }.cancel()
        await clock.hasSleepers(1)
        async let value = store.get(node)
        try await loads.waitForStart()
        await letOthersRun()
        clock.advance(by: .seconds(9))
        await letOthersRun()
        #expect(loads.cancelled.isEmpty)
        #expect(store.instanceCount == 1)
        loads.finish(0, 5)
        #expect(try await value == 5)
        await clock.hasSleepers(1)
        clock.advance(by: .seconds(9))
        await eventually { store.instanceCount == 0 }
        #expect(loads.started == 1)
    }

    @Test func aWaitThatAReleaseEndsStartsNoTimeToLive() async throws {
        let (clock, loads) = (ManualClock(), Loads<Int>())
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { _ in try await loads() }
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart()
        await letOthersRun()
        store.release(node)
        _ = await waiting.result
        await letOthersRun()
        #expect(clock.sleeperCount == 0)
        loads.finish(0, 1)
    }

    @Test func aReleaseEndsTheTimeToLive() async throws {
        let clock = ManualClock()
        let node = selector(retention: .ttl(.seconds(5), clock: clock)) { _ in 1 }
        autorun(isolation: nil) { _ = store.getOrNil(node) }.cancel()
        await clock.hasSleepers(1)
        store.release(node)
        await clock.hasSleepers(0)
        #expect(clock.sleeperCount == 0)
    }

    @Test func aRefreshedSelectorFreesItsOldValue() throws {
        let tracker = LifetimeTracker()
        let node = selector(retention: .store) { _ in tracker.token() }
        for count in 1...3 {
            _ = try store.value(node)
            #expect(tracker.created == count && tracker.alive == 1)
            store.refresh(node)
        }
    }

    @Test func valuesReplacedInATransactionAreFreed() throws {
        let tracker = LifetimeTracker()
        let node = atom { tracker.token() }
        _ = try store.value(node)
        store.transaction { for _ in 1...3 { store.set(node, tracker.token()) } }
        #expect(tracker.alive == 1)
        try? store.transaction { () throws in
            store.set(node, tracker.token())
            throw Refused.once
        }
        #expect(tracker.alive == 1)
    }

    // MARK: - Writes

    #if DEBUG
    @Test func selectorsThatWriteAtomsAreReported() {
        let (store, node) = (store, atom([1]))
        let setting = selector { _ in
            store.set(node, [2])
            return 1
        }
        let updating = selector { _ in
            store.update(node) { $0.append(2) }
            return 2
        }
        _ = store.getOrNil(node)
        #expect(issues { _ = store.getOrNil(setting) }.count == 1)
        #expect(issues { _ = store.getOrNil(updating) }.count >= 1)
    }
    #endif

    @Test func aSelectorOfAnAtomHasNoValueDuringItsUpdate() throws {
        let node = atom([1])
        let count = selector { accessor in try accessor.get(node).count }
        #expect(try store.value(count) == 1)
        store.update(node) { value in
            #expect(throws: (any Error).self) { try store.value(count) }
            value.append(2)
        }
        #expect(try store.value(count) == 2)
    }

    // MARK: - Defaults and effects

    private func logging(_ name: String = "") -> AtomEffect<Int> {
        AtomEffect { [log] context in
            context.onSet { new, old, isReset in log("\(name)\(old.map(String.init) ?? "-")→\(new) \(isReset)") }
        }
    }

    @Test func anUpdateThatChangesNothingIsNoSetting() throws {
        let node = atom([1], effects: [AtomEffect { [log] in $0.onSet { new, _, _ in log("\(new)") } }])
        _ = try store.value(node)
        store.update(node) { _ in }
        #expect(log.take().isEmpty)
    }

    @Test func settingAnAtomWhoseDefaultFailedCallsItsEffects() {
        let node = atom(effects: [logging()]) { () throws -> Int in throw Refused.once }
        #expect(throws: Refused.once) { try store.value(node) }
        store.set(node, 3)
        #expect(log.take() == ["-→3 false"])
    }

    @Test func aDefaultIsNotComputedAgainByARestore() throws {
        let node = atom { [log] in
            log("default")
            return 1
        }
        let before = store.snapshot()
        _ = try store.value(node)
        store.restore(before)
        #expect(log.take() == ["default"])
        store.set(node, 2)
        store.reset(node)
        #expect(log.take() == ["default"])
        store.restore(before)
        #expect(log.take().isEmpty)
        store.set(node, 2)
        store.restore(before)
        #expect(log.take() == ["default"])
    }

    @Test func anOverrideIsComputedAgainByARestoreOfTheDefault() {
        let node = atom { () async -> Int in 1 }
        store.override(node) { [log] _ in
            log("override")
            return 7
        }
        let before = store.snapshot()
        #expect(store.value(node) == 7)
        store.restore(before)
        #expect(log.take() == ["override"])
        store.set(node, 8)
        store.restore(before)
        #expect(store.value(node) == 7)
        #expect(log.take() == ["override"])
    }

    @Test func aRestoreKeepsThePromiseOfAnEffect() async throws {
        let loads = Loads<Int?>()
        let node = atom(
            1,
            effects: [
                AtomEffect { context in
                    context.setSelf(5)
                    context.setSelf { try await loads() }
                }
            ])
        let before = store.snapshot()
        #expect(try store.value(node) == 5)
        try await loads.waitForStart()
        store.restore(before)
        loads.finish(0, 7)
        await eventually { store.getOrNil(node) == 7 }
        #expect(try store.value(node) == 7)
    }

    @Test func aSnapshotTakenByADefaultDoesNotContainTheAtom() throws {
        let snapshots = Shared<[RecoilSnapshot]>([])
        let store = store
        let node = atom { () -> Int in
            let snapshot = store.snapshot()
            snapshots.withLock { $0.append(snapshot) }
            return 3
        }
        #expect(try store.value(node) == 3)
        store.set(node, 4)
        let first = try #require(snapshots.value.first)
        store.restore(first)
        #expect(try store.value(node) == 3)
        snapshots.withLock { $0 = [] }
    }

    @Test func effectsOfAnAsyncAtomGetSettingsOnly() async throws {
        let loads = Loads<Int>()
        let contexts = Shared<[AtomEffectContext<Int>]>([])
        let node = atom(
            effects: [
                AtomEffect<Int> { [log] context in
                    contexts.withLock { $0.append(context) }
                    context.onSet { new, _, _ in log("own \(new)") }
                }, logging("other "),
            ]
        ) { try await loads() }
        _ = store.value(node)
        try await loads.waitForStart()
        store.set(node, 6)
        #expect(log.take() == ["own 6", "other -→6 false"])
        store.set(node, 6)
        #expect(log.take().isEmpty)
        let snapshot = store.snapshot()
        contexts.value.first?.setSelf(7)
        #expect(log.take() == ["other 6→7 false"])
        store.restore(snapshot)
        #expect(store.value(node) == 6)
        #expect(log.take().isEmpty, "a restore is no setting")
        store.reset(node)
        #expect(store.value(node) == nil)
        #expect(log.take().isEmpty)
        store.set(node, 8)
        #expect(log.take() == ["own 8", "other -→8 false"])
        contexts.withLock { $0 = [] }
        loads.finish(0, 0)
        await letOthersRun()
        if loads.started > 1 { loads.finish(1, 0) }
    }
}

/// Selectors in levels of two, each of which reads both of the level below.
private enum Ladder {
    static let node: SelectorFamily<Int, Int> = selectorFamily { (number: Int, accessor: StateGetter) throws -> Int in
        guard number > 1 else { return 1 }
        let below = (number / 2 - 1) * 2
        return try accessor.get(Ladder.node(below)) | accessor.get(Ladder.node(below + 1))
    }
}
