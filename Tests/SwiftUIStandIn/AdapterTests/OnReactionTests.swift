// `onReaction`, tested with the stand-in.

import ReactiveHooks
import ReactiveSwiftUI
import SwiftUI
import Testing

@MainActor private final class Cart {
    @Observed var price = 5
    @Observed var count = 2
    @Observed var limit = 3
    var log: [String] = []

    var total: Int { price * count }

    func note(_ old: Int, _ new: Int) { log.append("\(old) -> \(new)") }
}

private struct CartWatcher: View {
    let cart: Cart
    var initial = false

    var body: some View {
        Text("cart")
            .onReaction(of: { cart.total }, initial: initial) { old, new in cart.note(old, new) }
    }
}

extension StandInTests {
    @MainActor @Suite struct OnReactionTests {
        @Test func theActionRunsInTheWriteWithoutAnUpdate() async {
            let cart = Cart()
            let screen = Screen { CartWatcher(cart: cart) }
            cart.count = 3
            #expect(cart.log == ["10 -> 15"])
            #expect(!screen.isDue)
            await screen.finishUpdates()
            #expect(screen.drawCount == 1)
        }

        @Test func equalValuesAndRollBacksCallNoAction() {
            let cart = Cart()
            let screen = Screen { CartWatcher(cart: cart) }
            inTransaction {
                cart.price = 10
                cart.count = 1
            }
            struct Refused: Error {}
            try? inTransaction {
                cart.count = 9
                throw Refused()
            }
            #expect(cart.log == [])
            inTransaction {
                cart.price = 1
                cart.count = 7
            }
            #expect(cart.log == ["10 -> 7"])
            screen.close()
        }

        @Test func theFirstValueIsReportedAfterTheUpdateOnRequest() async {
            let cart = Cart()
            let screen = Screen { CartWatcher(cart: cart, initial: true) }
            #expect(cart.log == [])
            await screen.finishUpdates()
            #expect(cart.log == ["10 -> 10"])
            cart.count = 1
            #expect(cart.log == ["10 -> 10", "10 -> 5"])
        }

        @Test func theReactionEndsWithTheView() async {
            let isShown = Reactive.Observable(true)
            let cart = Cart()
            let before = Diagnostics.liveReactions.count
            let screen = Screen { ObserverView { if isShown.value { CartWatcher(cart: cart) } } }
            #expect(Diagnostics.liveReactions.count == before + 2)
            isShown.value = false
            await screen.finishUpdates()
            cart.count = 9
            #expect(cart.log == [])
            #expect(Diagnostics.liveReactions.count == before + 1)
            screen.close()
            await screen.finishUpdates()
            #expect(Diagnostics.liveReactions.count == before)
        }

        @Test func theModelOfARemovedViewIsReleased() async {
            weak var gone: Cart?
            do {
                let cart = Cart()
                gone = cart
                let screen = Screen { CartWatcher(cart: cart) }
                screen.close()
                await screen.finishUpdates()
            }
            #expect(gone == nil)
        }

        @Test func aChangeOnAnotherThreadArrivesOnTheMainActor() async {
            let count = Reactive.Observable(0)
            var seen: [Int] = []
            let screen = Screen {
                Text("count").onReaction(of: { count.value }) { _, new in
                    MainActor.assertIsolated()
                    seen.append(new)
                }
            }
            await Task.detached { count.value = 1 }.value
            while seen.isEmpty { await screen.finishUpdates() }
            #expect(seen == [1])
        }

        @Test(arguments: [false, true]) func aChangeInAnUpdateIsReportedAfterIt(asksTwice: Bool) async {
            let (trigger, count, reported) = (
                Reactive.Observable(0), Reactive.Observable(0), Reactive.Observable(0)
            )
            let screen = Screen(asksTwice: asksTwice) {
                ObserverView { Text("reported \(reported.value)") }
                Text("count").onReaction(of: { count.value }) { _, new in reported.value = new }
                ObserverView {
                    let _ = { count.value = trigger.value }()
                    Text("writer")
                }
            }
            trigger.value = 7
            await screen.finishUpdates()
            #expect(screen.lines == ["reported 7", "count", "writer"])
            #expect(screen.faults.isEmpty)
        }

        @Test func changesInAnUpdateAndAfterItArriveInOrder() async {
            let (trigger, count) = (Reactive.Observable(0), Reactive.Observable(0))
            var log: [String] = []
            let screen = Screen {
                Text("count").onReaction(of: { count.value }) { old, new in log.append("\(old) -> \(new)") }
                ObserverView {
                    let _ = { count.value = trigger.value }()
                    Text("writer")
                }
            }
            await screen.finishUpdates()
            screen.transaction { trigger.value = 1 }
            #expect(log == [])
            count.value = 2
            #expect(log == [])
            await screen.finishUpdates()
            #expect(log == ["0 -> 1", "1 -> 2"])
        }

        @Test func theClosuresUseThePropertiesOfTheNewestView() async {
            let cart = Cart()
            var log: [String] = []
            let screen = Screen {
                ObserverView {
                    let limit = cart.limit
                    Text("limit \(limit)")
                        .onReaction(of: { cart.count >= limit }) { _, isFull in log.append("\(isFull) at \(limit)") }
                }
            }
            cart.count = 3
            #expect(log == ["true at 3"])
            cart.limit = 4
            await screen.finishUpdates()
            #expect(log == ["true at 3", "false at 4"])
            cart.count = 4
            #expect(log == ["true at 3", "false at 4", "true at 4"])
            #expect(screen.faults.isEmpty)
        }

        @Test func anActionMayWriteTheValueItFollows() async {
            let cart = Cart()
            let screen = Screen {
                Text("cart").onReaction(of: { cart.count }) { cart.count = min(cart.count, cart.limit) }
            }
            cart.count = 9
            #expect(cart.count == 3)
            await screen.finishUpdates()
            #expect(screen.faults.isEmpty)
        }

        @Test func aReactionInAHookScopeEndsWithItsViewAndNotWithARender() async {
            let (count, other) = (Reactive.Observable(0), Reactive.Observable(0))
            var seen: [Int] = []
            let screen = Screen {
                HookScope { Text("\(other.value)").onReaction(of: { count.value }) { _, new in seen.append(new) } }
            }
            other.value = 1
            await screen.finishUpdates()
            count.value = 5
            #expect(seen == [5])
            screen.close()
        }
    }
}
