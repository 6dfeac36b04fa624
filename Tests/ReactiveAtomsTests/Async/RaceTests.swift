// Races of loads with changes, reads, cancellation and release.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct RaceTests {
    let store = RecoilStore()

    @Test func anInputThatChangesWhilePendingRestartsTheRun() async throws {
        let loads = Loads<String>()
        let input = atom(1)
        let node = selector { accessor in
            let number = try accessor.get(input)
            return "\(number) \(try await loads())"
        }
        let loadable = store.loadable(node)
        try await loads.waitForStart()
        store.set(input, 2)
        // Immediately, although the node is unobserved.
        try await loads.waitForCancellation()
        #expect(loads.cancelled == [0])
        try await loads.waitForStart(2)
        loads.finish(0, "late")
        await letOthersRun()
        #expect(loadable.isLoading && loadable.data == nil)
        loads.finish(1, "new")
        #expect(try await store.get(node) == "2 new")
        #expect(loads.started == 2)
    }

    @Test func aLateResultIsDropped() async throws {
        let loads = Loads<String>()
        let input = atom(1)
        let node = selector { accessor in
            let number = try accessor.get(input)
            return "\(number) \(try await loads())"
        }
        let seen = Observable([String]())
        let reaction = store.observe(node, isolation: nil) { seen.value.append($0) }
        try await loads.waitForStart()
        store.set(input, 2)
        try await loads.waitForStart(2)
        loads.finish(1, "new")
        #expect(try await store.get(node) == "2 new")
        loads.finish(0, "late")
        await letOthersRun()
        #expect(store.value(node) == "2 new")
        try await when { seen.value == ["2 new"] }
        reaction.cancel()
    }

    @Test func waitersGetTheResultForTheNewInput() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            let number = try accessor.get(input)
            return try await loads() + number
        }
        async let waited = store.get(node)
        try await loads.waitForStart()
        store.set(input, 2)
        try await loads.waitForStart(2)
        loads.finish(0, 100)
        loads.finish(1, 200)
        #expect(try await waited == 202)
    }

    @Test func dependenciesFoundAfterAnAwaitCount() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            let loaded = try await loads()
            return loaded + (try accessor.get(input))
        }
        let seen = Observable([Int]())
        let reaction = store.observe(node, isolation: nil) { seen.value.append($0) }
        try await loads.waitForStart()
        // Not a dependency yet, so nothing happens.
        store.set(input, 2)
        loads.finish(0, 10)
        #expect(try await store.get(node) == 12)
        store.set(input, 3)
        try await loads.waitForStart(2)
        #expect(store.loadable(node).isLoading)
        loads.finish(1, 20)
        #expect(try await store.get(node) == 23)
        try await when { seen.value == [12, 23] }
        reaction.cancel()
    }

    @Test func dependenciesFoundAfterAnAwaitRestartAPendingRun() async throws {
        let (first, second) = (Loads<Int>(), Loads<Int>())
        let input = atom(1)
        let node = selector { accessor in
            _ = try await first()
            let number = try accessor.get(input)
            return try await second() + number
        }
        _ = store.loadable(node)
        try await first.waitForStart()
        first.finish(0, 0)
        try await second.waitForStart()
        store.set(input, 2)
        try await second.waitForCancellation()
        try await first.waitForStart(2)
        first.finish(1, 0)
        try await second.waitForStart(2)
        second.finish(1, 10)
        second.finish(0, 99)
        #expect(try await store.get(node) == 12)
    }

    @Test func dependenciesFoundInChildTasksCount() async throws {
        let (a, b) = (atom(1), atom(2))
        let node = selector { accessor in
            async let first = Task { try accessor.get(a) }.value
            async let second = Task { try accessor.get(b) }.value
            return try await first + second
        }
        #expect(try await store.get(node) == 3)
        store.set(b, 20)
        #expect(try await store.get(node) == 21)
        store.set(a, 10)
        #expect(try await store.get(node) == 30)
    }

    @Test func aRestoredInputDoesNotRestartTheRun() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        _ = store.loadable(node)
        try await loads.waitForStart()
        store.transaction {
            store.set(input, 2)
            store.set(input, 1)
        }
        await letOthersRun()
        #expect(loads.started == 1 && loads.cancelled.isEmpty)
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
    }

    @Test func aRolledBackInputDoesNotRestartTheRun() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        _ = store.loadable(node)
        try await loads.waitForStart()
        try? store.transaction {
            store.set(input, 2)
            throw Refused.once
        }
        await letOthersRun()
        #expect(loads.started == 1 && loads.cancelled.isEmpty)
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
    }

    @Test func readingInATransactionThatIsRolledBackEndsWithTheOldInput() async throws {
        let input = atom(1)
        let node = selector { accessor in
            let number = try accessor.get(input)
            await Task.yield()
            return number * 10
        }
        #expect(try await store.get(node) == 10)
        try? store.transaction {
            store.set(input, 2)
            #expect(store.loadable(node).isLoading)
            throw Refused.once
        }
        #expect(try await store.get(node) == 10)
        store.set(input, 3)
        #expect(try await store.get(node) == 30)
    }

    @Test func settingAPendingAsyncAtomWinsOverItsLoad() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        let seen = Observable([Int]())
        let reaction = store.observe(node, isolation: nil) { seen.value.append($0) }
        try await loads.waitForStart()
        store.set(node, 7)
        #expect(store.value(node) == 7)
        #expect(!store.loadable(node).isLoading)
        try await loads.waitForCancellation()
        loads.finish(0, 100)
        await letOthersRun()
        #expect(store.value(node) == 7)
        #expect(try await store.get(node) == 7)
        try await when { seen.value == [7] }
        reaction.cancel()
    }

    @Test func theLoadContinuesIfASetIsRolledBack() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        _ = store.loadable(node)
        try await loads.waitForStart()
        try? store.transaction {
            store.set(node, 7)
            #expect(store.value(node) == 7)
            throw Refused.once
        }
        #expect(store.loadable(node).isLoading)
        #expect(loads.cancelled.isEmpty)
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
    }

    @Test func resettingAnAsyncAtomLoadsAgain() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        store.set(node, 7)
        #expect(store.value(node) == 7)
        #expect(loads.started == 0)
        store.reset(node)
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
    }

    @Test func aLoadedAsyncAtomCanBeUpdated() async throws {
        let node = atom { () async -> Int in 5 }
        #expect(try await store.get(node) == 5)
        store.update(node) { $0 += 1 }
        #expect(store.value(node) == 6)
    }

    @Test func anErrorIsClearedWhenAnInputChanges() async throws {
        let input = atom(0)
        let node = selector { accessor async throws -> Int in
            let number = try accessor.get(input)
            if number == 0 { throw Refused.once }
            return number
        }
        await #expect(throws: Refused.once) { try await store.get(node) }
        store.set(input, 5)
        #expect(try await store.get(node) == 5)
    }

    @Test func anAsyncSelectorCanRecoverFromAnUpstreamError() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let safe = selector { accessor in (try? await accessor.get(source)) ?? -1 }
        async let first = store.get(safe)
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        #expect(try await first == -1)
        store.refresh(source)
        try await loads.waitForStart(2)
        loads.finish(1, 5)
        #expect(try await store.get(safe) == 5)
    }

    @Test func cancellingAWaiterDoesNotCancelTheRun() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(loads.cancelled.isEmpty)
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
        #expect(loads.started == 1)
    }

    @Test func aCancelledTaskDoesNotBeginToWait() async throws {
        let node = selector { _ async in 5 }
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.get(node)
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func aRunThatWasReplacedReadsNoMore() async throws {
        let loads = Loads<Int>()
        let (input, other) = (atom(1), atom(1))
        let refused = Observable(false)
        let node = selector { accessor in
            let number = try accessor.get(input)
            let loaded = try await loads()
            do {
                return try accessor.get(other) + number + loaded
            } catch {
                refused.value = error is CancellationError
                throw error
            }
        }
        _ = store.loadable(node)
        try await loads.waitForStart()
        store.set(input, 2)
        try await loads.waitForStart(2)
        loads.finish(0, 100)
        try await when { refused.value }
        loads.finish(1, 10)
        #expect(try await store.get(node) == 13)
    }

    @Test func aReleasedNodeIgnoresLateResults() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        _ = store.loadable(node)
        try await loads.waitForStart()
        store.release(node)
        try await loads.waitForCancellation()
        loads.finish(0, 5)
        await letOthersRun()
        #expect(store.instanceCount == 0)
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart(2)
        loads.finish(1, 6)
        #expect(try await store.get(node) == 6)
    }

    @Test func releasingANodeEndsTheWaitForIt() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart()
        await letOthersRun()
        store.release(node)
        await #expect(throws: CancellationError.self) { try await waiting.value }
        loads.finish(0, 5)
    }

    @Test func releasingAnInputRestartsItsReaders() async throws {
        let input = atom(1)
        let node = selector { accessor in try await Task { try accessor.get(input) }.value * 10 }
        store.set(input, 5)
        let loadable = store.loadable(node)
        #expect(try await store.get(node) == 50)
        store.release(input)
        #expect(try await store.get(node) == 10)
        #expect(loadable.data == 10)
    }

    @Test func theStoreMayBeFreedDuringALoad() async throws {
        let loads = Loads<Int>()
        let tracker = LifetimeTracker()
        let node = selector { _ in try await loads() }
        do {
            let store = RecoilStore()
            let token = tracker.token()
            store.set(atom(0 as any Sendable), token)
            _ = store.loadable(node)
            try await loads.waitForStart()
        }
        try await loads.waitForCancellation()
        // The thread that cancelled it may release the store last.
        await eventually { tracker.alive == 0 }
        #expect(tracker.alive == 0)
        loads.finish(0, 5)
        await letOthersRun()
    }

    // U ─▶ D
    @Test func dependentsOfALoadWaitForItsEndBeforeTheyRunAgain() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let runs = Log()
        let derived = selector { accessor in
            runs("run")
            return try await accessor.get(source) * 2
        }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(derived) }
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await store.get(derived) == 10)
        #expect(runs.take() == ["run"])
        store.refresh(source)
        #expect(store.loadable(derived).isLoading && store.loadable(derived).data == 10)
        try await loads.waitForStart(2)
        loads.finish(1, 5)
        #expect(try await store.get(derived) == 10)
        #expect(runs.take().isEmpty, "the same value as before: no run")
        store.refresh(source)
        try await loads.waitForStart(3)
        loads.finish(2, 6)
        #expect(try await store.get(derived) == 12)
        #expect(runs.take() == ["run"])
        reaction.cancel()
    }

    @Test func closuresRunInTheIsolationThatCreatedThem() async throws {
        let wasOnMain = try await onMain(store)
        #expect(wasOnMain)
    }

    @MainActor private func onMain(_ store: RecoilStore) async throws -> Bool {
        var isolated = 0
        let node = selector { _ async throws -> Bool in
            MainActor.assertIsolated()
            isolated += 1
            await Task.yield()
            isolated += 1
            return true
        }
        let result = try await store.get(node)
        #expect(isolated == 2)
        return result
    }
}
