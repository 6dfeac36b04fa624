// The samples of the overview in the documentation, and their output.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

private enum Cart {
    static var prices: Atom<[Int]> { atom([5, 10]) }
    static var total: Selector<Int> { selector { accessor in try accessor.get(prices).reduce(0, +) } }
}

@Suite(.ownGraph, .timeLimit) struct OverviewTests {
    @Test func theCartPrintsTheOutputOfItsComments() {
        let log = Log()
        let store = RecoilStore()
        let report = autorun { log("total: \(store.getOrNil(Cart.total) ?? 0)") }
        store.update(Cart.prices) { $0.append(20) }
        store.transaction {
            store.update(Cart.prices) { $0.append(1) }
            store.update(Cart.prices) { $0.append(2) }
        }
        #expect(log.take() == ["total: 15", "total: 35", "total: 38"])
        report.cancel()
    }

    @Test func theLoadedUserIsShared() async throws {
        let store = RecoilStore()
        let selectedID = atom(1)
        let user = selector { accessor in
            let id = try accessor.get(selectedID)
            await Task.yield()
            return "user \(id)"
        }
        let loadable = store.loadable(user)
        #expect(try await store.get(user) == "user 1")
        #expect(loadable.data == "user 1")
    }

    @Test func aContextRefreshes() {
        let log = Log()
        let store = RecoilStore()
        let count = atom(1)
        let recoil = ScopedRecoilContext(store: store) { log("refresh") }
        log("\(recoil.useValue(count) ?? 0)")
        store.set(count, 2)
        #expect(log.take() == ["1", "refresh"])
    }
}
