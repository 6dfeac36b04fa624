// Tasks that wait for nodes: which events end a wait, and that it ends once.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct WaitingTests {
    let store = RecoilStore()

    @Test func cancellingOneOfTwoWaitersLeavesTheOtherWaiting() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let tasks = [Task { try await store.get(node) }, Task { try await store.get(node) }]
        try await loads.waitForStart()
        await letOthersRun()
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(loads.cancelled.isEmpty)
        loads.finish(0, 5)
        #expect(try await tasks[1].value == 5)
        #expect(loads.started == 1)
    }

    @Test func cancellationsThatRaceWithTheEndOfARunEndEachWaitOnce() async throws {
        let input = atom(0)
        let node = selector { accessor in
            let number = try accessor.get(input)
            await Task.yield()
            return number
        }
        for round in 1...(isUnderThreadSanitizer ? 50 : 300) {
            store.set(input, round)
            let tasks = (0..<4).map { _ in Task { try await store.get(node) } }
            onOtherThread {
                tasks[round % 4].cancel()
                tasks[(round + 1) % 4].cancel()
            }
            for (index, task) in tasks.enumerated() {
                let isCancelled = index == round % 4 || index == (round + 1) % 4
                do {
                    #expect(try await task.value == round)
                } catch {
                    #expect(isCancelled && error is CancellationError)
                }
            }
        }
    }

    @Test func aWaitEndsWithARefreshAResetOrASet() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        // A refresh: for the value of the next load.
        let refreshed = Task { try await store.get(node) }
        try await loads.waitForStart()
        await letOthersRun()
        store.refresh(node)
        try await loads.waitForStart(2)
        loads.finish(0, 1)
        loads.finish(1, 2)
        #expect(try await refreshed.value == 2)
        // A reset: no observer causes the next load.
        store.refresh(node)
        try await loads.waitForStart(3)
        let reset = Task { try await store.get(node) }
        await letOthersRun()
        store.reset(node)
        try await loads.waitForStart(4)
        loads.finish(2, 3)
        loads.finish(3, 4)
        #expect(try await reset.value == 4)
        // A value that is set during the wait.
        store.reset(node)
        let set = Task { try await store.get(node) }
        try await loads.waitForStart(5)
        await letOthersRun()
        store.set(node, 5)
        #expect(try await set.value == 5)
        loads.finish(4, 0)
    }

    @Test func aRolledBackSetDoesNotEndTheWait() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart()
        await letOthersRun()
        try? store.transaction {
            store.set(node, 7)
            throw Refused.once
        }
        await letOthersRun()
        loads.finish(0, 5)
        #expect(try await waiting.value == 5)
        #expect(loads.started == 1)
    }

    @Test func anOverrideEndsTheWait() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart()
        await letOthersRun()
        store.override(node, value: 7)
        #expect(try await waiting.value == 7)
        try await loads.waitForCancellation()
        loads.finish(0, 5)
    }

    @Test func aKeptResultEndsTheWait() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        _ = store.loadable(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
        store.set(input, 2)
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart(2)
        await letOthersRun()
        // No run ends here.
        store.set(input, 1)
        #expect(try await waiting.value == 5)
        loads.finish(1, 6)
    }

    @Test func aDependencyThatEndsWithTheSameValueEndsTheWait() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let runs = Log()
        let derived = selector { accessor in
            runs("run")
            return try await accessor.get(source) * 2
        }
        let first = Task { try await store.get(derived) }
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await first.value == 10)
        store.refresh(source)
        let second = Task { try await store.get(derived) }
        try await loads.waitForStart(2)
        await letOthersRun()
        loads.finish(1, 5)
        #expect(try await second.value == 10)
        #expect(runs.take() == ["run"])
    }

    @Test func theEndOfTheStoreEndsTheWaitsInItsRuns() async throws {
        let loads = Loads<Int>()
        let log = Log()
        let source = selector { _ in try await loads() }
        let derived = selector { accessor in
            // In a task that the end of the run does not cancel.
            try await Task {
                do {
                    return try await accessor.get(source)
                } catch {
                    log("\(error is CancellationError)")
                    throw error
                }
            }.value
        }
        do {
            let store = RecoilStore()
            _ = store.loadable(derived)
            try await loads.waitForStart()
            await letOthersRun()
        }
        try await loads.waitForCancellation()
        await letOthersRun()
        #expect(log.take() == ["true"])
        loads.finish(0, 5)
    }

    @Test func aRunThatReadsManyNodesFollowsEach() async throws {
        let inputs = atomFamily { (index: Int) in index }
        let count = 100
        let node = selector { accessor in
            var sum = 0
            for index in 0..<count { sum += try accessor.get(inputs(index)) }
            await Task.yield()
            return sum + (try accessor.get(inputs(count)))
        }
        var expected = count * (count + 1) / 2
        #expect(try await store.get(node) == expected)
        for index in [0, 31, 32, 64, 99, 100] {
            store.update(inputs(index)) { $0 += 1 }
            expected += 1
            #expect(try await store.get(node) == expected)
        }
    }

    @Test func manyTasksWaitForManyNodesWhoseInputsChange() async throws {
        let input = atom(0)
        let member = selectorFamily { (index: Int, accessor: StateGetter) async throws -> Int in
            let number = try accessor.get(input)
            if index % 3 == 0 { await Task.yield() }
            return number + index
        }
        let nodes = (0..<40).map { member($0) }
        let rounds = isUnderThreadSanitizer ? 5 : 20
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var isGood = true
                    for round in 1...rounds {
                        if task == 0 { store.set(input, round) }
                        let wait = Task { try await store.get(waitForAll(nodes)) }
                        if task == 3 { wait.cancel() }
                        guard let values = try? await wait.value else {
                            if task != 3 { isGood = false }
                            continue
                        }
                        // All read one input.
                        if Set(values.enumerated().map { $1 - $0 }).count != 1 { isGood = false }
                    }
                    return isGood
                }
            }
            for try await isGood in group { #expect(isGood) }
        }
        #expect(try await store.get(waitForAll(nodes)) == (0..<40).map { $0 + rounds })
    }

    @Test @MainActor func inputsOfTheMainActorAreComparedThereWhileAnotherTaskWaits() async throws {
        let input = atom(1)
        var evaluations = 0
        let double = selector { accessor in
            MainActor.assertIsolated()
            evaluations += 1
            return try accessor.get(input) * 2
        }
        let loads = Loads<Int>()
        let node = selector { accessor in
            let number = try accessor.get(double)
            return try await loads() + number
        }
        let store = store
        let waiting = Task.detached { try await store.get(node) }
        try await loads.waitForStart()
        Task.detached { store.set(input, 2) }
        try await loads.waitForStart(2)
        loads.finish(0, 0)
        loads.finish(1, 10)
        #expect(try await waiting.value == 14)
        #expect(evaluations == 2)
    }
}

