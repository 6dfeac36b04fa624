// Reactions that write: which values other reactions see, in which order, and that no run is unnecessary. Signal
// libraries test one another with graphs of these shapes.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct InnerWriteTests {
        //  x → copier → y → reader
        @Test func aReaderOlderThanTheWriterRunsAfterIt() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let reader = autorun { log.append("read \(y.value)") }
            let copier = autorun {
                y.value = x.value
                log.append("copied \(x.value)")
            }
            log = []
            x.value = 1
            #expect(log == ["copied 1", "read 1"])
            reader.cancel()
            copier.cancel()
        }

        //  x → copier → y
        //  └────────────┴→ reader
        @Test func aReaderOfBothRunsOnceIfTheWriterIsOlder() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let copier = autorun { y.value = x.value }
            let reader = autorun { log.append("\(x.value) \(y.value)") }
            x.value = 1
            #expect(log == ["0 0", "1 1"])
            copier.cancel()
            reader.cancel()
        }

        @Test func aRunIsNotInterruptedByReactionsThatItTriggers() {
            let x = Observable(0), y = Observable(0), z = Observable(0)
            var log: [String] = []
            let reader = autorun { log.append("\(y.value) \(z.value)") }
            let writer = autorun {
                y.value = x.value
                log.append("between")
                z.value = x.value
            }
            log = []
            x.value = 1
            #expect(log == ["between", "1 1"])
            reader.cancel()
            writer.cancel()
        }

        @Test func aRunReadsItsOwnWritesAlsoThroughComputeds() {
            let x = Observable(0), y = Observable(0)
            let double = Computed { y.value * 2 }
            var differences: Set<Int> = []
            let r = autorun {
                y.value = x.value
                differences.insert(double.value - 2 * x.value)
            }
            for value in 1...3 { x.value = value }
            #expect(differences == [0])
            r.cancel()
        }

        //  x → even → writer → y → sum ← x
        @Test func aComputedBetweenTwoWritersIsNeverOutOfDate() {
            let x = Observable(0), y = Observable(0)
            let even = Computed { x.value % 2 == 0 }
            let sum = Computed { x.value + y.value }
            var log: [Int] = []
            let writer = autorun { y.value = even.value ? 0 : 100 }
            let reader = autorun { log.append(sum.value) }
            for value in 1...3 { x.value = value }
            #expect(log == [0, 101, 2, 103])
            writer.cancel()
            reader.cancel()
        }

        @Test func twoWritersThatAgreeReachAFixedPoint() {
            let celsius = Observable(0), kelvin = Observable(0)
            let there = autorun { kelvin.value = celsius.value + 273 }
            let back = autorun { celsius.value = kelvin.value - 273 }
            celsius.value = 20
            #expect(kelvin.value == 293)
            kelvin.value = 300
            #expect(celsius.value == 27)
            there.cancel()
            back.cancel()
        }

        @Test func aWriteOfTheSameValueInARunTriggersNothing() {
            let x = Observable(0), y = Observable(0)
            let reader = autorun { _ = y.value }
            let writer = autorun { y.value = x.value / 10 }
            x.value = 1
            #expect(writer.runCount == 2)
            #expect(reader.runCount == 1)
            reader.cancel()
            writer.cancel()
        }

        @Test func aReactionCreatedInARunAfterAWriteSeesTheWrite() {
            let x = Observable(0)
            var log: [Int] = []
            let owner = autorun {
                x.value = 5
                autorun { log.append(x.value) }
            }
            #expect(log == [5])
            owner.cancel()
        }

        @Test func readingAComputedInATransactionTriggersNoReaction() {
            let x = Observable(0)
            let c = Computed { x.value / 10 }
            var log: [Int] = []
            let r = autorun { log.append(c.value) }
            inTransaction {
                x.value = 5
                _ = c.value
                x.value = 7
                _ = c.value
            }
            #expect(log == [0])
            r.cancel()
        }

        @Test func cancellingADueReactionInARunKeepsTheOthersInOrder() {
            let x = Observable(0)
            var log: [String] = []
            var victims: [Reaction] = []
            let first = autorun {
                log.append("a\(x.value)")
                if x.value == 1 { victims.forEach { $0.cancel() } }
            }
            victims = ["b", "c"].map { name in autorun { log.append("\(name)\(x.value)") } }
            let last = autorun { log.append("d\(x.value)") }
            log = []
            x.value = 1
            #expect(log == ["a1", "d1"])
            first.cancel()
            last.cancel()
        }

        @Test func aReactionCreatedWhileOthersAreDueRunsImmediatelyAndOnce() {
            let x = Observable(0)
            var log: [String] = []
            var made: Reaction?
            let first = autorun {
                if x.value == 1, made == nil { made = detached { autorun { log.append("made \(x.value)") } } }
            }
            let second = autorun { log.append("second \(x.value)") }
            log = []
            x.value = 1
            #expect(log == ["made 1", "second 1"])
            [first, second].forEach { $0.cancel() }
            made?.cancel()
        }
    }
}
