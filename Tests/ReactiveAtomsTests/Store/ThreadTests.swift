// One store, many threads.

import Foundation
import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct ThreadTests {
    private let rounds = isUnderThreadSanitizer ? 200 : 2000

    @Test func updatesByManyThreadsLoseNothing() throws {
        let store = RecoilStore()
        let count = atom(0)
        let rounds = rounds
        onThreads(4) { _ in
            for _ in 0..<rounds { store.update(count) { $0 += 1 } }
        }
        #expect(try store.value(count) == 4 * rounds)
    }

    @Test func noReaderSeesHalfOfATransaction() throws {
        let store = RecoilStore()
        let (a, b) = (atom(100), atom(0))
        let sum = selector { accessor in try accessor.get(a) + accessor.get(b) }
        let sums = Shared<Set<Int>>([])
        let reaction = autorun(isolation: nil) {
            let total = store.getOrNil(sum) ?? -1
            sums.withLock { $0.insert(total) }
        }
        let rounds = rounds
        onThreads(4) { thread in
            for round in 0..<rounds {
                if thread == 3 {
                    let total = store.getOrNil(sum) ?? -1
                    sums.withLock { $0.insert(total) }
                } else if round % 5 == 0 {
                    try? store.transaction {
                        store.update(a) { $0 -= 7 }
                        throw Refused.once
                    }
                } else {
                    store.transaction {
                        store.update(a) { $0 -= 1 }
                        store.update(b) { $0 += 1 }
                    }
                }
            }
        }
        #expect(sums.value == [100])
        reaction.cancel()
    }

    @Test func snapshotsNeverHoldHalfOfATransaction() throws {
        let store = RecoilStore()
        let (a, b) = (atom(100), atom(0))
        let sum = selector { accessor in try accessor.get(a) + accessor.get(b) }
        store.transaction {
            store.set(a, 100)
            store.set(b, 0)
        }
        let sums = Shared<Set<Int>>([])
        let rounds = rounds / 4
        onThreads(4) { thread in
            var kept = store.snapshot()
            for round in 0..<rounds {
                switch thread {
                case 0:
                    if round % 4 == 0 { store.restore(kept) }
                    kept = store.snapshot()
                    let total = (try? kept.value(sum)) ?? -1
                    sums.withLock { $0.insert(total) }
                case 1:
                    let total = store.transaction { (store.getOrNil(a) ?? 0) + (store.getOrNil(b) ?? 0) }
                    sums.withLock { $0.insert(total) }
                default:
                    store.transaction {
                        store.update(a) { $0 -= 1 }
                        store.update(b) { $0 += 1 }
                    }
                }
            }
        }
        #expect(sums.value == [100])
    }

    @Test func familiesAreUsedObservedAndReleasedByManyThreads() throws {
        let store = RecoilStore()
        let source = atom(1)
        let member = selectorFamily { (id: Int, accessor: StateGetter) in try accessor.get(source) * id }
        let note = atomFamily(retention: .whileObserved) { (id: Int) in id }
        let wrong = Shared(0)
        let rounds = rounds / 4
        onThreads(4) { thread in
            for round in 0..<rounds {
                let id = (round + thread) % 8
                let reaction = autorun(isolation: nil) {
                    _ = store.getOrNil(note(id))
                    let (value, factor) = (store.getOrNil(member(id)) ?? -1, store.getOrNil(source) ?? -1)
                    if value != factor * id { wrong.withLock { $0 += 1 } }
                }
                store.update(source) { $0 += 1 }
                if round % 7 == 0 { store.release(member(id)) }
                if round % 11 == 0 { store.purge() }
                if round % 13 == 0 { store.restore(store.snapshot()) }
                reaction.cancel()
            }
        }
        #expect(wrong.value == 0)
        store.purge()
        #expect(store.instanceCount == 1)
    }

    @Test func loadsAreSharedRestartedAndAwaitedByManyTasks() async throws {
        let store = RecoilStore()
        let input = atom(0)
        let node = selector { accessor in
            let number = try accessor.get(input)
            await Task.yield()
            return (number, try accessor.get(input))
        }
        let derived = selector { accessor in
            let (first, second) = try await accessor.get(node)
            return first == second
        }
        let rounds = rounds / 10
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var isGood = true
                    for round in 0..<rounds {
                        if task == 0 { store.set(input, round) }
                        if task == 1, round % 10 == 0 { store.refresh(node) }
                        if try await !store.get(derived) { isGood = false }
                    }
                    return isGood
                }
            }
            for try await isGood in group { #expect(isGood) }
        }
        #expect(try await store.get(node) == (rounds - 1, rounds - 1))
    }

    @Test func storesMayEndOnAnyThread() {
        let log = Shared(0)
        onThreads(4) { _ in
            for _ in 0..<100 {
                let store = RecoilStore()
                let node = atom(1, effects: [AtomEffect { _ in return { log.withLock { $0 += 1 } } }])
                let loading = selector { accessor async throws in try accessor.get(node) }
                _ = store.loadable(loading)
                _ = store.getOrNil(node)
            }
        }
        #expect(log.value == 400)
    }
}
