// `AnyCancellable` and `store(in:)`: tying reactions to an owner.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct CancellableTests {
        @Test func aCancellableThatIsReleasedCancels() {
            let x = Observable(0)
            let r = autorun { _ = x.value }
            var owner: AnyCancellable? = AnyCancellable(r)
            #expect(owner != nil)
            #expect(!r.isCancelled)
            owner = nil
            #expect(r.isCancelled)
        }

        @Test func aCancellableOfNoIsolationIsCancelledAtOnce() {
            final class Connection: Cancellable {
                var isOpen = true
                func cancel() { isOpen = false }
            }
            let connection = Connection()
            AnyCancellable(connection, isolation: nil).cancel()
            #expect(!connection.isOpen)
        }

        @Test func aBagCancelsItsReactions() {
            let x = Observable(0)
            var log: [Int] = []
            var bag: Set<AnyCancellable> = []
            autorun { log.append(x.value) }.store(in: &bag)
            reaction {
                x.value
            } onChange: {
                log.append(-$0)
            }.store(in: &bag)
            x.value = 1
            bag.removeAll()
            x.value = 2
            #expect(log == [0, 1, -1])
        }

        @Test func anArrayServesAsABag() {
            let x = Observable(0)
            var bag: [AnyCancellable] = []
            let reactions = (0..<3).map { _ in autorun { _ = x.value } }
            reactions.forEach { $0.store(in: &bag) }
            #expect(bag.count == 3)
            bag.removeFirst()
            #expect(reactions.map(\.isCancelled) == [true, false, false])
            bag = []
            #expect(reactions.allSatisfy { $0.isCancelled })
        }

        @Test func aClosureRunsOnce() {
            let cancelled = Shared(0)
            var cancellable: AnyCancellable? = AnyCancellable { cancelled.withLock { $0 += 1 } }
            cancellable?.cancel()
            cancellable?.cancel()
            cancellable = nil
            #expect(cancelled.value == 1)
        }

        @Test func cancellingTheReactionItselfLeavesTheBagNothingToDo() {
            var cleanups = 0
            var bag: Set<AnyCancellable> = []
            let r = autorun { onCleanup { cleanups += 1 } }
            r.store(in: &bag)
            r.cancel()
            bag = []
            #expect(cleanups == 1)
        }

        @Test func cancellablesAreEqualIfTheyAreOneObject() {
            let first = AnyCancellable {}, second = AnyCancellable {}
            #expect(first == first)
            #expect(first != second)
            #expect(Set([first, second, first]).count == 2)
        }

        @Test func aBagMayBeEmptiedInARunOfItsReaction() {
            let x = Observable(0)
            var log: [Int] = []
            var bag: Set<AnyCancellable> = []
            autorun {
                log.append(x.value)
                if x.value == 1 { bag = [] }
            }.store(in: &bag)
            x.value = 1
            x.value = 2
            #expect(log == [0, 1])
        }
    }
}
