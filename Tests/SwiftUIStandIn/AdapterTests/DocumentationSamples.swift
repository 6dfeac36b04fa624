// The samples of the documentation that are for SwiftUI.

import ReactiveAtomsHooks
import ReactiveSwiftUI
import SwiftUI
import Testing

struct Counter: HookView {
    var hookBody: some View {
        let count = useState(0)
        Button("\(count.wrappedValue)") { count.wrappedValue += 1 }
    }
}

private struct Cart {
    @Observed var count = 0
}

typealias AccentContext = Context<Binding<String>>

struct ContentView: HookView {
    var hookBody: some View {
        let accent = useState("blue")
        AccentContext.Provider(value: accent) {
            AccentContext.Consumer { accent in
                Button(accent.wrappedValue) { accent.wrappedValue = "red" }
            }
        }
    }
}

private let cartSize = atom(2)

struct CartView: View {
    @RecoilScope var recoil
    var body: some View { Text("\(recoil.useValue(cartSize) ?? 0) items") }
}

extension StandInTests {
    @MainActor @Suite struct DocumentationSamples {
        @Test func aScope() async {
            let screen = Screen {
                HookScope {
                    let count = useState(0)
                    Button("\(count.wrappedValue)") { count.wrappedValue += 1 }
                }
                Counter()
            }
            #expect(screen.lines == ["0", "0"])
            screen.press("0")
            await screen.settle()
            #expect(screen.lines == ["0", "1"])
        }

        @Test func anObserver() async {
            let cart = Cart()
            let screen = Screen {
                ObserverView {
                    Text("\(cart.count) items")
                    Button("Add") { cart.count += 1 }
                }
            }
            screen.press("Add")
            await screen.settle()
            #expect(screen.lines == ["1 items", "Add"])
        }

        @Test func aContext() async {
            let screen = Screen { ContentView() }
            screen.press("blue")
            await screen.settle()
            #expect(screen.lines == ["red"])
        }

        @Test func aRoot() async {
            let screen = Screen {
                RecoilRoot {
                    CartView()
                }
            }
            #expect(screen.lines == ["2 items"])
            RecoilStore.shared.set(cartSize, 3)
            await screen.settle()
            #expect(screen.lines == ["3 items"])
            RecoilStore.shared.release(cartSize)
        }
    }
}
