// Transactions of several threads behave as if they had run one after the other.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct SerialisabilityTests {
        static let threads = 4
        static let rounds = 2_000

        @Test func incrementsInTransactionsAreNotLost() {
            let x = Observable(0)
            onThreads(Self.threads) { _ in
                for _ in 0..<Self.rounds { inTransaction { x.value += 1 } }
            }
            #expect(x.value == Self.threads * Self.rounds)
        }

        @Test func readThenWriteInATransactionIsAtomic() {
            let x = Observable(0)
            onThreads(Self.threads) { _ in
                for _ in 0..<Self.rounds {
                    inTransaction {
                        let seen = x.value
                        x.value = seen + 1
                    }
                }
            }
            #expect(x.value == Self.threads * Self.rounds)
        }

        @Test func singleInPlaceMutationsAreAtomic() {
            let counter = Observable(0)
            let names = Observable<[String]>([])
            let counts = Observable<[String: Int]>([:])
            onThreads(Self.threads) { thread in
                for round in 0..<500 {
                    counter.value += 1
                    names.value.append("\(thread)-\(round)")
                    counts.value["all", default: 0] += 1
                }
            }
            #expect(counter.value == Self.threads * 500)
            #expect(Set(names.value).count == Self.threads * 500)
            #expect(counts.value == ["all": Self.threads * 500])
        }

        // a1 … a8 ──▶ total ──▶ audit (autorun)
        @Test func nobodySeesHalfATransfer() {
            let accounts = (1...8).map { Observable(100, named: "a\($0)") }
            let total = Computed { accounts.reduce(0) { $0 + $1.value } }
            let audits = Shared<Set<Int>>([])
            let audit = autorun { audits.withLock { _ = $0.insert(total.value) } }
            let eachSum = autorun {
                let sum = accounts.reduce(0) { $0 + $1.value }
                audits.withLock { _ = $0.insert(sum) }
            }
            onThreads(Self.threads) { thread in
                var random = SplitMix64(seed: UInt64(thread))
                for round in 0..<Self.rounds {
                    let (from, to) = (accounts.randomElement(using: &random)!, accounts.randomElement(using: &random)!)
                    switch round % 4 {
                    case 0: audits.withLock { _ = $0.insert(-1) }  // Replaced below: shows that the set is written.
                    case 1:
                        let sum = inTransaction { accounts.reduce(0) { $0 + $1.value } }
                        audits.withLock { _ = $0.insert(sum) }
                    case 2:
                        let sum = total.value
                        audits.withLock { _ = $0.insert(sum) }
                    default:
                        inTransaction {
                            from.value -= 7
                            to.value += 7
                        }
                    }
                }
            }
            #expect(audits.value == [-1, 800])
            #expect(total.value == 800)
            audit.cancel()
            eachSum.cancel()
        }

        @Test func aTransferThatThrowsLeavesNoTraceForOtherThreads() {
            struct Overdrawn: Error {}
            let accounts = (1...4).map { Observable(10, named: "a\($0)") }
            let total = Computed { accounts.reduce(0) { $0 + $1.value } }
            let audits = Shared<Set<Int>>([])
            let lowest = Shared(0)
            let audit = autorun {
                let (sum, least) = (total.value, accounts.map(\.value).min()!)
                audits.withLock { _ = $0.insert(sum) }
                lowest.withLock { $0 = min($0, least) }
            }
            onThreads(Self.threads) { thread in
                var random = SplitMix64(seed: 100 + UInt64(thread))
                for _ in 0..<1_000 {
                    let (from, to) = (accounts.randomElement(using: &random)!, accounts.randomElement(using: &random)!)
                    let amount = Int.random(in: 1...9, using: &random)
                    try? inTransaction {
                        to.value += amount
                        from.value -= amount
                        guard from.value >= 0 else { throw Overdrawn() }
                    }
                }
            }
            #expect(audits.value == [40])
            #expect(lowest.value >= 0)
            #expect(accounts.allSatisfy { $0.value >= 0 })
            audit.cancel()
        }

        // Two doctors are on call; each may leave only if the other stays. Snapshot isolation would let both leave.
        @Test func thereIsNoWriteSkew() {
            for _ in 0..<300 {
                let onCall = [Observable(true), Observable(true)]
                onThreads(2) { thread in
                    inTransaction {
                        if onCall[1 - thread].value { onCall[thread].value = false }
                    }
                }
                #expect(onCall.filter(\.value).count == 1)
            }
        }

        // Each transaction takes a number from `clock`, which gives the order of the history. A sequential replay in
        // that order must have the same reads and the same final state.
        @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
        func aHistoryEqualsItsReplayInOrder(seed: UInt64) {
            struct Step {
                var order: Int
                var reads: [Int]
                var writes: [(index: Int, value: Int)]
                var failed: Bool
            }
            struct Failure: Error {}
            let cells = (0..<6).map { Observable($0, named: "c\($0)") }
            let sum = Computed { cells.reduce(0) { $0 + $1.value } }
            let clock = Observable(0)
            let history = Shared<[Step]>([])
            let watcher = autorun { _ = sum.value }
            onThreads(Self.threads) { thread in
                var random = SplitMix64(seed: seed &* 1_000 &+ UInt64(thread))
                for _ in 0..<200 {
                    var step = Step(order: 0, reads: [], writes: [], failed: false)
                    inTransaction {
                        step.order = clock.value
                        clock.value += 1
                        step.failed = Bool.random(using: &random)
                        try? inTransaction {
                            for _ in 0..<3 {
                                let index = Int.random(in: 0..<cells.count, using: &random)
                                let value = Int.random(in: 0..<50, using: &random) + cells[index].value % 7
                                cells[index].value = value
                                step.writes.append((index, value))
                            }
                            if step.failed { throw Failure() }
                        }
                        step.reads = cells.map(\.value) + [sum.value]
                    }
                    history.withLock { $0.append(step) }
                }
            }
            watcher.cancel()
            var model = Array(0..<6)
            let steps = history.value.sorted { $0.order < $1.order }
            #expect(steps.map(\.order) == Array(0..<Self.threads * 200))
            for step in steps {
                if !step.failed { for write in step.writes { model[write.index] = write.value } }
                #expect(step.reads == model + [model.reduce(0, +)], "seed \(seed), step \(step.order)")
            }
            #expect(cells.map(\.value) == model)
        }
    }
}
