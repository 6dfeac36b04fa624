// Cleanups and cancellation handlers run where their closure was created, also if a different thread cancels.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @MainActor @Suite(.inDefaultGraph) struct CancellingElsewhereTests {
        @Test func cleanupsReturnToTheActorInOrder() async {
            let (cleanups, continuation) = AsyncStream.makeStream(of: Int.self)
            let outer = autorun {
                for number in 0..<20 {
                    onCleanup {
                        MainActor.assertIsolated()
                        continuation.yield(number)
                    }
                }
            }
            onOtherThread { outer.cancel() }
            var seen: [Int] = []
            for await number in cleanups {
                seen.append(number)
                if number == 0 { break }
            }
            #expect(seen == (0..<20).reversed())
        }

        @Test func theWritesOfACleanupThatReturnsAreBatched() async {
            let x = Observable(0)
            let (closed, continuation) = AsyncStream.makeStream(of: Int.self)
            let follower = autorun { continuation.yield(x.value) }
            let outer = autorun {
                onCleanup {
                    x.value = 1
                    x.value = 2
                }
            }
            onOtherThread { outer.cancel() }
            var iterator = closed.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            #expect(await iterator.next() == 2)
            follower.cancel()
        }

        @Test func cleanupsOfOwnedReactionsReturnToTheActor() async {
            let (cleanups, continuation) = AsyncStream.makeStream(of: String.self)
            let outer = autorun {
                onCleanup { continuation.yield("outer") }
                reaction(fireImmediately: true) {
                    1
                } onChange: { _ in
                    onCleanup {
                        MainActor.assertIsolated()
                        continuation.yield("inner")
                    }
                }
            }
            onOtherThread { outer.cancel() }
            var iterator = cleanups.makeAsyncIterator()
            #expect(await iterator.next() == "inner")
            #expect(await iterator.next() == "outer")
        }

        @Test func cleanupsOnTheActorRunBeforeCancelReturns() {
            var log: [String] = []
            autorun { onCleanup { log.append("closed") } }.cancel()
            #expect(log == ["closed"])
        }

        @Test func aClosureOfACancellableReturnsToTheActor() async {
            let (cancelled, continuation) = AsyncStream.makeStream(of: Int.self)
            var count = 0
            let first = AnyCancellable {
                MainActor.assertIsolated()
                count += 1
                continuation.yield(count)
            }
            let second = AnyCancellable {
                count += 1
                continuation.yield(count)
            }
            onOtherThread { first.cancel() }
            onOtherThread { [cancellable = Shared<AnyCancellable?>(second)] in cancellable.value = nil }
            second.cancel()
            #expect(count == 1)
            var iterator = cancelled.makeAsyncIterator()
            #expect(await iterator.next() == 1)
            #expect(await iterator.next() == 2)
        }

        @Test func aCancellableObjectIsCancelledOnItsActor() async {
            final class Door: Cancellable {
                var isOpen = true
                let closed: AsyncStream<Void>.Continuation
                init(_ closed: AsyncStream<Void>.Continuation) { self.closed = closed }
                func cancel() {
                    MainActor.assertIsolated()
                    isOpen = false
                    closed.yield()
                }
            }
            let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
            let door = Door(continuation)
            var bag: Set<AnyCancellable> = []
            door.store(in: &bag)
            let taken = Shared(bag)
            bag = []
            onOtherThread { taken.value = [] }
            #expect(door.isOpen)
            var iterator = closed.makeAsyncIterator()
            _ = await iterator.next()
            #expect(!door.isOpen)
        }

        @Test func aSchedulerIsCalledOnItsActor() async {
            let x = Observable(0)
            let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
            let schedule = Schedule.custom { run in
                MainActor.assertIsolated()
                continuation.yield()
                run()
            }
            let log = Shared<[Int]>([])
            let reaction = Self.follow(x, schedule, log)
            onOtherThread { x.value = 1 }
            #expect(log.value == [0])
            var iterator = asked.makeAsyncIterator()
            _ = await iterator.next()
            #expect(log.value == [0, 1])
            reaction.cancel()
        }

        private nonisolated static func follow(
            _ x: Observable<Int>, _ schedule: Schedule, _ log: Shared<[Int]>
        ) -> Reaction {
            autorun(schedule: schedule) { log.withLock { $0.append(x.value) } }
        }

        @Test func aBindingOfTheMainActorUsedElsewhereStopsTheProgram() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
                var stored = 1
                let binding = Binding(get: { stored }, set: { stored = $0 })
                binding.wrappedValue += 1
                precondition(stored == 2)
                onOtherThread { binding.wrappedValue = 3 }
            }
            expectMessage(result, "a Binding<Int> was created on the main actor and is used elsewhere")
        }
    }
}
