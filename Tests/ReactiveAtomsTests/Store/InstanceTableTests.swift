// How a store finds the instance of a node.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

/// A parameter whose values all have the same hash.
private struct Colliding: Hashable, Sendable {
    let number: Int
    func hash(into hasher: inout Hasher) {}
}

/// A parameter whose `==` uses the store.
private struct Meddling: Hashable, Sendable {
    nonisolated(unsafe) static var meddle: (() -> Void)?

    let number: Int

    static func == (a: Self, b: Self) -> Bool {
        let meddle = Self.meddle
        Self.meddle = nil
        meddle?()
        return a.number == b.number
    }

    func hash(into hasher: inout Hasher) {}
}

/// Counts the live values of a test.
private final class Counted: Sendable {
    static let alive = Guarded(0)
    init() { Self.alive.withLock { $0 += 1 } }
    deinit { Self.alive.withLock { $0 -= 1 } }
}

@Suite(.ownGraph, .timeLimit) struct InstanceTableTests {
    let store = RecoilStore()

    @Test func manyMembersAreDistinct() {
        #if DEBUG
        let count = 50_000
        #else
        let count = 1_000_000
        #endif
        let member = atomFamily { (id: Int) in id }
        for id in 0..<count { store.set(member(id), -id) }
        #expect(store.instanceCount == count)
        #expect((0..<count).allSatisfy { store.getOrNil(member($0)) == -$0 })
        for id in stride(from: 0, to: count, by: 3) { store.release(member(id)) }
        #expect((0..<count).allSatisfy { store.getOrNil(member($0)) == ($0 % 3 == 0 ? $0 : -$0) })
    }

    @Test func membersWithEqualHashesAreDistinct() {
        let member = atomFamily { (parameter: Colliding) in parameter.number }
        for number in 0..<100 { store.set(member(Colliding(number: number)), -number) }
        for number in stride(from: 0, to: 100, by: 2) { store.release(member(Colliding(number: number))) }
        #expect(store.instanceCount == 50)
        for number in 0..<100 {
            #expect(store.getOrNil(member(Colliding(number: number))) == (number % 2 == 0 ? number : -number))
        }
    }

    @Test func onlyReleasedNodesAreRemoved() {
        for seed in seeds(20) { changeAtRandom(in: RecoilStore(), seed: seed) }
    }

    private func changeAtRandom(in store: RecoilStore, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let member = atomFamily { (parameter: Colliding) in parameter.number }
        let other = atomFamily { (number: Int) in number }
        var expected: [Int: Int] = [:]
        for step in 0..<2_000 {
            let number = Int.random(in: 0..<40, using: &random)
            let (first, second) = (member(Colliding(number: number)), other(number * 1_000_003))
            if Bool.random(using: &random) {
                store.set(first, step)
                store.set(second, step)
                expected[number] = step
            } else {
                store.release(first)
                store.release(second)
                expected[number] = nil
            }
            #expect(store.instanceCount == 2 * expected.count)
        }
        for (number, value) in expected {
            #expect(store.getOrNil(member(Colliding(number: number))) == value)
            #expect(store.getOrNil(other(number * 1_000_003)) == value)
        }
    }

    @Test func aComparisonMayUseTheStore() {
        let member = atomFamily { (parameter: Meddling) in parameter.number }
        let other = atomFamily { (number: Int) in number }
        for number in 0..<6 { store.set(member(Meddling(number: number)), -number) }
        for round in 0..<20 {
            Meddling.meddle = { [store] in
                for number in 0..<100 { _ = store.getOrNil(other(round * 100 + number)) }
                store.release(member(Meddling(number: 5)))
            }
            #expect(store.getOrNil(member(Meddling(number: round % 5))) == -(round % 5))
        }
        #expect(store.instanceCount == 5 + 2_000)
    }

    @Test func cleanUpsMayReleaseAndUseNodesWhileManyAreReleased() {
        let other = atomFamily { (number: Int) in number }
        let member = atomFamily(
            retention: .whileObserved,
            effects: { (number: Int) in
                [
                    AtomEffect(isolation: nil) { context in
                        let accessor = context.accessor
                        context.onCleanup(isolation: nil) {
                            accessor?.store.release(other(number + 1))
                            _ = accessor?.getOrNil(other(number))
                        }
                    }
                ]
            },
            isolation: nil
        ) { $0 }
        for number in 0..<50 {
            _ = store.getOrNil(member(number))
            _ = store.getOrNil(other(number))
        }
        store.purge()
        for number in 0..<50 { store.release(other(number)) }
        #expect(store.instanceCount == 0)
    }

    @Test func valuesAreFreedWithTheirInstances() {
        let before = Counted.alive.withLock { $0 }
        let member = atomFamily { (_: Int) in Counted() }
        let reader = selectorFamily { (id: Int, accessor: StateGetter) in [try accessor.get(member(id)), Counted()] }
        var store: RecoilStore? = RecoilStore()
        let reaction = autorun { [weak store] in
            for id in 0..<20 { _ = store?.getOrNil(reader(id)) }
        }
        #expect(Counted.alive.withLock { $0 } == before + 40)
        reaction.cancel()
        #expect(Counted.alive.withLock { $0 } == before + 20)
        store?.release(member(3))
        #expect(Counted.alive.withLock { $0 } == before + 19)
        for id in 0..<20 { _ = store?.getOrNil(reader(id)) }
        store = nil
        #expect(Counted.alive.withLock { $0 } == before)
    }

    @Test func aNodeWithoutStoredPropertiesIsFoundAndNamed() {
        struct Unit: SyncAtomNode {
            func getValue() -> Int { 1 }
        }
        store.set(Unit(), 5)
        #expect(store.getOrNil(Unit()) == 5)
        #expect(Unit().key == Unit().key && Unit().key.name == "Unit")
        #expect(store.instanceCount == 1)
    }
}
