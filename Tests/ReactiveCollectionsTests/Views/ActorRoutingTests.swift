// Views by key whose closures belong to an actor: after a write elsewhere, the actor evaluates them.

import Foundation
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Entry: Equatable, Sendable {
    var id: Int
    var owner: String
}

/// An actor with a view by key, and a reaction to one key.
private actor Board {
    let prices: ObservableDictionary<String, Int>
    private let log: Log
    private var doubles: LiveDictionary<String, Int>?
    private var reaction: Reaction?
    let evaluations = Shared(0)

    init(_ prices: ObservableDictionary<String, Int>, _ log: Log) {
        self.prices = prices
        self.log = log
    }

    func start() {
        let (log, evaluations) = (log, evaluations)
        let doubles = prices.live.mapValues { price in
            evaluations.withLock { $0 += 1 }
            return 2 * price
        }
        self.doubles = doubles
        reaction = autorun { log("\(doubles["a"] ?? -1)") }
    }

    func double(of key: String) -> Int? { doubles?[key] }

    func end() {
        reaction?.cancel()
        doubles = nil
    }
}

extension ReactiveCollectionsTests {
    @Suite(.inDefaultGraph) struct ActorRoutingTests {
        // MARK: - The main actor

        @MainActor @Test func theMainActorFollowsAWriteElsewhere() async {
            let prices: ObservableDictionary = ["a": 1, "b": 2]
            let log = Log()
            let doubles = prices.live.mapValues { price in
                MainActor.assertIsolated()
                log("f\(price)")
                return 2 * price
            }
            let reaction = autorun { log("a: \(doubles["a"] ?? -1)") }
            #expect(Set(log.take()) == ["f1", "f2", "a: 2"])
            onOtherThread { prices["a"] = 5 }
            #expect(log.take() == [])
            await eventually { log.count == 2 }
            #expect(log.take() == ["f5", "a: 10"])
            onOtherThread { prices["c"] = 7 }
            await eventually { log.count == 1 }
            #expect(log.take() == ["f7"])
            reaction.cancel()
        }

        @MainActor @Test func viewsOfAViewBelongToTheActorToo() async {
            let array = ObservableArray([Entry(id: 0, owner: "a"), Entry(id: 1, owner: "b")])
            let other: ObservableDictionary = ["b": 10, "c": 20]
            let log = Log()
            let odd = array.live.filter { entry in
                MainActor.assertIsolated()
                return entry.id % 2 == 1
            }
            let groups = odd.grouped(isolation: nil) { $0.owner }
            let sizes = groups.mapValues(isolation: nil) { $0.count }
            let merged = other.live.merging(sizes, isolation: nil) { $0 + $1 }
            let reactions = [
                autorun { log("group \(groups["b"]?.count ?? 0)") }, autorun { log("size \(sizes["b"] ?? 0)") },
                autorun { log("merged \(merged["b"] ?? 0)") },
            ]
            #expect(log.take() == ["group 1", "size 1", "merged 11"])
            onOtherThread { array.append(Entry(id: 3, owner: "b")) }
            await eventually { log.count == 3 }
            #expect(Set(log.take()) == ["group 2", "size 2", "merged 12"])
            reactions.forEach { $0.cancel() }
        }

        @MainActor @Test func anIndexBelongsToTheActorOfItsClosure() async {
            let array = ObservableArray([Entry(id: 0, owner: "a")])
            let log = Log()
            let index = array.live.indexed { entry in
                MainActor.assertIsolated()
                return entry.id
            }
            let reaction = autorun { log(index[7]?.owner ?? "none") }
            onOtherThread { array.append(Entry(id: 7, owner: "b")) }
            await eventually { log.count == 2 }
            #expect(log.take() == ["none", "b"])
            reaction.cancel()
        }

