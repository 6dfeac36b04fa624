// `Reaction.lastCause`: the writes that made a reaction run, and the computeds between them.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct CauseTests {
        let a = Observable(1, named: "a"), b = Observable(1, named: "b")

        @Test func aReactionThatHasOnlyBeenCreatedHasNoCause() {
            let r = autorun { _ = a.value }
            #expect(r.lastCause == nil)
            r.cancel()
        }

        @Test func theCauseNamesTheWriteAndThePathThroughComputeds() {
            let c = Computed(named: "c") { a.value * 2 }, d = Computed(named: "d") { c.value * 2 }
            let r = autorun { _ = d.value }
            a.value = 2
            #expect(r.lastCause?.paths == [["a", "c", "d"]])
            #expect(r.lastCause?.writes == ["a"])
            #expect(r.lastCause.map { "\($0)" } == "a → c → d")
            r.cancel()
        }

        @Test func theCauseNamesOnlyTheWrittenSource() {
            let c = Computed(named: "c") { b.value }
            let r = autorun { _ = a.value + c.value }
            a.value = 2
            #expect(r.lastCause?.paths == [["a"]])
            b.value = 2
            #expect(r.lastCause?.paths == [["b", "c"]])
            r.cancel()
        }

        @Test func aTransactionHasSeveralCauses() {
            let c = Computed(named: "c") { b.value }
            let r = autorun { _ = a.value + c.value }
            inTransaction {
                b.value = 2
                a.value = 2
            }
            #expect(r.lastCause.map { "\($0)" } == "a; b → c")
            r.cancel()
        }

        @Test func aRestoredValueIsNoCause() {
            let r = autorun { _ = a.value + b.value }
            inTransaction {
                a.value = 2
                b.value = 2
                a.value = 1
            }
            #expect(r.lastCause?.writes == ["b"])
            r.cancel()
        }

        @Test func anEqualWriteIsNoCause() {
            let r = autorun { _ = a.value + b.value }
            inTransaction {
                a.value = 1
                b.value = 2
            }
            #expect(r.lastCause?.writes == ["b"])
            r.cancel()
        }

        @Test func aWriteBehindAComputedWhoseResultIsEqualIsNoCause() {
            let tens = Computed(named: "tens") { a.value / 10 }
            let r = autorun { _ = tens.value + b.value }
            inTransaction {
                a.value = 2
                b.value = 2
            }
            #expect(r.lastCause?.paths == [["b"]])
            r.cancel()
        }

        @Test func aWriteThatWasRolledBackIsNoCause() {
            let r = autorun { _ = a.value + b.value }
            inTransaction {
                a.value = 2
                try? inTransaction {
                    b.value = 2
                    throw CancellationError()
                }
            }
            #expect(r.lastCause?.writes == ["a"])
            r.cancel()
        }

        @Test func aSourceThatTheRunNoLongerReadsIsStillNamed() {
            var readsA = true
            let r = autorun { if readsA { _ = a.value } }
            readsA = false
            a.value = 2
            #expect(r.lastCause?.writes == ["a"])
            r.cancel()
        }

        @Test func aReactionsOwnWriteIsACause() {
            let r = autorun { if a.value < 0 { a.value = 0 } }
            a.value = -1
            #expect(r.runCount == 3)
            #expect(r.lastCause?.writes == ["a"])
            r.cancel()
        }

        @Test func eachRunHasItsOwnCause() {
            var causes: [String] = []
            let r = reaction {
                (a.value, b.value)
            } onChange: { _ in
            }
            for write in [{ a.value += 1 }, { b.value += 1 }, { a.value += 1 }] {
                write()
                causes.append(r.lastCause?.description ?? "none")
            }
            #expect(causes == ["a", "b", "a"])
            r.cancel()
        }

        @Test func anInPlaceMutationIsACause() {
            let list = Observable([1], named: "list")
            let r = autorun { _ = list.value }
            list.value.append(2)
            #expect(r.lastCause?.writes == ["list"])
            r.cancel()
        }

        @Test func aLaterWriteIsNoCauseOfTheRunBefore() {
            let tens = Computed(named: "tens") { b.value / 10 }
            let r = autorun { _ = a.value + tens.value }
            a.value = 2
            b.value = 2
            #expect(r.runCount == 2)
            #expect(r.lastCause?.writes == ["a"])
            r.cancel()
        }

        @Test func askingSubscribesNobody() {
            let r = autorun { _ = a.value }
            let asking = autorun { _ = r.lastCause }
            a.value = 2
            #expect(asking.runCount == 1)
            r.cancel()
            asking.cancel()
        }

        @Test func thePathThroughAComputedThatIsNoLongerReadIsComplete() {
            let x = Observable(0, named: "x")
            let c = Computed(named: "c") { x.value }
            var reads = true
            let r = autorun { if reads { _ = c.value } }
            reads = false
            x.value = 1
            #expect(r.lastCause?.paths == [["x", "c"]])
            r.cancel()
        }
    }
}
