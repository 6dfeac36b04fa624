// Chains of computeds far longer than the stack is deep.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LongChainTests {
        /// A chain of `length` computeds, each read as soon as it is built.
        private static func chain(_ length: Int, from x: Observable<Int>) -> Computed<Int> {
            var last = Computed { x.value }
            _ = last.value
            for _ in 1..<length {
                let before = last
                last = Computed { before.value &+ 1 }
                _ = last.value
            }
            return last
        }

        private static func propagate(_ length: Int) {
            let x = Observable(0)
            let last = chain(length, from: x)
            #expect(last.value == length - 1)
            // Unobserved: validated without recursion.
            x.value = 1
            #expect(last.value == length)
            // Observed and unobserved again.
            let r = autorun { _ = last.value }
            x.value = 2
            #expect(last.value == length + 1)
            #expect(r.runCount == 2)
            inTransaction {
                x.value = 3
                #expect(last.value == length + 2)
            }
            r.cancel()
            x.value = 4
            #expect(last.value == length + 3)
        }

        private static func rollBack(_ length: Int) {
            struct Failure: Error {}
            let x = Observable(0)
            let last = chain(length, from: x)
            let r = autorun { _ = last.value }
            try? inTransaction {
                x.value = 5
                #expect(last.value == length + 4)
                throw Failure()
            }
            #expect(last.value == length - 1)
            #expect(r.runCount == 1)
            r.cancel()
        }

        private static let length = isUnderSanitizer ? 20_000 : 100_000

        @Test func aLongChainPropagatesValidatesAndIsFreed() { Self.propagate(Self.length) }
        @Test func aLongChainIsRolledBack() { Self.rollBack(deep) }

        @Test(arguments: [512 << 10, 8 << 20]) func aLongChainWorksOnASecondaryThread(stackSize: Int) {
            onOtherThread(stackSize: stackSize) {
                Self.propagate(deep)
                Self.rollBack(deep)
            }
        }

        //  x → c1 → c2 → … , the odd ones cut off
        @Test func aLongChainThatIsCutOffAtTheTopRunsNothing() {
            let x = Observable(0)
            let parity = Computed { x.value % 2 }
            var runs = 0
            var last = Computed { parity.value }
            for _ in 0..<deep {
                let before = last
                last = Computed {
                    runs += 1
                    return before.value
                }
                _ = last.value
            }
            let end = last
            runs = 0
            x.value = 2
            #expect(end.value == 0)
            let r = autorun { _ = end.value }
            x.value = 4
            #expect(runs == 0)
            #expect(r.runCount == 1)
            x.value = 5
            #expect(runs == deep)
            r.cancel()
        }

        @Test func aFirstPullOfTwentyThousandLevelsFitsInEightMegabytes() {
            onOtherThread(stackSize: 8 << 20) {
                let x = Observable(0)
                var last = Computed { x.value }
                for _ in 1..<20_000 {
                    let before = last
                    last = Computed { before.value &+ 1 }
                }
                #expect(last.value == 19_999)
                x.value = 1
                #expect(last.value == 20_000)
            }
        }

        @Test func aChainThatWasNeverReadIsFreed() {
            let x = Observable(0)
            var last = Computed { x.value }
            for _ in 1..<deep {
                let before = last
                last = Computed { before.value }
            }
            weak let top = last
            last = Computed { 0 }
            #expect(top == nil)
        }

        @Test func aLongListOfNestedObservablesIsFreed() {
            final class Link {
                @Observable var next: Link?
                init(next: Link?) { self.next = next }
            }
            var list: Link?
            for _ in 0..<deep { list = Link(next: list) }
            weak let first = list
            list = nil
            #expect(first == nil)
        }

        @Test func aLongChainOfReactionsThatWriteEnds() {
            let cells = (0...2_000).map { _ in Observable(0) }
            let reactions = (0..<2_000).map { index in
                autorun { cells[index + 1].value = cells[index].value }
            }
            cells[0].value = 7
            #expect(cells[2_000].value == 7)
            #expect(reactions.allSatisfy { $0.runCount == 2 })
            reactions.forEach { $0.cancel() }
        }
    }
}
