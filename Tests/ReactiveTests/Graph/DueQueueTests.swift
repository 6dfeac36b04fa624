// The queue of due reactions, against a model: the oldest is always next, whatever the order of arrival, and the queue
// does not grow while as many leave as arrive.

#if DEBUG
import CReactive
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct DueQueueTests {
        /// Reactions, the oldest first. Their bodies read nothing, and they are never due by themselves.
        private let reactions: [Reaction] = (0..<60).map { _ in autorun {} }

        private func end(_ work: inout DueWork) {
            work.free()
            reactions.forEach { $0.cancel() }
        }

        @Test func theOldestIsAlwaysNext() {
            for seed in seeds(200) {
                var random = SplitMix64(seed: seed)
                var work = DueWork()
                var queued: Set<Int> = []
                func dequeue() {
                    let next = work.dequeue()
                    let oldest = queued.min()
                    #expect(next == oldest.map { reactions[$0].observer }, "seed \(seed)")
                    if let oldest { queued.remove(oldest) }
                    #expect(work.isEmpty == queued.isEmpty, "seed \(seed)")
                }
                for _ in 0..<200 {
                    let index = random.below(reactions.count)
                    if random.oneIn(2) {
                        dequeue()
                    } else if queued.insert(index).inserted {
                        work.enqueue(reactions[index].observer)
                    }
                }
                while !queued.isEmpty { dequeue() }
                #expect(work.dequeue() == nil)
                work.free()
            }
            reactions.forEach { $0.cancel() }
        }

        /// Another reaction arrives before the last one leaves, so that the queue never becomes empty.
        @Test func theQueueKeepsNoRoomForReactionsThatHaveRun() {
            var work = DueWork()
            work.enqueue(reactions[0].observer)
            for _ in 0..<20_000 {
                work.enqueue(reactions[0].observer)
                _ = work.dequeue()
            }
            #expect(work.queue.count < 3_000)
            #expect(!work.isEmpty)
            _ = work.dequeue()
            #expect(work.isEmpty)
            end(&work)
        }

        @Test func workOtherThanReactionsIsWork() {
            var work = DueWork()
            #expect(work.isEmpty)
            work.add(DeferredAction {})
            #expect(!work.isEmpty)
            #expect(work.takeActions().count == 1)
            #expect(work.isEmpty)
            end(&work)
        }

        /// Taking over the work of another operation keeps the order, and leaves nothing there.
        @Test func workIsTakenOverInOrder() {
            var (work, other) = (DueWork(), DueWork())
            for index in [7, 3, 5] { other.enqueue(reactions[index].observer) }
            _ = other.dequeue()
            other.add(DeferredAction {})
            for index in [6, 4] { work.enqueue(reactions[index].observer) }
            work.take(from: &other)
            #expect(other.isEmpty && other.isUntouched)
            let order = (0..<4).map { _ in work.dequeue() }
            #expect(order == [4, 5, 6, 7].map { reactions[$0].observer })
            #expect(work.work.contains(.deferredActions))
            #expect(work.takeActions().count == 1)
            #expect(work.isEmpty)
            other.free()
            end(&work)
        }

        /// Sources that got or lost an observer are taken over with the flag that says so.
        @Test func sourcesToNotifyAreTakenOver() {
            var (work, other) = (DueWork(), DueWork())
            work.enqueue(reactions[0].observer)
            other.enqueue(reactions[1].observer)
            other.observation.push(reactions[2].observer)
            other.work.insert(.observation)
            work.take(from: &other)
            #expect(work.work.isSuperset(of: [.reactions, .observation]) && work.observation.count == 1)
            #expect(other.isUntouched && other.isEmpty)
            work.observation.count = 0
            for _ in 0..<2 { _ = work.dequeue() }
            other.free()
            end(&work)
        }

        /// Suspended reactions set no flag. They count as work when a record that is untouched takes them over.
        @Test func suspendedReactionsAreTakenOver() {
            var (work, other) = (DueWork(), DueWork())
            other.suspended.push(reactions[0].observer)
            work.take(from: &other)
            #expect(!work.isUntouched && work.suspended.count == 1)
            #expect(other.isUntouched && other.isEmpty)
            work.suspended.count = 0
            end(&work)
        }
    }
}
#endif
