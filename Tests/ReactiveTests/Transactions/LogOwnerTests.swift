// The log of an effect, while other threads use the graph: what an effect restores counts as not written, unless
// another thread has needed the log.

#if DEBUG
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LogOwnerTests {
        private struct Failure: Error {}

        private let trigger = Observable(0)
        /// Read by a reaction.
        private let watched = Observable(0)
        /// Read by the reaction whose effect runs.
        private let own = Observable(0)
        private let unobserved = Observable(0)

        /// Runs `body` as the effect of a new reaction, which it returns.
        @discardableResult
        private func runInEffect(_ body: @escaping () -> Void) -> Reaction {
            let effect = reaction {
                _ = own.value
                return trigger.value
            } onChange: { _ in
                body()
            }
            trigger.value += 1
            return effect
        }

        /// What another thread does in the middle of an effect.
        enum Interference: CaseIterable {
            case none, read, plainWrite, plainWriteOfUnobservedState, transactionThatReads, transactionThatWrites
            case evaluation, revertibleTransaction

            /// Whether it ends the log, so that everything written so far counts.
            var endsLog: Bool { [.transactionThatWrites, .evaluation, .revertibleTransaction].contains(self) }
        }

        @Test(arguments: Interference.allCases) func writesCountAfter(_ interference: Interference) {
            let double = Computed { [watched] in 2 * watched.value }
            let reader = autorun { _ = watched.value }
            let effect = runInEffect { [watched, own, unobserved] in
                watched.value = 1
                onOtherThread {
                    switch interference {
                    case .none: break
                    case .read: _ = watched.value
                    case .plainWrite: own.value += 1
                    case .plainWriteOfUnobservedState: unobserved.value += 1
                    case .transactionThatReads: inTransaction { _ = watched.value }
                    case .transactionThatWrites: inTransaction { unobserved.value += 1 }
                    case .evaluation: #expect(double.value == 2)
                    case .revertibleTransaction: try? inTransaction { () throws in _ = watched.value }
                    }
                }
                watched.value = 0
            }
            #expect(reader.runCount == (interference.endsLog ? 2 : 1))
            #expect(double.value == 0)
            #expect(GraphHandle.current.brokenInvariants == [])
            effect.cancel()
            reader.cancel()
        }

        /// Nor does the end of the other thread's transaction compare what the effect has written.
        @Test func aTransactionOnAnotherThreadKeepsWhatTheEffectHasRestored() {
            let reader = autorun { _ = watched.value }
            let effect = runInEffect { [watched, unobserved] in
                watched.value = 1
                watched.value = 0
                onOtherThread { inTransaction { unobserved.value += 1 } }
            }
            #expect(reader.runCount == 2)
            effect.cancel()
            reader.cancel()
        }

        @Test func aTransactionOnAnotherThreadIsRolledBackToItsOwnStart() {
            let reader = autorun { _ = watched.value }
            let effect = runInEffect { [watched, unobserved] in
                watched.value = 1
                onOtherThread {
                    try? inTransaction {
                        unobserved.value = 1
                        unobserved.value = 2
                        throw Failure()
                    }
                }
                #expect(unobserved.value == 0)
            }
            #expect(watched.value == 1 && unobserved.value == 0 && reader.runCount == 2)
            effect.cancel()
            reader.cancel()
        }

        /// The effect writes back what it has read itself. So only the count of its runs shows whether that counts.
        @Test func aWriteOnAnotherThreadOfWhatAnEffectHasWrittenCounts() {
            let effect = runInEffect { [own] in
                own.value = 1
                onOtherThread { own.value = 5 }
                own.value = 0
            }
            #expect(effect.runCount == 3)
            effect.cancel()
        }

        @Test func writesOnAnotherThreadAreNotLoggedWithThoseOfAnEffect() {
            let effect = runInEffect { [own, unobserved] in
                unobserved.value += 1
                onOtherThread {
                    inTransaction { unobserved.value += 1 }
                    own.value = 1
                    own.value = 0
                }
            }
            #expect(effect.runCount == 3)
            effect.cancel()
        }

        @Test func anEffectThatWritesVeryOftenKeepsFewEntries() {
            let cells = (0..<5_000).map { _ in Observable(0) }
            let reader = autorun { for cell in cells { _ = cell.value } }
            let longest = Shared(0 as UInt32)
            let effect = runInEffect {
                for cell in cells {
                    cell.value = 1
                    longest.withLock { $0 = max($0, cell.graph.pointee.log_count) }
                }
            }
            #expect(longest.value == 4_096)
            #expect(reader.runCount == 2)
            effect.cancel()
            reader.cancel()
        }

        @Test func aLongTransactionIsRolledBack() {
            let cells = (0..<5_000).map { _ in Observable(0 as Int32) }
            try? inTransaction {
                for cell in cells { cell.value = 1 }
                throw Failure()
            }
            #expect(cells.allSatisfy { $0.value == 0 })
        }

        /// Nobody can have read it, so that writing it back makes no difference.
        @Test func anEffectFreesTheReplacedValuesOfUnobservedState() {
            let tracker = LifetimeTracker()
            let token = Observable(tracker.token())
            let effect = runInEffect {
                token.value = tracker.token()
                #expect(tracker.alive == 1)
            }
            effect.cancel()
        }
    }
}
#endif
