// Views by key whose sources have changed, and which nobody has evaluated since: whoever looks at what was computed
// from their keys evaluates them first.

import Reactive
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct PendingViewTests {
        private let array: ObservableArray = [1, 2]
        private let limit = Observable(0)

        /// The numbers above the limit by their last digits.
        private func index() -> LiveDictionary<Int, Int> {
            array.live.filter { [limit] in $0 > limit.value }.indexed { $0 % 10 }
        }

        @Test func aReactionThatReadAKeyBetweenFutileWritesRunsAgain() {
            let index = index()
            let other = autorun { _ = index[1] }
            var seen: [Int?] = []
            let reaction = inTransaction {
                limit.value = 5
                let reaction = autorun { seen.append(index[1]) }
                limit.value = 0
                return reaction
            }
            #expect(seen == [nil, 1] && other.runCount == 1)
            [reaction, other].forEach { $0.cancel() }
        }

        @Test func aComputedThatReadAKeyBetweenFutileWritesIsEvaluatedAgain() {
            let index = index()
            let computed = Computed { index[1] }
            var seen: [Int?] = []
            let reaction = autorun { seen.append(computed.value) }
            inTransaction {
                limit.value = 5
                #expect(computed.value == nil)
                limit.value = 0
            }
            #expect(seen == [1] && computed.value == 1)
            reaction.cancel()
        }

        @Test func aCleanupMayChangeAKeyThatItsScopeReadsNext() {
            let index = index()
            let computed = Computed { index[1] }
            let trigger = Observable(0)
            let scope = ObserverScope { [limit] in
                onCleanup { limit.value = 5 }
                return (computed.value, trigger.value)
            }
            #expect(scope.output == (1, 0))
            inTransaction {
                trigger.value = 1
                #expect(scope.output == (nil, 1))
            }
            #expect(scope.renderCount == 2)
            scope.cancel()
        }
    }
}
