// Which store hooks find.

import ReactiveAtomsHooks
import Testing
import TestSupport

private let count = atom(1, named: "count")
private let name = atom("Ann", named: "name")

@Suite(.ownGraph, .timeLimit) struct StoreTests {
    @Test func theNearestStoreWins() {
        let (outer, inner) = (RecoilStore(), RecoilStore())
        inner.set(count, 2)
        let page = HookRenderer {
            recoilRoot(outer) {
                let before = useRecoilValue(count)
                let inside = RecoilRoot(store: inner) { useRecoilValue(count) }
                return [before, inside, useRecoilValue(count)]
            }
        }
        #expect(page.output == [1, 2, 1])
        inner.set(count, 3)
        outer.set(count, 4)
        #expect(page.output == [4, 3, 4])
        page.unmount()
    }

    @Test func aStoreMayBeInTheEnvironmentOfTheRenderer() {
        let store = RecoilStore()
        let page = HookRenderer {
            useRecoilStore() === store
        } environment: {
            $0.recoilStore = store
        }
        #expect(page.output)
        page.unmount()
    }

    @Test(.inDefaultGraph) func aRootUsesTheSharedStoreByDefault() {
        let page = HookRenderer { RecoilRoot { useRecoilStore() === RecoilStore.shared } }
        #expect(page.output)
        page.unmount()
    }

    @Test func aRootMayHaveAStoreOfItsOwnThatLivesAsLongAsIt() {
        var initialisations = 0
        weak var kept: RecoilStore?
        let page = HookRenderer {
            recoilRoot { accessor in
                initialisations += 1
                accessor.set(name, "Bob")
                // Its reads render nothing.
                accessor.set(count, accessor.getUnsafe(count) + 1)
            } _: {
                let store = useRecoilStore()
                kept = store
                return "\(useRecoilValue(name)) \(useRecoilValue(count))"
            }
        }
        #expect(page.output == "Bob 2")
        kept?.set(count, 5)
        page.render()
        #expect(page.output == "Bob 5")
        #expect(initialisations == 1)
        page.unmount()
        _ = page
        #expect(kept == nil)
    }

    @Test func aDifferentStoreIsReadFromTheNextRenderOn() {
        let stores = [RecoilStore(), RecoilStore()]
        stores[1].set(count, 2)
        let which = Observable(0)
        let page = HookRenderer { recoilRoot(stores[which.value]) { useRecoilValue(count) } }
        which.value = 1
        #expect(page.output == 2)
        stores[1].set(count, 3)
        #expect(page.output == 3)
        page.unmount()
    }

    @Test(.inDefaultGraph) func aMissingStoreIsReportedAndTheSharedOneIsUsed() {
        defer { RecoilStore.shared.reset(count) }
        RecoilStore.shared.set(count, 7)
        var seen = 0
        let found = issues {
            let page = HookRenderer { useRecoilValue(count) }
            seen = page.output
            page.unmount()
        }
        #expect(seen == 7)
        #expect(found.map(\.kind) == [.misuse])
        #expect(found.first?.message.contains("useRecoilValue finds no store") == true)
        #expect(found.first?.message.contains("recoilRoot(store)") == true)
    }

    @Test func aHookOutsideAScopeIsReported() {
        let found = issues { _ = useRecoilState(count) }
        #expect(found.map(\.kind) == [.misuse])
        #expect(found.first?.message.hasPrefix("useRecoilState is called outside a HookScope") == true)
    }
}
