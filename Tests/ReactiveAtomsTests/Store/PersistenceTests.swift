// The file of a persisted atom after every kind of operation on the atom.

import Foundation
import Reactive
import ReactiveCodable
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct PersistenceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.url.appendingPathComponent("atom.json") }

    /// A schedule that never runs.
    private var never: Schedule { .custom { _ in } }

    private func saved() throws -> [Int] { try load([Int].self, from: url) }

    @Test func scheduledValuesAreSavedOnRelease() throws {
        let node = atom(1, effects: [.persist(to: url, schedule: never)])
        let store = RecoilStore()
        store.set(node, 2)
        store.release(node)
        #expect(try saved() == [2])
        #expect(try RecoilStore().value(node) == 2)
    }

    @Test func scheduledValuesAreSavedWhenTheStoreEnds() throws {
        let node = atom(1, effects: [.persist(to: url, schedule: never)])
        do {
            let store = RecoilStore()
            store.set(node, 2)
        }
        #expect(try RecoilStore().value(node) == 2)
    }

    @Test(arguments: [true, false]) func aPersistedAsyncAtomIsLoadedByTheNextStore(saves: Bool) async throws {
        let node = atom(effects: [.persist(to: url, schedule: saves ? .immediate : never)]) { () async throws in 7 }
        do {
            let store = RecoilStore()
            #expect(try await store.get(node) == 7)
            // The task that has loaded it may keep the store for a moment.
            store.release(node)
        }
        #expect(try saved() == [7])
        do {
            let store = RecoilStore()
            #expect(store.value(node) == 7)
            store.set(node, 8)
            store.release(node)
            #expect(try saved() == [8])
            store.set(node, 9)
        }
        #expect(RecoilStore().value(node) == 9)
    }

    @Test func aRefreshThatFailsKeepsTheFile() async throws {
        let loads = Loads<Int>()
        let node = atom(effects: [.persist(to: url)]) { try await loads() }
        do {
            let store = RecoilStore()
            _ = store.value(node)
            try await loads.waitForStart()
            loads.finish(0, 5)
            #expect(try await store.get(node) == 5)
            store.refresh(node)
            try await loads.waitForStart(2)
            loads.finish(1, .failure(Refused.once))
            await #expect(throws: Refused.once) { try await store.get(node) }
            try store.flush()
            #expect(try saved() == [5])
        }
        #expect(try saved() == [5])
    }

    @Test func aLoadAfterAResetKeepsTheFile() async throws {
        let loads = Loads<Int>()
        let node = atom(effects: [.persist(to: url)]) { try await loads() }
        let store = RecoilStore()
        store.set(node, 5)
        try store.flush()
        store.reset(node)
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart()
        store.release(node)
        try await loads.waitForCancellation()
        loads.finish(0, 6)
        #expect(try saved() == [5])
    }

    @Test func anAtomThatNeverHadAValueCreatesNoFile() throws {
        let errors = Shared<[String]>([])
        let node = atom(effects: [.persist(to: url) { error in errors.withLock { $0.append("\(error)") } }]) {
            () throws -> Int in throw Refused.once
        }
        let store = RecoilStore()
        #expect(throws: Refused.once) { try store.value(node) }
        store.reset(node)
        try store.flush()
        store.release(node)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(errors.value.isEmpty)
    }

    @Test func aValueSetAndReleasedInOneTransactionIsSaved() throws {
        let node = atom(1, effects: [.persist(to: url)])
        let store = RecoilStore()
        _ = try store.value(node)
        store.transaction {
            store.set(node, 2)
            store.release(node)
        }
        #expect(try saved() == [2])
    }

    @Test func aValueSetInTheTransactionThatEndsTheStoreIsSaved() throws {
        let node = atom(1, effects: [.persist(to: url)])
        var store: RecoilStore? = RecoilStore()
        _ = try store?.value(node)
        inTransaction {
            store?.set(node, 2)
            store = nil
        }
        #expect(try saved() == [2])
    }

    // MARK: - Overrides and snapshots

    @Test func anOverrideKeepsTheFile() throws {
        let node = atom(1, effects: [.persist(to: url)])
        do {
            let store = RecoilStore()
            store.set(node, 5)
        }
        do {
            let store = RecoilStore()
            store.override(node, value: 10)
            #expect(try store.value(node) == 10)
            store.set(node, 11)
            #expect(try store.value(node) == 11)
        }
        #expect(try saved() == [5])
    }

    @Test func anOverrideOfAnAsyncAtomKeepsTheFile() throws {
        let node = atom(effects: [.persist(to: url)]) { () async throws in 1 }
        RecoilStore().set(node, 5)
        do {
            let store = RecoilStore()
            store.override(node, value: 10)
            #expect(store.value(node) == 10)
            store.set(node, 11)
        }
        #expect(try saved() == [5])
    }

    @Test func anOlderSnapshotRestoresTheValueOfTheFile() throws {
        let node = atom(1, effects: [.persist(to: url)])
        do {
            let store = RecoilStore()
            store.set(node, 5)
        }
        let store = RecoilStore()
        let before = store.snapshot()
        #expect(try store.value(node) == 5)
        store.restore(before)
        #expect(try store.value(node) == 5)
        store.set(node, 6)
        store.restore(before)
        #expect(try store.value(node) == 5)
        store.reset(node)
        #expect(try store.value(node) == 1)
        store.restore(before)
        #expect(try store.value(node) == 5)
        store.release(node)
        #expect(try saved() == [5])
    }

    @Test func anOlderSnapshotRestoresTheValueOfTheFileOfAnAsyncAtom() async throws {
        let loads = Loads<Int>()
        let node = atom(effects: [.persist(to: url)]) { try await loads() }
        RecoilStore().set(node, 5)
        let store = RecoilStore()
        let before = store.snapshot()
        #expect(store.value(node) == 5)
        store.restore(before)
        #expect(store.value(node) == 5)
        store.set(node, 6)
        store.restore(before)
        #expect(store.value(node) == 5)
        store.release(node)
        await letOthersRun()
        #expect(loads.started == 0)
        #expect(try saved() == [5])
    }
}
