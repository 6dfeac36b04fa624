// Scopes that connect views with a store.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct ScopeTests {
    let store = RecoilStore()

    private final class Badge {
        @RecoilScope var recoil
        private(set) var shown: [Int] = []
        let count: Atom<Int>

        init(_ store: RecoilStore, _ count: Atom<Int>) {
            _recoil = RecoilScope(store: store)
            self.count = count
            recoil.onRefresh = { [unowned self] in show() }
        }

        func show() { shown.append(recoil.useValue(count) ?? -1) }
    }

    @Test func aScopeAsAPropertyRefreshesItsOwner() {
        let count = atom(1)
        let badge = Badge(store, count)
        badge.show()
        store.set(count, 2)
        #expect(badge.shown == [1, 2])
    }

    @Test func severalChangesAreOneRefresh() {
        let (a, b) = (atom(1), atom(1))
        var refreshes = 0
        let recoil = ScopedRecoilContext(store: store) { refreshes += 1 }
        #expect(recoil.useValue(a) == 1 && recoil.useValue(b) == 1)
        #expect(refreshes == 0)
        store.transaction {
            store.set(a, 2)
            store.set(b, 2)
        }
        #expect(refreshes == 1)
        store.set(a, 2)
        #expect(refreshes == 1)
    }

    @Test func anUnusedNodeIsNoLongerFollowed() {
        let (a, b) = (atom(1), atom(1))
        var uses = a
        var refreshes = 0
        let recoil = ScopedRecoilContext(store: store)
        recoil.onRefresh = {
            refreshes += 1
            _ = recoil.useValue(uses)
        }
        _ = recoil.useValue(a)
        uses = b
        store.set(a, 2)
        #expect(refreshes == 1)
        store.set(b, 2)
        #expect(refreshes == 2)
        store.set(a, 3)
        #expect(refreshes == 2)
        recoil.onRefresh = nil
    }

    @Test func aReleasedScopeFollowsNothing() {
        let a = atom(1)
        let selector = selector { accessor in try accessor.get(a) }
        var refreshes = 0
        do {
            let recoil = ScopedRecoilContext(store: store) { refreshes += 1 }
            _ = recoil.useValue(selector)
            #expect(store.instanceCount == 2)
        }
        #expect(store.instanceCount == 1)
        store.set(a, 2)
        #expect(refreshes == 0)
    }

    @MainActor @Test(.inDefaultGraph) func cancellablesOfAScopeEndOnItsActorWhereverTheScopeIsReleased() async {
        let log = Log()
        func make() -> Unchecked<ReleasedScope> {
            let recoil = ScopedRecoilContext(store: store)
            let keep = recoil.useCallback { context in
                AnyCancellable {
                    MainActor.assertIsolated()
                    log("end")
                }.store(in: context)
            }
            keep()
            return Unchecked(ReleasedScope(recoil))
        }
        let box = make()
        await Task.detached { box.value.scope = nil }.value
        await eventually { log.take() == ["end"] }
    }

    /// Keeps a scope until a test releases it.
    private final class ReleasedScope {
        var scope: ScopedRecoilContext?
        init(_ scope: ScopedRecoilContext) { self.scope = scope }
    }

    @Test func loadablesRefreshWhenTheyLoad() async throws {
        let loads = Loads<Int>()
        let node = selector { _ in try await loads() }
        let derived = selector { accessor in accessor.getOrNil(node) ?? 0 }
        let seen = Observable([String]())
        let recoil = ScopedRecoilContext(store: store, isolation: nil)
        recoil.onRefresh = { [unowned recoil] in
            let loadable = recoil.useLoadable(derived)
            seen.value.append("\(loadable.data ?? -1) \(loadable.isLoading)")
        }
        #expect(recoil.useLoadable(derived).isLoading)
        try await loads.waitForStart()
        loads.finish(0, 5)
        _ = try await store.get(node)
        try await when { seen.value == ["5 false"] }
        store.refresh(node)
        try await when { seen.value == ["5 false", "5 true"] }
        try await loads.waitForStart(2)
        loads.finish(1, 6)
    }

    @Test func bindingsReadAndWrite() throws {
        let a = atom(1)
        let failing = atom { () -> Int in throw Refused.once }
        var refreshes = 0
        let recoil = ScopedRecoilContext(store: store) { refreshes += 1 }
        let binding = recoil.useBinding(a)
        binding.wrappedValue += 1
        #expect(try store.value(a) == 2 && refreshes == 1)
        #expect(recoil.useUnsafeBinding(a).wrappedValue == 2)
        let safe = recoil.useBinding(failing, default: 7)
        #expect(safe.wrappedValue == 7)
        let throwing = recoil.useThrowingBinding(failing)
        #expect(throws: Refused.once) { try throwing.wrappedValue }
        #expect(throwing.value == nil)
        throwing.value = 8
        #expect(safe.wrappedValue == 8 && throwing.unsafeValue == 8)
        #expect(throws: Never.self) { try recoil.useThrowingValue(failing) }
        #expect(recoil.useUnsafeValue(failing) == 8)
    }

    @Test func updatersAndCallbacksDoNotFollow() async throws {
        let a = atom(2)
        var refreshes = 0
        let recoil = ScopedRecoilContext(store: store, isolation: nil) { refreshes += 1 }
        recoil.useUpdate(a)(3)
        let add = recoil.useCallback { (context: RecoilCallbackContext, number: Int) -> Int in
            let sum = (try? context.get(a)).map { $0 + number } ?? 0
            context.set(a, sum)
            return sum
        }
        #expect(add(10) == 13)
        let scale = recoil.useCallback { (context: RecoilCallbackContext, factor: Int, offset: Int) in
            context.set(a, context.accessor.getUnsafe(a) * factor + offset)
        }
        scale(2, 1)
        #expect(try store.value(a) == 27)
        let clear = recoil.useCallback { context in context.accessor.reset(a) }
        clear()
        #expect(try store.value(a) == 2)
        let load = recoil.useCallback { (context: RecoilCallbackContext) async throws -> Int in
            await Task.yield()
            context.set(a, 1000)
            return try context.get(a)
        }
        #expect(try await load() == 1000)
        recoil.useReset(a)()
        #expect(try store.value(a) == 2)
        #expect(refreshes == 0)
    }

    @Test func cancellablesOfACallbackLiveAsLongAsTheScope() {
        let tracker = LifetimeTracker()
        var recoil: ScopedRecoilContext? = ScopedRecoilContext(store: store)
        recoil?.useCallback { context in
            let token = tracker.token()
            AnyCancellable { withExtendedLifetime(token) {} }.store(in: context)
        }()
        #expect(tracker.alive == 1)
        recoil = nil
        #expect(tracker.alive == 0)
    }

    @Test func aCallbackFollowsNothingWhereverItIsCalled() {
        let a = atom(1)
        let recoil = ScopedRecoilContext(store: store)
        let plain = recoil.useCallback { context in context.getOrNil(a) }
        let one = recoil.useCallback { (context, _: Int) in context.getOrNil(a) }
        let two = recoil.useCallback { (context, _: Int, _: Int) in context.getOrNil(a) }
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = (plain(), one(1), two(1, 2))
        }
        store.set(a, 2)
        #expect(runs == 1)
        reaction.cancel()
    }

    @Test func callbacksMayKeepCancellablesFromAnyThread() {
        let tracker = LifetimeTracker()
        var recoil: ScopedRecoilContext? = ScopedRecoilContext(store: store)
        var context: RecoilCallbackContext?
        recoil?.useCallback { context = $0 }()
        let keep = Shared(context)
        onThreads(4) { _ in
            for _ in 0..<100 {
                let token = tracker.token()
                keep.value?.store(AnyCancellable { withExtendedLifetime(token) {} })
            }
        }
        #expect(tracker.alive == 400)
        recoil = nil
        #expect(tracker.alive == 0)
    }

    @Test func anOverrideRefreshes() {
        let a = atom(1)
        var refreshes = 0
        let recoil = ScopedRecoilContext(store: store) { refreshes += 1 }
        _ = recoil.useValue(a)
        store.override(a, value: 2)
        #expect(refreshes == 1)
        #expect(recoil.useValue(a) == 2)
    }
}

