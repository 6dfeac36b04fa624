// The `of:` forms: closures get an owner that the reaction does not keep alive, and reactions end with their owner.

import Reactive
import Testing
import TestSupport

private final class Order {
    @Observable var price = 5
    @Observable var count = 2
    private(set) lazy var total = Computed(of: self, named: "total") { $0.price * $0.count }
    private(set) lazy var port = ThrowingComputed(of: self, named: "port") { model throws in
        guard model.price > 0 else { throw CancellationError() }
        return model.price
    }
    var log: [String] = []
}

private actor Session {
    var seen: [Int] = []
    private lazy var double = Computed(of: self) { $0.seen.count * 2 }
    var doubled: Int { double.value }
    private var scope: ObserverScope<Int>?

    func start(_ x: Observable<Int>) {
        autorun(of: self) { me in
            me.assertIsolated()
            me.seen.append(x.value)
        }
        reaction(of: self) { _ in
            x.value
        } onChange: { me, new, old in
            me.assertIsolated()
            me.seen.append(100 * new + old)
        }
        when(of: self) { me in
            me.assertIsolated()
            return x.value == 2
        } effect: { me in
            me.seen.append(-1)
        }
        scope = ObserverScope(of: self) { me in
            x.value + me.seen.count * 0
        } onRender: {
            $0.seen.append(-10 * $1)
        }
    }

    func open(_ x: Observable<Int>, _ log: Shared<[String]>) {
        autorun(of: self) { _ in
            _ = x.value
            log.withLock { $0.append("open") }
            onCleanup { log.withLock { $0.append("close") } }
        }
    }

    func wait(for x: Observable<Int>, above limit: Int) async throws -> Int {
        try await when(of: self) { _ in x.value > limit }
        return x.value
    }

    func firstValues(of x: Observable<Int>, _ count: Int) async -> [Int] {
        var values: [Int] = []
        for await value in Reactive.values(of: self, { _ in x.value }) {
            values.append(value)
            if values.count == count { break }
            x.value += 1
        }
        return values
    }
}

/// An actor with a graph of its own.
private actor Room {
    private let graph = IndependentGraph(named: "room")
    nonisolated let count: Observable<Int>
    private(set) var seen: [Int] = []

    init() { count = graph.run { Observable(0) } }

    /// Observes the count on the actor, in two ways.
    func open() -> ObservedValues<Int> {
        graph.run {
            autorun(of: self) { room in
                room.assertIsolated()
                room.seen.append(room.count.value)
            }
        }
        let count = count
        return graph.run { values(isolation: self) { count.value } }
    }
}

extension ReactiveTests {
    @Suite(.inDefaultGraph) struct OwnerTests {
        @Test func everyFormGetsItsOwner() async throws {
            let model = Order()
            autorun(of: model) { $0.log.append("total \($0.total.value)") }
            reaction(of: model) {
                $0.price
            } onChange: {
                $0.log.append("price")
            }
            reaction(of: model) {
                $0.price
            } onChange: {
                $0.log.append("price \($1)")
            }
            reaction(of: model, equals: .never, fireImmediately: true) {
                $0.price
            } onChange: { me, new, old in
                me.log.append("price \(old) → \(new)")
            }
            when(of: model) {
                $0.count == 3
            } effect: {
                $0.log.append("three")
            }
            let scope = ObserverScope(of: model) {
                $0.count
            } onRender: {
                $0.log.append("count \($1)")
            }
            #expect(model.log == ["total 10", "price 5 → 5", "count 2"])
            model.log = []
            model.price = 1
            #expect(model.log == ["total 2", "price", "price 1", "price 5 → 1"])
            model.log = []
            model.count = 3
            #expect(model.log == ["total 3", "three", "count 3"])
            #expect((scope.output, try model.port.value) == (3, 1))
            try await when(of: model) { $0.count == 3 }
            for await price in values(of: model, { $0.price }) {
                #expect(price == 1)
                break
            }
        }

        @Test func whatAnActorCreatesInItsGraphBelongsToTheActor() async {
            let room = Room()
            var counts = await room.open().makeAsyncIterator()
            #expect(await counts.next() == 0)
            // Not on the actor, so both run after a hop.
            room.count.value = 1
            #expect(await counts.next() == 1)
            #expect(await room.seen == [0, 1])
        }

        @Test func noFormKeepsItsOwnerAlive() {
            weak var gone: Order?
            var kept: [Any] = []
            do {
                let model = Order()
                gone = model
                kept = [
                    model.total, model.port, ObserverScope(of: model) { $0.count }, values(of: model, { $0.price }),
                ]
                autorun(of: model) { _ = $0.total.value }
                reaction(of: model) {
                    $0.count
                } onChange: { _ in
                }
                when(of: model) {
                    $0.price == 0
                } effect: { _ in
                }
            }
            #expect(gone == nil)
            #expect(kept.count == 4)
        }

