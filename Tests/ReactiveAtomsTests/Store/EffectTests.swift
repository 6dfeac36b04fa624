// Effects of atoms.

import Foundation
import Reactive
import ReactiveCodable
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct EffectTests {
    @Test func effectsRunOncePerStoreOnFirstUseInOrder() throws {
        let log = Log()
        let node = atom(1, effects: [AtomEffect { _ in log("first") }, AtomEffect { _ in log("second") }])
        let store = RecoilStore()
        #expect(log.take().isEmpty)
        _ = try store.value(node)
        #expect(log.take() == ["first", "second"])
        _ = try store.value(node)
        store.set(node, 2)
        #expect(log.take().isEmpty)
        RecoilStore().set(node, 5)
        #expect(log.take() == ["first", "second"])
    }

    @Test func setSelfReplacesTheDefault() throws {
        let issues = try issues { () throws in
            let node = atom(1, effects: [AtomEffect { $0.setSelf(5) }, AtomEffect { $0.setSelf(($0.value ?? 0) + 1) }])
            let double = selector { accessor in try accessor.get(node) * 2 }
            let store = RecoilStore()
            #expect(try store.value(double) == 12)
            #expect(try store.value(node) == 6)
            store.reset(node)
            #expect(try store.value(node) == 1)
        }
        #expect(issues.isEmpty)
    }

    @Test func onSetGetsTheNewAndTheOldValueAndWhetherItIsAReset() throws {
        let log = Log()
        let node = atom(
            1,
            effects: [
                AtomEffect { context in
                    context.onSet { new, old, isReset in log("\(old ?? -1)→\(new) \(isReset)") }
                }
            ])
        let store = RecoilStore()
        _ = try store.value(node)
        #expect(log.take().isEmpty)
        store.set(node, 2)
        #expect(log.take() == ["1→2 false"])
        store.set(node, 2)
        #expect(log.take().isEmpty)
        store.transaction {
            store.set(node, 3)
            store.set(node, 4)
        }
        #expect(log.take() == ["2→4 false"])
        store.reset(node)
        #expect(log.take() == ["4→1 true"])
        try? store.transaction {
            store.set(node, 9)
            throw Refused.once
        }
        #expect(log.take().isEmpty)
        store.update(node) { $0 += 1 }
        #expect(log.take() == ["1→2 false"])
    }

    @Test func setSelfDoesNotCallItsOwnOnSetButThoseOfOthers() throws {
        let log = Log()
        var context: AtomEffectContext<Int>?
        let node = atom(
            1,
            effects: [
                AtomEffect {
                    context = $0
                    $0.onSet { new, _, _ in log("own \(new)") }
                },
                AtomEffect { $0.onSet { new, _, _ in log("other \(new)") } },
            ])
        let store = RecoilStore()
        _ = try store.value(node)
        context?.setSelf(5)
        #expect(try store.value(node) == 5)
        #expect(log.take() == ["other 5"])
        context?.resetSelf()
        #expect(try store.value(node) == 1)
        _ = log.take()
        store.release(node)
        context?.setSelf(9)
        #expect(store.instanceCount == 0)
        #expect(log.take().isEmpty)
        context = nil  // It refers to the node whose effect has stored it here.
    }

    @Test func effectsAreCleanedUpNewestFirstWhenTheStoreEnds() throws {
        let log = Log()
        let node = atom(
            1,
            effects: [
                AtomEffect { _ in
                    log("open a")
                    return { log("close a") }
                },
                AtomEffect { context in
                    log("open b")
                    context.onCleanup { log("close b") }
                },
            ])
        do {
            let store = RecoilStore()
            _ = try store.value(node)
            #expect(log.take() == ["open a", "open b"])
        }
        #expect(log.take() == ["close b", "close a"])
        let store = RecoilStore()
        _ = try store.value(node)
        _ = log.take()
        store.release(node)
        #expect(log.take() == ["close b", "close a"])
    }

    @Test func anEffectThatStartsInAnAutorunOutlivesItsRuns() throws {
        let log = Log()
        let node = atom(1, effects: [AtomEffect { $0.onSet { new, _, _ in log("\(new)") } }])
        let trigger = Observable(0)
        let store = RecoilStore()
        let reaction = autorun {
            _ = trigger.value
            _ = store.getOrNil(node)
        }
        trigger.value += 1
        store.set(node, 2)
        #expect(log.take() == ["2"])
        reaction.cancel()
        store.set(node, 3)
        #expect(log.take() == ["3"])
    }

    @Test func anEffectCanUseOtherNodes() throws {
        let (source, copy) = (atom(1), atom(0))
        let node = atom(
            0,
            effects: [
                AtomEffect { context in
                    context.setSelf((try? context.accessor?.get(source)) ?? 0)
                    context.onSet { new, _, _ in context.accessor?.set(copy, new) }
                }
            ])
        let store = RecoilStore()
        #expect(try store.value(node) == 1)
        store.set(node, 8)
        #expect(try store.value(copy) == 8)
    }

    @Test func effectsOfAsyncAtoms() async throws {
        let log = Log()
        let loads = Loads<Int>()
        let node = atom(
            effects: [
                AtomEffect<Int> { context in
                    context.onSet { new, old, isReset in log("\(old.map(String.init) ?? "-")→\(new) \(isReset)") }
                }
            ]
        ) { try await loads() }
        let store = RecoilStore()
        _ = store.loadable(node)
        try await loads.waitForStart()
        loads.finish(0, 5)
        _ = try await store.get(node)
        #expect(log.take().isEmpty, "loading is no setting")
        store.set(node, 6)
        #expect(log.take() == ["5→6 false"])
    }

    @Test func setSelfReplacesALoad() async throws {
        let loads = Loads<Int>()
        let node = atom(effects: [AtomEffect<Int> { $0.setSelf(5) }]) { try await loads() }
        let store = RecoilStore()
        #expect(store.value(node) == 5)
        await letOthersRun()
        #expect(loads.started == 0)
    }

    @Test func aCleanupRegisteredAfterTheEndRunsImmediately() throws {
        let log = Log()
        var context: AtomEffectContext<Int>?
        let node = atom(1, effects: [AtomEffect { context = $0 }])
        let store = RecoilStore()
        _ = try store.value(node)
        store.release(node)
        store.transaction {
            context?.onCleanup { log("cleanup") }
            #expect(log.take().isEmpty, "not with the graph locked")
        }
        #expect(log.take() == ["cleanup"])
        context?.onFlush { log("flush") }
        context?.whenReady { log("ready") }
        context?.onSet { _, _, _ in log("set") }
        store.set(node, 2)
        try store.flush()
        #expect(log.take().isEmpty)
        context = nil
    }

    @Test func anEffectThatReadsItsAtomStartsNoLoad() async throws {
        let loads = Loads<Int>()
        let node = atom(
            effects: [
                AtomEffect<Int> { context in
                    #expect(context.value == nil)
                    context.setSelf(5)
                    #expect(context.value == 5)
                }
            ]
        ) { try await loads() }
        let store = RecoilStore()
        #expect(store.value(node) == 5)
        await letOthersRun()
        #expect(loads.started == 0)
    }

    // MARK: - Persisting

    private func withFile(_ body: (URL) throws -> Void) throws {
        let name = "atoms-\(UInt64.random(in: 0 ... .max))"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url)
    }

    private struct Theme: Codable, Equatable {
        var name = "light"
        var size = 12
    }

    @Test func aPersistedAtomIsSavedAndLoaded() throws {
        try withFile { (url) throws in
            let node = atom(Theme(), effects: [.persist(to: url)])
            do {
                let store = RecoilStore()
                #expect(try store.value(node) == Theme())
                store.set(node, Theme(name: "dark", size: 14))
                store.update(node) { $0.size += 1 }
            }
            #expect(try RecoilStore().value(node) == Theme(name: "dark", size: 15))
            #expect(try load([Theme].self, from: url) == [Theme(name: "dark", size: 15)])
        }
    }

    @Test func flushingSavesImmediatelyAndThrowsErrors() throws {
        try withFile { (url) throws in
            // A schedule that never runs.
            let node = atom([1], effects: [.persist(to: url, schedule: .custom { _ in })])
            let nowhere = url.deletingLastPathComponent().appendingPathComponent("\(UUID())/file.json")
            let lost = atom([0], effects: [.persist(to: nowhere, schedule: .custom { _ in }) { _ in }])
            let store = RecoilStore()
            store.set(node, [1, 2])
            try store.flush()
            #expect(try load([[Int]].self, from: url) == [[1, 2]])

            store.set(lost, [3])
            store.set(node, [4])
            #expect { try store.flush() } throws: { "\($0)".contains("file.json") }
            #expect(try load([[Int]].self, from: url) == [[4]])
            store.release(node)
            store.set(lost, [0])
        }
    }

    @Test func restoredValuesAreSavedToo() throws {
        try withFile { (url) throws in
            let node = atom([1], effects: [.persist(to: url)])
            let store = RecoilStore()
            store.set(node, [1, 2])
            let before = store.snapshot()
            store.set(node, [3])
            store.restore(before)
            store.release(node)
            #expect(try RecoilStore().value(node) == [1, 2])
        }
    }

    @Test func aFileThatCannotBeReadIsReportedAndKept() throws {
        try withFile { (url) throws in
            try Data("{ not this".utf8).write(to: url)
            let errors = Shared<[String]>([])
            let node = atom(7, effects: [.persist(to: url) { error in errors.withLock { $0.append("\(error)") } }])
            let store = RecoilStore()
            #expect(try store.value(node) == 7)
            store.set(node, 8)
            store.release(node)
            #expect(errors.value.count == 1)
            #expect(try String(contentsOf: url, encoding: .utf8) == "{ not this")
        }
    }

    @Test func aPersistedFamilyHasAFileForEachMember() throws {
        try withFile { (folder) throws in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let note = atomFamily(
                effects: { (id: Int) in [.persist(to: folder.appendingPathComponent("\(id).json"))] }
            ) { id in "note \(id)" }
            do {
                let store = RecoilStore()
                store.set(note(1), "one")
                store.set(note(2), "two")
            }
            let store = RecoilStore()
            #expect(try store.value(note(1)) == "one")
            #expect(try store.value(note(2)) == "two")
            #expect(try store.value(note(3)) == "note 3")
        }
    }
}
