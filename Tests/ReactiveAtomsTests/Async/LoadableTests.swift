// Loadables of asynchronous nodes and of nodes that depend on them.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct LoadableTests {
    let store = RecoilStore()

    @Test func asyncNodesLoadAndFinish() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let loadable = store.loadable(node)
        #expect(loadable.isAsynchronous)
        #expect(loadable.isLoading && !loadable.isRefreshing)
        #expect(loadable.data == nil && loadable.latestData == nil && loadable.errors.isEmpty)
        guard case .loading = loadable.phase else { throw Refused.once }
        #expect(store.value(node) == nil)
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
        #expect(loadable.data == 5 && !loadable.isLoading)
        #expect(store.value(node) == 5)
        guard case .loaded(5) = loadable.phase else { throw Refused.once }
        #expect(loads.started == 1)
    }

    @Test func failuresAreInErrorsAndPhase() async throws {
        let node = selector { _ async throws -> Int in throw Refused.code(3) }
        await #expect(throws: Refused.code(3)) { try await store.get(node) }
        let loadable = store.loadable(node)
        #expect(loadable.containError(of: Refused.code(3)))
        #expect(!loadable.containError(of: Refused.once))
        #expect(loadable.errors.count == 1 && loadable.hasError)
        #expect(loadable.data == nil && !loadable.isLoading)
        guard case .failed(let error) = loadable.phase else { throw Refused.once }
        #expect(error as? Refused == .code(3))
    }

    @Test func syncNodesNeverLoad() {
        let good = store.loadable(atom(2))
        #expect(!good.isAsynchronous && good.data == 2 && !good.isLoading)
        let bad = store.loadable(selector { _ -> Int in throw Refused.once })
        #expect(bad.data == nil && bad.containError(of: Refused.once) && !bad.isLoading)
    }

    @Test func aLoadableReadInAnAutorunSubscribes() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let log = Log()
        let reaction = autorun(isolation: nil) {
            let loadable = store.loadable(node)
            log("\(loadable.data ?? -1) \(loadable.isLoading)")
        }
        try await loads.waitForStart()
        loads.finish(0, 5)
        _ = try await store.get(node)
        #expect(log.take() == ["-1 true", "5 false"])
        reaction.cancel()
    }

    @Test func twoReadersShareOneRun() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        async let first = store.get(node)
        async let second = store.get(node)
        let third = selector { accessor in try await accessor.get(node) * 10 }
        async let derived = store.get(third)
        try await loads.waitForStart()
        await letOthersRun()
        loads.finish(0, 5)
        #expect(try await first == 5)
        #expect(try await second == 5)
        #expect(try await derived == 50)
        #expect(loads.started == 1)
    }

    @Test func loadingAndErrorsIncludeUpstreamEachOnce() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let left = selector { accessor in accessor.getOrNil(source) ?? 0 }
        let right = selector { accessor in accessor.getOrNil(source) ?? 0 }
        let bottom = selector { accessor in try accessor.get(left) + accessor.get(right) }
        let loadable = store.loadable(bottom)
        #expect(loadable.data == 0 && loadable.isLoading)
        #expect(!loadable.isAsynchronous)
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        _ = try? await store.get(source)
        #expect(loadable.data == 0 && !loadable.isLoading)
        #expect(loadable.errors.count == 1)
        #expect(loadable.containError(of: Refused.once))
    }

    @Test func aPropagatedErrorCountsOnce() async throws {
        struct Plain: Error {}
        let source = selector { _ async throws -> Int in throw Plain() }
        let derived = selector { accessor in try await accessor.get(source) + 1 }
        await #expect(throws: Plain.self) { try await store.get(derived) }
        #expect(store.loadable(derived).errors.count == 1)
        let other = selector { _ async throws -> Int in throw Refused.code(1) }
        let both = selector { accessor async throws -> Int in
            _ = accessor.getOrNil(other)
            do { return try await accessor.get(source) } catch { throw Refused.code(2) }
        }
        _ = try? await store.get(other)
        await #expect(throws: Refused.code(2)) { try await store.get(both) }
        let errors = store.loadable(both).errors
        #expect(errors.count == 3)
        #expect(errors.first as? Refused == .code(2))
    }

    @Test func loadRecoversFromAnUpstreamFailure() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let derived = selector { accessor in try await accessor.get(source) * 2 }
        let loadable = store.loadable(derived)
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        await #expect(throws: Refused.once) { try await store.get(derived) }
        #expect(loadable.hasError)
        loadable.load()
        #expect(loadable.isLoading && !loadable.hasError)
        try await loads.waitForStart(2)
        loads.finish(1, 4)
        #expect(try await store.get(derived) == 8)
        #expect(!loadable.hasError && loadable.data == 8)
    }

    @Test func loadRecoversASyncSelectorFromAnUpstreamFailure() async throws {
        let loads = Loads<Int>()
        let source = selector { _ in try await loads() }
        let derived = selector { accessor in (accessor.getOrNil(source) ?? 0) + 1 }
        let loadable = store.loadable(derived)
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        _ = try? await store.get(source)
        #expect(loadable.containError(of: Refused.once))
        loadable.retry()
        try await loads.waitForStart(2)
        loads.finish(1, 4)
        _ = try await store.get(source)
        #expect(loadable.data == 5 && !loadable.hasError)
    }

    @Test func refreshingKeepsDataAndAnInputDoesNot() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        let loadable = store.loadable(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        _ = try await store.get(node)
        loadable.refresh()
        #expect(loadable.data == 5 && loadable.latestData == 5 && loadable.isRefreshing)
        try await loads.waitForStart(2)
        loads.finish(1, 6)
        _ = try await store.get(node)
        #expect(loadable.data == 6)
        store.set(input, 2)
        #expect(loadable.data == nil && loadable.latestData == 6 && loadable.isRefreshing)
        try await loads.waitForStart(3)
        loads.finish(2, .failure(Refused.once))
        await #expect(throws: Refused.once) { try await store.get(node) }
        #expect(loadable.data == nil && loadable.latestData == 6 && !loadable.isRefreshing)
        // The latest data belong to a different input.
        loadable.retry()
        #expect(loadable.data == nil && loadable.latestData == 6 && loadable.isRefreshing)
        try await loads.waitForStart(4)
        loads.finish(3, 7)
        #expect(try await store.get(node) == 7)
        #expect(loadable.data == 7)
    }

    @Test func keepPreviousKeepsDataWhenAnInputChanges() async throws {
        let loads = Loads<Int>()
        let input = atom(1)
        let node = selector(keepPrevious: true) { accessor in
            _ = try accessor.get(input)
            return try await loads()
        }
        let loadable = store.loadable(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        _ = try await store.get(node)
        store.set(input, 2)
        #expect(loadable.data == 5 && loadable.isRefreshing)
        try await loads.waitForStart(2)
        store.set(input, 3)
        #expect(loadable.data == 5 && loadable.isRefreshing)
        try await loads.waitForStart(3)
        for call in 1...2 { loads.finish(call, 0) }
    }

    @Test func retryingASyncSelectorComputesAgain() throws {
        var fails = true
        let node = selector { _ -> Int in
            if fails { throw Refused.once }
            return 3
        }
        var seen: [Int?] = []
        let reaction = autorun { seen.append(store.getOrNil(node)) }
        fails = false
        store.loadable(node).retry()
        #expect(seen == [nil, 3])
        reaction.cancel()
    }

    @Test func retryingAFailedDefaultTriesAgain() throws {
        var fails = true
        let node = atom { () -> Int in
            if fails { throw Refused.once }
            return 3
        }
        #expect(throws: Refused.once) { try store.value(node) }
        fails = false
        store.refresh(node)
        #expect(try store.value(node) == 3)
        store.set(node, 4)
        store.refresh(node)
        #expect(try store.value(node) == 4)
    }
}
