// The lock without `membarrier`, for programs that forbid that system call.

#if os(Linux)
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite(.inDefaultGraph) struct GraphLockTests {
        /// A bug ended the process at the first thread that needed a graph with a bias towards a different thread.
        @Test func aSandboxMayForbidMembarrier() async {
            await #expect(processExitsWith: .success) {
                let graphs = (0..<3).map { _ in IndependentGraph() }
                let counts = [Observable(0)] + graphs.map { $0.run { Observable(0) } }
                // Each graph is biased towards this thread by now.
                for _ in 0..<LockBiasTests.untilRegular { counts.forEach { $0.value += 1 } }
                let isOver = Shared(false)
                let end = inBackground { while !isOver.value { counts.forEach { $0.value += 1 } } }
                GraphLock.avoidMembarrier()
                guard forbidMembarrier() else { return }
                let later = IndependentGraph().run { Observable(0) }
                onThreads(3) { _ in
                    for _ in 0..<2 * LockBiasTests.untilRegular { (counts + [later]).forEach { $0.value += 1 } }
                }
                isOver.value = true
                end()
                GraphLock.avoidMembarrier()
                precondition(later.value == 6 * LockBiasTests.untilRegular)
            }
        }

        @Test func avoidingMembarrierInsideATransactionIsMisuse() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                inTransaction { GraphLock.avoidMembarrier() }
            }
            expectMessage(result, "GraphLock.avoidMembarrier() is called inside a transaction")
        }
    }
}
#endif
