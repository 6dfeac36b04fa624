// When a graph gets a bias towards a thread, and when it loses the bias. Debug builds only, which let tests look inside.

#if DEBUG && os(Linux)
import CReactive
import Foundation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    /// The thread sanitizer's builds have no bias.
    @Suite(
        .enabled(if: !isUnderThreadSanitizer && ProcessInfo.processInfo.environment["REACTIVE_NO_MEMBARRIER"] == nil))
    struct BiasPolicyTests {
        private let owner: IndependentGraph
        private let count: Observable<Int>

        init() {
            owner = IndependentGraph()
            count = owner.run { Observable(0) }
        }

        private func write(_ times: Int) { for _ in 0..<times { count.value += 1 } }

        private var isBiased: Bool {
            let presence = reactive_current().pointee.presence
            return presence != nil && owner.graph.pointee.biased_to == presence
        }

        @Test func aThreadGetsTheBiasAfterManyLocks() {
            write(1_900)
            #expect(!isBiased)
            write(300)
            #expect(isBiased)
        }

        @Test func eachWithdrawalDoublesTheLocksUntilTheNextBias() {
            write(2_200)
            onOtherThread { write(1) }
            #expect(!isBiased)
            for doublings in 1...3 {
                let needed = 2_048 << doublings
                write(needed - 200)
                #expect(!isBiased)
                write(400)
                #expect(isBiased)
                onOtherThread { write(1) }
                #expect(!isBiased)
            }
        }

        @Test func theNumberOfDoublingsIsLimited() {
            write(2_200)
            #expect(isBiased)
            owner.graph.pointee.bias_withdrawals = 10
            onOtherThread { write(1) }
            #expect(!isBiased)
            #expect(owner.graph.pointee.bias_withdrawals == 10)
        }

        @Test func locksThatAThreadHasWaitedForCountForNoBias() {
            // Only the number of waiting threads is looked at.
            nonisolated(unsafe) let graph = owner.graph
            for _ in 0..<100 {
                let isHeld = DispatchSemaphore(value: 0)
                let end = inBackground { [owner] in
                    owner.run {
                        inTransaction {
                            isHeld.signal()
                            while graph.pointee.waiters == 0 { sched_yield() }
                        }
                    }
                }
                isHeld.wait()
                write(1)
                end()
            }
            #expect(graph.pointee.last_biased_to == nil)
        }

        @Test func threadsThatTakeTurnsGetNoBias() {
            for _ in 0..<6 {
                write(1_000)
                onOtherThread { write(1_000) }
            }
            #expect(owner.graph.pointee.last_biased_to == nil)
        }
    }
}
#endif
