// Computeds are lazy and cached, and their sources do not keep them alive.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct ComputedTests {
        @Test func nothingIsComputedBeforeItIsRead() {
            let x = Observable(1)
            var runs = 0
            let c = Computed {
                runs += 1
                return x.value
            }
            x.value = 2
            #expect(runs == 0)
            #expect(c.value == 2)
            #expect(runs == 1)
        }

        @Test func aComputedThatWasNeverReadPresentsNoValue() {
            let (number, text) = (Computed { 1 }, Computed { "a" })
            #expect((number as any PresentingValue).presentValue == nil)
            #expect((text as any PresentingValue).presentValue == nil)
            _ = (number.value, text.value)
            #expect((number as any PresentingValue).presentValue as? Int == 1)
            #expect((text as any PresentingValue).presentValue as? String == "a")
        }

        @Test func anUnobservedComputedIsCached() {
            let x = Observable(1)
            var runs = 0
            let c = Computed {
                runs += 1
                return x.value
            }
            for _ in 0..<5 { #expect(c.value == 1) }
            #expect(runs == 1)
            x.value = 2
            x.value = 3
            #expect(runs == 1)
            for _ in 0..<5 { #expect(c.value == 3) }
            #expect(runs == 2)
        }

        //  x → a → b, y elsewhere
        @Test func changesElsewhereDoNotRunAnUnobservedComputed() {
            let x = Observable(1), y = Observable(1)
            var runs: [String] = []
            let a = Computed {
                runs.append("a")
                return x.value
            }
            let b = Computed {
                runs.append("b")
                return a.value
            }
            #expect(b.value == 1)
            for value in 2..<10 {
                y.value = value
                #expect(b.value == 1)
            }
            #expect(runs == ["b", "a"])
        }

        //  x → parity → c
        @Test func anEqualResultStopsPropagationAlsoUnobserved() {
            let x = Observable(0)
            var runs = 0
            let parity = Computed { x.value % 2 }
            let c = Computed {
                runs += 1
                return parity.value
            }
            for value in [0, 2, 4, 6] {
                x.value = value
                #expect(c.value == 0)
            }
            #expect(runs == 1)
            x.value = 7
            #expect(c.value == 1)
            #expect(runs == 2)
        }

        @Test func theCacheSurvivesBecomingObservedAndUnobserved() {
            let x = Observable(1)
            var runs = 0
            let c = Computed {
                runs += 1
                return x.value
            }
            #expect(c.value == 1)
            let r = autorun { _ = c.value }
            r.cancel()
            #expect(c.value == 1)
            #expect(runs == 1)
            let again = autorun { _ = c.value }
            x.value = 2
            again.cancel()
            #expect(c.value == 2)
            #expect(runs == 2)
        }

        @Test func changesWhileUnobservedAreSeenAfterwards() {
            let x = Observable(1)
            let c = Computed { x.value * 10 }
            autorun { _ = c.value }.cancel()
            x.value = 2
            var log: [Int] = []
            let r = autorun { log.append(c.value) }
            x.value = 3
            r.cancel()
            #expect(log == [20, 30])
        }

        @Test func sourcesDoNotKeepAComputedAlive() {
            let x = Observable(1)
            weak var freed: Computed<Int>?
            do {
                let c = Computed { x.value }
                #expect(c.value == 1)
                freed = c
            }
            #expect(freed == nil)
            x.value = 2
        }

        @Test func aCancelledReactionDoesNotKeepAComputedAlive() {
            let x = Observable(1)
            weak var freed: Computed<Int>?
            var r: Reaction?
            do {
                let c = Computed { x.value }
                freed = c
                r = autorun { _ = c.value }
            }
            #expect(freed != nil)
            r?.cancel()
            r = nil
            #expect(freed == nil)
            x.value = 2
        }

        @Test func aComputedCreatedInsideARunIsNotCancelled() {
            let x = Observable(1)
            var made: [Computed<Int>] = []
            let r = autorun {
                let c = Computed { x.value * 2 }
                made.append(c)
                _ = c.value
            }
            defer { r.cancel() }
            x.value = 2
            x.value = 3
            #expect(made.map(\.value) == [6, 6, 6])
        }

        @Test func computedsCreatedInsideComputedsWork() {
            let x = Observable(1)
            let c = Computed { Computed { x.value + 1 }.value + 1 }
            var log: [Int] = []
            let r = autorun { log.append(c.value) }
            defer { r.cancel() }
            x.value = 2
            #expect(log == [3, 4])
            #expect(c.value == 4)
        }

        @Test func aComputedWithoutSourcesRunsOnce() {
            var runs = 0
            let c = Computed {
                runs += 1
                return 1
            }
            let unrelated = Observable(0)
            for value in 1...3 {
                unrelated.value = value
                #expect(c.value == 1)
            }
            #expect(runs == 1)
        }

        @Test func aWriteInsideAComputedRunsItsReaders() {
            let x = Observable(1)
            let copy = Observable(0)
            let c = Computed {
                copy.value = x.value
                return x.value * 2
            }
            var log: [String] = []
            let reader = autorun { log.append("copy \(copy.value)") }
            let r = autorun { log.append("c \(c.value)") }
            defer {
                reader.cancel()
                r.cancel()
            }
            x.value = 2
            #expect(log == ["copy 0", "c 2", "copy 1", "c 4", "copy 2"])
        }

        /// The computed writes while its reader is being checked, after the check has found `copy` unchanged.
        @Test func aWriteInsideAComputedReachesReadersThatHadReadTheStateBefore() {
            let x = Observable(0), copy = Observable(0)
            let writer = Computed {
                copy.value = x.value
                return 0
            }
            let sum = Computed { copy.value + writer.value }
            var log: [Int] = []
            let r = autorun { log.append(copy.value + writer.value) }
            for value in 1...3 {
                x.value = value
                #expect(log == Array(0...value))
                #expect(sum.value == value)
            }
            let s = autorun { log.append(-sum.value) }
            r.cancel()
            x.value = 4
            #expect(log.suffix(2) == [-3, -4])
            s.cancel()
            x.value = 5
            #expect(sum.value == 5)
        }

        @Test func aComputedThatWritesItsSourceReachesAFixedPoint() {
            let x = Observable(0)
            let c = Computed {
                if x.value < 5 { x.value += 1 }
                return x.value
            }
            var log: [Int] = []
            let r = autorun { log.append(c.value) }
            defer { r.cancel() }
            #expect(c.value == 5)
            #expect(x.value == 5)
            #expect(log.last == 5)
            x.value = 3
            #expect(c.value == 5)
            #expect(log.last == 5)
        }
    }
}
