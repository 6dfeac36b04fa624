// `onCleanup`: once, before the next run and on cancel.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct CleanupTests {
        @Test func runsBeforeTheNextRunAndOnCancel() {
            let x = Observable(0)
            var log: [String] = []
            let r = autorun {
                let value = x.value
                log.append("open \(value)")
                onCleanup { log.append("close \(value)") }
            }
            x.value = 1
            #expect(log == ["open 0", "close 0", "open 1"])
            r.cancel()
            #expect(log == ["open 0", "close 0", "open 1", "close 1"])
            r.cancel()
            x.value = 2
            #expect(log.count == 4)
        }

        @Test func runsOnceAlsoIfTheNextRunRegistersNone() {
            let x = Observable(0)
            var cleanups = 0
            let r = autorun { if x.value == 0 { onCleanup { cleanups += 1 } } }
            x.value = 1
            x.value = 2
            r.cancel()
            #expect(cleanups == 1)
        }

        @Test func severalRunInReverseOrder() {
            var log: [Int] = []
            let r = autorun { for number in 1...3 { onCleanup { log.append(number) } } }
            r.cancel()
            #expect(log == [3, 2, 1])
        }

        @Test func itsReadsSubscribeNobody() {
            let x = Observable(0), y = Observable(0)
            let r = autorun {
                _ = x.value
                onCleanup { _ = y.value }
            }
            x.value = 1
            y.value = 1
            #expect(r.runCount == 2)
            r.cancel()
        }

        @Test func itsWritesAreBatched() {
            let x = Observable(0), y = Observable(0), z = Observable(0)
            var log: [String] = []
            let observer = autorun { log.append("\(y.value) \(z.value)") }
            let r = autorun {
                _ = x.value
                onCleanup {
                    y.value += 1
                    z.value += 1
                }
            }
            x.value = 1
            #expect(log == ["0 0", "1 1"])
            r.cancel()
            #expect(log == ["0 0", "1 1", "2 2"])
            observer.cancel()
        }

        @Test func theNextRunSeesTheWritesOfACleanup() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let r = autorun {
                log.append("\(x.value) \(y.value)")
                onCleanup { y.value += 10 }
            }
            x.value = 1
            #expect(log == ["0 0", "1 10"])
            r.cancel()
        }

        @Test func inAnEffectItRunsBeforeTheNextEffect() {
            let x = Observable(0)
            var log: [String] = []
            let r = reaction {
                x.value / 10
            } onChange: { tens in
                log.append("open \(tens)")
                onCleanup { log.append("close \(tens)") }
            }
            x.value = 10
            x.value = 11
            #expect(log == ["open 1"])
            x.value = 20
            r.cancel()
            #expect(log == ["open 1", "close 1", "open 2", "close 2"])
        }

        @Test func inTheTrackedClosureItRunsBeforeEachTrackedRun() {
            let x = Observable(0)
            var log: [String] = []
            let r = reaction {
                let value = x.value
                onCleanup { log.append("untrack \(value)") }
                return value / 10
            } onChange: { _ in
                log.append("change")
            }
            x.value = 1
            x.value = 10
            r.cancel()
            #expect(log == ["untrack 0", "untrack 1", "change", "untrack 10"])
        }

        @Test func cancelledInsideTheOwnRunItRunsWhenTheRunEnds() {
            var log: [String] = []
            var r: Reaction?
            let x = Observable(0)
            r = autorun {
                guard x.value == 1 else { return }
                onCleanup { log.append("first") }
                r?.cancel()
                onCleanup { log.append("after cancel") }
                log.append("run ends")
            }
            x.value = 1
            #expect(log == ["run ends", "after cancel", "first"])
        }

        @Test func cancelledInsideTheOwnEffectItRunsWhenTheEffectEnds() {
            var log: [String] = []
            var r: Reaction?
            let x = Observable(0)
            r = reaction {
                x.value
            } onChange: { _ in
                onCleanup { log.append("cleanup") }
                r?.cancel()
                log.append("effect ends")
            }
            x.value = 1
            #expect(log == ["effect ends", "cleanup"])
        }

        @Test func cancellingInACleanupIsSafe() {
            let x = Observable(0)
            var runs = 0
            var cleanups = 0
            var r: Reaction?
            r = autorun {
                _ = x.value
                runs += 1
                onCleanup {
                    cleanups += 1
                    r?.cancel()
                }
            }
            x.value = 1
            #expect(runs == 1)
            #expect(cleanups == 1)
            #expect(r?.isCancelled == true)
        }

        @Test func cancelledInsideATransactionItRunsWhenThatEnds() {
            var log: [String] = []
            let r = autorun { onCleanup { log.append("cleanup") } }
            inTransaction {
                r.cancel()
                log.append("body ends")
            }
            #expect(log == ["body ends", "cleanup"])
        }

        @Test func aCleanupOutsideARunIsReportedAndIgnored() {
            var cleanups = 0
            let reported = issues { onCleanup { cleanups += 1 } }
            #expect(reported.map(\.kind) == [.misuse])
            #expect(reported.first?.message.contains("onCleanup is called outside a reaction's run") == true)
            #expect(cleanups == 0)
        }

        @Test func anEqualResultRunsNoCleanup() {
            let x = Observable(0)
            let tens = Computed { x.value / 10 }
            var cleanups = 0
            let r = autorun {
                _ = tens.value
                onCleanup { cleanups += 1 }
            }
            x.value = 1
            #expect(cleanups == 0)
            r.cancel()
        }

        @Test func aRunInARolledBackTransactionIsCleanedUpToo() {
            var log: [String] = []
            let x = Observable(0)
            var r: Reaction?
            try? inTransaction {
                x.value = 1
                r = autorun {
                    let v = x.value; log.append("run \(v)"); onCleanup { log.append("clean \(v)") }
                }
                throw CancellationError()
            }
            #expect(log == ["run 1", "clean 1", "run 0"])
            r?.cancel()
        }
    }
}
