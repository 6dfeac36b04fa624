// Loaders: cycles, waiting tasks, and the end of nodes that load.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct LoaderTests {
    let store = RecoilStore()
    let log = Log()

    // MARK: - Cycles

    @Test func aRunThatReadsItsOwnDataGetsNone() async throws {
        #expect(try await store.get(Circle.own) == 5)
        #expect(store.value(Circle.own) == 5)
    }

    @Test func aSelectorOfANodeThatReadsTheSelectorGetsTheCycle() async throws {
        #expect(try await store.get(Circle.later) == "start")
        store.set(Circle.isOpen, false)
        #expect(try store.value(Circle.now).hasPrefix("RecoilError.circular"))
        #expect(store.loadable(Circle.later).errors.contains { $0 is RecoilError })
        await #expect(throws: RecoilError.self) { try await store.get(Circle.later) }
        store.set(Circle.isOpen, true)
        #expect(try await store.get(Circle.later) == "start")
    }

    // MARK: - Inputs that are awaited

    @MainActor @Test(.inDefaultGraph) func aNodeAwaitedTwiceHasOneValueInARun() async throws {
        let store = RecoilStore()
        let source = atom { () async -> Int in 1 }
        let node = selector { accessor async throws -> [Int] in
            let first = try await accessor.get(source)
            // The main actor, which compares the inputs, is busy meanwhile.
            if first == 1 { onThreads(1) { _ in store.set(source, 2) } }
            return [first, try await accessor.get(source)]
        }
        _ = try await store.get(source)
        #expect(try await store.get(node) == [2, 2])
    }

    // MARK: - Waiting

    /// A source that has loaded 1 for its input, and a node that awaits it and counts its runs.
    private func sourceAndNode() async throws -> (
        input: Atom<Int>, source: AsyncSelector<Int>, node: AsyncSelector<Int>, loads: Loads<Int>
    ) {
        let (input, loads) = (atom(1), Loads<Int>())
        let source = selector { accessor async throws -> Int in
            _ = try accessor.get(input)
            return try await loads()
        }
        let node = selector { [log] accessor async throws -> Int in
            log("run")
            return try await accessor.get(source)
        }
        async let value = store.get(node)
        try await loads.waitForStart()
        await letOthersRun()
        loads.finish(0, 1)
        #expect(try await value == 1)
        #expect(log.take() == ["run"])
        return (input, source, node, loads)
    }

    @Test func aWaitThatWasCancelledLoadsNothing() async throws {
        let (input, source, node, loads) = try await sourceAndNode()
        store.refresh(source)
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart(2)
        await letOthersRun()
        waiting.cancel()
        _ = await waiting.result
        // The source has no data any more, and ends with a different outcome.
        store.set(input, 2)
        _ = store.value(source)
        try await loads.waitForStart(3)
        await letOthersRun()
        loads.finish(2, 3)
        #expect(try await store.get(source) == 3)
        await letOthersRun()
        #expect(log.take().isEmpty)
        loads.finish(1, 2)
        #expect(try await store.get(node) == 3)
    }

    @Test func waitForAllFailsAsSoonAsANodeHasItsOldErrorAgain() async throws {
        let (loads, never) = (Loads<Int>(), Loads<Int>())
        let source = selector { _ in try await loads() }
        let node = selector { accessor in try await accessor.get(source) }
        let slow = selector { _ in try await never() }
        let first = Task { try await store.get(node) }
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        _ = await first.result
        store.refresh(source)
        try await loads.waitForStart(2)
        let waiting = Task { try await store.get(waitForAll([node, slow])) }
        try await never.waitForStart()
        await letOthersRun()
        loads.finish(1, .failure(Refused.once))
        await #expect(throws: Refused.once) { try await waiting.value }
        never.finish(0, 1)
    }

    @Test func anAtomThatIsResetDuringItsLoadLoadsAgainOnlyWhenItIsRead() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        _ = store.value(node)
        try await loads.waitForStart()
        store.reset(node)
        loads.finish(0, 1)
        await letOthersRun()
        #expect(loads.started == 1)
        #expect(store.value(node) == nil)
        try await loads.waitForStart(2)
        loads.finish(1, 2)
        #expect(try await store.get(node) == 2)
    }

    @Test func aLoadedAtomThatIsResetIsNotTakenFromTheCache() async throws {
        let loads = Loads<Int>()
        let node = atom { try await loads() }
        for load in 0..<2 {
            #expect(store.value(node) == nil)
            try await loads.waitForStart(load + 1)
            loads.finish(load, load)
            #expect(try await store.get(node) == load)
            store.reset(node)
        }
    }

    // MARK: - The end

    @Test func aWaitEndsWithAReleaseInAFailedTransaction() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let waiting = Task { try await store.get(node) }
        try await loads.waitForStart()
        await letOthersRun()
        try? store.transaction { () throws in
            store.release(node)
            throw Refused.once
        }
        try await loads.waitForCancellation()
        loads.finish(0, 1)
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func aNodeThatItsEffectReleasesDoesNotLoad() async throws {
        let own = Shared<AsyncAtom<Int>?>(nil)
        let loads = Loads<Int>()
        let releasing = AtomEffect<Int> { context in
            if let node = own.value { context.accessor?.store.release(node) }
        }
        let node = atom(effects: [releasing]) { try await loads() }
        own.value = node
        let loadable = store.loadable(node)
        #expect(!loadable.isLoading)
        #expect(loadable.errors.first is CancellationError)
        await letOthersRun()
        #expect(loads.started == 0)
        own.value = nil
    }
}

private enum Circle {
    static var own: AsyncSelector<Int> {
        selector { accessor async throws -> Int in accessor.getOrNil(Circle.own) ?? 5 }
    }

    static let isOpen = atom(true)
    /// The error that it reads, if there is one.
    static var now: Selector<String> {
        selector { accessor in
            if try accessor.get(isOpen) { return "start" }
            return accessor.loadable(later).errors.map { "\($0)" }.joined()
        }
    }
    static var later: AsyncSelector<String> { selector { accessor async throws -> String in try accessor.get(now) } }
}
