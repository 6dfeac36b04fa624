// Operations on a node while it loads.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct InterventionTests {
    let store = RecoilStore()

    @Test func severalInputsThatChangeTogetherRestartTheRunOnce() async throws {
        let loads = Loads<Int>()
        let (a, b) = (atom(1), atom(10))
        let node = selector { accessor in
            let sum = try accessor.get(a) + accessor.get(b)
            return sum + (try await loads())
        }
        _ = store.loadable(node)
        try await loads.waitForStart()
        store.transaction {
            store.set(a, 2)
            store.set(b, 20)
            store.set(a, 3)
        }
        try await loads.waitForStart(2)
        try await loads.waitForCancellation()
        loads.finish(1, 100)
        #expect(try await store.get(node) == 123)
        loads.finish(0, 0)
        await letOthersRun()
        #expect(loads.started == 2)
        #expect(loads.cancelled == [0])
    }

    @Test func refreshingWhilePendingCancelsAndStartsAgain() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        async let waited = store.get(node)
        try await loads.waitForStart()
        store.refresh(node)
        try await loads.waitForCancellation()
        try await loads.waitForStart(2)
        loads.finish(0, 1)
        await letOthersRun()
        #expect(store.loadable(node).isLoading)
        loads.finish(1, 2)
        #expect(try await waited == 2)
    }

    @Test func resettingAPendingAsyncAtomStartsAgain() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        _ = store.loadable(node)
        try await loads.waitForStart()
        store.reset(node)
        _ = store.loadable(node)
        try await loads.waitForCancellation()
        try await loads.waitForStart(2)
        loads.finish(0, 1)
        loads.finish(1, 2)
        #expect(try await store.get(node) == 2)
    }

    @Test func theLastOfSeveralSetsDuringALoadHolds() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        let double = selector { accessor in try await accessor.get(node) * 2 }
        async let waited = store.get(double)
        try await loads.waitForStart()
        store.transaction {
            store.set(node, 5)
            store.set(node, 6)
        }
        #expect(try await waited == 12)
        store.set(node, 7)
        loads.finish(0, 1)
        #expect(try await store.get(double) == 14)
        #expect(loads.cancelled == [0])
    }

    @Test func restoringWinsOverALoad() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        store.set(node, 7)
        let before = store.snapshot()
        store.reset(node)
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart()
        store.restore(before)
        #expect(store.value(node) == 7)
        try await loads.waitForCancellation()
        loads.finish(0, 1)
        await letOthersRun()
        #expect(store.value(node) == 7)
    }

    @Test func restoringAPendingNodeLoadsIt() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        _ = store.loadable(node)
        try await loads.waitForStart()
        let before = store.snapshot()
        store.set(node, 7)
        store.restore(before)
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart(2)
        loads.finish(0, 1)
        loads.finish(1, 2)
        #expect(try await store.get(node) == 2)
    }

    @Test func aLateErrorIsDropped() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        _ = store.loadable(node)
        try await loads.waitForStart()
        store.set(input, 2)
        try await loads.waitForStart(2)
        loads.finish(0, .failure(Refused.once))
        await letOthersRun()
        #expect(store.loadable(node).errors.isEmpty)
        loads.finish(1, 5)
        #expect(try await store.get(node) == 5)
    }

    @Test(.inDefaultGraph) func aTaskThatThrowsOnCancellationLeavesNoError() async throws {
        let starts = Observable(0)
        let input = atom(1)
        let node = selector { accessor in
            let number = try accessor.get(input)
            inTransaction { starts.value += 1 }
            if number == 1 {
                // Continues only when it is cancelled.
                try await when { false }
            }
            return number
        }
        let loadable = store.loadable(node)
        try await when { starts.value == 1 }
        store.set(input, 2)
        #expect(try await store.get(node) == 2)
        await letOthersRun()
        #expect(loadable.errors.isEmpty && loadable.data == 2)
    }

    @Test func anAwaitedNodeIsNotPurged() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        async let waited = store.get(node)
        try await loads.waitForStart()
        store.purge()
        loads.finish(0, 5)
        #expect(try await waited == 5)
        #expect(loads.cancelled.isEmpty)
    }

    @Test func twoStoresLoadTheSameNodeIndependently() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let other = RecoilStore()
        _ = store.loadable(node)
        try await loads.waitForStart()
        _ = other.loadable(node)
        try await loads.waitForStart(2)
        store.release(node)
        loads.finish(0, 1)
        loads.finish(1, 2)
        #expect(try await other.get(node) == 2)
        #expect(loads.cancelled == [0])
    }

    /// The end of a run and the change of its input happen at the same time, on two threads.
    @Test func anInputThatChangesAsTheRunEndsIsNotMissed() async throws {
        for round in 0..<(isUnderThreadSanitizer ? 50 : 300) {
            let store = RecoilStore()
            let loads = Loads<Int>()
            let input = atom(1)
            let node = selector { accessor in
                let number = try accessor.get(input)
                return number * 10 + (try await loads())
            }
            async let first = store.get(node)
            try await loads.waitForStart()
            onThreads(2) { thread in
                if (thread == 0) == (round % 2 == 0) { loads.finish(0, 1) } else { store.set(input, 2) }
            }
            // Whether or not the first run has ended, the result of the second one counts.
            let answer = Task {
                try await loads.waitForStart(2)
                loads.finish(1, 2)
            }
            let found = try await first
            #expect(found == 11 || found == 22)
            #expect(try await store.get(node) == 22)
            try await answer.value
        }
    }

    @Test func aRolledBackChangeDoesNotRestartTheRun() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        try await loads.waitForStart()
        try? store.transaction { () throws in
            store.set(input, 2)
            throw Refused.once
        }
        try? store.transaction { () throws in
            store.set(input, 2)
            _ = store.value(node)
            throw Refused.once
        }
        await letOthersRun()
        loads.finish(0, 1)
        #expect(try await store.get(node) == 1)
        #expect(loads.started == 1)
        #expect(loads.cancelled == [])
        reaction.cancel()
    }
}
