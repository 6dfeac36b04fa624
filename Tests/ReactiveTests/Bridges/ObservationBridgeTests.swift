// Observers that use Apple's Observation follow the library's state.

import Foundation
import Observation
import Reactive
import TestSupport
import Testing

/// Switches the bridge on from the first of these tests to the end of the process: the other tests must pass with it,
/// too.
private let bridge: Void = { ObservationBridge.isEnabled = true }()

/// Reads once and returns how often a change was reported.
private func track(_ log: Log, _ name: String = "changed", _ read: () -> Void) {
    withObservationTracking(read) { log(name) }
}

/// Reads again whenever a change is reported, as a view does.
private final class Follower: @unchecked Sendable {
    // Sendable because each test uses it on one thread at a time.
    private let read: () -> Void
    private(set) var runs = 0
    var isOver = false

    init(_ read: @escaping () -> Void) {
        self.read = read
        run()
    }

    private func run() {
        runs += 1
        withObservationTracking(read) { [weak self] in
            guard let self, !isOver else { return }
            run()
        }
    }
}

private struct Failure: Error {}

extension ReactiveTests {
    @Suite struct ObservationBridgeTests {
        init() { bridge }

        // MARK: - Followed state

        @Test func anObservableReportsItsChangeOnceAndAfterwards() {
            let (number, log) = (Observed(1), Log())
            withObservationTracking {
                _ = number.value
            } onChange: {
                log("changed to \(number.value)")
            }
            number.value = 2
            number.value = 3
            #expect(log.take() == ["changed to 2"])
        }

        @Test func valuesThatAreNotPlainBitsAreFollowed() {
            let (text, log) = (Observed("a"), Log())
            track(log) { _ = text.value }
            text.value += "b"
            #expect(log.take() == ["changed"])
        }

        @Test func everyTrackingThatReadsAValueIsNotified() {
            let (number, log) = (Observed(1), Log())
            track(log, "a") { _ = number.value }
            track(log, "b") { _ = number.value }
            number.value = 2
            #expect(log.take().sorted() == ["a", "b"])
        }

        @Test func readingTwiceInOneTrackingReportsOnce() {
            let (number, log) = (Observed(1), Log())
            track(log) { _ = number.value + number.value }
            number.value = 2
            #expect(log.take() == ["changed"])
        }

        @Test func aTrackingOfTwoNumbersIsNotifiedOnce() {
            let (a, b, log) = (Observed(1), Observed(1), Log())
            track(log) { _ = a.value + b.value }
            a.value = 2
            b.value = 2
            #expect(log.take() == ["changed"])
        }

        @Test func readingAgainInOnChangeFollowsEachChange() {
            let (number, log) = (Observed(1), Log())
            let follower = Follower { log("\(number.value)") }
            for value in 2...4 { number.value = value }
            #expect(log.take() == ["1", "2", "3", "4"])
            follower.isOver = true
            number.value = 5
            number.value = 6
            #expect(log.take() == [])
        }

        //  a ──▶ isEven
        @Test func aComputedWithAnEqualResultReportsNothing() {
            let (a, log) = (Observed(2), Log())
            let isEven = Computed { a.value.isMultiple(of: 2) }
            track(log) { _ = isEven.value }
            a.value = 4
            #expect(log.take() == [])
            a.value = 5
            #expect(log.take() == ["changed"])
            #expect(!isEven.value)
        }

        //  a ──▶ double ──▶ text
        @Test func nestedComputedsAreFollowedAgainAndAgain() {
            let (a, log) = (Observed(1), Log())
            let double = Computed { a.value * 2 }
            let text = Computed { "\(double.value)" }
            let follower = Follower { log(text.value) }
            a.value = 2
            a.value = 3
            #expect(log.take() == ["2", "4", "6"])
            follower.isOver = true
        }

        @Test func aComputedStaysLiveWhileItIsTracked() {
            let a = Observed(1)
            var evaluations = 0
            let double = Computed { () -> Int in
                evaluations += 1
                return a.value * 2
            }
            let follower = Follower { _ = double.value }
            let other = Observed(0)
            other.value = 1
            #expect(double.value == 2)
            a.value = 2
            #expect(evaluations == 2)
            follower.isOver = true
        }

        @Test func aThrowingComputedIsFollowed() {
            let (text, log) = (Observed("1"), Log())
            let number = ThrowingComputed { () -> Int in
                guard let number = Int(text.value) else { throw Failure() }
                return number
            }
            let follower = Follower { log((try? number.value).map(String.init) ?? "failed") }
            text.value = "x"
            text.value = "2"
            #expect(log.take() == ["1", "failed", "2"])
            follower.isOver = true
        }

