// The recording of writers, from which a loop is named: it ends with the flush.

#if DEBUG
import CReactive
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LoopTracingTests {
        private var graph: GraphPointer { GraphHandle.current.pointer }

        /// The number of turns after which writers are recorded, and no loop is reported yet; and a loop.
        @Test(arguments: [90, 1_000]) func recordingWritersEndsWithTheFlush(turns: Int) {
            let x = Observable(0)
            var wasRecording = false
            let graph = graph
            let reported = issues {
                let reaction = autorun {
                    if (1..<turns).contains(x.value) { x.value += 1 }
                    if graph.pointee.tracing != nil, !graph.details.writers.isEmpty { wasRecording = true }
                }
                x.value = 1
                reaction.cancel()
            }
            #expect(reported.count == (turns < 100 ? 0 : 1))
            #expect(wasRecording)
            #expect(graph.pointee.tracing == nil)
            #expect(graph.details.writers.isEmpty)
        }
    }
}
#endif
