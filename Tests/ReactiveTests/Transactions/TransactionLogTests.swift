// Fixed bugs of the transaction log.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct TransactionLogTests {
        private struct Failure: Error {}

        //  x → parity → r
        //
        // The first evaluation in the transaction changes nothing, the second one does. The log did not keep its old
        // value, so parity "changed back" after the roll-back, and r ran.
        @Test func aComputedThatChangesAtItsSecondEvaluationIsRolledBackToo() {
            let x = Observable(0)
            let parity = Computed { x.value % 2 }
            var log: [Int] = []
            let r = autorun { log.append(parity.value) }
            defer { r.cancel() }
            try? inTransaction {
                x.value = 2
                #expect(parity.value == 0)
                x.value = 3
                #expect(parity.value == 1)
                throw Failure()
            }
            #expect(log == [0])
            #expect(parity.value == 0)
        }

        //  x → c
        //
        // Two mutations that change nothing looked like a restored change, and c ran once more.
        @Test func mutationsThatChangeNothingRunNoComputed() {
            let x = Observable(1)
            let y = Observable(1)
            var runs = 0
            let c = Computed {
                runs += 1
                return x.value + y.value
            }
            inTransaction {
                y.value = 2
                x.value += 0
                x.value += 0
                #expect(c.value == 3)
            }
            #expect(c.value == 3)
            #expect(runs == 1)
        }
    }
}
