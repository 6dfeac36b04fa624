// Which results of asynchronous selectors are reused.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct CacheTests {
    let store = RecoilStore()
    let input = atom(0)

    private func runs(_ cache: CachePolicy, for inputs: [Int]) async throws -> [Int] {
        let log = Log()
        let node = selector(cache: cache) { accessor in
            let number = try accessor.get(input)
            log("\(number)")
            await Task.yield()
            return number * 10
        }
        for number in inputs {
            store.set(input, number)
            #expect(try await store.get(node) == number * 10)
        }
        return log.take().compactMap(Int.init)
    }

    @Test func theLatestResultIsKept() async throws {
        #expect(try await runs(.latest, for: [1, 2, 1, 1]) == [1, 2, 1])
    }

    @Test func theLatestResultIsUsedWhenAnInputIsRestored() async throws {
        let loads = Loads<Int>()
        let node = selector { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        _ = store.loadable(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
        store.set(input, 1)
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart(2)
        store.set(input, 0)
        #expect(store.value(node) == 5)
        #expect(loads.started == 2)
        try await loads.waitForCancellation()
        loads.finish(1, 6)
        await letOthersRun()
        #expect(store.value(node) == 5)
    }

    @Test func theLastUsedResultsAreKept() async throws {
        #expect(try await runs(.lru(2), for: [1, 2, 1, 3, 1, 2]) == [1, 2, 3, 2])
    }

    @Test func allResultsAreKept() async throws {
        #expect(try await runs(.all, for: [1, 2, 3, 1, 2, 3]) == [1, 2, 3])
    }

    @Test func loadingAgainClearsTheCache() async throws {
        var results = [1, 2, 3].makeIterator()
        let node = selector(cache: .all) { accessor async throws -> Int in
            _ = try accessor.get(input)
            return results.next() ?? 0
        }
        #expect(try await store.get(node) == 1)
        store.refresh(node)
        #expect(try await store.get(node) == 2)
        store.set(input, 1)
        #expect(try await store.get(node) == 3)
        store.set(input, 0)
        #expect(try await store.get(node) == 2)
    }

    @Test func errorsAreNotKept() async throws {
        let log = Log()
        let node = selector(cache: .all) { accessor async throws -> Int in
            let number = try accessor.get(input)
            log("\(number)")
            if number == 0 { throw Refused.once }
            return number
        }
        for number in [0, 1, 0, 1] {
            store.set(input, number)
            _ = try? await store.get(node)
        }
        #expect(log.take() == ["0", "1", "0"])
    }

    @Test func resultsThatReadReleasedNodesAreForgotten() async throws {
        let tracker = LifetimeTracker()
        let part = selectorFamily { (number: Int, accessor: StateGetter) throws -> LifetimeTracker.Token in
            _ = try accessor.get(input)
            return tracker.token()
        }
        let node = selector(cache: .all) { accessor async throws -> Int in
            let number = try accessor.get(input)
            return try accessor.get(part(number)).number
        }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(node) }
        for number in 1...20 {
            store.set(input, number)
            _ = try await store.get(node)
        }
        #expect(tracker.created >= 20)
        // The tasks of earlier loads may not have ended yet, and still hold values that they have read.
        await eventually { tracker.alive <= 3 }
        #expect(tracker.alive <= 3)
        reaction.cancel()
    }

    @Test func unusableResultsDoNotEvictUsableOnes() async throws {
        let log = Log()
        let extra = atom(0, retention: .whileObserved)
        let node = selector(cache: .lru(2)) { accessor async throws -> Int in
            let number = try accessor.get(input)
            log("\(number)")
            return number > 1 ? number + (try accessor.get(extra)) : number
        }
        func load(_ number: Int) async throws {
            store.set(input, number)
            _ = try await store.get(node)
        }
        try await load(0)
        try await load(2)
        store.release(extra)
        try await load(1)
        try await load(0)
        #expect(log.take() == ["0", "2", "1"])
    }
}
