// `DispatchQueue.main.sync` inside an effect while the main queue uses the graph. Runs in a process of its own, whose
// main queue is free.

#if os(Linux) || os(macOS)
import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct MainQueueTests {
        @Test func syncToTheMainQueueInAnEffectWhileMainWrites() async {
            await #expect(processExitsWith: .success) {
                let x = Observable(0)
                let y = Observable(0)
                let finished = DispatchSemaphore(value: 0)
                let synced = Shared(0)
                let reaction = reaction {
                    x.value
                } onChange: { _ in
                    DispatchQueue.main.sync {
                        synced.withLock { $0 += 1 }
                        y.value += 1
                    }
                }
                for round in 1...200 {
                    // The main queue writes, and reads under the lock, while the effect waits for the main queue.
                    DispatchQueue.main.async {
                        for _ in 0..<20 { inTransaction { y.value += 1 } }
                        finished.signal()
                    }
                    x.value = round
                    finished.wait()
                }
                reaction.cancel()
                exit(synced.value == 200 && y.value == 200 * 21 ? 0 : 1)
            }
        }

        @Test func syncToTheMainQueueInACleanupAndARenderWhileMainWrites() async {
            await #expect(processExitsWith: .success) {
                let x = Observable(0)
                let y = Observable(0)
                let finished = DispatchSemaphore(value: 0)
                let scope = ObserverScope {
                    onCleanup { DispatchQueue.main.sync { y.value += 1 } }
                    return x.value
                } onRender: { _ in
                    DispatchQueue.main.sync { y.value += 1 }
                }
                for round in 1...100 {
                    DispatchQueue.main.async {
                        for _ in 0..<20 { inTransaction { y.value += 1 } }
                        finished.signal()
                    }
                    x.value = round
                    finished.wait()
                }
                scope.cancel()
                exit(y.value == 100 * 22 + 2 ? 0 : 1)
            }
        }
    }
}
#endif
