// A render is tracked: it runs again when an atom changes that it has read, with a hook or directly, anywhere in the
// body.

import Reactive
import ReactiveAtomsHooks
import Testing
import TestSupport

private let count = atom(1, named: "count")
private let name = atom("Ann", named: "name")
private let double = selector(named: "double") { accessor in try accessor.get(count) * 2 }

@Suite(.ownGraph, .timeLimit) struct TrackingTests {
    private let store = RecoilStore()

    @Test func anAtomReadInTheBodyOfARendererRendersIt() {
        var outputs: [String] = []
        let page = HookRenderer {
            "\(store.getUnsafe(count)) \(store.getUnsafe(double))"
        } onRender: {
            outputs.append($0)
        }
        store.set(count, 2)
        store.set(count, 2)
        store.set(name, "Bob")
        store.reset(count)
        #expect(outputs == ["1 2", "2 4", "1 2"])
        page.unmount()
        store.set(count, 5)
        #expect(outputs.count == 3)
    }

    @Test func anAtomReadInAScopeInsideRendersIt() {
        let page = HookRenderer {
            let outside = useState("outside")
            let inside = HookScope {
                let kept = useState { store.getUnsafe(count) }
                return "\(kept.wrappedValue) \(store.getUnsafe(count))"
            }
            let keyed = ["a", "b"].map { id in hookScope(id: id) { "\(id)\(store.getUnsafe(double))" } }
            return [outside.wrappedValue, inside] + keyed
        }
        #expect(page.output == ["outside", "1 1", "a2", "b2"])
        store.set(count, 3)
        // The scope has kept its state.
        #expect(page.output == ["outside", "1 3", "a6", "b6"])
        page.unmount()
    }

    @Test func anAtomReadInAComponentRendersIt() {
        let page = HookRenderer {
            recoilRoot(store) { [Badge(title: "a").body, DirectBadge(store: store).body] }
        }
        #expect(page.output == ["a: 1", "direct: 2"])
        store.set(count, 9)
        #expect(page.output == ["a: 9", "direct: 18"])
        page.unmount()
    }

    @Test func observablesComputedsAndAtomsRenderEqually() {
        let price = Observable(5)
        let taxed = Computed { price.value * 2 }
        var renders = 0
        let page = HookRenderer {
            renders += 1
            return price.value + taxed.value + store.getUnsafe(count)
        }
        #expect(page.output == 16)
        // Changes of all kinds in one transaction render once.
        inTransaction {
            price.value = 10
            store.set(count, 100)
        }
        #expect(page.output == 130)
        #expect(renders == 2)
        page.unmount()
    }

    @Test func aSelectorOverAnObservableRenders() {
        let price = Observable(5)
        let total = selector { accessor in try accessor.get(count) * price.value }
        let page = HookRenderer { recoilRoot(store) { useRecoilValue(total) } }
        price.value = 7
        #expect(page.output == 7)
        store.set(count, 2)
        #expect(page.output == 14)
        page.unmount()
    }

    @Test func aNodeThatARenderNoLongerReadsRendersNothing() {
        var renders = 0
        let isShown = atom(true)
        let page = HookRenderer {
            renders += 1
            return store.getUnsafe(isShown) ? hookScope { store.getUnsafe(name) } : "hidden"
        }
        store.set(isShown, false)
        store.set(name, "Bob")
        #expect(page.output == "hidden")
        #expect(renders == 2)
        page.unmount()
        // There are no observers any more.
        store.purge()
        #expect(store.instanceCount == 2)
    }

    @Test func aNodeThatIsReleasedOrOverriddenRenders() {
        let page = HookRenderer { store.getUnsafe(double) }
        store.override(count, value: 10)
        #expect(page.output == 20)
        store.removeOverride(of: count)
        store.set(count, 4)
        store.release(count)
        #expect(page.output == 2)
        page.unmount()
    }

    @Test func aSnapshotThatIsRestoredRenders() {
        let before = store.snapshot()
        let page = HookRenderer { store.getUnsafe(double) }
        store.set(count, 4)
        store.restore(before)
        #expect(page.output == 2)
        page.unmount()
    }

    @Test func aLoadableReadDirectlyRenders() async throws {
        let loads = Loads<Int>()
        let price = selector { _ in try await loads() }
        let tester = HookTester(isolation: nil) { store.loadable(price).data }
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(await tester.value { $0 != nil } == 5)
        #expect(tester.valueHistory == [nil, 5])
        tester.dispose()
    }

    @Test func anUntrackedReadAndACallbackRenderNothing() {
        var renders = 0
        let page = HookRenderer {
            renders += 1
            return untracked { store.getUnsafe(count) }
        }
        store.set(count, 2)
        #expect(page.output == 1)
        #expect(renders == 1)
        page.unmount()
    }

    @Test func aManualRendererKnowsOfChangedAtoms() {
        let page = HookRenderer(scheduler: .manual) { store.getUnsafe(count) }
        page.render()
        #expect(!page.needsRender)
        store.set(count, 2)
        #expect(page.needsRender)
        #expect(page.render() == 2)
        page.unmount()
    }

    @Test func aRendererAndItsStoreMayBeInAGraphOfTheirOwn() {
        let session = IndependentGraph(named: "session")
        let store = session.run { RecoilStore() }
        let page = session.run {
            HookRenderer {
                recoilRoot(store) { useRecoilState(count) }
            }
        }
        page.output.wrappedValue = 5
        #expect(page.output.wrappedValue == 5)
        // From a transaction of the session, one render.
        session.run { inTransaction { store.set(count, 6) } }
        #expect(page.output.wrappedValue == 6)
        page.unmount()
    }
}

private struct Badge: HookView {
    let title: String
    var hookBody: String { "\(title): \(useRecoilValue(count))" }
}

private struct DirectBadge: HookView {
    let store: RecoilStore
    var hookBody: String { "direct: \(store.getUnsafe(double))" }
}
