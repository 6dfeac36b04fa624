// Atoms while their effects run, while an effect loads, and while they are updated.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct AtomInstanceTests {
    let store = RecoilStore()
    let log = Log()

    /// An atom whose first effect gets the atom itself.
    private func withAtom<T: Sendable>(
        default makeDefault: @escaping @Sendable () throws -> T, effects: [AtomEffect<T>] = [],
        _ effect: @escaping @Sendable (AtomEffectContext<T>, Atom<T>, RecoilStore) throws -> Void,
        _ body: (Atom<T>) throws -> Void
    ) throws {
        let own = Shared<Atom<T>?>(nil)
        let first = AtomEffect<T>(isolation: nil) { context in
            guard let node = own.value, let store = context.accessor?.store else { return }
            try? effect(context, node, store)
        }
        let node = atom(effects: [first] + effects, isolation: nil, makeDefault)
        own.value = node
        try body(node)
        own.value = nil
    }

    // MARK: - While the effects run

    @Test func anEffectCanReadTheErrorOfTheDefault() throws {
        try withAtom(default: { () throws -> Int in throw Refused.code(7) }) { [log] _, node, store in
            do { _ = try store.get(node) } catch { log("\(error)") }
        } _: { (node) throws in
            #expect(store.getOrNil(node) == nil)
            #expect(log.take() == ["code(7)"])
        }
    }

    @Test func anEffectReadsWhatItHasSet() throws {
        let setting = AtomEffect<Int> { [log] context in
            log("\(context.value ?? -1)")
            context.setSelf(5)
            log("\(context.value ?? -1)")
        }
        let node = atom(1, effects: [setting])
        #expect(try store.value(node) == 5)
        #expect(log.take() == ["1", "5"])
    }

    @Test func anEffectThatSetsTheDefaultWinsOverTheInitialState() throws {
        let node = atom(5, effects: [AtomEffect { $0.setSelf(5) }])
        let store = RecoilStore { $0.set(node, 7) }
        #expect(try store.value(node) == 5)
    }

    @Test func anEffectMayUpdateItsAtom() throws {
        try withAtom(default: { [1] }) { _, node, store in
            store.update(node) { $0.append(2) }
        } _: { (node) throws in
            // What the effects have done stays, as the node itself does.
            try? store.transaction { () throws in
                #expect(try store.value(node) == [1, 2])
                throw Refused.once
            }
            #expect(try store.value(node) == [1, 2])
        }
    }

    @Test func aRestoreInAnEffectKeepsWhatTheEffectHasSet() throws {
        let before = store.snapshot()
        try withAtom(default: { 1 }) { context, _, store in
            context.setSelf(5)
            store.restore(before)
        } _: { (node) throws in
            #expect(try store.value(node) == 5)
        }
    }

    @Test func aSnapshotTakenByAnEffectContainsTheAtom() throws {
        let snapshots = Shared<[RecoilSnapshot]>([])
        let setting = { (value: Int) in AtomEffect<Int> { $0.setSelf(value) } }
        let taking = AtomEffect<Int> { context in
            guard let snapshot = context.accessor?.store.snapshot() else { return }
            snapshots.withLock { $0.append(snapshot) }
        }
        let node = atom(1, effects: [setting(5), taking, setting(6)])
        #expect(try store.value(node) == 6)
        store.restore(try #require(snapshots.value.first))
        #expect(try store.value(node) == 5)
        snapshots.value = []
    }

    @Test func aDefaultMayRefreshItsAtom() throws {
        let own = Shared<Atom<Int>?>(nil)
        let node = atom { [log, store] () -> Int in
            log("default")
            if let node = own.value { store.refresh(node) }
            return 1
        }
        own.value = node
        #expect(try store.value(node) == 1)
        #expect(log.take() == ["default"])
        own.value = nil
    }

    // MARK: - While an effect loads

    @Test func settingTheSameValueEndsTheLoadOfAnEffectAndIsNoSetting() async throws {
        let loads = Loads<Int?>()
        let node = atom(
            1,
            effects: [
                AtomEffect { $0.setSelf { try await loads() } },
                AtomEffect { [log] context in context.onSet { new, _, _ in log("\(new)") } },
            ])
        #expect(try store.value(node) == 1)
        try await loads.waitForStart()
        store.set(node, 1)
        loads.finish(0, 7)
        await letOthersRun()
        #expect(try store.value(node) == 1)
        #expect(log.take().isEmpty)
    }

    @Test func aLoadOfAnEffectThatEndsAfterTheReleaseSetsNothing() async throws {
        let loads = Loads<Int?>()
        let contexts = Shared<[AtomEffectContext<Int>]>([])
        let loading = AtomEffect<Int> { context in
            contexts.withLock { $0.append(context) }
            context.setSelf { try await loads() }
        }
        let node = atom(1, effects: [loading])
        // Retains the node that it has read.
        let reader = Computed { store.getOrNil(node) }
        #expect(reader.value == 1)
        try await loads.waitForStart()
        store.release(node)
        loads.finish(0, 7)
        await letOthersRun()
        #expect(contexts.value.first?.value == 1)
        withExtendedLifetime(reader) {}
        contexts.value = []
    }

    // MARK: - Updates

    @Test func updatingAFailedListIsReported() {
        let failing = atom { () throws -> [Int] in throw Refused.once }
        #expect(issues { store.update(failing) { $0.append(1) } }.count == 1)
    }

    @Test func onlyTheFirstUpdateOfATransactionCopies() throws {
        let list = atom(Array(0..<1000))
        var addresses: [UnsafeRawPointer?] = []
        try store.transaction { () throws in
            for _ in 1...3 {
                store.update(list) { values in
                    values[0] += 1
                    addresses.append(values.withUnsafeBytes { $0.baseAddress })
                }
            }
        }
        #expect(Set(addresses).count == 1)
        #expect(try store.value(list).first == 3)
    }

    @Test func theInitialStateMayUpdateASelector() throws {
        let node = atom([1])
        let list = selector(
            get: { accessor in try accessor.get(node) }, set: { context, value in context.set(node, value) })
        let store = RecoilStore { initial in initial.update(list) { $0.append(2) } }
        #expect(try store.value(node) == [1, 2])
    }

    // MARK: - Errors

    @Test func theErrorOfAnAtomIsForgottenByDependentsWithoutADifferentValue() {
        let source = atom { () throws -> Int in throw Refused.once }
        let dependent = selector { accessor in accessor.getOrNil(source) ?? 0 }
        let loadable = store.loadable(dependent)
        let reaction = autorun { log("\(loadable.errors.count)") }
        store.set(source, 0)
        #expect(log.take() == ["1", "0"])
        reaction.cancel()
    }
}
