// `RecoilStore { … }`: the initial values of a store, and which values override them.

import Foundation
import Reactive
import ReactiveAtomsTesting
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct InitializingTests {
    private let log = Log()

    private func noting(_ name: String) -> AtomEffect<Int> {
        AtomEffect { [log] context in
            context.onSet { new, old, isReset in log("\(name) \(old ?? -1)→\(new) \(isReset)") }
        }
    }

    @Test func anEffectWinsOverTheInitialState() throws {
        let volume = atom(5, effects: [AtomEffect { $0.setSelf(42) }])
        let store = RecoilStore { $0.set(volume, 7) }
        #expect(try store.value(volume) == 42)
        store.reset(volume)
        #expect(try store.value(volume) == 5)
    }

    @Test func aPersistedValueIsNotOverwritten() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("volume.json")
        let volume = atom(5, effects: [.persist(to: url)])
        do {
            let store = RecoilStore { $0.set(volume, 7) }
            #expect(try store.value(volume) == 7, "nothing was persisted")
        }
        #expect(!FileManager.default.fileExists(atPath: url.path), "the initial state is not saved")
        RecoilStore().set(volume, 42)
        let store = RecoilStore { initial in
            initial.set(volume, 7)
            initial.update(volume) { $0 += 1 }
            initial.reset(volume)
        }
        #expect(try store.value(volume) == 42)
        store.set(volume, 8)
        try store.flush()
        #expect(try RecoilStore().value(volume) == 8)
    }

    @Test func listsAreNotUpdatedOverAPersistedOne() throws {
        let tags = atom(["a"], effects: [AtomEffect { $0.setSelf(["kept"]) }])
        let plain = atom(["a"])
        let store = RecoilStore { initial in
            initial.update(tags) { $0.append("b") }
            initial.update(plain) { $0.append("b") }
        }
        #expect(try store.value(tags) == ["kept"])
        #expect(try store.value(plain) == ["a", "b"])
    }

    @Test func theInitialStateCallsNoOnSet() throws {
        let node = atom(1, effects: [noting("first"), noting("second")])
        let store = RecoilStore { initial in
            initial.set(node, 2)
            initial.set(node, 3)
        }
        #expect(log.take().isEmpty)
        store.set(node, 4)
        #expect(log.take() == ["first 3→4 false", "second 3→4 false"])
        store.reset(node)
        #expect(log.take() == ["first 4→1 true", "second 4→1 true"])
    }

    @Test func selectorsForwardTheInitialState() throws {
        let (free, kept) = (atom(1, effects: [noting("free")]), atom(1, effects: [AtomEffect { $0.setSelf(9) }]))
        let both = selector(
            get: { accessor in try accessor.get(free) + accessor.get(kept) },
            set: { context, value in
                context.set(free, value)
                context.set(kept, value)
            })
        let store = RecoilStore { $0.set(both, 5) }
        #expect(try store.value(free) == 5 && store.value(kept) == 9)
        #expect(log.take().isEmpty)
    }

    @Test func anEffectMaySetOthersMeanwhile() throws {
        let other = atom(0, effects: [noting("other")])
        let node = atom(
            1,
            effects: [
                AtomEffect { $0.accessor?.set(other, 5) }
            ])
        let store = RecoilStore { initial in
            initial.set(node, 2)
            initial.set(other, 6)
        }
        #expect(try store.value(node) == 2 && store.value(other) == 6)
        store.set(other, 7)
        #expect(log.take().last == "other 6→7 false")
    }

    @Test func aLaterSetByAnEffectWins() throws {
        var context: AtomEffectContext<Int>?
        let node = atom(1, effects: [AtomEffect { context = $0 }, noting("other")])
        let store = RecoilStore { $0.set(node, 7) }
        #expect(try store.value(node) == 7)
        context?.setSelf(42)
        #expect(try store.value(node) == 42)
        #expect(log.take() == ["other 7→42 false"])
        context = nil
    }

    @Test func aPromiseWinsWhenItIsFulfilled() async throws {
        let loads = Loads<Int?>()
        let node = atom(1, effects: [AtomEffect { $0.setSelf { try await loads() } }, noting("other")])
        let store = RecoilStore { $0.set(node, 7) }
        #expect(try store.value(node) == 7)
        try await loads.waitForStart()
        loads.finish(0, 42)
        try await when { store.getOrNil(node) == 42 }
        #expect(log.take().isEmpty, "loading is no setting")
    }

    @Test func aPromiseOfNothingLeavesTheInitialState() async throws {
        let (loads, values) = (Loads<Int?>(), Loads<Int>())
        let node = atom(effects: [AtomEffect<Int> { $0.setSelf { try await loads() } }]) { try await values() }
        let store = RecoilStore { $0.set(node, 7) }
        #expect(store.value(node) == nil)
        try await loads.waitForStart()
        loads.finish(0, .success(nil))
        #expect(try await store.get(node) == 7)
        #expect(values.started == 0)
    }

    @Test func anAsyncAtomIsInitialisedUnlessAnEffectHasSetIt() throws {
        let free = atom(effects: [noting("free")]) { try await Loads<Int>()() }
        let kept = atom(effects: [AtomEffect<Int> { $0.setSelf(42) }]) { try await Loads<Int>()() }
        let store = RecoilStore { initial in
            initial.set(free, 7)
            initial.set(kept, 7)
        }
        #expect(store.value(free) == 7 && store.value(kept) == 42)
        #expect(log.take().isEmpty)
        store.set(free, 8)
        #expect(log.take() == ["free 7→8 false"])
    }

    @Test func aTestStoreIsInitialisedExplicitly() throws {
        @RecoilTestScope var recoil
        let node = atom(1, effects: [AtomEffect { $0.setSelf(42) }, noting("node")])
        _recoil.store.set(node, 7)
        #expect(recoil.useValue(node) == 7)
        #expect(log.take() == ["node 42→7 false"], "setting is setting there")
    }
}

