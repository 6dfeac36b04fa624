// Random programs on the library and on the model, step by step.
//
// `REACTIVE_ORACLE_SEEDS` sets how many, `REACTIVE_ORACLE_FIRST` where to start: to repeat a failure, run one seed.

import Foundation
import Reactive
import Testing

extension ReactiveTests {
    @Suite struct OracleTests {
        /// Values, runs, their order, cleanups, which computeds run, and the graph itself are as the model says.
        @Test func orderlyProgramsBehaveAsTheModel() { forSeeds(.orderly) }

        /// The same, with reads and new reactions in the middle of transactions.
        @Test func programsThatPeekIntoTransactionsBehaveAsTheModel() { forSeeds(.peeking) }

        /// Reactions that write state settle in the state that the model settles in.
        @Test func programsThatWriteInReactionsSettleAsTheModel() { forSeeds(.writing) }

        private func forSeeds(_ style: Program.Style) {
            #if DEBUG
            let usual: UInt64 = 150
            #else
            let usual: UInt64 = 1000
            #endif
            let environment = ProcessInfo.processInfo.environment
            let count = environment["REACTIVE_ORACLE_SEEDS"].flatMap(UInt64.init) ?? usual
            let first = environment["REACTIVE_ORACLE_FIRST"].flatMap(UInt64.init) ?? 1
            var failures = 0
            for seed in first..<(first + count) {
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
