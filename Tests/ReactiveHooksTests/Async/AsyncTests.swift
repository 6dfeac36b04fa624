// useAsync, useAsyncPerform, useAsyncRefresh: races of operations that the test completes explicitly.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct AsyncRunTests {
        private func run() -> AsyncRun<String, Never> { AsyncRun() }

        @Test func onlyTheNewestRunSetsThePhase() {
            let run = run()
            run.restart()
            let first = run.number
            run.restart()
            let second = run.number
            #expect(run.phase == .running)
            run.set(.success("first"), by: first)
            #expect(run.phase == .running)
            run.set(.success("second"), by: second)
            run.set(.success("first"), by: first)
            #expect(run.phase == .success("second"))
        }

        @Test func unmountingFreezesThePhase() throws {
            let run = run()
            let number = try #require(run.begin(with: .running))
            run.dispose()
            run.set(.success("late"), by: number)
            #expect(run.phase == .running)
            #expect(run.begin(with: .running) == nil)
        }
    }

    @Suite struct AsyncTests {
        struct Failed: Error, Equatable {}
        let answers = Answers<String>()

        @Test func useAsyncIsRunningImmediatelyThenSucceeds() async {
            let answers = answers
            let tester = HookTester { useAsync(.once) { try! await answers.ask("a") } }
            #expect(tester.value == .running)
            await answers.isAsked("a")
            answers.answer("a", "hello")
            #expect(await tester.value { !$0.isRunning } == .success("hello"))
            tester.update()
            #expect(tester.valueHistory == [.running, .success("hello"), .success("hello")])
            tester.dispose()
        }

        @Test func useAsyncFails() async {
            let answers = answers
            let tester = HookTester { useAsync(.once) { try await answers.ask("a") } }
            await answers.isAsked("a")
            answers.fail("a", Failed())
            #expect(await tester.value { $0.isFailure }.error is Failed)
            tester.dispose()
        }

        @Test func aNewDependencySupersedesTheRun() async {
            let answers = answers
            let tester = HookTester("a") { question in
                useAsync(.preserved(by: question)) { try! await answers.ask(question) }
            }
            await answers.isAsked("a")
            tester.update(with: "b")
            #expect(tester.valueHistory == [.running, .running])
            await answers.isCancelled("a")
            await answers.isAsked("b")
            answers.answer("a", "late")
            answers.answer("b", "newest")
            #expect(await tester.value { $0.isSuccess } == .success("newest"))
            tester.update(with: "c")
            #expect(tester.value == .running)
            #expect(tester.valueHistory == [.running, .running, .success("newest"), .running])
            tester.dispose()
            await answers.isAsked("c")
            answers.answer("c", "late")
        }

        @Test func unmountingCancelsTheRunAndFreezesThePhase() async {
            let answers = answers
            let tester = HookTester { useAsync(.once) { try await answers.ask("a") } }
            await answers.isAsked("a")
            tester.dispose()
            await answers.isCancelled("a")
            answers.answer("a", "late")
            #expect(tester.value.isRunning)
            #expect(tester.valueHistory.count == 1)
        }

        @Test func useAsyncPerformIsPendingUntilPerformed() async {
            let answers = answers
            let tester = HookTester { useAsyncPerform { try! await answers.ask("a") } }
            #expect(tester.value.phase == .pending)
            let perform = tester.value.perform
            async let performed: Void = perform()
            await answers.isAsked("a")
            #expect(await tester.value { $0.phase.isRunning }.phase == .running)
            answers.answer("a", "done")
            await performed
            #expect(await tester.value { $0.phase.isSuccess }.phase == .success("done"))
            tester.dispose()
        }

        @Test func ofOverlappingCallsTheLatestStartedWins() async {
            let answers = answers
            let next = Shared(0)
            let tester = HookTester {
                useAsyncPerform {
                    try! await answers.ask("\(next.withLock { number in number += 1; return number })")
                }
            }
            let perform = tester.value.perform
            async let first: Void = perform()
            await answers.isAsked("1")
            async let second: Void = perform()
            await answers.isAsked("2")
            answers.answer("2", "second")
            await second
            answers.answer("1", "first")
            await first
            #expect(await tester.value { $0.phase.isSuccess }.phase == .success("second"))
            tester.dispose()
            #expect(!tester.valueHistory.contains { $0.phase == .success("first") })
        }

        @Test func useAsyncPerformFailsAndDoesNothingAfterTheEnd() async {
            let answers = answers
            let tester = HookTester { useAsyncPerform { try await answers.ask("a") } }
            let perform = tester.value.perform
            async let performed: Void = perform()
            await answers.isAsked("a")
            answers.fail("a", Failed())
            await performed
            #expect(await tester.value { $0.phase.isFailure }.phase.error is Failed)
            tester.dispose()
            await perform()
            #expect(tester.value.phase.isFailure)
        }

        @Test func aCancelledCallLeavesThePhaseAsItWas() async {
            let answers = answers
            let tester = HookTester { useAsyncPerform { try await answers.ask("a") } }
            let perform = tester.value.perform
            let task = Task { await perform() }
            await answers.isAsked("a")
            task.cancel()
            answers.answer("a", "unwanted")
            await task.value
            #expect(await tester.value { $0.phase.isPending }.phase.isPending)
            tester.dispose()
        }

        @Test func cancellingTheLatestOfOverlappingCallsEndsTheRunningPhase() async {
            let answers = answers
            let next = Shared(0)
            let tester = HookTester {
                useAsyncPerform {
                    try! await answers.ask("\(next.withLock { number in number += 1; return number })")
                }
            }
            let perform = tester.value.perform
            async let first: Void = perform()
            await answers.isAsked("1")
            let second = Task { await perform() }
            await answers.isAsked("2")
            second.cancel()
            answers.answer("2", "unwanted")
            await second.value
            answers.answer("1", "superseded")
            await first
            #expect(await tester.value { !$0.phase.isRunning }.phase.isPending)
            tester.dispose()
        }

        @Test func anOperationOfAThrowingRenderStartsInTheNextRender() async {
            struct Refused: Error {}
            let answers = answers
            let refuses = Observable(false)
            let tester = HookTester("a") { question in
                Result {
                    try HookScope {
                        let phase = useAsync(.preserved(by: question)) { try! await answers.ask(question) }
                        if refuses.value { throw Refused() }
                        return phase
                    }
                }
            }
            await answers.isAsked("a")
            refuses.value = true
            tester.update(with: "b")
            answers.answer("a", "superseded")
            refuses.value = false
            await answers.isAsked("b")
            answers.answer("b", "newest")
            let result = await tester.value { (try? $0.get().isSuccess) == true }
            #expect(try! result.get() == .success("newest"))
            tester.dispose()
        }

        @Test func useAsyncRefreshKeepsTheLastPhaseWhileRunning() async {
            let answers = answers
            let next = Shared(0)
            let tester = HookTester {
                useAsyncRefresh {
                    try! await answers.ask("\(next.withLock { number in number += 1; return number })")
                }
            }
            #expect(tester.value.phase == .pending)
            tester.value.refresher()
            await answers.isAsked("1")
            #expect(tester.value.phase == .pending)
            answers.answer("1", "old")
            #expect(await tester.value { $0.phase.isSuccess }.phase == .success("old"))
            tester.value.refresher()
            await answers.isAsked("2")
            #expect(tester.value.phase == .success("old"))
            tester.value.refresher()
            await answers.isCancelled("2")
            await answers.isAsked("3")
            answers.answer("2", "superseded")
            answers.answer("3", "new")
            #expect(await tester.value { $0.phase == .success("new") }.phase == .success("new"))
            #expect(tester.valueHistory.map(\.phase) == [.pending, .success("old"), .success("new")])
            tester.dispose()
        }

        @MainActor @Test(.inDefaultGraph) func anOperationStaysInTheIsolationThatCreatedIt() async {
            let tester = HookTester {
                useAsync(.once) {
                    MainActor.assertIsolated()
                    return 1
                }
            }
            #expect(await tester.value { $0.isSuccess } == .success(1))
            tester.dispose()
        }
    }

    @Suite struct AsyncSequenceTests {
        struct Failed: Error, Equatable {}

        @Test func aSequenceIsRunningThenItsNewestElement() async {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            let tester = HookTester { useAsyncSequence(.once) { stream } }
            #expect(tester.value == .running)
            continuation.yield(1)
            #expect(await tester.value { $0.isSuccess } == .success(1))
            continuation.yield(2)
            #expect(await tester.value { $0 == .success(2) } == .success(2))
            continuation.finish()
            #expect(tester.valueHistory == [.running, .success(1), .success(2)])
            tester.dispose()
        }

        @Test func aSequenceThatFailsIsAFailure() async {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
            let tester = HookTester { usePublisher(.once) { stream } }
            continuation.finish(throwing: Failed())
            #expect(await tester.value { $0.isFailure }.error is Failed)
            tester.dispose()
        }

        @Test func aNewDependencyFollowsItsSequence() async {
            let streams = (0..<2).map { _ in AsyncStream.makeStream(of: String.self) }
            let ended = AsyncStream.makeStream(of: Void.self)
            streams[0].continuation.onTermination = { _ in ended.continuation.finish() }
            let tester = HookTester(0) { index in
                useAsyncSequence(.preserved(by: index)) { streams[index].stream }
            }
            streams[0].continuation.yield("a")
            _ = await tester.value { $0 == .success("a") }
            tester.update(with: 1)
            #expect(tester.value == .running)
            streams[0].continuation.yield("late")
            streams[1].continuation.yield("b")
            #expect(await tester.value { $0.isSuccess } == .success("b"))
            for await _ in ended.stream {}
            tester.dispose()
        }

        @Test func unmountingStopsFollowing() async {
            let ended = AsyncStream.makeStream(of: Void.self)
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            continuation.onTermination = { _ in ended.continuation.finish() }
            let tester = HookTester { useAsyncSequence(.once) { stream } }
            tester.dispose()
            for await _ in ended.stream {}
            #expect(tester.value == .running)
        }

        @Test func subscribingIsPendingUntilSubscribeIsCalled() async {
            let next = Shared(0)
            let tester = HookTester {
                usePublisherSubscribe {
                    let number = next.withLock { number in
                        number += 1; return number
                    }
                    return AsyncStream { continuation in
                        continuation.yield(number)
                        continuation.finish()
                    }
                }
            }
            #expect(tester.value.phase == .pending)
            tester.value.subscribe()
            #expect(await tester.value { $0.phase.isSuccess }.phase == .success(1))
            tester.value.subscribe()
            #expect(await tester.value { $0.phase == .success(2) }.phase == .success(2))
            #expect(tester.valueHistory.map(\.phase) == [.pending, .running, .success(1), .running, .success(2)])
            tester.dispose()
            tester.value.subscribe()
            #expect(tester.value.phase == .success(2))
        }
    }
}
