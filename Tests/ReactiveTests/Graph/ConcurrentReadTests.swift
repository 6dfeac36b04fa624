// Reads without the lock, of state that nothing observes: each returns a whole value.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct ConcurrentReadTests {
        /// Plain bits, which take a while to copy.
        private struct Row: Equatable {
            var numbers: (Int, Int, Int, Int, Int, Int, Int, Int)
            init(_ number: Int) {
                numbers = (number, number, number, number, number, number, number, number)
            }
            var isWhole: Bool { self == Row(numbers.0) }
            static func == (a: Row, b: Row) -> Bool {
                a.numbers.0 == b.numbers.0 && a.numbers.1 == b.numbers.1 && a.numbers.2 == b.numbers.2
                    && a.numbers.3 == b.numbers.3 && a.numbers.4 == b.numbers.4 && a.numbers.5 == b.numbers.5
                    && a.numbers.6 == b.numbers.6 && a.numbers.7 == b.numbers.7
            }
        }

        private let rounds = isUnderThreadSanitizer ? 1_000 : 20_000

        /// Writes while another thread reads.
        private func check(write: @escaping @Sendable (Int) -> Void, isWhole: @escaping @Sendable () -> Bool) {
            let halves = Shared(0)
            let isOver = Shared(false)
            onThreads(2) { [rounds] thread in
                if thread == 0 {
                    for round in 1...rounds { write(round) }
                    isOver.value = true
                } else {
                    while !isOver.value {
                        for _ in 0..<100 where !isWhole() { halves.withLock { $0 += 1 } }
                    }
                }
            }
            #expect(halves.value == 0)
        }

        @Test func plainBits() {
            let row = Observable(Row(0))
            let copy = Computed { row.value }
            check(write: { row.value = Row($0) }, isWhole: { row.value.isWhole })
            check(write: { row.value = Row($0) }, isWhole: { copy.value.isWhole })
            // The writer evaluates it.
            check(
                write: {
                    row.value = Row($0)
                    _ = copy.value
                }, isWhole: { copy.value.isWhole })
        }

        @Test func valuesWithReferences() {
            let numbers = Observable([0, 0])
            let copy = Computed { numbers.value }
            check(write: { numbers.value = [$0, $0] }, isWhole: { Set(numbers.value).count == 1 })
            check(write: { numbers.value = [$0, $0] }, isWhole: { Set(copy.value).count == 1 })
        }
    }
}