        @Test func aSourceIsFollowed() {
            let (source, log) = (Source(), Log())
            track(log) { source.track() }
            source.changed()
            source.changed()
            #expect(log.take() == ["changed"])
        }

        // MARK: - State that is tracked no more

        // The first change is reported; after further ones, the bridge no longer follows.

        @Test func aComputedThatIsTrackedNoMoreKeepsItsReactions() {
            let (number, log) = (Observable(0), Log())
            let double = Computed { number.value * 2 }
            var seen: [Int] = []
            let reaction = autorun { seen.append(double.value) }
            track(log) { _ = double.value }
            for value in 1...5 { number.value = value }
            #expect(log.take() == ["changed"] && seen == [0, 2, 4, 6, 8, 10])
            reaction.cancel()
        }

        @Test func aSourceThatIsTrackedNoMoreIsStillObservedByItsReactions() {
            let log = Log()
            let source = Source(onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            let reaction = autorun { source.track() }
            track(log) { source.track() }
            for _ in 0..<3 { source.changed() }
            #expect(log.take() == ["observed", "changed"])
            reaction.cancel()
            #expect(log.take() == ["unobserved"])
        }

        @Test func aSourceThatIsTrackedNoMoreIsUnobserved() {
            let log = Log()
            let source = Source(onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            track(log) { source.track() }
            for _ in 0..<3 { source.changed() }
            #expect(log.take() == ["observed", "changed", "unobserved"])
        }

        @Test func aCountedSourceThatIsTrackedNoMoreIsUnread() {
            let (key, log) = (ToyKey(beside: ToyList()), Log())
            track(log) { key.noteReader() }
            for _ in 0..<100 { key.change() }
            #expect(log.take() == ["changed"] && key.timesUnread == 1)
        }

        @Test func aCountedSourceThatIsFreedNoticesNothing() {
            let log = Log()
            do {
                let key = ToyKey(beside: ToyList()) { log("unread") }
                track(log) { key.noteReader() }
            }
            #expect(log.take() == [])
        }

        // MARK: - Writes that are no change

        @Test func writingAnEqualValueIsNoChange() {
            let (number, log) = (Observed(1), Log())
            track(log) { _ = number.value }
            number.value = 1
            #expect(log.take() == [])
        }

        @Test func aTransactionIsOneChange() {
            let (a, b, log) = (Observed(1), Observed(1), Log())
            let follower = Follower { log("\(a.value + b.value)") }
            inTransaction {
                a.value = 2
                b.value = 2
                #expect(log.take() == ["2"])
            }
            #expect(log.take() == ["4"])
            follower.isOver = true
        }

        @Test func aTransactionThatIsRolledBackIsNoChange() {
            let (a, log) = (Observed(1), Log())
            let double = Computed { a.value * 2 }
            track(log, "a") { _ = a.value }
            track(log, "double") { _ = double.value }
            #expect(throws: Failure.self) {
                try inTransaction {
                    a.value = 2
                    #expect(double.value == 4)
                    throw Failure()
                }
            }
            #expect(log.take() == [])
            a.value = 3
            #expect(log.take().sorted() == ["a", "double"])
        }

        @Test func aRestoredValueIsNoChange() {
            let (a, log) = (Observed(1), Log())
            track(log) { _ = a.value }
            inTransaction {
                a.value = 2
                a.value = 1
            }
            #expect(log.take() == [])
        }

        // MARK: - Reads that do not register

        @Test func readsInTrackedClosuresDoNotRegister() {
            let (a, log) = (Observed(1), Log())
            var reaction: Reaction?
            track(log) { reaction = autorun { _ = a.value } }
            a.value = 2
            #expect(log.take() == [])
            reaction?.cancel()
        }

        @Test func readingAComputedDoesNotRegisterItsSources() {
            let (a, log) = (Observed(1), Log())
            let isPositive = Computed { a.value > 0 }
            track(log) { _ = isPositive.value }
            a.value = 2
            #expect(log.take() == [])
        }

        @Test func untrackedReadsDoNotRegister() {
            let (a, log) = (Observed(1), Log())
            track(log) { _ = untracked { a.value } }
            a.value = 2
            #expect(log.take() == [])
        }

        @Test func nothingRegistersWhileTheBridgeIsOff() async {
            await #expect(processExitsWith: .success) {
                let (a, log) = (Observed(1), Log())
                let double = Computed { a.value * 2 }
                track(log) { _ = a.value + double.value }
                a.value = 2
                precondition(log.take().isEmpty)
                ObservationBridge.isEnabled = true
                track(log) { _ = a.value }
                ObservationBridge.isEnabled = false
                track(log) { _ = double.value }
                a.value = 3
                precondition(log.take() == ["changed"])
            }
        }