@Suite(.ownGraph, .timeLimit) struct PromiseTests {
    @Test func aPromiseReplacesTheDefault() async throws {
        let loads = Loads<Int?>()
        let node = atom(1, effects: [AtomEffect { $0.setSelf { try await loads() } }])
        let store = RecoilStore()
        #expect(try store.value(node) == 1)
        try await loads.waitForStart()
        loads.finish(0, 5)
        try await when { store.getOrNil(node) == 5 }
        store.reset(node)
        #expect(try store.value(node) == 1)
    }

    @Test func aValueSetMeanwhileWins() async throws {
        let loads = Loads<Int?>()
        let node = atom(1, effects: [AtomEffect { $0.setSelf { try await loads() } }])
        let store = RecoilStore()
        _ = try store.value(node)
        try await loads.waitForStart()
        store.set(node, 1)
        loads.finish(0, 5)
        await letOthersRun()
        #expect(try store.value(node) == 1)
    }

    @Test func aPromiseThatFailsIsTheAtomsError() async throws {
        let loads = Loads<Int?>()
        let node = atom(1, effects: [AtomEffect { $0.setSelf { try await loads() } }])
        let store = RecoilStore()
        _ = try store.value(node)
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        try await when { store.getOrNil(node) == nil }
        #expect(throws: Refused.once) { try store.value(node) }
        store.reset(node)
        #expect(try store.value(node) == 1)
    }

    @Test func anAsyncAtomLoadsWithThePromise() async throws {
        let (loads, defaults) = (Loads<Int?>(), Loads<Int>())
        let node = atom(effects: [AtomEffect<Int> { $0.setSelf { try await loads() } }]) { try await defaults() }
        let store = RecoilStore()
        #expect(store.loadable(node).isLoading)
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(try await store.get(node) == 5)
        #expect(defaults.started == 0)
        store.reset(node)
        _ = store.value(node)
        try await defaults.waitForStart()
        defaults.finish(0, 6)
        #expect(try await store.get(node) == 6)
    }

    @Test func theTaskIsCancelledWithTheNode() async throws {
        let loads = Loads<Int?>()
        let node = atom(1, effects: [AtomEffect { $0.setSelf { try await loads() } }])
        let store = RecoilStore()
        _ = try store.value(node)
        try await loads.waitForStart()
        store.release(node)
        try await loads.waitForCancellation()
        loads.finish(0, nil)
    }

    @Test func aPromiseAfterTheFirstCallIsMisuse() throws {
        var context: AtomEffectContext<Int>?
        let node = atom(1, effects: [AtomEffect { context = $0 }])
        let store = RecoilStore()
        _ = try store.value(node)
        let reported = issues { context?.setSelf { 5 } }
        #expect(reported.count == 1)
        context = nil
    }

    @Test func effectsKnowTheTriggerOfTheFirstUse() throws {
        let log = Log()
        let nodes = atomFamily(effects: { (id: Int) in [AtomEffect { log("\(id) \($0.trigger)") }] }) { id in [id] }
        let store = RecoilStore { $0.set(nodes(0), []) }
        _ = try store.value(nodes(1))
        store.set(nodes(2), [])
        store.update(nodes(3)) { $0 = [] }
        store.reset(nodes(4))
        #expect(log.take() == ["0 set", "1 get", "2 set", "3 set", "4 set"])
    }
}
