// Overrides of nodes in one store.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

private struct Price: SyncAtomNode {
    let item: String
    func getValue() -> Int { item.count }
}

@Suite(.ownGraph, .timeLimit) struct OverrideTests {
    let store = RecoilStore()

    @Test func anOverrideWinsAndDependentsSeeIt() throws {
        let a = atom(1)
        let double = selector { accessor in try accessor.get(a) * 2 }
        let quadruple = selector { accessor in try accessor.get(double) * 2 }
        var seen: [Int] = []
        let reaction = autorun { seen.append(store.getOrNil(quadruple) ?? -1) }
        store.override(a, value: 10)
        store.override(double, value: 7)
        store.set(a, 3)
        #expect(seen == [4, 40, 14])
        store.override(double, error: Refused.once)
        #expect(throws: Refused.once) { try store.value(quadruple) }
        store.removeOverride(of: double)
        #expect(seen == [4, 40, 14, -1, 12])
        #expect(try RecoilStore().value(quadruple) == 4)
        reaction.cancel()
    }

    @Test func anAtomStartsAgainWithItsOverride() throws {
        let a = atom(1)
        store.set(a, 5)
        store.override(a, value: 10)
        #expect(try store.value(a) == 10)
        store.set(a, 11)
        #expect(try store.value(a) == 11)
        store.reset(a)
        #expect(try store.value(a) == 10)
    }

    @Test func anAsyncNodeThatIsOverriddenDoesNotRun() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let derived = selector { accessor in try await accessor.get(node) * 2 }
        store.override(node, value: 4)
        #expect(store.value(node) == 4)
        #expect(try await store.get(derived) == 8)
        store.override(node, error: Refused.once)
        await #expect(throws: Refused.once) { try await store.get(derived) }
        #expect(store.loadable(derived).containError(of: Refused.once))
        #expect(loads.started == 0)
    }

    @Test func waitersGetTheOverride() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let derived = selector { accessor in try await accessor.get(node) * 2 }
        async let value = store.get(node)
        async let double = store.get(derived)
        try await loads.waitForStart()
        await letOthersRun()
        store.override(node, value: 4)
        #expect(try await value == 4)
        #expect(try await double == 8)
        try await loads.waitForCancellation()
        loads.finish(0, 5)
    }

    @Test func anOverriddenNodeBeatsAnOverriddenTypeAndTheLastWins() throws {
        store.override(Price(item: "book"), value: 1)
        store.override(Price.self) { $0.item.count * 100 }
        #expect(try store.value(Price(item: "book")) == 1)
        #expect(try store.value(Price(item: "pen")) == 300)
        store.override(Price(item: "book"), value: 2)
        store.override(Price.self) { $0.item.count * 1000 }
        #expect(try store.value(Price(item: "book")) == 2)
        #expect(try store.value(Price(item: "pen")) == 3000)
        store.removeOverride(of: Price(item: "book"))
        #expect(try store.value(Price(item: "book")) == 4000)
        store.removeOverride(of: Price.self)
        #expect(try store.value(Price(item: "book")) == 4)
    }
}
