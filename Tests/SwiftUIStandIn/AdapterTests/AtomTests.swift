// The adapters of atoms for SwiftUI, tested with the stand-in.

import ReactiveAtomsHooks
import SwiftUI
import Testing

private let count = atom(1, named: "count")
private let name = atom("Ann", named: "name")
private let double = ReactiveAtoms.selector(named: "double") { accessor in try accessor.get(count) * 2 }

private struct CountView: View {
    @RecoilScope var recoil

    var body: some View {
        let count = recoil.useBinding(count)
        Text("\(count.wrappedValue) \(recoil.useValue(double) ?? 0)")
        Button("+") { count.wrappedValue += 1 }
    }
}

private struct ChoosingView: View {
    @RecoilScope var recoil
    let isShown: Atom<Bool>

    var body: some View {
        if recoil.useValue(isShown) == true { Text(recoil.useValue(name) ?? "") }
    }
}

private struct HookedView: HookView {
    var hookBody: some View {
        let name = useRecoilState(name)
        Text("\(name.wrappedValue) \(useRecoilValue(count))")
        Button("rename") { name.wrappedValue = "Bob" }
    }
}

private final class Badge {
    @RecoilScope var recoil
    private(set) var shown: [Int] = []

    init(_ store: RecoilStore) {
        _recoil = RecoilScope(store: store)
        recoil.onRefresh = { [unowned self] in show() }
        show()
    }

    func show() { shown.append(recoil.useValue(count) ?? -1) }
}

extension StandInTests {
    @MainActor @Suite struct AtomTests {
        @Test func aScopeUpdatesItsView() async {
            let store = RecoilStore()
            let screen = Screen { RecoilRoot(store: store) { CountView() } }
            #expect(screen.lines == ["1 2", "+"])
            await screen.finishUpdates()
            screen.press("+")
            #expect(screen.lines == ["2 4", "+"])
            store.set(name, "Bob")
            #expect(!screen.isDue)
        }

        @Test func severalChangesBeforeTheUpdateKeepTheNodesOfTheView() async {
            let store = RecoilStore()
            let screen = Screen { RecoilRoot(store: store) { CountView() } }
            store.set(count, 2)
            store.set(count, 3)
            store.set(count, 4)
            // The selector is observed all the time.
            #expect(store.instanceCount == 2)
            await screen.finishUpdates()
            #expect(screen.lines == ["4 8", "+"])
            #expect(screen.drawCount == 2)
            store.set(count, 5)
            await screen.finishUpdates()
            #expect(screen.lines == ["5 10", "+"])
        }

        @Test func nodesThatABodyNoLongerUsesAreNotFollowed() async {
            let store = RecoilStore()
            let isShown = atom(true)
            let screen = Screen { RecoilRoot(store: store) { ChoosingView(isShown: isShown) } }
            store.set(isShown, false)
            await screen.finishUpdates()
            #expect(screen.lines.isEmpty)
            // The next change makes this visible.
            store.set(name, "Bob")
            await screen.finishUpdates()
            store.set(name, "Cid")
            #expect(!screen.isDue)
        }

        @Test func theNearestRootWins() async {
            let (outer, inner) = (RecoilStore(), RecoilStore())
            inner.set(count, 5)
            let screen = Screen {
                RecoilRoot(store: outer) {
                    CountView()
                    RecoilRoot(store: inner) { CountView() }
                }
            }
            #expect(screen.lines == ["1 2", "+", "5 10", "+"])
        }

        @Test func aRootMayHaveAStoreOfItsOwn() async {
            let unrelated = Reactive.Observable(0)
            var initialisations = 0
            let screen = Screen {
                HookScope {
                    let _ = unrelated.value
                    RecoilRoot { accessor in
                        initialisations += 1
                        accessor.set(count, 7)
                    } content: {
                        CountView()
                    }
                }
            }
            screen.press("+")
            unrelated.value = 1
            await screen.finishUpdates()
            #expect(screen.lines == ["8 16", "+"])
            #expect(initialisations == 1)
        }

        @Test func hooksFindTheStoreOfTheRoot() async {
            let store = RecoilStore()
            store.set(count, 3)
            let screen = Screen { RecoilRoot(store: store) { HookedView() } }
            #expect(screen.lines == ["Ann 3", "rename"])
            screen.press("rename")
            await screen.finishUpdates()
            #expect(screen.lines == ["Bob 3", "rename"])
        }

        @Test func aMissingRootIsReportedAndTheSharedStoreIsUsed() async {
            let before = Diagnostics.onIssue
            nonisolated(unsafe) var issues: [Diagnostics.Issue] = []
            Diagnostics.onIssue = { issues.append($0) }
            defer { Diagnostics.onIssue = before }
            let screen = Screen { CountView() }
            #expect(screen.lines == ["1 2", "+"])
            #expect(issues.map(\.kind) == [.misuse])
            #expect(issues.first?.message.contains("RecoilRoot") == true)
        }

        @Test func aScopeInAClassNeedsNoView() {
            let store = RecoilStore()
            let badge = Badge(store)
            store.set(count, 2)
            #expect(badge.shown == [1, 2])
        }

        @Test func bindingsToNodesAreThoseOfSwiftUI() {
            let store = RecoilStore()
            let recoil = ScopedRecoilContext(store: store)
            let binding: SwiftUI.Binding<Int> = recoil.useBinding(count)
            binding.wrappedValue = 5
            #expect(recoil.useValue(double) == 10)
        }
    }
}