        @Test func aReactionWithoutItsOwnerEndsWhenItIsNextDue() {
            let x = Observable(0)
            var log: [String] = []
            var reactions: [Reaction] = []
            let before = Diagnostics.liveReactions.count
            do {
                let model = Order()
                reactions = [
                    autorun(of: model) { _ in log.append("autorun \(x.value)") },
                    reaction(of: model) { _ in
                        x.value
                    } onChange: { _, new in
                        log.append("reaction \(new)")
                    },
                    when(of: model) { _ in
                        x.value == 1
                    } effect: { _ in
                        log.append("when")
                    },
                    autorun(of: model, schedule: .custom { _ in Issue.record("ran without its owner") }) { _ in
                        _ = x.value
                    },
                ]
                #expect(Diagnostics.liveReactions.count == before + 4)
            }
            #expect(Diagnostics.liveReactions.count == before)
            #expect(
                !Diagnostics.graph().nodes.contains { $0.name.hasPrefix("OwnerTests.swift") && $0.kind == .reaction })
            #expect(reactions.allSatisfy { !$0.isCancelled })
            x.value = 1
            #expect(reactions.allSatisfy { $0.isCancelled })
            #expect(log == ["autorun 0"])
        }

        @Test func anOwnerThatIsFreedDuringARunEndsTheReaction() {
            let x = Observable(0)
            let model = Shared<Order?>(Order())
            var log: [Int] = []
            let r = autorun(of: model.value!) { me in
                log.append(x.value)
                if x.value == 1 { model.value = nil }
                me.log.append("still here")
            }
            x.value = 1
            x.value = 2
            #expect(log == [0, 1])
            #expect(r.isCancelled)
        }

        @Test func theDeinitialiserOfAnOwnerRunsOutsideTheLock() {
            final class Last {
                let x: Observable<Int>
                init(_ x: Observable<Int>) { self.x = x }
                deinit { onOtherThread { [x] in x.value = 5 } }
            }
            let x = Observable(0)
            let last = Shared<Last?>(Last(x))
            autorun(of: last.value!) { me in if me.x.value == 1 { last.value = nil } }
            x.value = 1
            #expect(x.value == 5)
            let total: Computed<Int>
            do {
                let owner = Shared<Last?>(Last(x))
                total = Computed(of: owner.value!) { me in
                    owner.value = nil
                    return me.x.value
                }
            }
            x.value = 6
            #expect(total.value == 6)
            #expect(x.value == 5)
        }

        @Test func freedOwnersLeaveNoReactionsBehind() {
            let never = Observable(0)
            let tracker = LifetimeTracker()
            for _ in 0..<10_000 {
                let model = Order()
                let token = tracker.token()
                autorun(of: model) { _ in _ = (never.value, token) }
            }
            #expect(tracker.alive < 100)
        }

        @Test func aComputedWithoutItsOwnerKeepsItsLastValue() throws {
            let x = Observable(1)
            let (double, text, unread): (Computed<Int>, ThrowingComputed<String>, ThrowingComputed<Int>)
            do {
                let model = Order()
                double = Computed(of: model) { _ in x.value * 2 }
                text = ThrowingComputed(of: model) { _ in "\(x.value)" }
                unread = ThrowingComputed(of: model, named: "unread") { _ in x.value }
                #expect((double.value, try text.value) == (2, "1"))
            }
            x.value = 2
            #expect((double.value, try text.value) == (2, "1"))
            let error = #expect(throws: OwnerGoneError.self) { try unread.value }
            #expect(error?.description == "unread has no value: its owner was released before the first read")
        }

        @Test func readingAComputedFirstAfterItsOwnerIsFreedStopsTheProgram() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                func make() -> Computed<Int> { Order().total }
                _ = make().value
            }
            expectMessage(result, "computed total has no value: its owner, Order, was released before the first read.")
        }

        @Test func theValuesOfAnOwnerEndWithIt() async {
            let x = Observable(0)
            var iterator: ObservedValues<Int>.Iterator?
            do { iterator = values(of: Order(), { _ in x.value }).makeAsyncIterator() }
            #expect(await iterator?.next() == 0)
            let join = inBackground { x.value = 1 }
            #expect(await iterator?.next() == nil)
            join()
        }

        @Test func theValuesOfAGraphEndWithItsReactions() async {
            let graph = IndependentGraph()
            var iterator = graph.run { values(of: { 1 }) }.makeAsyncIterator()
            #expect(await iterator.next() == 1)
            graph.cancelReactions()
            #expect(await iterator.next() == nil)
        }

        @Test func anActorGetsItselfIsolated() async throws {
            let x = Observable(0)
            let session = Session()
            await session.start(x)
            #expect(await session.seen == [0, 0])
            x.value = 2
            await eventually { await session.seen.count == 6 }
            #expect(await session.seen.sorted() == [-20, -1, 0, 0, 2, 200])
            #expect(await session.doubled == 12)
            let join = inBackground { x.value = 10 }
            #expect(try await session.wait(for: x, above: 5) == 10)
            join()
            #expect(await session.firstValues(of: Observable(1), 3) == [1, 2, 3])
        }

        @Test func cleanupsRunAfterTheirActorIsFreed() async {
            let x = Observable(0)
            let log = Shared<[String]>([])
            await withFreedActor(Session.init) { await $0.open(x, log) }
            let before = log.value
            x.value = 1
            await eventually { log.value.count == 2 }
            #expect(before == ["open"] && log.value == ["open", "close"])
        }

        @Test func anActorIsNotKeptAliveByItsReactions() async {
            let x = Observable(0)
            let before = Diagnostics.liveReactions.count
            await withFreedActor(Session.init) { session in
                await session.start(x)
                _ = await session.doubled
            }
            #expect(Diagnostics.liveReactions.count == before)
            x.value = 1
        }
    }
}
