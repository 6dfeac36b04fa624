// Atoms and selectors take part in Apple's Observation, without additional code.

import Observation
import ReactiveAtoms
import TestSupport
import Testing

private enum Cart {
    static var prices: Atom<[Int]> { atom([5, 10]) }
    static var note: Atom<String> { atom("", retention: .whileObserved) }
    static var total: Selector<Int> { selector { accessor in try accessor.get(prices).reduce(0, +) } }
}

@Suite(.ownGraph, .timeLimit) struct ObservationBridgeTests {
    init() { ObservationBridge.isEnabled = true }

    private func track(_ log: Log, _ read: () -> Void) {
        withObservationTracking(read) { log("changed") }
    }

    @Test func anAtomReportsItsChange() {
        let (store, log) = (RecoilStore(), Log())
        track(log) { _ = store.getOrNil(Cart.prices) }
        store.update(Cart.prices) { $0.append(1) }
        store.update(Cart.prices) { $0.append(1) }
        #expect(log.take() == ["changed"])
    }

    @Test func aSelectorReportsOnlyADifferentValue() {
        let (store, log) = (RecoilStore(), Log())
        track(log) { _ = store.getOrNil(Cart.total) }
        store.set(Cart.prices, [10, 5])
        #expect(log.take() == [])
        store.set(Cart.prices, [1])
        #expect(log.take() == ["changed"])
        track(log) { _ = store.getOrNil(Cart.total) }
        store.transaction {
            store.set(Cart.prices, [2])
            store.set(Cart.prices, [3])
        }
        #expect(log.take() == ["changed"])
    }

    /// The scope follows it, and refreshes its view. An observer of the library follows it as well.
    @Test func whatAScopeUsesIsFollowedOnce() {
        let (store, log) = (RecoilStore(), Log())
        let scope = ScopedRecoilContext(store: store) { log("refresh") }
        track(log) { _ = scope.useValue(Cart.note) }
        let reaction = autorun { log("run \(scope.useValue(Cart.note) ?? "")") }
        #expect(log.take() == ["run "])
        store.set(Cart.note, "a")
        #expect(log.take().sorted() == ["refresh", "run a"])
        track(log) { _ = (scope.useValue(Cart.note), store.getOrNil(Cart.prices)) }
        store.set(Cart.prices, [1])
        #expect(log.take() == ["changed"])
        reaction.cancel()
    }

    @Test func anAtomThatIsKeptWhileObservedSurvivesUntilTheNextRead() {
        let (store, log) = (RecoilStore(), Log())
        track(log) { _ = store.getOrNil(Cart.note) }
        store.set(Cart.note, "a")
        store.set(Cart.note, "ab")
        #expect(log.take() == ["changed"])
        #expect(store.getOrNil(Cart.note) == "ab")
    }

    @Test func aStoreIsFreedWhileItsNodesAreTracked() {
        weak var freed: RecoilStore?
        do {
            let store = RecoilStore()
            freed = store
            track(Log()) { _ = (store.getOrNil(Cart.prices), store.getOrNil(Cart.total), store.getOrNil(Cart.note)) }
        }
        #expect(freed == nil)
    }
}
