// User code in deinitialisers: it may use the graph on any thread, however deep the freed structure is.

import Foundation
import Reactive
import Testing
import TestSupport

/// A list whose links are observables: freed naively, each deinitialiser would run inside the previous one.
private final class Link: @unchecked Sendable {
    // Sendable because the observable is.
    @Observable var next: Link?
    init(_ next: Link?) { _next = Observable(wrappedValue: next) }
}

extension ReactiveTests {
    @Suite struct DeinitialiserTests {
        let tracker = LifetimeTracker()

        // MARK: - Using the graph

        @Test func aDeinitialiserMayWriteAndItsReactionsRun() {
            let freed = Observable(0)
            var log: [Int] = []
            let reaction = autorun { log.append(freed.value) }
            let object = Observable(tracker.token { freed.value += 1 })
            object.value = tracker.token { freed.value += 1 }
            #expect(log == [0, 1])
            inTransaction { object.value = tracker.token() }
            #expect(log == [0, 1, 2])
            reaction.cancel()
        }

        @Test func aDeinitialiserMayReplaceTheNextObjectAndSoOn() {
            let objects = Observable<LifetimeTracker.Token?>(nil)
            let left = Shared(1_000)
            @Sendable func refill() {
                let continues = left.withLock { count in
                    count -= 1
                    return count > 0
                }
                if continues { objects.value = tracker.token { refill() } }
            }
            onOtherThread(stackSize: 8 << 20) {
                objects.value = tracker.token { refill() }
                while objects.value != nil { objects.value = nil }
            }
            #expect((left.value, tracker.alive) == (0, 0))
        }

        // The optimiser may leave the test as the only owner of the reaction at that moment. (It does so in programs,
        // less in tests.)
        //
        //  x → token → first
        //  └───────────────▶ later, whose schedule is due when the old token is freed
        @Test func aDeinitialiserMayCancelAndFreeAReactionThatWaitsForItsSchedule() {
            let x = Observable(0)
            let later = Shared<Reaction?>(nil)
            var asked: [@Sendable () -> Void] = []
            let first = tokenFollower(of: x, freeing: later)
            let captured = tracker.token()
            later.value = autorun(schedule: .custom { asked.append($0) }) { _ = (x.value, captured) }
            x.value = 1
            #expect(later.value == nil)
            asked.forEach { $0() }
            first.cancel()
        }

        @Test(.inDefaultGraph) func aDeinitialiserMayCancelAndFreeAReactionThatWaitsForItsActor() async {
            let x = Observable(0)
            let later = Shared<Reaction?>(nil)
            let first = tokenFollower(of: x, freeing: later)
            await MainActor.run { later.value = autorun(isolation: MainActor.shared) { _ = x.value } }
            await onNoActor { x.value = 1 }
            #expect(later.value == nil)
            // The pending run has arrived.
            await MainActor.run {}
            first.cancel()
        }

        /// Runs with each change of `x`, and then releases a token whose deinitialiser cancels and frees the reaction
        /// in `box`.
        private func tokenFollower(of x: Observable<Int>, freeing box: Shared<Reaction?>) -> Reaction {
            let token = Computed { [tracker] in
                _ = x.value
                return tracker.token {
                    box.value?.cancel()
                    box.value = nil
                }
            }
            return autorun { _ = token.value }
        }

        private nonisolated func onNoActor(_ body: @Sendable () -> Void) async { body() }

        @Test func aDeinitialiserMayCancelReactions() {
            let x = Observable(0)
            var runs = 0
            let reaction = autorun {
                _ = x.value
                runs += 1
            }
            let object = Observable(tracker.token { reaction.cancel() })
            object.value = tracker.token()
            x.value = 1
            #expect(runs == 1)
        }

        @Test func aDeinitialiserMayTriggerTheReactionThatFreedIt() {
            let x = Observable(0)
            let freed = Observable(0)
            var log: [Int] = []
            let reaction = reaction {
                [tracker] in
                _ = x.value
                return tracker.token { freed.value += 1 }
            } onChange: { _ in
                log.append(freed.value)
            }
            let watcher = autorun { log.append(100 + freed.value) }
            x.value = 1
            x.value = 2
            #expect(log == [100, 0, 101, 1, 102])
            reaction.cancel()
            watcher.cancel()
        }

        @Test func aDeinitialiserOfAValueInAStreamMayChangeTheStream() async {
            let x = Observable(0)
            do {
                let sequence = values(of: { [tracker] in
                    let value = x.value
                    return tracker.token { if value < 50 { x.value = value + 2 } }
                })
                for round in 1...10 { x.value = round }
                _ = sequence
            }
            #expect(tracker.alive == 0)
        }

        // MARK: - Threads

        @Test func objectsAreFreedOnceHoweverManyThreadsReplaceThem() {
            let observables = (0..<3).map { _ in Observable(tracker.token()) }
            let latest = Computed { observables.map { $0.value.number } }
            let reaction = reaction {
                observables.map { $0.value }
            } onChange: { _ in
                _ = latest.value
            }
            onThreads(4) { [tracker] thread in
                var random = SplitMix64(seed: UInt64(thread))
                for _ in 0..<500 {
                    let observable = observables.randomElement(using: &random)!
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: observable.value = tracker.token()
                    case 1: _ = observable.value.number
                    case 2: _ = latest.value
                    default:
                        try? inTransaction {
                            observable.value = tracker.token()
                            observables[0].value = tracker.token()
                            if Bool.random(using: &random) { throw CancellationError() }
                        }
                    }
                }
            }
            #expect(tracker.alive == 3)
            reaction.cancel()
            #expect(tracker.alive == 3)
        }

