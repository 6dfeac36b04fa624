// In-place mutation: no copy of the storage, one notification for each access.

import Reactive
import Testing

private struct Store {
    @Observable var todos: [String] = []
    @Observable var counts: [String: Int] = [:]
    @Observable var numbers: [Int] = []
    @Observable var total = 0
}

extension ReactiveTests {
    @Suite struct InPlaceMutationTests {
        @Test func appendingNotifiesOnce() {
            let store = Store()
            var log: [[String]] = []
            let r = autorun { log.append(store.todos) }
            defer { r.cancel() }
            store.todos.append("a")
            store.todos.append("b")
            #expect(log == [[], ["a"], ["a", "b"]])
        }

        @Test func aChainOfSubscriptsNotifiesOnce() {
            let store = Store()
            var log: [Int] = []
            let r = autorun { log.append(store.counts["a"] ?? -1) }
            defer { r.cancel() }
            store.counts["a", default: 0] += 1
            store.counts["a", default: 0] += 1
            #expect(log == [-1, 1, 2])
        }

        @Test func cheapValuesThatStayEqualDoNotNotify() {
            let store = Store()
            let r = autorun { _ = store.total }
            defer { r.cancel() }
            store.total += 0
            store.total *= 5
            #expect(r.runCount == 1)
            store.total += 1
            #expect(r.runCount == 2)
        }

        @Test func collectionsNotifyWithoutBeingCompared() {
            let store = Store()
            let r = autorun { _ = store.numbers }
            defer { r.cancel() }
            store.numbers.append(contentsOf: [])
            #expect(r.runCount == 2)
        }

        @Test func theStorageIsNotCopied() {
            let store = Store()
            store.numbers.reserveCapacity(10_000)
            let r = autorun { _ = store.numbers.count }
            defer { r.cancel() }
            let address = store.numbers.withUnsafeBufferPointer { $0.baseAddress }
            for number in 0..<5_000 { store.numbers.append(number) }
            #expect(store.numbers.withUnsafeBufferPointer { $0.baseAddress } == address)
            #expect(r.runCount == 5_001)
        }

        @Test func theStorageIsNotCopiedInATransactionThatCannotThrow() {
            let store = Store()
            store.numbers.reserveCapacity(10_000)
            let address = store.numbers.withUnsafeBufferPointer { $0.baseAddress }
            inTransaction {
                for number in 0..<100 { store.numbers.append(number) }
            }
            #expect(store.numbers.withUnsafeBufferPointer { $0.baseAddress } == address)
        }

        @Test func manyAppendsInATransactionThatMayThrowCopyOnce() {
            let store = Store()
            store.numbers = Array(0..<1000)
            try? inTransaction { () throws -> Void in
                store.numbers.append(-1)
                store.numbers.reserveCapacity(2000)
                let address = store.numbers.withUnsafeBufferPointer { $0.baseAddress }
                for number in 0..<500 { store.numbers.append(number) }
                #expect(store.numbers.withUnsafeBufferPointer { $0.baseAddress } == address)
            }
            #expect(store.numbers.count == 1501)
        }

        @Test func aMutationThatThrowsNotifiesAndLeavesTheStateUsable() {
            struct Failure: Error {}
            func fill(_ numbers: inout [Int]) throws {
                numbers.append(1)
                throw Failure()
            }
            let store = Store()
            let r = autorun { _ = store.numbers }
            defer { r.cancel() }
            #expect(throws: Failure.self) { try fill(&store.numbers) }
            #expect(store.numbers == [1])
            #expect(r.runCount == 2)
            store.numbers = [2]
            #expect(r.runCount == 3)
        }

        @Test func otherStateMayBeUsedDuringAMutation() {
            let store = Store()
            var log: [Int] = []
            let r = autorun { log.append(store.total * 100 + store.numbers.count) }
            defer { r.cancel() }
            func mutate(_ numbers: inout [Int]) {
                numbers.append(store.total)
                store.total = 7
            }
            mutate(&store.numbers)
            #expect(log == [0, 701])
        }

        @Test func mutatingInsideAnObserverDoesNotSubscribeIt() {
            let store = Store()
            let trigger = Observable(0)
            let r = autorun {
                _ = trigger.value
                store.numbers.append(1)
            }
            defer { r.cancel() }
            store.numbers = []
            #expect(r.runCount == 1)
            trigger.value = 1
            #expect(store.numbers == [1])
        }
    }
}