        @Test func aBridgeOfTheMainThreadRegistersNoOtherThread() async {
            await #expect(processExitsWith: .success) {
                let (a, log) = (Observed(1), Log())
                await MainActor.run {
                    ObservationBridge.isEnabledOnMainThread = true
                    track(log, "main") { _ = a.value }
                }
                let thread = Thread {
                    track(log, "other") { _ = a.value }
                    track(log, "other") { _ = a.value }
                    a.value = 2
                    log("written")
                }
                thread.start()
                while log.count < 2 { await Task.yield() }
                precondition(log.take() == ["main", "written"])
                ObservationBridge.isEnabled = true
                await Task.detached { track(log, "other") { _ = a.value } }.value
                a.value = 3
                precondition(log.take() == ["other"])
            }
        }

        // MARK: - Inside onChange

        @Test func onChangeMayReadAndWrite() {
            let (a, b, log) = (Observed(1), Observed(1), Log())
            let sum = Computed { a.value + b.value }
            let follower = Follower {
                log("\(sum.value)")
            }
            withObservationTracking {
                _ = a.value
            } onChange: {
                b.value = 10 * a.value
            }
            a.value = 2
            #expect(log.take().last == "22")
            follower.isOver = true
        }

        @Test func reactionsCreatedInOnChangeHaveNoOwner() {
            let (a, log) = (Observed(1), Log())
            nonisolated(unsafe) var reaction: Reaction?
            withObservationTracking {
                _ = a.value
            } onChange: {
                reaction = autorun { log("\(a.value)") }
            }
            a.value = 2
            track(Log()) { _ = a.value }
            a.value = 3
            #expect(log.take() == ["2", "3"])
            reaction?.cancel()
        }

        @Test func anotherThreadMayUseTheGraphWhileOnChangeRuns() {
            let (a, log) = (Observed(1), Log())
            withObservationTracking {
                _ = a.value
            } onChange: {
                onOtherThread { log("\(a.value)") }
            }
            a.value = 2
            #expect(log.take() == ["2"])
        }

        // MARK: - Lifetimes

        @Test func aNodeIsFreedWhileItIsTracked() {
            let (tracker, log) = (LifetimeTracker(), Log())
            do {
                let a = Observed(tracker.token(), equals: .never)
                let b = Computed { a.value.number }
                track(log) { _ = (a.value, b.value) }
                #expect(tracker.alive == 1)
            }
            #expect(tracker.alive == 0)
            #expect(log.take() == [])
        }

        @Test func aComputedThatIsFreedNoLongerFollowsItsSources() {
            let (a, log) = (Observed(1), Log())
            do {
                let double = Computed { a.value * 2 }
                let next = Computed { double.value + 1 }
                track(log) { _ = next.value }
            }
            a.value = 2
            #expect(log.take() == [])
        }

        @Test func anIndependentGraphEndsWithItsState() {
            weak var graph: IndependentGraph?
            do {
                let independent = IndependentGraph()
                graph = independent
                let a = independent.run { Observed(1) }
                let double = independent.run { Computed { a.value * 2 } }
                let log = Log()
                track(log) { _ = a.value + double.value }
                a.value = 2
                #expect(log.take() == ["changed"])
                track(log) { _ = a.value + double.value }
            }
            #expect(graph == nil)
        }

        @Test func theBridgeIsNoLiveReaction() {
            let a = Observed(1)
            let before = Diagnostics.liveReactions.count
            track(Log()) { _ = a.value }
            #expect(Diagnostics.liveReactions.count == before)
        }

        @Test func endingTheReactionsOfAGraphLeavesTrackings() {
            let (graph, log) = (IndependentGraph(), Log())
            let a = graph.run { Observed(1) }
            track(log) { _ = a.value }
            graph.cancelReactions()
            a.value = 2
            #expect(log.take() == ["changed"])
        }