// MARK: - Objects of a user interface

private enum Books {
    static var category: Atom<String> { atom("all") }
    static var title: Selector<String> { selector { accessor in "Books: \(try accessor.get(category))" } }
}

@MainActor private final class BooksViewController {
    var label = ""
    var refreshes = 0
    let recoilStore: RecoilStore
    init(store: RecoilStore) { recoilStore = store }
}

extension BooksViewController: RecoilUIScope {
    func refresh() {
        refreshes += 1
        label = recoil.useValue(Books.title) ?? "?"
    }
}

@MainActor private final class PlainScope: RecoilUIScope {
    func refresh() {}
}

@Suite(.ownGraph, .timeLimit, .inDefaultGraph) struct UIScopeTests {
    @MainActor @Test func anObjectIsRefreshedWhenAUsedNodeChanges() {
        let store = RecoilStore()
        let controller = BooksViewController(store: store)
        controller.refresh()
        #expect(controller.label == "Books: all")
        store.set(Books.category, "new")
        #expect(controller.label == "Books: new")
        #expect(controller.refreshes == 2)
        #expect(controller.recoil === controller.recoil)
        #expect(PlainScope().recoilStore === RecoilStore.shared)
    }

    @MainActor @Test func aChangeOnAnotherThreadReachesTheMainActorByAHop() async throws {
        let store = RecoilStore()
        let controller = BooksViewController(store: store)
        controller.refresh()
        await Task.detached { store.set(Books.category, "new") }.value
        await eventually { controller.refreshes == 2 }
        #expect(controller.label == "Books: new")
    }

    @MainActor @Test func freedObjectsAreForgotten() {
        let store = RecoilStore()
        weak var scope: ScopedRecoilContext?
        autoreleasing {
            let controller = BooksViewController(store: store)
            controller.refresh()
            scope = controller.recoil
        }
        store.set(Books.category, "new")
        #expect(scope == nil)
    }

    @MainActor private func autoreleasing(_ body: @MainActor () -> Void) { body() }

    @MainActor @Test func aNewScopeOfAnObjectReplacesTheOldOne() {
        let store = RecoilStore()
        var first: BooksViewController? = BooksViewController(store: store)
        first?.refresh()
        weak var scope: ScopedRecoilContext?
        scope = first?.recoil
        first = nil
        #expect(scope != nil)
        let second = BooksViewController(store: store)
        second.refresh()
        #expect(scope == nil)
        #expect(second.label == "Books: all")
    }
}