        @MainActor @Test func aViewOfTwoViewsBelongsToTheActorOfTheSecond() async {
            let array = ObservableArray([Entry(id: 1, owner: "a")])
            let log = Log()
            let ids = array.live.map { entry in
                MainActor.assertIsolated()
                return entry.id
            }
            let both = ObservableArray([3]).live.concatenated(with: ids).indexed(isolation: nil) { $0 }
            let pairs = ObservableArray([5]).live.joined(with: ids, on: { $0 }, equals: { $0 }, isolation: nil)
                .indexed(isolation: nil) { $0.0 }
            let reactions = [
                autorun { log("both \(both[7] != nil)") }, autorun { log("pairs \(pairs[5] != nil)") },
            ]
            #expect(log.take() == ["both false", "pairs false"])
            onOtherThread { array.append(Entry(id: 7, owner: "b")) }
            await eventually { log.count == 1 }
            onOtherThread { array.append(Entry(id: 5, owner: "b")) }
            await eventually { log.count == 2 }
            #expect(log.take() == ["both true", "pairs true"])
            reactions.forEach { $0.cancel() }
        }

        @MainActor @Test func aComputedOfTheActorMayReadAView() async {
            let entries = Observable([Entry(id: 0, owner: "a")])
            let all = Computed(equals: .never) {
                MainActor.assertIsolated()
                return entries.value
            }
            let index = all.live(id: \.id).indexed(isolation: nil) { $0.owner }
            let log = Log()
            let reaction = autorun { log("\(index["b"]?.id ?? -1)") }
            onOtherThread { entries.value.append(Entry(id: 7, owner: "b")) }
            await eventually { log.count == 2 }
            #expect(log.take() == ["-1", "7"])
            reaction.cancel()
        }

        @MainActor @Test func readersOnTheActorDoNotWaitForTheHop() async {
            let prices: ObservableDictionary = ["a": 1, "b": 2]
            let doubles = prices.live.mapValues { 2 * $0 }
            let sum = Computed { (doubles["a"] ?? 0) + (doubles["b"] ?? 0) }
            let log = Log()
            let reaction = autorun { log("\(sum.value)") }
            // This test is on the main actor, so the hop cannot arrive.
            onOtherThread { prices["a"] = 5 }
            #expect(log.take() == ["6"])
            #expect(sum.value == 14)
            #expect(log.take() == ["14"])
            onOtherThread { prices["b"] = 3 }
            #expect(doubles["b"] == 6)
            #expect(log.take() == ["16"])
            onOtherThread { prices["b"] = 4 }
            inTransaction {
                prices["a"] = 6
                #expect(sum.value == 20)
            }
            #expect(log.take() == ["20"])
            await letOthersRun()
            #expect(log.take() == [])
            reaction.cancel()
        }

        @MainActor @Test func anUnobservedComputedDoesNotWaitForTheHop() async {
            let prices: ObservableDictionary = ["a": 1]
            let doubles = prices.live.mapValues { 2 * $0 }
            let sum = Computed { (doubles["a"] ?? 0) + 1 }
            #expect(sum.value == 3)
            onOtherThread { prices["a"] = 5 }
            #expect(sum.value == 11)
            await letOthersRun()
        }

        @MainActor @Test func unrelatedStateIsReadOnOtherThreads() async {
            let prices: ObservableDictionary = ["a": 1]
            let doubles = prices.live.mapValues { 2 * $0 }
            let log = Log()
            let reaction = autorun { log("\(doubles["a"] ?? 0)") }
            let count = Observable(1)
            let next = Computed(isolation: nil) { count.value + 1 }
            let reader = follow(next, log)
            onOtherThread {
                prices["a"] = 5
                #expect(next.value == 2)
                count.value = 7
                #expect(next.value == 8)
            }
            #expect(log.take() == ["2", "next 2", "next 8"])
            await eventually { log.count == 1 }
            #expect(log.take() == ["10"])
            reaction.cancel()
            reader.cancel()
        }

