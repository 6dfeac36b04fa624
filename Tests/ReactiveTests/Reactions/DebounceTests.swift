// Which changes begin the pause of a debounced reaction again. Time advances only when the test advances it.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct DebounceTests {
        let clock = ManualClock()
        let count = Observable(0)
        let log = Shared<[Int]>([])

        private var pause: Schedule { .debounced(for: .seconds(2), clock: clock) }

        private func note(_ value: Int) { log.withLock { $0.append(value) } }

        /// Lets a second pass, and everything run that is due then.
        private func wait(seconds: Int = 1) async {
            for _ in 0..<seconds {
                await letOthersRun()
                clock.advance(by: .seconds(1))
            }
            await letOthersRun()
        }

        // MARK: - Equal results

        @Test func aChangeWithAnEqualResultDoesNotProlongThePause() async {
            let tens = Computed { count.value / 10 }
            let r = reaction(schedule: pause) {
                tens.value
            } onChange: {
                note($0)
            }
            count.value = 10
            await wait()
            count.value = 11
            await wait()
            #expect(log.value == [1])
            // Nothing is left to run.
            count.value = 12
            await wait(seconds: 3)
            #expect(log.value == [1])
            r.cancel()
        }

        @Test func changesWithEqualResultsDoNotPreventARunForever() async {
            let tens = Computed { count.value / 10 }
            let r = autorun(schedule: pause) { note(tens.value) }
            count.value = 10
            for number in 1...5 {
                await wait()
                count.value = 10 + number
            }
            #expect(log.value == [0, 1])
            r.cancel()
        }

        @Test func aChangeThatAnElementOfAViewReadsProlongsThePause() async {
            let double = Computed { count.value * 2 }
            let view = ToyView(ToyList([1])) { _, value in value + double.value }
            let r = autorun(schedule: pause) { note(view.sum) }
            for value in 1...3 {
                count.value = value
                await wait()
            }
            #expect(log.value == [1])
            await wait()
            #expect(log.value == [1, 7])
            r.cancel()
        }

        @Test func aChangedResultProlongsThePause() async {
            let tens = Computed { count.value / 10 }
            let r = reaction(schedule: pause) {
                tens.value
            } onChange: {
                note($0)
            }
            count.value = 10
            await wait()
            count.value = 20
            await wait()
            #expect(log.value == [])
            // Back to an earlier result is a change, too.
            count.value = 10
            await wait()
            #expect(log.value == [])
            await wait()
            #expect(log.value == [1])
            r.cancel()
        }

        @Test func equalResultsFarUpstreamDoNotProlongThePause() async {
            let evaluations = Shared(0)
            let tens = Computed { count.value / 10 }
            let (a, b) = (Computed { tens.value + 1 }, Computed { tens.value + 2 })
            let sum = Computed {
                evaluations.withLock { $0 += 1 }
                return a.value + b.value
            }
            let r = reaction(schedule: pause) {
                sum.value
            } onChange: {
                note($0)
            }
            count.value = 10
            await wait()
            count.value = 11
            await wait()
            #expect(log.value == [5])
            #expect(evaluations.value == 2)
            r.cancel()
        }

        @Test func aValueThatTheReactionReadsItselfProlongsThePause() async {
            let tens = Computed { count.value / 10 }
            let other = Observable(0)
            let r = reaction(schedule: pause) {
                tens.value + other.value
            } onChange: {
                note($0)
            }
            count.value = 10
            await wait()
            other.value = 1
            await wait()
            #expect(log.value == [])
            await wait()
            #expect(log.value == [2])
            r.cancel()
        }

        @Test(.inDefaultGraph) func aReactionOnAnActorComparesOnThatActor() async {
            let room = Room(clock)
            await room.start(log)
            room.count.value = 10
            await wait()
            room.count.value = 11
            await wait()
            #expect(log.value == [1])
            room.count.value = 20
            await wait()
            room.count.value = 30
            await wait()
            #expect(log.value == [1])
            await wait()
            #expect(log.value == [1, 3])
            await room.end()
        }

        private actor Room {
            nonisolated let count = Observable(0)
            private let clock: ManualClock
            private var following: Reaction?

            init(_ clock: ManualClock) { self.clock = clock }

            func start(_ log: Shared<[Int]>) {
                let tens = Computed { [count] in count.value / 10 }
                let pause = Schedule.debounced(for: .seconds(2), clock: clock)
                following = reaction(schedule: pause) {
                    tens.value
                } onChange: { value in
                    log.withLock { $0.append(value) }
                }
            }

            func end() { following?.cancel() }
        }

        // MARK: - Sources that may not be read again

        @Test func aSourceBehindTheFirstChangedOneIsNotEvaluated() async {
            let items = Observable([7])
            let isShown = Observable(true)
            let first = Computed { items.value[0] }
            let r = reaction(schedule: pause) {
                isShown.value ? first.value : -1
            } onChange: {
                note($0)
            }
            isShown.value = false
            // Evaluating the computed would stop the program.
            items.value = []
            await wait()
            #expect(log.value == [])
            await wait()
            #expect(log.value == [-1])
            r.cancel()
        }

        @Test func aChangeBehindTheFirstChangedSourceProlongsThePause() async {
            let other = Observable(0)
            let tens = Computed { count.value / 10 }
            let r = reaction(schedule: pause) {
                other.value + tens.value
            } onChange: {
                note($0)
            }
            other.value = 1
            await wait()
            count.value = 10
            await wait()
            #expect(log.value == [])
            await wait()
            #expect(log.value == [2])
            r.cancel()
        }

        // MARK: - Isolation

        @MainActor @Test(.inDefaultGraph) func aComputedOfAnActorIsNotEvaluatedElsewhere() async {
            let (count, clock, log) = (Observable(0), ManualClock(), Shared<[Int]>([]))
            let tens = Computed { count.value / 10 }
            let r = startedElsewhere(.debounced(for: .seconds(2), clock: clock), tens, log)
            count.value = 10
            await clock.hasSleepers(1)
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    // Evaluating the computed here would stop the program.
                    count.value = 11
                    continuation.resume()
                }
            }
            // Now it is up to date, so that it can be read anywhere.
            #expect(tens.value == 1)
            clock.advance(by: .seconds(2))
            await eventually { log.value == [0, 1] }
            r.cancel()
        }

        private nonisolated func startedElsewhere(
            _ schedule: Schedule, _ tens: Computed<Int>, _ log: Shared<[Int]>
        ) -> Reaction {
            autorun(schedule: schedule, isolation: nil) {
                let value = tens.value
                log.withLock { $0.append(value) }
            }
        }

        // MARK: - Runs meanwhile

        @Test func aScopeWhoseOutputIsReadMeanwhileRendersOnce() async {
            let tens = Computed { count.value / 10 }
            let scope = ObserverScope(schedule: pause) {
                tens.value
            } onRender: {
                note($0)
            }
            count.value = 10
            await wait()
            #expect(scope.output == 1)
            count.value = 11
            await wait()
            #expect(log.value == [0, 1])
            count.value = 20
            await wait()
            #expect(scope.output == 2)
            await wait()
            #expect(log.value == [0, 1, 2])
            scope.cancel()
        }

        @Test func aReactionThatIsCancelledByTheComparisonEnds() async {
            let r = Shared<Reaction?>(nil)
            let tens = Computed {
                if count.value == 11 { r.value?.cancel() }
                return count.value / 10
            }
            r.withLock { $0 = autorun(schedule: pause) { note(tens.value) } }
            count.value = 10
            await wait()
            count.value = 11
            await clock.hasSleepers(0)
            #expect(log.value == [0])
        }

        @Test func anInvalidationProlongsThePause() async {
            let tens = Computed { count.value / 10 }
            let scope = ObserverScope(schedule: pause) {
                tens.value
            } onRender: {
                note($0)
            }
            count.value = 10
            await wait()
            scope.invalidate()
            await wait()
            #expect(log.value == [0])
            await wait()
            #expect(log.value == [0, 1])
            scope.cancel()
        }

        // MARK: - A maximum

        @Test func aMaximumEndsAPauseThatChangesProlong() async {
            let schedule = Schedule.debounced(for: .seconds(2), atLatestAfter: .seconds(5), clock: clock)
            let r = autorun(schedule: schedule) { note(count.value) }
            for number in 1...12 {
                count.value = number
                await wait()
            }
            // Changes at 0 s to 11 s; runs at 5 s, and at 10 s, since the next change was at 5 s.
            #expect(log.value == [0, 5, 10])
            await wait(seconds: 2)
            #expect(log.value == [0, 5, 10, 12])
            // A pause alone ends the next run.
            count.value = 13
            await wait(seconds: 2)
            #expect(log.value == [0, 5, 10, 12, 13])
            r.cancel()
        }

        // MARK: - Random graphs

        /// The runs of a debounced reaction happen when the changes that an immediate reaction sees have paused.
        @Test(.serialized, arguments: seeds(25))
        func debouncedRunsFollowTheChangesOfImmediateOnes(_ seed: UInt64) async {
            var random = SplitMix64(seed: seed)
            let sources = (0..<3).map { _ in Observable(0) }
            var computeds: [Computed<Int>] = []
            for _ in 0..<6 {
                let read = (0..<2).map { _ in random.below(sources.count + computeds.count) }
                let divisor = random.pick([1, 2, 3, 5])
                let earlier = computeds
                computeds.append(
                    Computed {
                        read.reduce(0) { sum, index in
                            sum + (index < sources.count ? sources[index].value : earlier[index - sources.count].value)
                        } / divisor
                    })
            }
            let top = computeds[5]
            let (changes, runs) = (Shared<[Int]>([]), Shared<[Int]>([]))
            let now = Shared(0)
            // In either order: the older one evaluates for both.
            var (immediate, debounced): (Reaction?, Reaction?)
            for isDebounced in random.oneIn(2) ? [true, false] : [false, true] {
                if isDebounced {
                    debounced = autorun(schedule: pause) {
                        _ = top.value
                        runs.withLock { $0.append(now.value) }
                    }
                } else {
                    immediate = reaction {
                        top.value
                    } onChange: { _ in
                        changes.withLock { $0.append(now.value) }
                    }
                }
            }
            for time in 1...20 {
                if random.oneIn(2) {
                    inTransaction {
                        for _ in 0...random.below(2) { random.pick(sources).value += random.below(3) }
                    }
                }
                await letOthersRun()
                now.withLock { $0 = time }
                clock.advance(by: .seconds(1))
                await letOthersRun()
            }
            let times = changes.value
            let expected = times.filter { time in
                time <= 18 && !times.contains { $0 > time && $0 < time + 2 }
            }.map { $0 + 2 }
            #expect(runs.value == [0] + expected)
            immediate?.cancel()
            debounced?.cancel()
        }
    }
}