        @Test func stateOfTwoGraphsIsFollowedTogether() {
            let (first, second, log) = (IndependentGraph(), IndependentGraph(), Log())
            let a = first.run { Observed(1) }
            let b = second.run { Observed(1) }
            let follower = Follower { log("\(a.value) \(b.value)") }
            a.value = 2
            b.value = 3
            #expect(log.take() == ["1 1", "2 1", "2 3"])
            follower.isOver = true
        }

        // MARK: - Models

        private struct Counter { @Observed var count = 0 }

        private final class Order {
            @Observed var price = 5
            @Observed var pieces = 2
            lazy var total = Computed(of: self) { $0.price * $0.pieces }
        }

        private actor Session {
            @Observed var messages = 0
            lazy var label = Computed(of: self) { "\($0.messages)" }
            let log = Log()

            func track() {
                withObservationTracking {
                    _ = label.value
                } onChange: { [log] in
                    log("changed")
                }
            }

            func add() { messages += 1 }
            func source() -> Observed<Int> { _messages }
        }

        @Test func modelsInStructsAndClassesAreFollowed() {
            let (counter, order, log) = (Counter(), Order(), Log())
            track(log, "counter") { _ = counter.count }
            track(log, "order") { _ = order.total.value }
            counter.count += 1
            order.price = 6
            #expect(log.take() == ["counter", "order"])
        }

        @Test(.inDefaultGraph) func aComputedOfAnActorIsNotEvaluatedElsewhere() async {
            let session = Session()
            await session.track()
            await session.add()
            #expect(session.log.take() == ["changed"])
            await session.track()
            await session.source().value = 7
            #expect(session.log.take() == ["changed"])
        }

        @Test(.inDefaultGraph) @MainActor func aComputedOfTheMainActorIsValidatedThere() async {
            let (a, log) = (Observed(2), Log())
            let isEven = Computed { a.value.isMultiple(of: 2) }
            track(log) { _ = isEven.value }
            await Task.detached { a.value = 4 }.value
            await Task.detached { a.value = 5 }.value
            while log.count == 0 { await Task.yield() }
            #expect(log.take() == ["changed"])
        }

        @Test(.inDefaultGraph) @MainActor func aComputedOverOnesOfTheMainActorIsValidatedThere() async {
            let (a, log) = (Observed(2), Log())
            let isEven = Computed {
                MainActor.assertIsolated()
                return a.value.isMultiple(of: 2)
            }
            let text = Computed(isolation: nil) { "\(isEven.value) \(isEven.value)" }
            let length = Computed(isolation: nil) { text.value.count }
            track(log) { _ = length.value }
            await Task.detached { a.value = 4 }.value
            await Task.detached { a.value = 5 }.value
            while log.count == 0 { await Task.yield() }
            #expect(log.take() == ["changed"])
        }

        /// Whether it may be checked on this thread: the search visits each computed once, however many paths there are.
        @Test(.inDefaultGraph) @MainActor func aLadderOfComputedsIsCheckedOnAnyThread() async {
            let (a, log) = (Observed(2), Log())
            let confined = Computed { a.value }
            #expect(confined.value == 2)
            let parity = Computed(isolation: nil) { a.value % 2 }
            var level = (parity, parity)
            for _ in 0..<40 {
                let (left, right) = level
                level = (
                    Computed(isolation: nil) { max(left.value, right.value) },
                    Computed(isolation: nil) { min(left.value, right.value) }
                )
            }
            let top = level.0
            track(log) { _ = top.value }
            await Task.detached { a.value = 4 }.value
            #expect(log.take() == [])
            await Task.detached { a.value = 5 }.value
            #expect(log.take() == ["changed"])
        }

        // MARK: - Threads

        @Test func noChangeIsLostWhileATrackingRegisters() {
            let rounds = isUnderThreadSanitizer ? 200 : 5_000
            let (a, seen) = (Observed(0), Shared(0))
            let double = Computed { a.value * 2 }
            onThreads(2) { thread in
                if thread == 0 {
                    for value in 1...rounds { a.value = value }
                } else {
                    // Each tracking is notified unless it has seen the last value.
                    while seen.value < 2 * rounds {
                        let isDue = Shared(false)
                        withObservationTracking {
                            seen.value = double.value
                        } onChange: {
                            isDue.value = true
                        }
                        if seen.value == 2 * rounds { break }
                        while !isDue.value { sched_yield() }
                    }
                }
            }
            #expect(seen.value == 2 * rounds)
        }