        @Test func readersOnOtherThreadsStopTheProgram() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let prices: ObservableDictionary = ["a": 1]
                await MainActor.run {
                    let doubles = prices.live.mapValues(named: "doubles") { 2 * $0 }
                    _ = autorun { _ = doubles["a"] }
                    onOtherThread {
                        prices["a"] = 5
                        _ = doubles["a"]
                    }
                }
            }
            expectMessage(result, "computed doubles was created on the main actor")
        }

        @Test func readersOfComputedsOnOtherThreadsStopTheProgram() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let prices: ObservableDictionary = ["a": 1]
                await MainActor.run {
                    let doubles = prices.live.mapValues(named: "doubles") { 2 * $0 }
                    let next = Computed(isolation: nil) { (doubles["a"] ?? 0) + 1 }
                    let last = Computed(isolation: nil) { next.value + 1 }
                    _ = autorun { _ = last.value }
                    onOtherThread {
                        prices["a"] = 5
                        _ = last.value
                    }
                }
            }
            expectMessage(result, "computed doubles was created on the main actor")
        }

        @MainActor @Test func aTransactionThatIsRolledBackOnAnotherThreadRunsNoObserver() async {
            let prices: ObservableDictionary = ["a": 1, "b": 2]
            let log = Log()
            let doubles = prices.live.mapValues { price in
                log("f\(price)")
                return 2 * price
            }
            let reaction = autorun { log("a: \(doubles["a"] ?? -1)") }
            _ = log.take()
            let total = Computed(isolation: nil) { prices.count }
            onOtherThread {
                try? inTransaction {
                    prices["a"] = 5
                    // Reads pending routers in the middle of the transaction.
                    #expect(total.value == 2)
                    prices["c"] = 6
                    #expect(total.value == 3)
                    throw CancellationError()
                }
            }
            await letOthersRun()
            #expect(doubles["a"] == 2)
            #expect(log.take() == [])
            onOtherThread {
                inTransaction {
                    prices["a"] = 5
                    #expect(total.value == 2)
                    prices["a"] = 1
                }
            }
            #expect(doubles["a"] == 2)
            #expect(!log.take().contains { $0.hasPrefix("a") })
            reaction.cancel()
        }

        @MainActor @Test func aRollBackOnTheActorKeepsAWriteOfAnotherThread() async {
            let prices: ObservableDictionary = ["a": 1]
            let doubles = prices.live.mapValues { 2 * $0 }
            let log = Log()
            let reaction = autorun { log("\(doubles["a"] ?? -1)") }
            onOtherThread { prices["a"] = 5 }
            try? inTransaction {
                prices["b"] = 1
                #expect(doubles["a"] == 10)
                throw CancellationError()
            }
            #expect(doubles["a"] == 10)
            #expect(doubles["b"] == nil)
            #expect(log.take() == ["2", "10"])
            await letOthersRun()
            #expect(log.take() == [])
            reaction.cancel()
        }

        @MainActor @Test func aViewMayBeReleasedBeforeTheHopArrives() async {
            let prices: ObservableDictionary = ["a": 1]
            let tracker = LifetimeTracker()
            let log = Log()
            do {
                let token = tracker.token()
                let doubles = prices.live.mapValues { price in
                    _ = token
                    return 2 * price
                }
                let reaction = autorun { log("\(doubles["a"] ?? 0)") }
                onOtherThread { prices["a"] = 5 }
                reaction.cancel()
            }
            prices["a"] = 6
            #expect(tracker.alive == 0)
            await letOthersRun()
            #expect(log.take() == ["2"])
        }

        @MainActor @Test func aChangeOfOneGroupRunsOnlyItsObservers() async {
            let count = 1_000
            let array = ObservableArray((0..<count).map { Entry(id: $0, owner: "\($0)") })
            let calls = Shared(0)
            let groups = array.live.grouped { entry in
                calls.value += 1
                return entry.owner
            }
            let runs = Shared(0)
            let reactions = (0..<count).map { index in
                autorun {
                    _ = groups["\(index)"]?.count
                    runs.value += 1
                }
            }
            (calls.value, runs.value) = (0, 0)
            onOtherThread { for step in 0..<10 { array[step] = Entry(id: step, owner: "500") } }
            await eventually { runs.value > 0 }
            await letOthersRun()
            #expect(calls.value == 10)
            #expect(runs.value == 11)
            reactions.forEach { $0.cancel() }
        }

        @MainActor @Test func threadsWriteAtTheSameTime() async {
            let prices = ObservableDictionary<Int, Int>()
            let doubles = prices.live.mapValues { price in
                MainActor.assertIsolated()
                return 2 * price
            }
            let seen = Shared<[Int: Int]>([:])
            let reactions = (0..<4).map { key in autorun { seen.withLock { $0[key] = doubles[key] } } }
            for round in 1...20 {
                let ended = inBackground {
                    onThreads(4) { thread in
                        for step in 0..<50 {
                            try? inTransaction {
                                prices[thread] = step
                                prices[thread + 4] = step
                                if step % 7 == 3 { throw CancellationError() }
                            }
                        }
                        prices[thread] = 100 * round + thread
                    }
                }
                for _ in 0..<5 {
                    for key in 0..<4 { if let double = doubles[key] { #expect(double % 2 == 0) } }
                    await Task.yield()
                }
                ended()
                await eventually { (0..<4).allSatisfy { seen.value[$0] == 2 * (100 * round + $0) } }
            }
            reactions.forEach { $0.cancel() }
        }

        // MARK: - Other actors

        @Test func anActorFollowsAWriteElsewhere() async {
            let prices: ObservableDictionary = ["a": 1, "b": 2]
            let log = Log()
            let board = Board(prices, log)
            await board.start()
            prices["a"] = 5
            await eventually { log.count == 2 }
            #expect(log.take() == ["2", "10"])
            onOtherThread { prices["a"] = 6 }
            #expect(await board.double(of: "a") == 12)
            await letOthersRun()
            #expect(log.take() == ["12"])
            #expect(board.evaluations.value == 4)
            await board.end()
        }

        @Test func aViewOfAFreedActorStillFollowsWrites() async {
            let prices: ObservableDictionary = ["a": 1]
            let log = Log()
            let kept = Shared<LiveDictionary<String, Int>?>(nil)
            await withFreedActor(Owner.init) { kept.value = await $0.view(of: prices) }
            let view = kept.value!
            let reaction = follow(view, log)
            prices["a"] = 5
            #expect(log.take() == ["2", "10"])
            reaction.cancel()
        }

        // MARK: - Independent graphs

        @MainActor @Test func independentGraphsHopToo() async {
            let graph = IndependentGraph(named: "session")
            let log = Log()
            let (prices, reaction) = graph.run {
                let prices: ObservableDictionary = ["a": 1]
                let doubles = prices.live.mapValues { price in
                    MainActor.assertIsolated()
                    return 2 * price
                }
                return (prices, autorun { log("\(doubles["a"] ?? -1)") })
            }
            onOtherThread { prices["a"] = 5 }
            await eventually { log.count == 2 }
            #expect(log.take() == ["2", "10"])
            reaction.cancel()
        }

        @MainActor @Test func anIndependentGraphMayBeReleasedBeforeTheHopArrives() async {
            weak var leaked: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "session")
                leaked = graph
                let prices = graph.run {
                    let prices: ObservableDictionary = ["a": 1]
                    let doubles = prices.live.mapValues { 2 * $0 }
                    _ = autorun { _ = doubles["a"] }
                    return prices
                }
                onOtherThread { prices["a"] = 5 }
                graph.cancelReactions()
            }
            await eventually { leaked == nil }
        }
    }
}

private actor Owner {
    func view(of prices: ObservableDictionary<String, Int>) -> LiveDictionary<String, Int> {
        prices.live.mapValues { 2 * $0 }
    }
}

private func follow(_ next: Computed<Int>, _ log: Log) -> Reaction { autorun { log("next \(next.value)") } }

private func follow(_ view: LiveDictionary<String, Int>, _ log: Log) -> Reaction {
    autorun { log("\(view["a"] ?? -1)") }
}
