// The samples for SwiftUI in the documentation.

import Observation
import ReactiveAtomsHooks
import ReactiveCollections
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

// MARK: - The page *SwiftUI*

@MainActor
final class TaskItem: Identifiable {
    @Observed var title: String
    @Observed var isDone = false

    init(_ title: String) { self.title = title }
}

@MainActor
final class TaskList {
    let items: ObservableArray<TaskItem>
    lazy var open = items.live.filter(isolation: MainActor.shared) { !$0.isDone }

    init(_ titles: [String]) { items = ObservableArray(titles.map { TaskItem($0) }) }
}

struct TaskRow: View {
    @ReactiveBindable var item: TaskItem

    var body: some View {
        TextField("Title", text: $item.title)
        Toggle("Done", isOn: $item.isDone)
    }
}

struct TasksView: View {
    let tasks: TaskList

    var body: some View {
        Text("\(tasks.open.count) open")
        List {
            ForEach(tasks.items.elements) { TaskRow(item: $0) }
        }
        Button("Add") {
            withAnimation { tasks.items.append(TaskItem("New")) }
        }
    }
}

struct TasksApp: App {
    @State private var tasks = TaskList(["Write", "Test"])

    init() { ObservationBridge.isEnabledOnMainThread = true }

    var body: some Scene {
        WindowGroup { TasksView(tasks: tasks) }
    }
}

struct DoneView: View {
    let tasks: TaskList
    @State private var message = ""

    var body: some View {
        Text(message)
            .onReaction(of: { tasks.open.count }) { old, new in
                message = new == 0 ? "All done" : "\(new) left"
            }
    }
}

struct TaskPreviews: PreviewProvider {
    static var previews: some View {
        ObserverView { TasksView(tasks: TaskList(["Write", "Test"])) }
        ObserverView { TasksView(tasks: TaskList([])) }
    }
}

struct CartPreviews: PreviewProvider {
    static var previews: some View {
        RecoilRoot { store in
            store.set(cartSize, 12)
        } content: {
            CartView()
        }
    }
}

private let cartPrice = selector { accessor in try accessor.get(cartSize) * 20 }

struct PriceView: View {
    @RecoilScope var recoil
    var body: some View { Text("\(recoil.useValue(cartPrice) ?? 0) euros") }
}

struct PricePreviews: PreviewProvider {
    static var previews: some View {
        let store = RecoilStore()
        let _ = store.override(cartPrice, value: 240)
        RecoilRoot(store: store) { PriceView() }
    }
}

struct OlderTaskRow: View {
    @ReactiveBindable var item: TaskItem

    var body: some View {
        ObserverView {
            TextField("Title", text: $item.title)
            Toggle("Done", isOn: $item.isDone)
        }
    }
}

extension TaskItem: Observation.Observable {}

struct NativeTaskRow: View {
    @Bindable var item: TaskItem

    var body: some View {
        TextField("Title", text: $item.title)
        Toggle("Done", isOn: $item.isDone)
    }
}

@MainActor @Observable
final class Playlist {
    @ObservationIgnored @Observed var title = "Road"
    @ObservationIgnored lazy var heading = Computed(of: self, isolation: MainActor.shared) {
        $0.title.uppercased()
    }
    var count = 0
}

@MainActor
final class Draft {
    @Observed var title = ""
    @Observed var isUrgent = false
}

struct DraftView: View {
    @ReactiveBindable var draft: Draft

    var body: some View {
        TextField("Title", text: $draft.title)
        Toggle("Urgent", isOn: $draft.isUrgent)
    }
}

struct TitleView: View {
    let draft: Draft

    var body: some View {
        TextField("Title", text: ReactiveBindable(draft).title)
    }
}

extension StandInTests {
    @MainActor @Suite struct DocumentationSamples {
        @Test func aListOfTasks() async {
            followInPlainViews()
            let tasks = TaskList(["Write", "Test"])
            let screen = Screen { TasksView(tasks: tasks) }
            #expect(screen.lines == ["2 open", "Title: Write", "Done: off", "Title: Test", "Done: off", "Add"])
            screen.type("on", into: "Done")
            await screen.finishUpdates()
            #expect(screen.lines == ["1 open", "Title: Write", "Done: off", "Title: Test", "Done: on", "Add"])
            screen.press("Add")
            #expect(screen.lines.prefix(1) == ["2 open"])
            #expect(screen.animatedBodyCounts["TasksView"] == 1)
        }

        @Test func aReactionOfAView() async {
            let tasks = TaskList(["Write"])
            let screen = Screen { DoneView(tasks: tasks) }
            tasks.items.append(TaskItem("Test"))
            await screen.finishUpdates()
            #expect(screen.lines == ["2 left"])
            for item in tasks.items.elements { item.isDone = true }
            await screen.finishUpdates()
            #expect(screen.lines == ["All done"])
        }

        @Test func previews() async {
            let screen = Screen {
                TaskPreviews.previews
                CartPreviews.previews
                PricePreviews.previews
            }
            #expect(
                screen.lines == [
                    "2 open", "Title: Write", "Done: off", "Title: Test", "Done: off", "Add", "0 open", "Add",
                    "12 items", "240 euros",
                ])
        }

        @Test func rowsOnOlderAndNewerSystems() async {
            let (older, native) = (TaskItem("Write"), TaskItem("Test"))
            let screen = Screen {
                OlderTaskRow(item: older)
                NativeTaskRow(item: native)
            }
            older.title = "Wrote"
            native.title = "Tested"
            await screen.finishUpdates()
            #expect(screen.lines == ["Title: Wrote", "Done: off", "Title: Tested", "Done: off"])
        }

        @Test func drafts() async {
            followInPlainViews()
            let draft = Draft()
            let screen = Screen {
                DraftView(draft: draft)
                TitleView(draft: draft)
            }
            screen.type("Plan", into: "Title")
            screen.type("on", into: "Urgent")
            await screen.finishUpdates()
            #expect(screen.lines == ["Title: Plan", "Urgent: on", "Title: Plan"])
        }

        @Test func reactingToATotal() async {
            struct Priced {
                @Observed var total = 1
            }
            struct CartList: View {
                let cart: Priced
                var body: some View { Text("list") }
            }
            let cart = Priced()
            var log: [String] = []
            let screen = Screen {
                CartList(cart: cart)
                    .onReaction(of: { cart.total }) { old, new in log.append("\(old) -> \(new)") }
            }
            cart.total = 2
            #expect(log == ["1 -> 2"])
            #expect(!screen.isDue)
        }

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
            await screen.finishUpdates()
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
            await screen.finishUpdates()
            #expect(screen.lines == ["1 items", "Add"])
        }

        @Test func aContext() async {
            let screen = Screen { ContentView() }
            screen.press("blue")
            await screen.finishUpdates()
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
            await screen.finishUpdates()
            #expect(screen.lines == ["3 items"])
            RecoilStore.shared.release(cartSize)
        }
    }
}
