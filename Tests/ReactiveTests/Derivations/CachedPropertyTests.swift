// The storage of properties that are marked `@Cached`. The macro is tested in its own package.

import Reactive
import Testing
import TestSupport

private final class Order: Sendable {
    let price: Observable<Int>
    let runs = Guarded(0)
    private let storage = _CachedProperty<Int>()

    init(_ price: Observable<Int>) { self.price = price }

    var total: Int {
        storage.value(of: self) { order in
            order.runs.withLock { $0 += 1 }
            return order.price.value * 2
        }
    }
}

private actor Session {
    let price = Observable(5)
    private let storage = _CachedProperty<Int>()
    var total: Int {
        storage.value(of: self) { session in
            session.assertIsolated()
            return session.price.value * 2
        }
    }
}

extension ReactiveTests {
    @Suite struct CachedPropertyTests {
        @Test func isComputedOnceForAllThreads() {
            for _ in 0..<50 {
                let order = Order(Observable(5))
                onThreads(4) { _ in #expect(order.total == 10) }
                #expect(order.runs.withLock { $0 } == 1)
                order.price.value = 6
                onThreads(4) { _ in #expect(order.total == 12) }
                #expect(order.runs.withLock { $0 } == 2)
            }
        }

        @Test func doesNotKeepItsOwnerAlive() {
            let price = Observable(5)
            var order: Order? = Order(price)
            let reader = Computed { [weak order] in order?.total ?? 0 }
            #expect(reader.value == 10)
            weak let observed = order
            order = nil
            #expect(observed == nil)
            price.value = 6
            #expect(reader.value == 10)
        }

        @Test func freesItsClosureWithTheOwner() {
            final class Holder {
                private let storage = _CachedProperty<Int>()
                func number(_ token: LifetimeTracker.Token) -> Int { storage.value(of: self) { _ in token.number } }
            }
            let tracker = LifetimeTracker()
            do {
                let holder = Holder()
                _ = holder.number(tracker.token())
                #expect(tracker.alive == 1)
            }
            #expect(tracker.alive == 0)
        }

        @Test func belongsToTheGraphOfItsOwner() {
            let graph = IndependentGraph(named: "session")
            let order = graph.run { Order(Observable(5)) }
            #expect(IndependentGraph(named: "other").run { order.total } == 10)
            graph.run { inTransaction { order.price.value = 6 } }
            #expect(graph.run { inTransaction { order.total } } == 12)
        }

        @Test(.inDefaultGraph) func ofAnActorIsComputedOnTheActor() async {
            let session = Session()
            #expect(await session.total == 10)
            session.price.value = 6
            #expect(await session.total == 12)
        }
    }
}
