// `values(of:)`: the current value first, then changes, always the latest.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct ValuesTests {
        @Test func theCurrentValueComesFirstThenChanges() async {
            let x = Observable(1)
            var log: [Int] = []
            for await value in values(of: { x.value * 10 }) {
                log.append(value)
                if value == 30 { break }
                x.value += 1
            }
            #expect(log == [10, 20, 30])
        }

        @Test func changesThatWereNotFetchedInTimeCoalesceToTheLatest() async {
            let x = Observable(1)
            var iterator = values(of: { x.value }).makeAsyncIterator()
            #expect(await iterator.next() == 1)
            for value in 2...5 { x.value = value }
            #expect(await iterator.next() == 5)
        }

        @Test func theFirstValueIsTheOneAtTheFirstFetch() async {
            let x = Observable(1)
            let sequence = values(of: { x.value })
            x.value = 2
            var iterator = sequence.makeAsyncIterator()
            #expect(await iterator.next() == 2)
        }

        @Test func equalValuesAreNotRepeated() async {
            let x = Observable(1)
            var iterator = values(of: { x.value / 10 }).makeAsyncIterator()
            #expect(await iterator.next() == 0)
            x.value = 2
            x.value = 25
            #expect(await iterator.next() == 2)
        }

        @Test func eachIteratorGetsTheCurrentValueFirst() async {
            let x = Observable(1)
            let sequence = values(of: { x.value })
            var first = sequence.makeAsyncIterator()
            #expect(await first.next() == 1)
            x.value = 2
            var second = sequence.makeAsyncIterator()
            #expect(await second.next() == 2)
            #expect(await first.next() == 2)
        }

        @Test func aTransactionYieldsOneValue() async {
            let x = Observable(1), y = Observable(1)
            var iterator = values(of: { [x.value, y.value] }).makeAsyncIterator()
            #expect(await iterator.next() == [1, 1])
            inTransaction {
                x.value = 2
                y.value = 2
            }
            #expect(await iterator.next() == [2, 2])
        }

        @Test func optionalValuesAreElements() async {
            let x = Observable<Int?>(nil)
            var iterator = values(of: { x.value }).makeAsyncIterator()
            #expect(await iterator.next() == .some(nil))
            x.value = 1
            #expect(await iterator.next() == .some(1))
        }

        @Test func iterationEndsWithItsTask() async {
            let x = Observable(1)
            let sequence = values(named: "ended", of: { x.value })
            let started = Shared(false)
            let task = Task {
                var seen: [Int] = []
                for await value in sequence {
                    seen.append(value)
                    started.value = true
                }
                return seen
            }
            await eventually { started.value }
            task.cancel()
            #expect(await task.value == [1])
        }

        @Test func theSubscriptionEndsWithTheSequenceAndItsIterators() async {
            let x = Observable(1)
            func firstOf() async -> Int? {
                var iterator = values(named: "brief", of: { x.value }).makeAsyncIterator()
                return await iterator.next()
            }
            #expect(await firstOf() == 1)
            #expect(!Diagnostics.liveReactions.contains { $0.name == "brief" })
        }
    }
}
