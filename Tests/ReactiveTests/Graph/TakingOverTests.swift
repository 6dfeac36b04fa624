// A reaction that waits behind the effect of one thread runs on the thread that changes what it reads.

#if DEBUG
import Foundation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct TakingOverTests {
        /// A thread whose effect blocks while a younger reaction, the waiting one, is due behind it.
        private final class Blocked: @unchecked Sendable {
            // Sendable because one thread at a time uses it: the others wait.
            let (trigger, read) = (Observable(0), Observable(0))
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let runs = Shared<[ObjectIdentifier]>([])
            var inEffect: () -> Void = {}
            private(set) var waiting: Reaction?
            private var blocking: Reaction?
            private var end: () -> Void = {}
            private(set) var thread: ObjectIdentifier?

            /// - Parameters:
            ///   - before: Creates reactions that are older than the waiting one.
            ///   - more: A read of the waiting reaction.
            init(before: () -> Void = {}, alsoReading more: @escaping () -> Void = {}) {
                blocking = reaction({ [trigger] in trigger.value }) { [unowned self] _ in
                    entered.signal()
                    mayEnd.wait()
                    inEffect()
                }
                before()
                waiting = autorun { [runs, trigger, read] in
                    _ = (trigger.value, read.value)
                    more()
                    runs.withLock { $0.append(currentThread) }
                }
                end = inBackground { [self] in
                    thread = currentThread
                    trigger.value = 1
                }
                entered.wait()
            }

            func resume() {
                mayEnd.signal()
                end()
            }

            /// Cancels the reactions, and returns whether the waiting one is freed.
            func endsWithoutTrace() -> Bool {
                weak let freed = waiting
                blocking?.cancel()
                waiting?.cancel()
                (blocking, waiting) = (nil, nil)
                return freed == nil
            }
        }

        @Test func aReactionThatWasTakenOverIsFreed() {
            let blocked = Blocked()
            blocked.read.value = 1
            #expect(blocked.runs.value.count == 2 && blocked.runs.value.last == currentThread)
            blocked.resume()
            #expect(blocked.runs.value.count == 2)
            #expect(blocked.endsWithoutTrace())
            #expect(GraphHandle.current.brokenInvariants == [])
        }

        @Test func aReactionThatWasTakenOverAndIsDueAgainRunsOnceMoreAndIsFreed() {
            let blocked = Blocked()
            blocked.read.value = 1
            blocked.inEffect = { [read = blocked.read] in read.value = 2 }
            blocked.resume()
            #expect(blocked.runs.value.count == 3 && blocked.runs.value.last == blocked.thread)
            #expect(blocked.endsWithoutTrace())
            #expect(GraphHandle.current.brokenInvariants == [])
        }

        /// The first write makes work due in the effect's record, and the transaction takes the reaction over.
        @Test func aRollBackInAnEffectLeavesAReactionToItsThread() {
            let (start, other) = (Observable(0), Observable(0))
            var reactions: [Reaction] = []
            let read = Shared<Observable<Int>?>(nil)
            let blocked = Blocked {
                reactions = [
                    reaction({ start.value }) { value in
                        other.value = value
                        try? inTransaction {
                            read.value?.value = 7
                            throw CancellationError()
                        }
                    },
                    autorun { _ = other.value },
                ]
            }
            read.value = blocked.read
            start.value = 1
            #expect(reactions[1].runCount == 2)
            #expect(blocked.runs.value.count == 1)
            blocked.resume()
            #expect(blocked.runs.value.count == 2 && blocked.runs.value.last == blocked.thread)
            reactions.forEach { $0.cancel() }
            #expect(blocked.endsWithoutTrace())
        }

        // MARK: - Parts

        private let flags = (0..<3).map { Observable($0) }

        private func view() -> ToyView {
            ToyView(ToyList([1, 2, 3])) { [flags] row, value in value + flags[Int(row)].value }
        }

        @Test func aReactionIsTakenOverForAChangeOfAPart() {
            let view = view()
            let blocked = Blocked(alsoReading: { _ = view.sum })
            flags[1].value = 5
            #expect(blocked.runs.value.count == 2 && blocked.runs.value.last == currentThread)
            blocked.resume()
            #expect(blocked.runs.value.count == 2 && blocked.endsWithoutTrace())
        }

        @Test func aReactionIsTakenOverForAChangeOfAPartThatIsUpToDateAgain() {
            let view = view()
            let blocked = Blocked(alsoReading: { _ = view.sum })
            inTransaction {
                flags[1].value = 5
                #expect(view.sum == 13)
            }
            #expect(blocked.runs.value.count == 2 && blocked.runs.value.last == currentThread)
            blocked.resume()
            #expect(blocked.runs.value.count == 2 && blocked.endsWithoutTrace())
        }

        // MARK: - Suspended reactions

        /// A thread whose effect blocks after it has suspended a reaction that ran in a loop.
        private final class Suspended: @unchecked Sendable {
            // Sendable because one thread at a time uses it: the others wait.
            let (trigger, read, counter) = (Observable(0), Observable(0), Observable(0))
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let (isLooping, runs) = (Shared(false), Shared<[ObjectIdentifier]>([]))
            private var reactions: [Reaction] = []
            private var end: () -> Void = {}

            init() {
                reactions = [
                    autorun { [self] in
                        _ = (trigger.value, read.value)
                        runs.withLock { $0.append(currentThread) }
                        if isLooping.value { counter.value += 1 }
                    },
                    reaction({ [trigger] in trigger.value }) { [self] _ in
                        entered.signal()
                        mayEnd.wait()
                    },
                ]
                end = inBackground { [self] in
                    isLooping.value = true
                    trigger.value = 1
                }
                entered.wait()
                isLooping.value = false
                runs.value = []
            }

            func resume() {
                mayEnd.signal()
                end()
            }

            func cancel() {
                reactions.forEach { $0.cancel() }
                reactions = []
            }
        }

        @Test func aSuspendedReactionIsTakenOverAndRunsAgainLater() {
            _ = issues {
                let suspended = Suspended()
                suspended.read.value = 1
                #expect(suspended.runs.value == [currentThread])
                #expect(GraphHandle.current.brokenInvariants == [])
                suspended.resume()
                suspended.read.value = 2
                #expect(suspended.runs.value == [currentThread, currentThread])
                suspended.cancel()
                #expect(GraphHandle.current.brokenInvariants == [])
            }
        }

        @Test func aSuspendedReactionIsHandedBackAndRunsAgainLater() {
            _ = issues {
                let suspended = Suspended()
                try? inTransaction {
                    suspended.read.value = 1
                    throw CancellationError()
                }
                #expect(suspended.runs.value == [])
                #expect(GraphHandle.current.brokenInvariants == [])
                suspended.resume()
                #expect(suspended.runs.value == [])
                #expect(GraphHandle.current.brokenInvariants == [])
                suspended.read.value = 2
                #expect(suspended.runs.value == [currentThread])
                suspended.cancel()
                #expect(GraphHandle.current.brokenInvariants == [])
            }
        }
    }
}
#endif
