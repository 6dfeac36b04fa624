// Closures of nodes that were created on an actor run there, or the program stops with a message.

import Foundation
import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

private let count = atom(1)

@MainActor private enum OnMain {
    static var factor = 10
    static let stored = atom(5)
    static var product: Selector<Int> { selector { accessor in try accessor.get(count) * factor } }
    static var anywhere: Selector<Int> { selector(isolation: nil) { accessor in try accessor.get(count) * 2 } }
    static var start: Atom<Int> { atom { factor } }
    static var both: MutableSelector<Int> {
        selector(get: { try $0.get(count) }, set: { context, value in context.set(count, value / factor) })
    }
    static var products: SelectorFamily<Int, Int> { selectorFamily { number, _ in number * factor } }
    static var later: AsyncSelector<Int> {
        selector { accessor in
            MainActor.assertIsolated()
            await Task.yield()
            return try accessor.get(product) + factor
        }
    }
}

@MainActor @Suite(.ownGraph, .timeLimit, .inDefaultGraph) struct NodeIsolationTests {
    let store = RecoilStore()

    @Test func aCurrentValueCanBeReadAnywhere() throws {
        let (store, node, start) = (store, OnMain.product, OnMain.start)
        #expect(try store.value(node) == 10 && store.value(start) == 10)
        onOtherThread {
            #expect(store.getOrNil(node) == 10 && store.getOrNil(start) == 10)
            store.set(start, 11)
        }
        #expect(try store.value(start) == 11)
    }

    @Test func aClosureMayBeAllowedToRunAnywhere() {
        let (store, node, stored) = (store, OnMain.anywhere, OnMain.stored)
        onOtherThread { #expect(store.getOrNil(node) == 2 && store.getOrNil(stored) == 5) }
    }

    @Test func anOriginOfNoIsolationKeepsNoIsolation() {
        nonisolated func make() -> ClosureOrigin { ClosureOrigin(of: DefaultClosure { 1 }, on: #isolation) }
        #expect(make().isolation == nil)
    }

    @Test func anAsyncSelectorRunsOnItsActor() async throws {
        let (store, node) = (store, OnMain.later)
        let value = try await Task.detached { try await store.get(node) }.value
        #expect(value == 20)
        let loads = Loads<Int>()
        let slow = selector { [product = OnMain.product] accessor in
            let value = try accessor.get(product)
            return try await loads() + value
        }
        let sum = Task { try await store.get(slow) }
        try await loads.waitForStart()
        // The run and its waiters are notified on their actor that an input has changed.
        onOtherThread { store.set(count, 2) }
        try await loads.waitForStart(2)
        loads.finish(1, 1)
        #expect(try await sum.value == 21)
        loads.finish(0, 0)
    }

    @Test func onSetRunsOnItsActorInOrder() async throws {
        var heard: [Int] = []
        let node = atom(
            0,
            effects: [
                AtomEffect { context in
                    context.onSet { new, _, _ in
                        MainActor.assertIsolated()
                        heard.append(new)
                    }
                }
            ])
        _ = try store.value(node)
        let store = store
        onOtherThread { for value in 1...5 { store.set(node, value) } }
        #expect(heard.isEmpty)
        store.set(node, 6)
        #expect(heard == [1, 2, 3, 4, 5, 6])
    }

    @Test func errorsOfPersistingAreReportedOnTheirActor() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("volume.json")
        try Data("{ not this".utf8).write(to: url)
        let failures = Observable(0)
        let node = atom(
            7,
            effects: [
                .persist(to: url) { _ in
                    MainActor.assertIsolated()
                    failures.value += 1
                }
            ])
        let store = store
        onOtherThread { #expect(store.getOrNil(node) == 7) }
        #expect(failures.value == 0)
        try await when { failures.value == 1 }
    }

    @Test func cleanUpsRunOnTheirActorInOrder() async throws {
        let log = Log()
        let ended = Observable(0)
        let node = atom(
            0,
            effects: [
                AtomEffect { context in
                    MainActor.assertIsolated()
                    context.onCleanup {
                        MainActor.assertIsolated()
                        log("b")
                        ended.value += 1
                    }
                    return {
                        MainActor.assertIsolated()
                        log("a")
                        ended.value += 1
                    }
                },
                AtomEffect(isolation: nil) { context in context.onCleanup(isolation: nil) { log("c") } },
            ])
        var store: RecoilStore? = RecoilStore()
        _ = try store?.value(node)
        let last = Shared(store)
        store = nil
        onOtherThread { last.value = nil }
        #expect(log.take() == ["c"])
        try await when { ended.value == 2 }
        #expect(log.take() == ["a", "b"])
    }
}

#if os(Linux) || os(macOS) || os(Windows)
/// The message of each closure that must return a value and would have to run outside its actor.
@Suite(.ownGraph, .timeLimit, .inDefaultGraph) struct NodeIsolationMisuseTests {
    private static func expect(
        _ result: ExitTest.Result?, _ part: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectMessage(
            result, part, "was created on the main actor and cannot be evaluated elsewhere", "`isolation: nil`",
            sourceLocation: sourceLocation)
    }

    @Test func aSelector() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let (store, node) = (RecoilStore(), OnMain.product)
            onOtherThread { _ = store.getOrNil(node) }
        }
        Self.expect(result, "selector product")
    }

    @Test func aSelectorThatIsNoLongerCurrent() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let (store, node) = (RecoilStore(), OnMain.product)
            _ = store.getOrNil(node)
            onOtherThread {
                store.set(count, 2)
                _ = store.getOrNil(node)
            }
        }
        Self.expect(result, "selector product")
    }

    @Test func aMemberOfAFamily() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let (store, nodes) = (RecoilStore(), OnMain.products)
            onOtherThread { _ = store.getOrNil(nodes(3)) }
        }
        Self.expect(result, "selector products(3)")
    }

    @Test func aSetter() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let (store, node) = (RecoilStore(), OnMain.both)
            onOtherThread { store.set(node, 5) }
        }
        Self.expect(result, "the setter of selector both")
    }

    @Test func aDefault() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let (store, node) = (RecoilStore(), OnMain.start)
            onOtherThread { _ = store.getOrNil(node) }
        }
        Self.expect(result, "the default of atom start")
    }

    @Test func anEffect() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let node = atom(1, named: "volume", effects: [AtomEffect { _ in }])
            let store = RecoilStore()
            onOtherThread { _ = store.getOrNil(node) }
        }
        Self.expect(result, "an effect of atom volume")
    }

    @Test func theEffectsOfAFamily() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let nodes = atomFamily(named: "volume", effects: { (_: Int) in [] }) { $0 }
            onOtherThread { _ = nodes(3) }
        }
        Self.expect(result, "the effects of atom volume(3)")
    }

    @Test func anOverride() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let store = RecoilStore()
            store.override(count) { _ in 5 }
            onOtherThread { _ = store.getOrNil(count) }
        }
        Self.expect(result, "the override of")
    }

    @Test func aFlush() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let node = atom(1, named: "volume", effects: [AtomEffect { context in context.onFlush {} }])
            let store = RecoilStore()
            _ = store.getOrNil(node)
            onOtherThread { try? store.flush() }
        }
        Self.expect(result, "the flush of atom volume")
    }
}
#endif
