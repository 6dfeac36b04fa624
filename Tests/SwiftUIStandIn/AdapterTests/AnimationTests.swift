// Which updates are animated, according to the stand-in.

import ReactiveAtomsHooks
import ReactiveSwiftUI
import SwiftUI
import Testing

private let size = atom(1, named: "size")

private struct SizeView: View {
    @RecoilScope var recoil
    var body: some View { Text("size \(recoil.useValue(size) ?? 0)") }
}

extension StandInTests {
    @MainActor @Suite struct AnimationTests {
        /// The kinds of views whose bodies ran for an animated change.
        private func animated(_ screen: Screen) -> [String] {
            screen.animatedBodyCounts.keys.map { String($0.prefix { $0 != "<" }) }.sorted()
        }

        @Test func aWriteInWithAnimationAnimatesAnObserverView() async {
            let count = Reactive.Observable(0)
            let screen = Screen { ObserverView { Text("\(count.value)") } }
            withAnimation { count.value = 1 }
            #expect(screen.isDue)
            await screen.finishUpdates()
            #expect(screen.lines == ["1"])
            #expect(animated(screen).contains("ObserverView"))
        }

        @Test func aWriteOutsideOfWithAnimationAnimatesNothing() async {
            let count = Reactive.Observable(0)
            let screen = Screen { ObserverView { Text("\(count.value)") } }
            count.value = 1
            withAnimation {}
            await screen.finishUpdates()
            #expect(screen.lines == ["1"])
            #expect(screen.animatedBodyCounts.isEmpty)
        }

        @Test func aTransactionInsideWithAnimationIsAnimatedOnce() async {
            let (count, name) = (Reactive.Observable(0), Reactive.Observable("a"))
            let screen = Screen { ObserverView { Text("\(count.value)\(name.value)") } }
            withAnimation(.spring) {
                inTransaction {
                    count.value = 1
                    name.value = "b"
                    #expect(!screen.isDue)
                }
                #expect(screen.isDue)
            }
            await screen.finishUpdates()
            #expect(screen.lines == ["1b"])
            #expect(animated(screen).contains("ObserverView"))
            #expect(screen.drawCount == 2)
        }

        @Test func withAnimationInsideATransactionAnimatesNothing() async {
            // The change is reported when the transaction ends, after the animation's closure.
            let count = Reactive.Observable(0)
            let screen = Screen { ObserverView { Text("\(count.value)") } }
            inTransaction { withAnimation { count.value = 1 } }
            await screen.finishUpdates()
            #expect(screen.lines == ["1"])
            #expect(screen.animatedBodyCounts.isEmpty)
        }

        @Test func stateOfHooksIsAnimated() async {
            let screen = Screen {
                HookScope {
                    let count = useState(0)
                    Button("\(count.wrappedValue)") { withAnimation { count.wrappedValue += 1 } }
                }
            }
            await screen.finishUpdates()
            screen.press("0")
            #expect(screen.lines == ["1"])
            #expect(animated(screen).contains("Hosted"))
        }

        @Test func anAtomIsAnimated() async {
            let store = RecoilStore()
            let screen = Screen { RecoilRoot(store: store) { SizeView() } }
            await screen.finishUpdates()
            withAnimation { store.set(size, 2) }
            await screen.finishUpdates()
            #expect(screen.lines == ["size 2"])
            #expect(animated(screen).contains("SizeView"))
        }

        @Test func writesOfAnActionAreAnimatedWithTheChange() async {
            let (count, shown) = (Reactive.Observable(0), Reactive.Observable(0))
            let screen = Screen {
                ObserverView { Text("\(shown.value)") }
                    .onReaction(of: { count.value }) { _, new in shown.value = new }
            }
            withAnimation { count.value = 3 }
            await screen.finishUpdates()
            #expect(screen.lines == ["3"])
            #expect(animated(screen).contains("ObserverView"))
        }

        @Test func aChangeOfAnotherThreadArrivesLaterAndIsNotAnimated() async {
            let count = Reactive.Observable(0)
            let screen = Screen { ObserverView { Text("\(count.value)") } }
            await Task.detached { withAnimation { count.value = 1 } }.value
            while screen.lines != ["1"] { await screen.finishUpdates() }
            #expect(screen.animatedBodyCounts.isEmpty)
        }
    }
}
