// Cycles through an `await`.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

private enum Loop {
    static var a: AsyncSelector<Int> { selector { accessor in try await accessor.get(b) + 1 } }
    static var b: AsyncSelector<Int> {
        selector { accessor in
            await Task.yield()
            return try await accessor.get(a) + 1
        }
    }
    static var itself: AsyncSelector<Int> { selector { accessor in try await accessor.get(Loop.itself) } }

    /// A sync selector in the middle: x awaits nothing, but reads y's data, and y awaits x.
    static var x: Selector<Int> { selector { accessor in accessor.getOrNil(y) ?? 0 } }
    static var y: AsyncSelector<Int> {
        selector { accessor in
            await Task.yield()
            return try accessor.get(x) + 1
        }
    }

    static let isOpen = atom(false)
    static var c: AsyncSelector<Int> {
        selector { accessor in try accessor.get(isOpen) ? 1 : try await accessor.get(d) }
    }
    static var d: AsyncSelector<Int> { selector { accessor in try await accessor.get(c) + 1 } }

    static let turn = atom(true)
    static var p: Selector<Int> { selector { accessor in try accessor.get(turn) ? 1 : accessor.getOrNil(q) ?? 0 } }
    static var q: AsyncSelector<Int> { selector { accessor in try accessor.get(p) + 1 } as AsyncSelector<Int> }
}

@Suite(.ownGraph, .timeLimit) struct AsyncCycleTests {
    let store = RecoilStore()

    @Test func aCycleAcrossAnAwaitIsAnErrorWithItsPath() async throws {
        await #expect(throws: RecoilError.circular(.init(path: ["a", "b", "a"]))) { try await store.get(Loop.a) }
        let error = store.loadable(Loop.a).errors.first as? RecoilError
        #expect(error?.description == "RecoilError.circular: a -> b -> a")
        #expect(store.loadable(Loop.a).errors.count == 1)
    }

    @Test func aNodeThatAwaitsItselfIsACycle() async throws {
        await #expect(throws: RecoilError.circular(.init(path: ["itself", "itself"]))) {
            try await store.get(Loop.itself)
        }
    }

    @Test func aCycleThroughASyncSelectorIsAnError() async throws {
        await #expect(throws: RecoilError.circular(.init(path: ["x", "y", "x"]))) { try await store.get(Loop.y) }
        #expect(try store.value(Loop.x) == 0)
    }

    @Test func aBrokenCycleAcrossAnAwaitIsNoErrorAnyMore() async throws {
        await #expect(throws: RecoilError.self) { try await store.get(Loop.d) }
        store.set(Loop.isOpen, true)
        #expect(try await store.get(Loop.d) == 2)
        #expect(try await store.get(Loop.c) == 1)
        store.set(Loop.isOpen, false)
        await #expect(throws: RecoilError.self) { try await store.get(Loop.d) }
        store.set(Loop.isOpen, true)
        #expect(try await store.get(Loop.d) == 2)
    }

    @Test func aCycleThatAppearsAfterARunIsAnError() async throws {
        #expect(try await store.get(Loop.q) == 2)
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(Loop.q) }
        store.set(Loop.turn, false)
        _ = try? await store.get(Loop.q)
        await letOthersRun()
        #expect(store.loadable(Loop.q).errors.contains { $0 is RecoilError } || store.value(Loop.q) == 1)
        store.set(Loop.turn, true)
        #expect(try await store.get(Loop.q) == 2)
        reaction.cancel()
    }
}
