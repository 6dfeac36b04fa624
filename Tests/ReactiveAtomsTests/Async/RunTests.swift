// The runs of asynchronous nodes: their inputs, their replacement and their end.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct RunTests {
    let store = RecoilStore()

    /// The number of inputs that the current run of a node has recorded.
    private func inputCount(_ node: AsyncSelector<Int>) -> Int {
        store.transaction { store.instance(for: node).dependencies.count }
    }

    // MARK: - Inputs

    @Test(arguments: [3, 40, 100]) func eachInputIsRecordedOnce(count: Int) async throws {
        let part = atomFamily { (number: Int) in number }
        let parts = (0..<count).map { part($0) }
        let node = selector { accessor async throws -> Int in
            var sum = 0
            for _ in 1...2 { for part in parts { sum += try accessor.get(part) } }
            return sum
        }
        let sum = count * (count - 1)  // Each is read twice.
        #expect(try await store.get(node) == sum)
        #expect(inputCount(node) == count)
        for (number, part) in [parts[0], parts[count - 1]].enumerated() {
            store.update(part) { $0 += 1 }
            #expect(try await store.get(node) == sum + 2 * (number + 1))
        }
    }

    @Test func aNodeAwaitedBeforeManyReadsIsFollowed() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let part = atomFamily { (number: Int) in number }
        let parts = (0..<100).map { part($0) }
        let node = selector { accessor async throws -> Int in
            async let first = accessor.get(source)
            // The run has recorded that it awaits the source.
            try await loads.waitForStart()
            var sum = 0
            for part in parts { sum += try accessor.get(part) }
            return try await first + sum
        }
        async let value = store.get(node)
        try await loads.waitForStart()
        await letOthersRun()
        loads.finish(0, 1)
        #expect(try await value == 4951)
        store.refresh(source)
        _ = store.value(source)
        try await loads.waitForStart(2)
        loads.finish(1, 2)
        #expect(try await store.get(source) == 2)
        #expect(try await store.get(node) == 4952)
    }

    @Test func aNodeThatIsAwaitedAndReadCountsForBoth() async throws {
        let (loads, log) = (Loads<Int>(), Log())
        let source = selector { _ in try await loads() }
        let node = selector { accessor async throws -> String in
            log("run")
            let awaited = try await accessor.get(source)
            let isLoading = accessor.loadable(source).isLoading
            return "\(awaited) \(isLoading)"
        }
        async let value = store.get(node)
        try await loads.waitForStart()
        loads.finish(0, 1)
        #expect(try await value == "1 false")
        store.refresh(source)
        // There is no other outcome yet, but the loadable has changed.
        _ = store.value(node)
        try await loads.waitForStart(2)
        await letOthersRun()
        #expect(log.take() == ["run", "run"])
        loads.finish(1, 1)
        #expect(try await store.get(node) == "1 false")
    }

    @Test func aRunThatAwaitsALoadOfANodeWithAResultRunsOnce() async throws {
        let (loads, log) = (Loads<Int>(), Log())
        let source = selector(retention: .store) { _ in try await loads() }
        let node = selector { accessor async throws -> Int in
            log("run")
            return try await accessor.get(source) * 10
        }
        _ = store.value(source)
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await store.get(source) == 5)
        store.refresh(source)
        #expect(store.loadable(source).isLoading)
        try await loads.waitForStart(2)
        async let value = store.get(node)
        await letOthersRun()
        loads.finish(1, 6)
        #expect(try await value == 60)
        #expect(log.take() == ["run"])
    }

    @Test func readsAfterTheEndOfARunAreNoInputs() async throws {
        let log = Log()
        let kept = Shared<StateGetter?>(nil)
        let (input, other) = (atom(1), atom(1))
        let node = selector { accessor async throws -> Int in
            log("run")
            kept.withLock { $0 = accessor }
            return try accessor.get(input)
        }
        #expect(try await store.get(node) == 1)
        _ = try kept.value?.get(other)
        #expect(inputCount(node) == 1)
        store.set(other, 2)
        #expect(try await store.get(node) == 1)
        #expect(log.take() == ["run"])
        kept.withLock { $0 = nil }
    }

    // MARK: - Replacement

    @Test func aRunReplacedInTheTransactionThatStartsItDoesNotBegin() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        store.transaction {
            _ = store.value(node)
            store.refresh(node)
            _ = store.value(node)
        }
        try await loads.waitForStart()
        await letOthersRun()
        #expect(loads.started == 1)
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
    }

    @Test func aRunOfAStoreThatEndsBeforeItBeginsDoesNotBegin() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        store.transaction { _ = RecoilStore().value(node) }
        await letOthersRun()
        #expect(loads.started == 0)
    }

    @Test func aRunReplacedInTheTransactionThatEndsTheStoreIsCancelled() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        var other: RecoilStore? = RecoilStore()
        _ = other?.value(node)
        try await loads.waitForStart()
        store.transaction {
            other?.refresh(node)
            _ = other?.value(node)
            other = nil
        }
        try await loads.waitForCancellation()
        loads.finish(0, 1)
        await letOthersRun()
        #expect(loads.started == 1)
    }

    @Test func aLateResultIsNotKeptForTheNewInput() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector(cache: .all) { accessor async throws -> Int in
            _ = try accessor.get(input)
            return try await loads()
        }
        _ = store.value(node)
        try await loads.waitForStart()
        for (load, number) in [2, 3, 2].enumerated() {
            store.set(input, number)
            #expect(store.value(node) == nil)
            try await loads.waitForStart(load + 2)
            loads.finish(load, load)
            await letOthersRun()
        }
        #expect(store.value(node) == nil)
        loads.finish(3, 30)
        #expect(try await store.get(node) == 30)
    }

    @MainActor @Test(.inDefaultGraph) func anInputChangedByAnotherThreadAtTheEndOfARunCounts() async throws {
        let store = RecoilStore()
        let input = atom(1)
        let node = selector { accessor async throws -> Int in
            let number = try accessor.get(input)
            // The main actor, which compares the inputs, is busy until the run ends.
            if number == 1 { onThreads(1) { _ in store.set(input, 2) } }
            return number
        }
        #expect(try await store.get(node) == 2)
        #expect(store.value(node) == 2)
    }

    @Test func aNodeThatNobodyObservesLoadsAgainOnlyWhenItIsRead() async throws {
        let loads = Loads<Int>()
        let (a, b) = (atom(1), atom(1))
        let node = selector(cache: .all) { accessor async throws -> Int in
            _ = try accessor.get(a) + accessor.get(b)
            return try await loads()
        }
        _ = store.value(node)
        try await loads.waitForStart()
        loads.finish(0, 1)
        #expect(try await store.get(node) == 1)
        store.set(a, 2)
        await letOthersRun()
        #expect(loads.started == 1)
        _ = store.value(node)
        try await loads.waitForStart(2)
        // The kept result ends the load.
        store.set(a, 1)
        try await loads.waitForCancellation()
        await letOthersRun()
        store.set(a, 3)
        await letOthersRun()
        #expect(loads.started == 2)
        loads.finish(1, 0)
    }

    @Test func releasingAnInputOfAKeptResultLoadsAgain() async throws {
        let log = Log()
        let input = atom(1)
        let node = selector(cache: .all) { accessor async throws -> Int in
            let number = try accessor.get(input)
            log("\(number)")
            return number
        }
        for number in [2, 3, 2] {
            store.set(input, number)
            #expect(try await store.get(node) == number)
        }
        #expect(log.take() == ["2", "3"])
        store.release(input)
        #expect(try await store.get(node) == 1)
        #expect(log.take() == ["1"])
    }

    @Test func inputsOfAKeptResultAreKeptWhileItIsObserved() async throws {
        let input = atom(1)
        let log = Log()
        let part = selector { _ in
            log("part")
            return 10
        }
        let node = selector(cache: .all) { accessor async throws -> Int in
            try accessor.get(input) + accessor.get(part)
        }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        for number in [2, 3, 2] {
            store.set(input, number)
            #expect(try await store.get(node) == number + 10)
        }
        await letOthersRun()
        #expect(try store.value(part) == 10)
        #expect(log.take() == ["part"])
        reaction.cancel()
    }

    // MARK: - Data during a load

    @Test(arguments: [true, false]) func dataDuringTheLoadOfAnAwaitedNode(keepsPrevious: Bool) async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let source = selector { accessor async throws -> Int in
            _ = try accessor.get(input)
            return try await loads()
        }
        let node = selector(keepPrevious: keepsPrevious) { accessor in try await accessor.get(source) * 10 }
        async let value = store.get(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await value == 50)
        store.set(input, 2)
        let loadable = store.loadable(node)
        #expect(loadable.isLoading && loadable.latestData == 50)
        #expect(loadable.data == (keepsPrevious ? 50 : nil))
        try await loads.waitForStart(2)
        loads.finish(1, 6)
        #expect(try await store.get(node) == 60)
    }

    @Test func aSecondRefreshKeepsTheInputsOfTheFirst() async throws {
        let loads = Loads<Int>()
        let part = atom(1, retention: .whileObserved)
        let node = selector { accessor async throws -> Int in try await loads() + accessor.get(part) }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        store.set(part, 5)
        try await loads.waitForStart()
        loads.finish(0, 0)
        _ = try await store.get(node)
        store.set(part, 6)
        for load in 1...3 {
            try await loads.waitForStart(load + 1)
            if load < 3 { store.refresh(node) }
        }
        await letOthersRun()
        loads.finish(3, 10)
        #expect(try await store.get(node) == 16)
        for load in 1...2 { loads.finish(load, 0) }
        reaction.cancel()
    }

    @Test func aCancelledRunReleasesTheInputsOfTheRunBefore() async throws {
        let loads = Loads<Int>()
        let part = atom(1, retention: .whileObserved)
        let node = selector { accessor async throws -> Int in try await loads() + accessor.get(part) }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        try await loads.waitForStart()
        loads.finish(0, 0)
        #expect(try await store.get(node) == 1)
        store.refresh(node)
        try await loads.waitForStart(2)
        #expect(store.instanceCount == 2)
        reaction.cancel()
        try await loads.waitForCancellation()
        await letOthersRun()
        #expect(store.instanceCount == 0)
        loads.finish(1, 0)
    }

    @Test func onlyTheLastDataOutliveARefresh() async throws {
        let tracker = LifetimeTracker()
        let node = selector { _ async throws -> LifetimeTracker.Token in tracker.token() }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        for count in 1...4 {
            _ = try await store.get(node)
            #expect(tracker.created == count)
            if count < 4 { store.refresh(node) }
        }
        await eventually { tracker.alive <= 2 }
        #expect(tracker.alive <= 2)
        reaction.cancel()
    }

    @Test func keptResultsAreFreedWithTheNode() async throws {
        let tracker = LifetimeTracker()
        let input = atom(0)
        let node = selector(cache: .all) { accessor async throws -> LifetimeTracker.Token in
            _ = try accessor.get(input)
            return tracker.token()
        }
        let reader = Computed { store.getOrNil(node) != nil }
        for number in 1...4 {
            store.set(input, number)
            _ = try await store.get(node)
        }
        // The reader retains the node that it has read.
        #expect(reader.value)
        store.release(node)
        // The last load, and the data before it.
        await eventually { tracker.alive <= 2 }
        #expect(tracker.alive <= 2)
        withExtendedLifetime(reader) {}
    }

    @Test func aRunWhoseInputIsReleasedStartsAgain() async throws {
        let created = Shared(0)
        let input = atom(retention: .whileObserved) {
            created.value += 1
            return created.value
        }
        let first = atom(0)
        let node = selector { accessor async throws -> Int in
            _ = try accessor.get(first)
            // In one transaction, so nothing observes the input in between.
            return try store.transaction {
                let number = try accessor.get(input)
                if number == 1 { store.release(input) }
                return number
            }
        }
        #expect(try await store.get(node) == 2)
    }

    // MARK: - The end

    @Test func aRunOfANodeReleasedInAFailedTransactionReadsNoMore() async throws {
        let (loads, log) = (Loads<Int>(), Log())
        let (input, other) = (atom(1), atom(1))
        let node = selector { accessor async throws -> Int in
            _ = try accessor.get(input)
            let number = try await loads()
            log("\((try? accessor.get(other)) ?? -1)")
            return number
        }
        // Retains the node that it has read.
        let reader = Computed { store.getOrNil(node) }
        #expect(reader.value == nil)
        try await loads.waitForStart()
        try? store.transaction { () throws in
            store.release(node)
            throw Refused.once
        }
        try await loads.waitForCancellation()
        loads.finish(0, 1)
        await letOthersRun()
        #expect(log.take() == ["-1"])
        withExtendedLifetime(reader) {}
    }

    @Test func anAwaitedNodeOutlivesItsObservers() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        async let value = store.get(node)
        try await loads.waitForStart()
        await letOthersRun()
        reaction.cancel()
        await letOthersRun()
        #expect(loads.cancelled.isEmpty)
        #expect(store.instanceCount == 1)
        loads.finish(0, 5)
        #expect(try await value == 5)
        #expect(loads.started == 1)
    }

    // MARK: - Overrides and snapshots

    @Test func refreshingAnOverriddenNodeKeepsTheOverride() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        store.override(node, value: 7)
        #expect(store.value(node) == 7)
        store.refresh(node)
        #expect(store.value(node) == 7)
        await letOthersRun()
        #expect(loads.started == 0)
    }

    @Test func restoringAnEqualValueLeavesTheLoadedOne() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        let before = store.snapshot()
        _ = store.value(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        _ = try await store.get(node)
        store.restore(store.snapshot())
        // The atom has its default still.
        store.restore(before)
        #expect(store.value(node) == 5)
        await letOthersRun()
        #expect(loads.started == 1)
    }

    // MARK: - Cycles

    @Test func aCycleAcrossThreeNodesIsAnErrorWithItsPath() async throws {
        await #expect(throws: RecoilError.circular(.init(path: ["a", "b", "c", "a"]))) {
            try await store.get(Triangle.a)
        }
    }
}

private enum Triangle {
    static var a: AsyncSelector<Int> { selector { accessor in try await accessor.get(b) } }
    static var b: AsyncSelector<Int> { selector { accessor in try await accessor.get(c) } }
    static var c: AsyncSelector<Int> {
        selector { accessor in
            await Task.yield()
            return try await accessor.get(a)
        }
    }
}