@Suite(.timeLimit) struct WaiterTests {
    @Test func aReportBeforeTheTaskSuspendsIsNotMissed() async {
        let waiter = Waiter(for: 1, of: 1)
        waiter.noteOutcome(isFailure: false)
        #expect(!waiter.isListed)
        await waiter.wait()
    }

    @Test func itWaitsForAsManyNodesAsNeeded() async {
        let waiter = Waiter(for: 2, of: 3)
        let task = Task { await waiter.wait() }
        onThreads(2) { _ in waiter.noteOutcome(isFailure: true) }
        await task.value
        #expect(waiter.isListed)
        waiter.noteOutcome(isFailure: false)
        #expect(!waiter.isListed)
    }

    @Test func aFailureEndsTheWaitIfItIsMeantTo() async {
        let waiter = Waiter(for: 2, of: 2, endsWithFailure: true)
        waiter.noteOutcome(isFailure: true)
        await waiter.wait()
        #expect(waiter.isListed)
    }

    @Test func wakingFromManyThreadsResumesOnce() async {
        for _ in 0..<100 {
            let waiter = Waiter(for: 4, of: 4)
            let task = Task { await waiter.wait() }
            onThreads(4) { thread in
                if thread == 0 { task.cancel() }
                if thread == 1 { waiter.wake() }
                waiter.noteOutcome(isFailure: false)
            }
            await task.value
        }
    }

    @Test func aTaskThatIsCancelledDoesNotWait() async {
        let waiter = Waiter(for: 1, of: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await waiter.wait()
        }
        await task.value
        #expect(waiter.isListed)
    }
}
