// `autorun(onError:)`: a body may throw, and the reaction stays subscribed.

import Reactive
import Testing

private struct Negative: Error, Equatable { var number: Int }

extension ReactiveTests {
    @Suite struct ErrorTests {
        @Test func theErrorGoesToTheHandlerAndTheReactionStaysSubscribed() {
            let x = Observable(0)
            var log: [String] = []
            let r = autorun(onError: { log.append("\($0)") }) {
                if x.value < 0 { throw Negative(number: x.value) }
                log.append("\(x.value)")
            }
            for value in [-1, -2, 3] { x.value = value }
            #expect(log == ["0", "Negative(number: -1)", "Negative(number: -2)", "3"])
            r.cancel()
        }

        @Test func theFirstRunMayThrow() {
            let x = Observable(-1)
            var errors: [Negative?] = []
            let r = autorun(onError: { errors.append($0 as? Negative) }) {
                if x.value < 0 { throw Negative(number: x.value) }
            }
            #expect(errors == [Negative(number: -1)])
            x.value = 1
            x.value = -2
            #expect(errors == [Negative(number: -1), Negative(number: -2)])
            r.cancel()
        }

        @Test func itIsSubscribedToReadsBeforeTheError() {
            let x = Observable(-1), y = Observable(0)
            let r = autorun(onError: { _ in }) {
                if x.value < 0 { throw Negative(number: x.value) }
                _ = y.value
            }
            y.value = 1
            #expect(r.runCount == 1)
            x.value = 1
            y.value = 2
            #expect(r.runCount == 3)
            r.cancel()
        }

        @Test func theHandlerIsUntrackedAndBatched() {
            let x = Observable(0), y = Observable(0), z = Observable(0)
            var log: [String] = []
            let observer = autorun { log.append("\(y.value) \(z.value)") }
            let r = autorun(onError: { _ in
                y.value += 1
                z.value += 1
            }) {
                if x.value > 0 { throw Negative(number: 0) }
            }
            x.value = 1
            y.value = 7
            #expect(r.runCount == 2)
            #expect(log == ["0 0", "1 1", "7 1"])
            r.cancel()
            observer.cancel()
        }

        @Test func inATransactionTheHandlerWaitsForItsEnd() {
            var log: [String] = []
            let r = inTransaction {
                let r = autorun(onError: { _ in log.append("handler") }) { throw Negative(number: 0) }
                log.append("body ends")
                return r
            }
            #expect(log == ["body ends", "handler"])
            r.cancel()
        }

        @Test func theHandlerMayCancelTheReaction() {
            let x = Observable(0)
            var errors = 0
            var r: Reaction?
            r = autorun(onError: { _ in
                errors += 1
                r?.cancel()
            }) {
                if x.value > 0 { throw Negative(number: 0) }
            }
            x.value = 1
            x.value = 2
            #expect(errors == 1)
            #expect(r?.isCancelled == true)
        }

        @Test func errorsOfComputedsReachTheHandler() {
            let x = Observable(0)
            let root = ThrowingComputed {
                if x.value < 0 { throw Negative(number: x.value) }
                return x.value
            }
            var log: [String] = []
            let r = autorun(onError: { log.append("\($0)") }) { log.append("\(try root.value)") }
            x.value = -1
            x.value = 4
            #expect(log == ["0", "Negative(number: -1)", "4"])
            r.cancel()
        }

        @Test func reactionsOwnedByAFailedRunEndBeforeTheNext() {
            let x = Observable(0)
            var log: [String] = []
            let r = autorun(onError: { _ in log.append("error") }) {
                let value = x.value
                onCleanup { log.append("clean \(value)") }
                if value == 0 { throw Negative(number: 0) }
            }
            x.value = 1
            r.cancel()
            #expect(log == ["error", "clean 0", "clean 1"])
        }

        @Test func otherReactionsRunAlthoughOneThrows() {
            let x = Observable(0)
            var log: [Int] = []
            let failing = autorun(onError: { _ in }) { if x.value > 0 { throw Negative(number: 0) } }
            let other = autorun { log.append(x.value) }
            x.value = 1
            #expect(log == [0, 1])
            failing.cancel()
            other.cancel()
        }
    }
}