        // The transaction's log refers to the observable; another thread releases its last reference before the
        // transaction ends.
        @Test(arguments: [true, false])
        func anObservableWrittenInATransactionMayBeFreedOnAnotherThread(rollingBack: Bool) {
            let handedOver = Shared<Observable<LifetimeTracker.Token>?>(nil)
            let isHandedOver = DispatchSemaphore(value: 0)
            let isTaken = DispatchSemaphore(value: 0)
            let isFreed = DispatchSemaphore(value: 0)
            let rounds = 200
            onThreads(2) { [tracker] thread in
                for _ in 0..<rounds {
                    if thread == 1 {
                        isHandedOver.wait()
                        var taken = handedOver.withLock { token in
                            defer { token = nil }
                            return token
                        }
                        isTaken.signal()
                        withExtendedLifetime(taken) {}
                        taken = nil
                        isFreed.signal()
                        continue
                    }
                    try? inTransaction {
                        do {
                            let object = Observable(tracker.token())
                            object.value = tracker.token()
                            handedOver.value = object
                        }
                        isHandedOver.signal()
                        isTaken.wait()
                        // Another thread is freeing it now, or about to.
                        for _ in 0..<1_000 { _ = Thread.current }
                        if rollingBack { throw CancellationError() }
                    }
                    isFreed.wait()
                }
            }
            #expect((tracker.created, tracker.alive) == (2 * rounds, 0))
        }

        @Test func aThreadsOwnStorageMayHoldObservablesToItsEnd() {
            let x = Observable(0)
            onOtherThread { [tracker] in
                // Creates the library's thread-local storage, and then more of the thread's than it had when that was
                // created.
                inTransaction { Observable(tracker.token()).value = tracker.token() }
                let object = Observable(tracker.token { x.value += 1 })
                let computed = Computed { object.value.number + x.value }
                _ = computed.value
                Thread.current.threadDictionary["computed"] = computed
                Thread.current.threadDictionary["object"] = object
            }
            when {
                x.value == 1
            } _: {
            }
            #expect(tracker.created == 3)
        }

        // MARK: - Depth

        @Test(arguments: [512 << 10, 8 << 20])
        func longChainsOfComputedsAreFreedWithoutRecursion(stackSize: Int) {
            onOtherThread(stackSize: stackSize) { [tracker] in
                let source = Observable(1)
                func build() -> Computed<Int> {
                    var last = Computed { source.value }
                    for _ in 1..<deep {
                        let (below, token) = (last, tracker.token())
                        last = Computed { (below.value, token).0 }
                        _ = last.value
                    }
                    return last
                }
                do {
                    let last = build()
                    #expect(last.value == 1)
                }
                #expect((tracker.created, tracker.alive) == (deep - 1, 0))
                // The same with an object that a reaction kept alive.
                build().keptByAReaction { source.value = 2 }
                #expect(tracker.alive == 0)
            }
        }

        // Nothing but its closure holds what a computed reads that was never evaluated.
        @Test func longChainsOfComputedsThatWereNeverReadAreFreedWithoutRecursion() {
            onOtherThread(stackSize: 512 << 10) { [tracker] in
                var last = Computed { 0 }
                for _ in 1..<deep {
                    let (below, token) = (last, tracker.token())
                    last = Computed { (below.value, token).0 }
                }
                #expect(tracker.alive == deep - 1)
                last = Computed { 0 }
                #expect(tracker.alive == 0)
            }
        }

        @Test func longListsOfComputedsInValuesOfComputedsAreFreedWithoutRecursion() {
            onOtherThread(stackSize: 512 << 10) { [tracker] in
                final class Link {
                    let below: Computed<Link>?
                    let token: LifetimeTracker.Token
                    init(_ below: Computed<Link>?, _ token: LifetimeTracker.Token) {
                        (self.below, self.token) = (below, token)
                    }
                }
                var last: Computed<Link>?
                for _ in 0..<deep {
                    // The closure has nothing to hold once it has been evaluated.
                    var below = last
                    let next = Computed {
                        defer { below = nil }
                        return Link(below, tracker.token())
                    }
                    _ = next.value
                    last = next
                }
                #expect(tracker.alive == deep)
                last = nil
                #expect(tracker.alive == 0)
            }
        }

        @Test(arguments: [512 << 10, 8 << 20])
        func longListsOfNestedObservablesAreFreedWithoutRecursion(stackSize: Int) {
            onOtherThread(stackSize: stackSize) {
                func build() -> Link {
                    var first = Link(nil)
                    for _ in 1..<deep { first = Link(first) }
                    return first
                }
                weak var end: Link?
                do {
                    var link = build()
                    let head = link
                    while let next = link.next { link = next }
                    end = link
                    _ = head
                }
                #expect(end == nil)
                inTransaction {
                    let first = Observable<Link?>(build())
                    first.value = nil
                }
                let first = Observable<Link?>(build())
                first.value = nil
            }
        }

        @Test func reactionsThatOwnOneAnotherAreFreedWithoutRecursion() {
            onOtherThread(stackSize: 512 << 10) { [tracker] in
                var last = autorun {}
                last.cancel()
                for _ in 1..<deep {
                    let (below, token) = (last, tracker.token())
                    last = autorun { _ = (below, token) }
                    last.cancel()
                }
                last = autorun {}
                last.cancel()
                #expect(tracker.alive == 0)
            }
        }
    }
}

extension Computed where Value == Int {
    /// Makes a reaction the only owner of the computed while `body` runs, then cancels the reaction.
    fileprivate consuming func keptByAReaction(while body: () -> Void) {
        let reaction = Self.follow(self)
        body()
        reaction.cancel()
    }

    private static func follow(_ computed: Computed<Int>) -> Reaction { autorun { _ = computed.value } }
}