        @Test func aWriterNotifiesWhileAnotherThreadIsInOnChange() {
            let (a, b, log, logged) = (Observed(1), Observed(1), Log(), Shared<[String]>([]))
            track(log) { _ = b.value }
            withObservationTracking {
                _ = a.value
            } onChange: {
                onOtherThread {
                    b.value = 2
                    logged.value = log.take()
                }
            }
            a.value = 2
            #expect(logged.value == ["changed"])
        }

        @Test @MainActor func theBridgeMayBeSwitchedOnTheMainThreadWhileOthersRead() {
            let rounds = 1_000
            let (reported, isOver) = (Shared(0), Shared(false))
            Thread.detachNewThread {
                let a = Observed(0)
                for value in 1...rounds {
                    withObservationTracking {
                        _ = a.value
                    } onChange: {
                        reported.withLock { $0 += 1 }
                    }
                    a.value = value
                }
                isOver.value = true
            }
            while !isOver.value { ObservationBridge.isEnabledOnMainThread.toggle() }
            ObservationBridge.isEnabledOnMainThread = false
            // The bridge stays on for all threads.
            #expect(reported.value == rounds)
        }

        /// Apple's Observation may notify one tracking twice if two threads change its values at the same time.
        @Test func manyThreadsTrackWriteAndFree() async {
            let rounds = isUnderThreadSanitizer ? 100 : 1_000
            let a = Observed(0)
            let isEven = Computed { a.value.isMultiple(of: 2) }
            let reported = Shared<Set<Int>>([])
            onThreads(4) { thread in
                for round in 0..<rounds {
                    let own = Computed { isEven.value ? a.value : -1 }
                    withObservationTracking {
                        _ = own.value
                        _ = a.value
                    } onChange: {
                        reported.withLock { _ = $0.insert(4 * round + thread) }
                    }
                    if round % 4 == thread { a.value += 1 }
                }
            }
            a.value = -1
            await letOthersRun()
            #expect(reported.value.count == 4 * rounds)
        }

        // MARK: - At random

        /// Observables, computeds over them, and trackings of both, beside a model that compares all values after each
        /// step.
        @Test(arguments: seeds(30)) func trackingsAgreeWithAModel(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let sources = (0..<4).map { Observed($0) }
            var computeds: [Computed<Int>] = []
            for index in 0..<6 {
                let (left, right) = (sources[random.below(4)], sources[random.below(4)])
                let below = computeds.isEmpty ? nil : computeds[random.below(computeds.count)]
                computeds.append(Computed { (left.value * right.value + (below?.value ?? 0)) % (index + 2) })
            }
            let read: [() -> Int] = sources.map { a in { a.value } } + computeds.map { c in { c.value } }
            var trackings: [(nodes: [Int], values: [Int], log: Log)] = []
            for step in 0..<60 {
                if random.oneIn(3) {
                    let nodes = (0..<1 + random.below(3)).map { _ in random.below(read.count) }
                    let log = Log()
                    var values: [Int] = []
                    withObservationTracking {
                        values = nodes.map { read[$0]() }
                    } onChange: {
                        log("")
                    }
                    trackings.append((nodes, values, log))
                } else if random.oneIn(4) {
                    try? inTransaction {
                        for _ in 0..<random.below(4) { sources[random.below(4)].value = random.below(5) }
                        if random.oneIn(2) { throw Failure() }
                    }
                } else {
                    sources[random.below(4)].value = random.below(5)
                }
                trackings.removeAll { tracking in
                    let hasChanged = tracking.nodes.map { read[$0]() } != tracking.values
                    let reports = tracking.log.count
                    #expect(reports == (hasChanged ? 1 : 0), "seed \(seed), step \(step)")
                    return hasChanged || reports > 0
                }
            }
        }

        // MARK: - Observations

        @Test(.inDefaultGraph) @MainActor func observationsOnTheMainActorDeliverTheNewestValue() async {
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) else { return }
            let number = Observed(1)
            var seen: [Int] = []
            for await value in Observations({ number.value }) {
                seen.append(value)
                if value == 3 { break }
                number.value = value + 1
            }
            #expect(seen == [1, 2, 3])
        }

        @Test(.inDefaultGraph) func observationsInATaskEnd() async {
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) else { return }
            let number = Observed(1)
            let seen = Log()
            let task = Task.detached {
                let values = Observations<Int, Never>.untilFinished {
                    number.value > 3 ? .finish : .next(number.value)
                }
                for await value in values {
                    seen("\(value)")
                    number.value = value + 1
                }
            }
            await task.value
            #expect(seen.take() == ["1", "2", "3"])
        }
    }
}
