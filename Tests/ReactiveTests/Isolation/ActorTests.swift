// Reactions created on an actor run on it; those created in no isolation run on the writing thread.

import Foundation
import Reactive
import Testing
import TestSupport

/// An actor that reacts to state shared with the rest of the program.
private actor Recorder {
    private(set) var log: [Int] = []
    private var reactions: [Reaction] = []

    func watch(_ x: Observable<Int>) {
        reactions = [
            autorun {
                self.assertIsolated()
                self.log.append(x.value)
            },
            reaction {
                x.value
            } onChange: {
                self.assertIsolated()
                self.log.append(-$0)
            },
        ]
    }

    /// Writes on the actor, and returns the log as it is when the setter returns.
    func write(_ value: Int, to x: Observable<Int>) -> [Int] {
        x.value = value
        return log
    }

    /// Keeps the actor busy while another thread writes.
    func stay(while body: @Sendable () -> Void) { body() }

    /// Waits for the log to satisfy `condition`, on the actor.
    func logWhen(_ x: Observable<Int>, is value: Int) async throws -> [Int] {
        for await seen in values(of: { x.value }) where seen == value { break }
        return log
    }

    func stop() { reactions.forEach { $0.cancel() } }
}

@globalActor private actor Storage {
    static let shared = Storage()
}

extension ReactiveTests {
    @Suite struct ActorTests {
        @Test func aWriteOnTheActorRunsItsReactionsSynchronously() async {
            let x = Observable(0)
            let recorder = Recorder()
            await recorder.watch(x)
            #expect(await recorder.write(1, to: x) == [0, 1, -1])
            await recorder.stop()
        }

        @Test func writesElsewhereReachTheActorByOneHop() async throws {
            let x = Observable(0)
            let recorder = Recorder()
            await recorder.watch(x)
            await recorder.stay { for value in 1...20 { onOtherThread { x.value = value } } }
            // Each of the two reactions hops separately. A hop is a task on the actor, and tasks may overtake each
            // other.
            await eventually { await recorder.log.count == 3 }
            #expect(await recorder.log.sorted() == [-20, 0, 20])
            await recorder.stop()
        }

        @Test(.inDefaultGraph) func aHopAfterEachOfManyWritesEndsWithTheLatest() async throws {
            let x = Observable(0)
            let recorder = Recorder()
            await recorder.watch(x)
            for value in 1...200 { x.value = value }
            _ = try await recorder.logWhen(x, is: 200)
            // Each of the two hops separately, and hops may overtake each other.
            await eventually {
                let log = await recorder.log
                return log.contains(200) && log.contains(-200)
            }
            let log = await recorder.log
            let (tracked, effects) = (log.filter { $0 >= 0 }, log.filter { $0 < 0 }.map { -$0 })
            #expect(tracked == tracked.sorted() && tracked.last == 200)
            #expect(effects == effects.sorted() && effects.last == 200)
            await recorder.stop()
        }

        @Test(.inDefaultGraph) func aReactionCreatedOnAGlobalActorRunsThere() async {
            let x = Observable(0)
            let (runs, continuation) = AsyncStream.makeStream(of: Int.self)
            let reaction = await Self.watchOnStorage(x, continuation)
            x.value = 1
            var iterator = runs.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            #expect(await iterator.next() == 1)
            reaction.cancel()
        }

        @Storage private static func watchOnStorage(
            _ x: Observable<Int>, _ continuation: AsyncStream<Int>.Continuation
        ) -> Reaction {
            autorun {
                Storage.shared.assertIsolated()
                continuation.yield(x.value)
            }
        }

        @Test func aReactionCreatedInNoIsolationRunsOnTheWritingThread() async {
            let x = Observable(0)
            let threads = Shared<[ObjectIdentifier]>([])
            let reaction = Self.watch(x, threads)
            onOtherThread {
                x.value = 1
                #expect(threads.value.last == currentThread)
            }
            await MainActor.run {
                x.value = 2
                #expect(threads.value.count == 3)
            }
            reaction.cancel()
        }

        private nonisolated static func watch(_ x: Observable<Int>, _ threads: Shared<[ObjectIdentifier]>) -> Reaction {
            autorun {
                _ = x.value
                threads.withLock { $0.append(currentThread) }
            }
        }

        @Test func anActorThatOwnsItsReactionsIsFreed() async {
            let x = Observable(0)
            weak var gone: Recorder?
            do {
                let recorder = Recorder()
                await recorder.watch(x)
                await recorder.stop()
                gone = recorder
            }
            await eventually { gone == nil }
            #expect(gone == nil)
        }

        @Test(.inDefaultGraph) func theSuspendingWhenKeepsTheIsolationOfItsCaller() async throws {
            let x = Observable(0)
            let waiting = Task { @Storage in
                try await when {
                    Storage.shared.assertIsolated()
                    return x.value == 5
                }
                Storage.shared.assertIsolated()
            }
            for value in 1...5 { x.value = value }
            try await waiting.value
        }

        @Test func valuesReachASlowIteratorWithTheLatest() async {
            let x = Observable(0)
            let sequence = values(of: { x.value })
            var iterator = sequence.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            onThreads(4) { _ in for _ in 0..<100 { inTransaction { x.value += 1 } } }
            #expect(await iterator.next() == 400)
        }

        @Test(.inDefaultGraph) func valuesEndWithTheirTask() async {
            let x = Observable(0)
            let (started, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                var count = 0
                for await _ in values(of: { x.value }) {
                    count += 1
                    continuation.yield()
                }
                return count
            }
            var iterator = started.makeAsyncIterator()
            _ = await iterator.next()
            task.cancel()
            #expect(await task.value == 1)
        }

        @Test func manyTasksFollowOneValueAndAllSeeTheLast() async {
            let x = Observable(0)
            let last = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var latest = -1
                        for await value in values(of: { x.value }) {
                            #expect(value >= latest)
                            latest = value
                            if value == 1_000 { break }
                        }
                        return latest
                    }
                }
                group.addTask {
                    for value in 1...1_000 { x.value = value }
                    return 1_000
                }
                return await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(last == [1_000])
        }
    }
}
