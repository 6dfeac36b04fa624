// The entries of the transaction log: what each stores, when it is compared, and what is left of an earlier one in the
// same memory.

#if DEBUG
import CReactive
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LogEntryTests {
        private struct Failure: Error {}

        /// A value that does not fit into an entry.
        private struct Wide: Equatable {
            var words: (Int, Int, Int, Int)

            init(_ number: Int) { words = (number, 1, 2, 3) }
            static func == (a: Wide, b: Wide) -> Bool { a.words == b.words }
        }

        /// An object that is equal to others with the same number.
        private final class Token: Equatable {
            let number: Int

            init(_ number: Int) { self.number = number }
            static func == (a: Token, b: Token) -> Bool { a.number == b.number }
        }

        private let x = Observable(0)
        private let y = Observable(0)

        private func rollBack(_ body: () -> Void) {
            try? inTransaction {
                body()
                throw Failure()
            }
        }

        /// Commits a transaction that could have been rolled back.
        private func commit(_ body: () -> Void) { try? inTransaction { () throws in body() } }

        // MARK: - Values that are written back

        @Test func aNestedTransactionMayWriteAValueBack() {
            let reader = autorun { _ = x.value }
            commit {
                x.value = 1
                commit { x.value = 0 }
            }
            #expect(reader.runCount == 1)
            reader.cancel()
        }

        /// Only state that was written twice is compared, whatever else the log contains, and whatever it contained
        /// before.
        @Test func oneMutationInPlaceIsAChange() {
            let list = Observable([1, 1])
            let reader = autorun { _ = list.value }
            commit {
                x.value = 1
                x.value = 0
            }
            commit {
                list.value.reverse()
                y.value = 1
                y.value = 0
            }
            #expect(reader.runCount == 2)
            reader.cancel()
        }

        @Test func aMutationInPlaceIsNotLoggedAfterATransactionThatCouldBeRolledBack() {
            let list = Observable([1])
            let reader = autorun { _ = list.value }
            rollBack { x.value = 1 }
            commit { x.value = 2 }
            inTransaction {
                list.value.append(2)
                list.value.removeLast()
            }
            #expect(reader.runCount == 2)
            reader.cancel()
        }

        @Test func aReactionThatIsCreatedInBetweenAndReadsSomethingElseRunsOnce() {
            let reader = autorun { _ = x.value }
            var other: Reaction?
            inTransaction {
                x.value = 1
                other = autorun { _ = y.value }
                x.value = 0
            }
            #expect(reader.runCount == 1 && other?.runCount == 1)
            reader.cancel()
            other?.cancel()
        }

        @Test func aReactionThatIsCreatedInBetweenHasSeenItsFirstValue() {
            var fired: [[Int]] = []
            var created: Reaction?
            inTransaction {
                x.value = 1
                created = reaction {
                    x.value
                } onChange: {
                    fired.append([$1, $0])
                }
                x.value = 0
            }
            #expect(fired == [[1, 0]])
            created?.cancel()
        }

        /// The commit restores the result from before the transaction, for which the other state had its former value.
        @Test func aResultThatOtherStateHasChangedIsComputedAgain() {
            let sum = Computed { x.value + y.value }
            var seen: [Int] = []
            let reader = autorun { seen.append(sum.value) }
            inTransaction {
                y.value = 5
                x.value = 1
                x.value = 0
                #expect(sum.value == 5)
            }
            #expect(sum.value == 5 && seen == [0, 5])
            reader.cancel()
        }

        // MARK: - Rolling back

        @Test func anEarlierResultFromTheSameSourcesIsValidAfterARollback() {
            var runs = 0
            let usesY = Observable(false)
            let switching = Computed { usesY.value ? y.value : 0 }
            let double = Computed {
                runs += 1
                return 2 * x.value
            }
            let reader = autorun { _ = (double.value, switching.value) }
            // An entry of a computed with other sources than before, in the memory of the next transaction's.
            rollBack {
                usesY.value = true
                _ = switching.value
            }
            rollBack {
                x.value = 1
                #expect(double.value == 2)
            }
            #expect(double.value == 0 && runs == 2)
            #expect(reader.runCount == 1)
            reader.cancel()
        }

        @Test func aFirstResultIsComputedAgainAfterARollback() {
            let hidden = Computed { untracked { x.value } }
            rollBack {
                x.value = 1
                #expect(hidden.value == 1)
            }
            #expect(hidden.value == 0)
        }

        @Test func aWideResultThatChangesAtTheSecondEvaluationIsRolledBack() {
            let wide = Computed { Wide(x.value % 2) }
            let reader = autorun { _ = wide.value }
            rollBack {
                x.value = 2
                #expect(wide.value == Wide(0))
                y.value = 1
                x.value = 3
                #expect(wide.value == Wide(1))
            }
            #expect(wide.value == Wide(0) && y.value == 0)
            reader.cancel()
        }

        @Test func aResultThatIsReplacedAtTheSecondEvaluationIsFreed() {
            let token = Computed { Token(x.value % 2) }
            weak var first: Token?
            let reader = autorun { first = first ?? token.value }
            #expect(first != nil)
            inTransaction {
                x.value = 2
                #expect(token.value.number == 0)
                x.value = 3
                #expect(token.value.number == 1)
                #expect(first != nil)
            }
            #expect(first == nil)
            reader.cancel()
        }

        @Test func aReactionThatWasCreatedInTheTransactionKeepsItsIndex() {
            var reactions = [autorun { _ = x.value }, autorun { _ = y.value }]
            rollBack {
                x.value = 1
                reactions.append(autorun { _ = x.value })
            }
            #expect(GraphHandle.current.brokenInvariants == [])
            #expect(reactions.map(\.runCount) == [1, 1, 2])
            reactions.forEach { $0.cancel() }
        }

        /// The transaction was the last one to change anything, so that only its end can show that the view is not up to
        /// date.
        @Test(arguments: [false, true]) func aViewChecksItsEarlierStateAfterTheTransaction(isRolledBack: Bool) {
            let flags = (0..<2).map { Observable($0) }
            let view = ToyView(ToyList([10, 20])) { row, value in value + flags[Int(row)].value }
            #expect(view.sum == 31)
            flags[1].value = 5
            if isRolledBack {
                rollBack {
                    flags[0].value = 1
                    #expect(view.sum == 36)
                }
            } else {
                commit {
                    flags[0].value = 1
                    flags[0].value = 0
                    #expect(view.sum == 35)
                }
            }
            #expect(view.sum == 35)
        }

        /// The log has no state of such a view, since it was empty when the evaluation began. An evaluation behind it must
        /// not take its result for the state from before the transaction.
        @Test(arguments: [1, 2]) func aViewWhoseEvaluationMadeTheFirstWriteIsBuiltAnew(evaluations: Int) {
            let (trigger, written) = (Observable(0), Observable(0))
            var isWriting = false
            let view = ToyView(ToyList([1, 2])) { row, value in
                _ = trigger.value
                if row == 0, isWriting { written.value = 7 }
                return row == 0 ? value : value + written.value
            }
            #expect(view.sum == 3 && view.builds == 1)
            trigger.value += 1
            isWriting = true
            _ = issues {
                rollBack {
                    for _ in 0..<evaluations { #expect(view.sum == 10) }
                    isWriting = false
                }
            }
            #expect(written.value == 0)
            #expect(view.sum == 3 && view.builds == 2)
        }

        // MARK: - The end of a node

        /// A second time, the memory of the value would be freed twice.
        @Test func aNodeThatEndsInTheTransactionTakesItsEntriesAlong() {
            var wide: Observable<Wide>? = Observable(Wide(0))
            let tracker = LifetimeTracker()
            var token: Observable<LifetimeTracker.Token>? = Observable(tracker.token())
            inTransaction {
                wide?.value = Wide(1)
                token?.value = tracker.token()
                (wide, token) = (nil, nil)
                x.value = 1
            }
            #expect(tracker.alive == 0)
            rollBack {
                x.value = 2
                wide = Observable(Wide(0))
                wide?.value = Wide(1)
                wide = nil
            }
            #expect(x.value == 1)
        }

        @Test(.inDefaultGraph) func aNodeOfTheDefaultGraphTakesItsEntriesAlong() {
            let tracker = LifetimeTracker()
            var token: Observable<LifetimeTracker.Token>? = Observable(tracker.token())
            inTransaction {
                token?.value = tracker.token()
                token = nil
            }
            #expect(tracker.alive == 0)
        }

        // MARK: - Parts of reactions

        /// A reaction that reads a number in a part of its own.
        private final class Parted: PartsDelegate {
            private let number: Observable<Int>
            private(set) var seen: [Int] = []
            private(set) var part: _ReactionPart?

            init(_ number: Observable<Int>) { self.number = number }

            func begin(in reaction: Reaction) {
                let part = _ReactionPart(of: reaction)
                self.part = part
                update(part)
            }

            func update(_ part: _ReactionPart) { part.evaluate { seen.append(number.value) } }
            func finishUpdate() -> Bool { false }
            func discardUpdate() {}
            func deliver() {}
            func forEachPart(_ body: (_ReactionPart) -> Void) { if let part { body(part) } }

            func end() {
                part?.end()
                part = nil
            }

            func start() -> Reaction {
                .started(of: self, named: nil, schedule: .immediate, isolation: nil, fileID: #fileID, line: #line)
            }
        }

        /// The entry of the part is in memory where an entry of a nested transaction was.
        @Test func aPartThatIsEvaluatedInATransactionIsEvaluatedAgainAfterTheRollback() {
            commit {
                x.value = 1
                commit { x.value = 0 }
            }
            let parted = Parted(x)
            var reaction: Reaction?
            rollBack {
                x.value = 1
                reaction = parted.start()
            }
            #expect(parted.seen == [1, 0])
            #expect(parted.part?.node.pointee.log_index == 0)
            reaction?.cancel()
        }

        @Test func aPartThatIsEvaluatedInBetweenIsEvaluatedAgainAfterTheCommit() {
            let parted = Parted(x)
            var reaction: Reaction?
            inTransaction {
                x.value = 1
                reaction = parted.start()
                x.value = 0
            }
            #expect(parted.seen == [1, 0])
            reaction?.cancel()
        }

        @Test func aPartThatReadsSomethingElseIsNotEvaluatedAgainAfterTheCommit() {
            let parted = Parted(y)
            let reader = autorun { _ = x.value }
            var reaction: Reaction?
            inTransaction {
                x.value = 1
                reaction = parted.start()
                x.value = 0
            }
            #expect(parted.seen == [0] && reader.runCount == 1)
            reaction?.cancel()
            reader.cancel()
        }
    }
}
#endif
