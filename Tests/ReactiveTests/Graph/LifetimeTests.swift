// Lifetimes of objects that the library holds: each is freed exactly once, at the documented moment.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LifetimeTests {
        let tracker = LifetimeTracker()
        let x = Observable(0)

        /// A token for the captured state of a closure.
        private func capture() -> LifetimeTracker.Token { tracker.token() }

        // MARK: - Values

        @Test func aReplacedValueIsFreedWhenTheSetterReturns() {
            let object = Observable(tracker.token())
            object.value = tracker.token()
            #expect((tracker.alive, tracker.freed) == (1, 1))
        }

        @Test func aValueIsFreedWithItsObservable() {
            do {
                let object = Observable(tracker.token())
                let copy = object
                _ = (object, copy)
            }
            #expect(tracker.alive == 0)
        }

        @Test func elementsRemovedInPlaceAreFreedImmediately() {
            let objects = Observable([tracker.token(), tracker.token()])
            objects.value.removeLast()
            #expect(tracker.alive == 1)
            objects.value.removeAll()
            #expect(tracker.alive == 0)
        }

        @Test func aTransactionFreesReplacedValuesWhenItEnds() {
            let object = Observable(tracker.token())
            inTransaction {
                object.value = tracker.token()
                object.value = tracker.token()
            }
            #expect((tracker.created, tracker.alive) == (3, 1))
        }

        @Test func aRolledBackTransactionFreesItsValuesAndKeepsTheOriginal() {
            struct Failure: Error {}
            let object = Observable(tracker.token())
            let original = object.value.number
            try? inTransaction {
                object.value = tracker.token()
                try? inTransaction {
                    object.value = tracker.token()
                    throw Failure()
                }
                object.value = tracker.token()
                throw Failure()
            }
            #expect(object.value.number == original)
            #expect((tracker.created, tracker.alive) == (4, 1))
        }

        @Test func anObservableThatDiesInsideATransactionLeavesNothingInItsLog() {
            struct Failure: Error {}
            inTransaction {
                let object = Observable(tracker.token())
                object.value = tracker.token()
            }
            #expect((tracker.created, tracker.alive) == (2, 0))
            try? inTransaction {
                do {
                    let object = Observable(tracker.token())
                    object.value = tracker.token()
                    let made = Computed { [tracker] in (object.value, tracker.token()) }
                    _ = made.value
                }
                throw Failure()
            }
            #expect(tracker.alive == 0)
        }

        // MARK: - Computeds

        @Test func aComputedIsNotKeptByItsSources() {
            do {
                let captured = capture()
                let computed = Computed { [x, tracker] in
                    _ = (x.value, captured)
                    return tracker.token()
                }
                _ = computed.value
                #expect(tracker.alive == 2)
            }
            #expect(tracker.alive == 0)
        }

        @Test func aComputedWithoutAResultFreesNone() {
            let token = tracker.token()
            do {
                _ = Computed { token }
                _ = Computed { (token, token) }
            }
            #expect(tracker.alive == 1)
            withExtendedLifetime(token) {}
        }

        @Test func aComputedFreesItsOldResult() {
            let computed = Computed { [x, tracker] in
                _ = x.value
                return tracker.token()
            }
            for round in 1...5 {
                x.value = round
                _ = computed.value
                #expect((tracker.created, tracker.alive) == (round, 1))
            }
        }

        @Test func aTransactionFreesReplacedResultsWhenItEnds() {
            let computed = Computed { [x, tracker] in
                _ = x.value
                return tracker.token()
            }
            _ = computed.value
            inTransaction {
                for number in 1...2 {
                    x.value = number
                    _ = computed.value
                }
            }
            #expect((tracker.created, tracker.alive) == (3, 1))
        }

        @Test func aComputedKeepsWhatItReadUntilItReadsSomethingElse() {
            let choice = Observable(true)
            var source: Observable<LifetimeTracker.Token>? = Observable(tracker.token())
            let computed = Computed { [weak source] in choice.value ? source?.value.number : nil }
            _ = computed.value
            source = nil
            #expect(tracker.alive == 1)
            choice.value = false
            #expect(computed.value == nil)
            #expect(tracker.alive == 0)
        }

        @Test func aCachedErrorIsFreedWithTheNextResult() throws {
            struct Failure: Error { let token: LifetimeTracker.Token }
            let computed = ThrowingComputed { [x, tracker] in
                if x.value == 0 { throw Failure(token: tracker.token()) }
                return x.value
            }
            #expect(throws: Failure.self) { try computed.value }
            #expect(tracker.alive == 1)
            x.value = 1
            #expect(try computed.value == 1)
            #expect(tracker.alive == 0)
        }

        // MARK: - Reactions

        @Test func aReleasedReactionContinuesUntilItIsCancelled() {
            var log: [Int] = []
            weak var dropped: Reaction?
            do {
                let captured = capture()
                dropped = autorun { [x] in
                    _ = captured
                    log.append(x.value)
                }
            }
            x.value = 1
            #expect(log == [0, 1])
            #expect(tracker.alive == 1)
            dropped?.cancel()
            #expect(dropped == nil)
            #expect(tracker.alive == 0)
        }

        @Test func cancellingFreesTheClosuresAlthoughTheReactionIsKept() {
            func start() -> [Reaction] {
                let tokens = (1...4).map { _ in capture() }
                return [
                    autorun { [x] in _ = (x.value, tokens[0]) },
                    reaction { [x] in
                        (x.value, tokens[1]).0
                    } onChange: { _ in
                        _ = tokens[2]
                    },
                    when { [x] in
                        x.value == -1
                    } _: {
                        _ = tokens[3]
                    },
                ]
            }
            let reactions = start()
            x.value = 1
            #expect(tracker.alive == 4)
            reactions.forEach { $0.cancel() }
            #expect(tracker.alive == 0)
        }

        @Test func aReactionCancelledInItsOwnRunFreesItsClosureWhenTheRunEnds() {
            var own: Reaction?
            do {
                let captured = capture()
                own = autorun { [x, tracker] in
                    guard x.value == 1 else { return }
                    own?.cancel()
                    #expect(tracker.alive == 1)
                    _ = captured
                }
            }
            x.value = 1
            #expect(tracker.alive == 0)
        }

        @Test func whenFreesItsClosuresOnceItHasFired() {
            do {
                let captured = capture()
                when { [x] in
                    (x.value == 1, captured).0
                } _: {
                    _ = captured
                }
            }
            #expect(tracker.alive == 1)
            x.value = 1
            #expect(tracker.alive == 0)
        }

        @Test func aCleanupIsFreedAfterItRan() {
            let reaction = autorun { [x, tracker] in
                _ = x.value
                let token = tracker.token()
                onCleanup { _ = token }
            }
            x.value = 1
            #expect((tracker.created, tracker.alive) == (2, 1))
            reaction.cancel()
            #expect(tracker.alive == 0)
        }

        @Test func anOwnedReactionIsFreedBeforeTheOwnersNextRun() {
            let owner = autorun { [x, tracker] in
                let token = tracker.token()
                _ = x.value
                autorun { _ = token }
            }
            x.value = 1
            #expect((tracker.created, tracker.alive) == (2, 1))
            owner.cancel()
            #expect(tracker.alive == 0)
        }

        @Test func anOldValueOfAReactionIsFreedAfterItsEffect() {
            let reaction = reaction { [x, tracker] in
                _ = x.value
                return tracker.token()
            } onChange: { [tracker] _, _ in
                #expect(tracker.alive == 2)
            }
            x.value = 1
            x.value = 2
            #expect(tracker.alive == 1)
            reaction.cancel()
            #expect(tracker.alive == 0)
        }

        @Test func aCancellableThatIsReleasedEndsItsReaction() {
            var log: [Int] = []
            do {
                var bag: Set<AnyCancellable> = []
                let captured = capture()
                autorun { [x] in
                    _ = captured
                    log.append(x.value)
                }.store(in: &bag)
                x.value = 1
            }
            x.value = 2
            #expect(log == [0, 1])
            #expect(tracker.alive == 0)
        }

        @Test func anObjectThatHoldsItsCancellablesIsFreed() {
            final class Screen {
                let token: LifetimeTracker.Token
                var bag: Set<AnyCancellable> = []
                var seen = 0
                init(_ x: Observable<Int>, _ token: LifetimeTracker.Token) {
                    self.token = token
                    autorun { [weak self] in self?.seen = x.value }.store(in: &bag)
                }
            }
            do {
                let screen = Screen(x, tracker.token())
                x.value = 3
                #expect(screen.seen == 3)
            }
            #expect(tracker.alive == 0)
            #expect(x.value == 3)
        }

        // MARK: - Scopes and streams

        @Test func aScopeEndsWhenItIsReleased() {
            do {
                let captured = capture()
                let scope = ObserverScope { [x, tracker] in
                    _ = (x.value, captured)
                    return tracker.token()
                } onRender: { _ in
                    _ = captured
                }
                x.value = 1
                #expect((scope.renderCount, tracker.alive) == (2, 2))
            }
            #expect(tracker.alive == 0)
        }

        @Test func cancellingAScopeFreesItsClosuresAndKeepsItsOutput() {
            func start() -> ObserverScope<Int> {
                let tokens = (capture(), capture())
                return ObserverScope { [x] in
                    (x.value, tokens.0).0
                } onRender: { _ in
                    _ = tokens.1
                }
            }
            let scope = start()
            x.value = 1
            #expect(tracker.alive == 2)
            scope.cancel()
            #expect(tracker.alive == 0)
            #expect(scope.output == 1)
        }

        @Test func valuesEndWithTheirSequenceAndIterators() async {
            do {
                let captured = capture()
                let sequence = values(of: { [x] in (x.value, captured).0 })
                var iterator = sequence.makeAsyncIterator()
                #expect(await iterator.next() == 0)
                x.value = 1
                #expect(await iterator.next() == 1)
                #expect(tracker.alive == 1)
            }
            #expect(tracker.alive == 0)
        }

        @Test func valuesFreeElementsThatWereNotFetched() async {
            do {
                let sequence = values(of: { [x, tracker] in
                    _ = x.value
                    return tracker.token()
                })
                for round in 1...10 { x.value = round }
                var iterator = sequence.makeAsyncIterator()
                #expect(await iterator.next()?.number == 11)
            }
            #expect(tracker.alive == 0)
        }

        @Test func theSuspendingWhenFreesItsPredicate() async throws {
            let join: () -> Void
            do {
                let captured = capture()
                let x = x
                join = inBackground { x.value = 1 }
                try await when { (x.value == 1, captured).0 }
            }
            join()
            #expect(tracker.alive == 0)
        }
    }
}
