// Evaluations on threads with small stacks, which continue on additional pieces of stack.

#if os(Linux)
import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct StackTests {
        /// Uses at least this many bytes of the stack.
        @inline(never) @_optimize(none)
        private static func useStack(_ bytes: Int) -> Int {
            withUnsafeTemporaryAllocation(byteCount: 1_000, alignment: 8) { room in
                room.initializeMemory(as: UInt8.self, repeating: 1)
                return bytes <= 1_000 ? Int(room[0]) : useStack(bytes - 1_000) + Int(room[999])
            }
        }

        /// Allocates enough memory that some of it is directly below the last piece of stack.
        private static func takeNeighbours() {
            // Not freed: the heap would notice that its metadata is overwritten.
            for _ in 0..<8 { _ = UnsafeMutableRawPointer.allocate(byteCount: 16 << 20, alignment: 16) }
        }

        /// A bug overwrote the neighbouring memory, and the program ended without an error.
        @Test(.enabled(if: !isUnderThreadSanitizer)) func runningOverTheEndOfAPieceStopsTheProgram() async {
            await #expect(processExitsWith: .failure) {
                onOtherThread(stackSize: 512 << 10) {
                    var last = Computed {
                        Self.takeNeighbours()
                        return Self.useStack(4 << 20)
                    }
                    for _ in 1..<1_200 {
                        let before = last
                        last = Computed { before.value + 1 }
                    }
                    _ = last.value
                }
            }
        }

        @Test func aSmallThreadEvaluates() {
            onThreads(4, stackSize: 64 << 10) { _ in
                let x = Observable(1)
                let double = Computed { x.value * 2 }
                for value in 1...1_000 {
                    x.value = value
                    #expect(double.value == 2 * value)
                }
            }
        }

        //  x → 2,000 computeds → last of a long chain, which reads them far down an additional piece of stack
        @Test func manyComputedsNearTheEndOfAPiece() {
            onOtherThread(stackSize: 8 << 20) {
                let x = Observable(1)
                let leaves = (0..<2_000).map { index in Computed { x.value + index } }
                var last = Computed { leaves.reduce(0) { $0 + $1.value } }
                for _ in 1..<15_000 {
                    let before = last
                    last = Computed { before.value }
                }
                #expect(last.value == 2_000 + 1_999 * 1_000)
                x.value = 2
                #expect(last.value == 4_000 + 1_999 * 1_000)
            }
        }

        @Test(.enabled(if: !isUnderThreadSanitizer)) func endingTheThreadInsideAComputedIsReported() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                onOtherThread {
                    let x = Observable(1)
                    let c = Computed<Int> {
                        if x.value == 1 { pthread_exit(nil) }
                        return 1
                    }
                    _ = c.value
                }
            }
            expectMessage(result, "a thread ended (pthread_exit, pthread_cancel) inside a transaction, a computed")
        }

        @Test(.enabled(if: !isUnderThreadSanitizer)) func endingTheThreadInsideAnEffectIsReported() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let x = Observable(1)
                reaction {
                    x.value
                } onChange: { _ in
                    pthread_exit(nil)
                }
                onOtherThread { x.value = 2 }
            }
            expectMessage(result, "a thread ended (pthread_exit, pthread_cancel) inside an effect or a cleanup")
        }
    }
}
#endif
