// Random programs on the library and on the model, step by step.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct OracleTests {
        /// Values, runs, their order, cleanups, which computeds run, and the graph itself are as the model says.
        @Test func orderlyProgramsBehaveAsTheModel() { forSeeds(.orderly) }

        /// The same, with reads and new reactions in the middle of transactions.
        @Test func programsThatPeekIntoTransactionsBehaveAsTheModel() { forSeeds(.peeking) }

        /// Reactions that write state settle in the state that the model settles in.
        @Test func programsThatWriteInReactionsSettleAsTheModel() { forSeeds(.writing) }

        private func forSeeds(_ style: Program.Style) {
            var failures = 0
            for seed in seeds(150) {
                var program = Program(seed: seed, style: style)
                if let failure = program.run() {
                    failures += 1
                    Issue.record("seed \(seed): \(failure)")
                    if failures == 5 { return }
                }
            }
        }
    }
}
