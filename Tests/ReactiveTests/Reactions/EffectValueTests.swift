// The values on their way from a tracked closure to its effect: which ones arrive, and where those are freed that do
// not.

import Reactive
import Testing
import TestSupport

#if DEBUG
@testable import Reactive
#endif

/// A value whose comparison reads state. It has a reference, so its bits do not decide.
private struct Rounded: Equatable {
    let value: Int
    let unit: Observable<Int>

    static func == (a: Rounded, b: Rounded) -> Bool { a.value / a.unit.value == b.value / b.unit.value }
}

extension ReactiveTests {
    @Suite struct EffectValueTests {
        let x = Observable(0)
        let tracker = LifetimeTracker()
        /// The tokens that were freed while this thread held the graph.
        let freedUnderLock = Shared(0)

        private func token() -> LifetimeTracker.Token {
            tracker.token { [freedUnderLock] in
                if GraphHandle.held != nil { freedUnderLock.withLock { $0 += 1 } }
            }
        }

        // MARK: - Values of reactions

        @Test func aFirstValueThatIsDueIsReportedEvenIfANewOneEqualsIt() {
            var log: [Int] = []
            let made = inTransaction {
                let made = reaction(fireImmediately: true) {
                    x.value / 10
                } onChange: {
                    log.append($0)
                }
                x.value = 1
                return made
            }
            #expect(log == [0])
            made.cancel()
        }

        @Test func aFirstValueThatWasReplacedBeforeItsReportIsNoOldValue() {
            var log: [String] = []
            let made = inTransaction {
                let made = reaction(fireImmediately: true) {
                    x.value
                } onChange: {
                    log.append("\($1) → \($0)")
                }
                x.value = 1
                return made
            }
            x.value = 2
            #expect(log == ["1 → 1", "1 → 2"])
            made.cancel()
        }

        @Test func aComparisonOfTheTypeSubscribesNobody() {
            let unit = Observable(10)
            var log: [Int] = []
            let made = reaction {
                Rounded(value: x.value, unit: unit)
            } onChange: {
                log.append($0.value)
            }
            x.value = 5
            unit.value = 5
            #expect(made.runCount == 2)
            x.value = 6
            #expect(log == [6])
            made.cancel()
        }

        @Test(arguments: [false, true]) func valuesThatAreReplacedAreFreedOutsideTheLock(fireImmediately: Bool) {
            let made = inTransaction {
                let made = reaction(fireImmediately: fireImmediately) {
                    (x.value, token()).1
                } onChange: { _ in
                }
                x.value = 1
                return made
            }
            x.value = 2
            x.value = 3
            #expect(tracker.alive == 1)
            made.cancel()
            #expect(tracker.alive == 0)
            #expect(freedUnderLock.value == 0)
        }

        @Test(arguments: [false, true]) func valuesOfARolledBackRunAreFreedOutsideTheLock(fireImmediately: Bool) {
            var made: Reaction?
            try? inTransaction {
                x.value = 1
                made = reaction(fireImmediately: fireImmediately) {
                    (x.value, token()).1
                } onChange: { _ in
                }
                throw CancellationError()
            }
            #expect(made?.runCount == 2)
            #expect(tracker.alive == 1)
            made?.cancel()
            #expect(tracker.alive == 0)
            #expect(freedUnderLock.value == 0)
        }

        @Test func aValueOfARolledBackRunDoesNotWaitForTheNextRun() {
            var run: (() -> Void)?
            var made: Reaction?
            try? inTransaction {
                x.value = 1
                made = reaction(fireImmediately: true, schedule: .custom { run = $0 }) {
                    (x.value, token()).1
                } onChange: { _ in
                }
                throw CancellationError()
            }
            #expect(tracker.alive == 0)
            run?()
            #expect(made?.runCount == 2)
            #expect(tracker.alive == 1)
            made?.cancel()
        }

        // MARK: - Outputs of scopes

        @Test func outputsThatAreReplacedAreFreedOutsideTheLock() {
            var rendered = 0
            let scope = ObserverScope {
                (x.value, token()).1
            } onRender: { _ in
                rendered += 1
            }
            // Several renders before one report.
            inTransaction {
                for value in 1...3 {
                    x.value = value
                    _ = scope.output
                }
            }
            #expect(rendered == 2)
            #expect(tracker.alive == 1)
            x.value = 4
            #expect(rendered == 3)
            #expect(tracker.alive == 1)
            #expect(freedUnderLock.value == 0)
            scope.cancel()
        }

        @Test func aScopeThatOnlyNotifiesReportsNoOutputAndKeepsNoOldOne() {
            var notified = 0
            let scope = ObserverScope(schedule: .notifyOnly { notified += 1 }) {
                (x.value, token()).1
            } onRender: { _ in
                Issue.record("an output is reported")
            }
            for value in 1...3 {
                x.value = value
                _ = scope.output
                #expect(notified == value)
                #expect(tracker.alive == 1)
            }
            #expect(freedUnderLock.value == 0)
            scope.cancel()
        }

        // MARK: - Memory

        #if DEBUG
        @Test func theStateOfAnEffectHasTheAlignmentOfItsType() {
            let states = (0..<20).map { UnsafeMutablePointer.allocated(with: SIMD16<Double>(repeating: Double($0))) }
            for (index, state) in states.enumerated() {
                #expect(UInt(bitPattern: state) % UInt(MemoryLayout<SIMD16<Double>>.alignment) == 0)
                #expect(state.pointee == SIMD16(repeating: Double(index)))
                state.endAllocated()
            }
        }
        #endif
    }
}
