// Random programs run on the library and on the model, operation by operation.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct OracleTests {
        /// Values, runs, their order, cleanups, evaluated computeds, and the graph itself agree with the model.
        @Test func orderlyProgramsBehaveAsTheModel() { forSeeds(.orderly) }

        /// The same, with reads and new reactions inside transactions.
        @Test func programsThatReadInsideTransactionsBehaveAsTheModel() { forSeeds(.peeking) }

        /// Reactions that write state end in the same state as the model.
        @Test func programsThatWriteInReactionsEndAsTheModel() { forSeeds(.writing) }

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
