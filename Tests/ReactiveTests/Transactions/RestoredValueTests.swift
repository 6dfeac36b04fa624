// A restored value counts as not written, in transactions and in all contexts that behave like one.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct RestoredValueTests {
        /// Runs `write` in one of the contexts that behave like transactions; `trigger` causes the run.
        enum Context: String, CaseIterable, CustomTestStringConvertible {
            case transaction, autorun, effect, when, cleanup, cancelledCleanup, onRender, render, errorHandler

            var testDescription: String { rawValue }

            func run(_ write: @escaping () -> Void) {
                struct Failure: Error {}
                let trigger = Observable(0)
                var isArmed = false
                let writeOnce = { if isArmed { write() } }
                var reactions: [Reaction] = []
                var scope: ObserverScope<Int>?
                switch self {
                case .transaction: break
                case .autorun:
                    reactions = [
                        Reactive.autorun {
                            _ = trigger.value
                            writeOnce()
                        }
                    ]
                case .effect:
                    reactions = [
                        reaction {
                            trigger.value
                        } onChange: { _ in
                            writeOnce()
                        }
                    ]
                case .when:
                    reactions = [
                        Reactive.when {
                            trigger.value > 0
                        } effect: {
                            writeOnce()
                        }
                    ]
                case .cleanup, .cancelledCleanup:
                    reactions = [
                        Reactive.autorun {
                            _ = trigger.value
                            onCleanup(writeOnce)
                        }
                    ]
                case .onRender:
                    scope = ObserverScope {
                        trigger.value
                    } onRender: { _ in
                        writeOnce()
                    }
                case .render:
                    scope = ObserverScope {
                        writeOnce()
                        return trigger.value
                    }
                case .errorHandler:
                    reactions = [
                        Reactive.autorun(onError: { _ in writeOnce() }) {
                            if trigger.value > 0 { throw Failure() }
                        }
                    ]
                }
                isArmed = true
                switch self {
                case .transaction: inTransaction(write)
                case .cancelledCleanup: reactions[0].cancel()
                default: trigger.value = 1
                }
                isArmed = false
                reactions.forEach { $0.cancel() }
                scope?.cancel()
            }
        }

        // a ──▶ reader        a ──▶ d ──▶ behind
        @Test(arguments: Context.allCases) func runsNoReaction(_ context: Context) {
            let a = Observable(0)
            let name = Observable("x")
            let d = Computed { a.value * 2 }
            var log: [String] = []
            let reactions = [
                autorun { log.append("reader \(a.value) \(name.value)") },
                autorun { log.append("behind \(d.value)") },
                reaction {
                    a.value
                } onChange: {
                    log.append("changed \($0)")
                },
            ]
            log = []
            context.run {
                a.value = 1
                name.value = "y"
                #expect(d.value == 2)
                a.value = 0
                name.value = "x"
            }
            #expect(log.isEmpty)
            #expect(d.value == 0)
            context.run {
                a.value = 1
                a.value = 2
            }
            #expect(log == ["reader 2 x", "behind 4", "changed 2"])
            reactions.forEach { $0.cancel() }
        }

        @Test func aValueThatIsWrittenAndThenRestoredInPlaceRunsNoReaction() {
            let numbers = Observable([1, 2])
            let reader = autorun { _ = numbers.value }
            inTransaction {
                numbers.value = [1, 3]
                numbers.value[1] = 2
            }
            #expect(reader.runCount == 1)
            reader.cancel()
        }

        @Test func resultsThatWereReadInBetweenAreNotKept() {
            let a = Observable(0)
            let t = Observable(0)
            let watched = Computed { a.value + 1 }
            let unobserved = Computed { watched.value * 10 }
            var seen: [Int] = []
            let watching = autorun { seen.append(watched.value) }
            let writing = reaction {
                t.value
            } onChange: { _ in
                a.value = 1
                seen.append(unobserved.value)
                a.value = 0
            }
            t.value = 1
            #expect(seen == [1, 20])
            #expect(unobserved.value == 10)
            #expect(watched.value == 1)
            a.value = 5
            #expect(seen == [1, 20, 6])
            watching.cancel()
            writing.cancel()
        }

        @Test func aViewThatWasReadByKeyInBetweenShowsTheEnd() {
            let x = Observable(0)
            let groups = ToyGroups(ToyList([10])) { _, _ in x.value }
            var seen: [Int?] = []
            let reader = autorun { seen.append(groups[1]) }
            inTransaction {
                x.value = 1
                #expect(groups[1] == 10)
                x.value = 0
            }
            #expect((groups[0], groups[1]) == (10, nil))
            #expect(seen.last == .some(nil))
            reader.cancel()
        }

        @Test func reactionsCreatedInBetweenSeeTheEnd() {
            let a = Observable(0)
            let t = Observable(0)
            var seen: [Int] = []
            var bag: Set<AnyCancellable> = []
            let writing = reaction {
                t.value
            } onChange: { _ in
                a.value = 1
                detached { autorun { seen.append(a.value) }.store(in: &bag) }
                a.value = 0
            }
            t.value = 1
            #expect(seen == [1, 0])
            writing.cancel()
        }

        @Test func anEffectWhoseTransactionsCommitInBetweenRunsNoReaction() {
            let a = Observable(0)
            let b = Observable(0)
            let t = Observable(0)
            var runs = 0
            let reader = autorun {
                _ = a.value + b.value
                runs += 1
            }
            let writing = reaction {
                t.value
            } onChange: { _ in
                a.value = 1
                inTransaction { b.value = 1 }
                try? inTransaction {
                    b.value = 2
                    throw CancellationError()
                }
                #expect(b.value == 1)
                autorun { b.value = 0 }
                a.value = 0
            }
            t.value = 1
            #expect(runs == 1)
            reader.cancel()
            writing.cancel()
        }

        /// If another thread interferes while an effect has written a value, no change is missed and no wrong value is
        /// kept.
        @Test(arguments: 1...5) func otherThreadsInBetweenSeeRightValues(seed: UInt64) {
            let cells = (0..<4).map { Observable(0, named: "c\($0)") }
            let sum = Computed { cells.reduce(0) { $0 + $1.value } }
            let doubled = Computed { sum.value * 2 }
            let trigger = Observable(0)
            let seen = Shared(0)
            let watching = autorun { seen.value = doubled.value }
            let writing = reaction {
                trigger.value
            } onChange: { round in
                cells[0].value += 1
                sched_yield()
                if round % 2 == 0 { cells[1].value = round }
                cells[0].value -= 1
            }
            onThreads(3) { thread in
                var random = SplitMix64(seed: seed * 10 + UInt64(thread))
                for round in 1...400 {
                    switch thread {
                    case 0: trigger.value = round
                    case 1: _ = Computed { sum.value }.value + doubled.value
                    default:
                        switch random.next() % 3 {
                        case 0: cells[2].value = round
                        case 1:
                            inTransaction {
                                cells[2].value += 1; cells[2].value -= 1
                            }
                        default:
                            try? inTransaction {
                                cells[0].value += 5
                                throw CancellationError()
                            }
                        }
                    }
                }
            }
            #expect(doubled.value == 2 * cells.reduce(0) { $0 + $1.value }, "seed \(seed)")
            #expect(seen.value == doubled.value, "seed \(seed)")
            watching.cancel()
            writing.cancel()
        }

        // MARK: - Reactions created in rolled back transactions

        @Test func aReactionCreatedInARolledBackTransactionReadsItsFirstValueAgain() {
            let a = Observable(0)
            var fired: [String] = []
            var bag: Set<AnyCancellable> = []
            try? inTransaction {
                a.value = 1
                reaction {
                    a.value
                } onChange: {
                    fired.append("\($1) → \($0)")
                }.store(in: &bag)
                reaction(fireImmediately: true) {
                    a.value
                } onChange: {
                    fired.append("first \($0)")
                }.store(in: &bag)
                when {
                    a.value == 1
                } effect: {
                    fired.append("when")
                }.store(in: &bag)
                throw CancellationError()
            }
            #expect(fired == ["first 0"])
            a.value = 5
            #expect(fired == ["first 0", "0 → 5", "first 5"])
        }

        @Test func anErrorOfARolledBackRunIsNotReported() {
            struct Odd: Error {}
            let a = Observable(0)
            var errors = 0
            var bag: Set<AnyCancellable> = []
            try? inTransaction {
                a.value = 1
                autorun(onError: { _ in errors += 1 }) { if a.value % 2 == 1 { throw Odd() } }.store(in: &bag)
                throw CancellationError()
            }
            #expect(errors == 0)
            a.value = 3
            #expect(errors == 1)
        }
    }
}
