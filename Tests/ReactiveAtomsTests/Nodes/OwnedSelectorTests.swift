// `selector(of: owner)`.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

private let count = atom(2)

private final class Order {
    let price: Int
    init(price: Int) { self.price = price }
    var total: Selector<Int> { selector(of: self) { order, accessor in try accessor.get(count) * order.price } }
    var later: AsyncSelector<Int> {
        selector(of: self) { order, accessor async throws in try accessor.get(count) * order.price }
    }
}

private final class Screen {
    private(set) var title: Selector<Int>?
    init() { title = selector(of: self) { _, accessor in try accessor.get(count) } }
}

private actor Till {
    var rate = 3
    func total(in store: RecoilStore) throws -> Int {
        let node = selector(of: self) { till, accessor in try accessor.get(count) * till.rate }
        return try store.value(node)
    }
    nonisolated var later: AsyncSelector<Int> {
        selector(of: self) { till, accessor async throws in try accessor.get(count) * till.rate }
    }
}

@Suite(.ownGraph, .timeLimit, .inDefaultGraph) struct OwnedSelectorTests {
    let store = RecoilStore()

    @Test func eachObjectHasANodeOfItsOwn() throws {
        let (cheap, dear) = (Order(price: 1), Order(price: 10))
        let reported = try issues { () throws in
            for _ in 0..<2 { #expect(try store.value(cheap.total) == 2 && store.value(dear.total) == 20) }
            store.set(count, 3)
            #expect(try store.value(cheap.total) == 3 && store.value(dear.total) == 30)
        }
        #expect(reported.isEmpty)
        #expect(cheap.total == cheap.total && cheap.total != dear.total)
        #expect(cheap.total.key.name == "total(Order)")
    }

    @Test func aStoreReleasesNodesOfAnInitialiserWithTheOwner() throws {
        do {
            let screen = Screen()
            #expect(try screen.title.map(store.value) == 2)
            #expect(store.instanceCount == 2)
        }
        #expect(store.instanceCount == 1)
    }

    @Test func theOwnerIsNotKept() throws {
        weak var gone: Order?
        let node: Selector<Int>
        do {
            let order = Order(price: 1)
            gone = order
            node = order.total
            #expect(try store.value(node) == 2)
        }
        #expect(gone == nil)
        #expect(try store.value(node) == 2, "a current value can be read")
        store.set(count, 3)
        #expect(throws: RecoilError.ownerGone(node: "total(Order)")) { try store.value(node) }
    }

    @Test func nodesOfFreedOwnersDoNotAccumulate() throws {
        for price in 0..<1_000 {
            // An address is reused for a different node.
            let order = Order(price: price)
            #expect(try store.value(order.total) == 2 * price)
        }
        #expect(store.instanceCount < 100)
    }

    @Test func anAsyncSelectorMayHaveAnOwner() async throws {
        let order = Order(price: 5)
        #expect(try await store.get(order.later) == 10)
        let node = Order(price: 6).later
        await #expect(throws: RecoilError.ownerGone(node: "later(Order)")) { try await store.get(node) }
    }

    @Test func anActorIsIsolatedInItsSelectors() async throws {
        let till = Till()
        #expect(try await till.total(in: store) == 6)
        #expect(try await store.get(till.later) == 6)
    }
}
