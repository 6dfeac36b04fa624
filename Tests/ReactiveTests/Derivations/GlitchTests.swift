// No reader ever sees a mix of old and new values, and nothing runs more often than necessary, in graphs of every
// shape.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct GlitchTests {
        //     ┌→ b ─┐
        //  a ─┤     ├→ d
        //     └→ c ─┘
        @Test func diamond() {
            let a = Observable(1)
            var runs: [String] = []
            let b = Computed {
                runs.append("b")
                return a.value + 1
            }
            let c = Computed {
                runs.append("c")
                return a.value * 10
            }
            var log: [String] = []
            let d = autorun { log.append("\(b.value) \(c.value)") }
            defer { d.cancel() }
            runs = []
            a.value = 2
            #expect(log == ["2 10", "3 20"])
            #expect(runs == ["b", "c"])
        }

        //     ┌→ b ─┐
        //  a ─┼→ c ─┼→ e → f
        //     └→ d ─┘
        @Test func diamondWithATail() {
            let a = Observable(1)
            let b = Computed { a.value }, c = Computed { a.value * 2 }, d = Computed { a.value * 3 }
            var runs = 0
            let e = Computed {
                runs += 1
                return b.value + c.value + d.value
            }
            var log: [Int] = []
            let f = autorun { log.append(e.value) }
            defer { f.cancel() }
            a.value = 2
            #expect(log == [6, 12])
            #expect(runs == 2)
        }

        //  a → b → c → d
        //  └───────────┘
        @Test func shortAndLongPath() {
            let a = Observable(1)
            let b = Computed { a.value + 1 }, c = Computed { b.value + 1 }
            var log: [String] = []
            let d = autorun { log.append("\(a.value) \(c.value)") }
            defer { d.cancel() }
            a.value = 2
            #expect(log == ["1 3", "2 4"])
        }

        //  a → b → c   and   a → c: the jagged diamond
        @Test func aComputedThatReadsItsSourceDirectlyAndThroughAnother() {
            let a = Observable(1)
            var runs = 0
            let b = Computed { a.value - 1 }
            let c = Computed {
                runs += 1
                return a.value + b.value
            }
            #expect(c.value == 1)
            a.value = 3
            #expect(c.value == 5)
            #expect(runs == 2)
        }

        //  a → b (always 0) → c → r
        @Test func nothingDownstreamOfAnEqualResultRuns() {
            let a = Observable(1)
            let b = Computed { a.value * 0 }
            var runs = 0
            let c = Computed {
                runs += 1
                return b.value
            }
            let r = autorun { _ = c.value }
            defer { r.cancel() }
            for value in 2..<20 { a.value = value }
            #expect(runs == 1)
            #expect(r.runCount == 1)
        }

        //     ┌→ b (constant) ─┐
        //  a ─┤                ├→ d
        //     └→ c ────────────┘
        @Test func oneUnchangedArmDoesNotHideTheOther() {
            let a = Observable(1)
            let b = Computed { a.value * 0 }, c = Computed { a.value }
            var log: [Int] = []
            let d = autorun { log.append(b.value + c.value) }
            defer { d.cancel() }
            a.value = 2
            #expect(log == [1, 2])
        }

        @Test func aReaderDoesNotRunIfNoArmHasChanged() {
            let a = Observable(1)
            let b = Computed { a.value * 0 }, c = Computed { a.value * 0 + 1 }
            var runs = 0
            let d = Computed {
                runs += 1
                return b.value + c.value
            }
            let r = autorun { _ = d.value }
            defer { r.cancel() }
            a.value = 2
            #expect(runs == 1)
            #expect(r.runCount == 1)
        }

        //  layers of four, each reading two of the layer before
        @Test func layersRunOncePerWave() {
            let sources = (0..<4).map { Observable($0) }
            var runs = 0
            var layer: [Computed<Int>] = sources.map { x in Computed { x.value } }
            for _ in 0..<20 {
                let before = layer
                layer = (0..<4).map { index in
                    Computed {
                        runs += 1
                        return before[index].value + before[(index + 1) % 4].value & 0xFF
                    }
                }
            }
            let last = layer
            var log: [Int] = []
            let r = autorun { log.append(last.reduce(0) { $0 &+ $1.value }) }
            defer { r.cancel() }
            #expect(runs == 80)
            runs = 0
            inTransaction { for x in sources { x.value += 10 } }
            #expect(runs <= 80)
            #expect(log.count == 2)
        }

        //  a ─→ b ─→ r1        both reactions see the same b and c
        //   └─→ c ─→ r2
        @Test func allReactionsOfAWaveSeeTheSameState() {
            let a = Observable(0)
            let b = Computed { a.value + 1 }, c = Computed { b.value + a.value }
            var log: [String] = []
            let r1 = autorun { log.append("r1 \(c.value) \(a.value)") }
            let r2 = autorun { log.append("r2 \(a.value) \(b.value)") }
            defer {
                r1.cancel()
                r2.cancel()
            }
            log = []
            a.value = 5
            #expect(log == ["r1 11 5", "r2 5 6"])
        }

        @Test func aWideFanRunsEachReaderOnce() {
            let a = Observable(0)
            let fan = (0..<500).map { index in Computed { a.value + index } }
            let r = autorun { _ = fan.reduce(0) { $0 + $1.value } }
            let readers = fan.map { c in autorun { _ = c.value } }
            defer {
                r.cancel()
                readers.forEach { $0.cancel() }
            }
            a.value = 1
            #expect(r.runCount == 2)
            #expect(readers.allSatisfy { $0.runCount == 2 })
        }
    }
}
