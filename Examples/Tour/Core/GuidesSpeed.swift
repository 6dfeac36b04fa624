// The samples of the guide Making it fast: measuring, and fewer runs.
//
// The formatter would spread short closures over several lines; in a tour they read better as the ones that they are.
// swift-format-ignore-file

import Reactive
import ReactiveCollections

extension Chapter {
    static let makingItFast = Chapter(
        "Making it fast",
        [
            Sample("How often did everything run?") {
                let mouse = Observable(0, named: "mouse")
                let row = Computed(named: "row") { mouse.value / 20 }
                let highlight = autorun(named: "highlight") { _ = row.value }
                for y in 1...100 { mouse.value = y }
                for node in Diagnostics.graph().nodes where node.kind != .observable {
                    print(node.kind, node.name, "ran", node.runCount ?? 0)
                }
                // prints:
                // reaction highlight ran 6
                // computed row ran 101
                highlight.cancel()
            },
            Sample("Properties that change by themselves") {
                struct Options { var volume = 5, isMuted = false }
                struct Settings {
                    @Observable var volume = 5
                    @Observable var isMuted = false
                }
                let whole = Observable(Options())
                let parts = Settings()
                let often = autorun { _ = whole.value.volume }
                let seldom = autorun { _ = parts.volume }
                whole.value.isMuted = true
                parts.isMuted = true
                print(often.runCount, seldom.runCount)  // prints "2 1"
                often.cancel()
                seldom.cancel()
            },
            Sample("A row depends on its own key") {
                let selected = Observable(3)
                let selection: ObservableSet = [3]
                let slow = (0..<100).map { row in autorun { _ = selected.value == row } }
                let fast = (0..<100).map { row in autorun { _ = selection.contains(row) } }
                selected.value = 4
                selection.remove(3)
                selection.insert(4)
                print(slow.map(\.runCount).reduce(0, +), fast.map(\.runCount).reduce(0, +))  // prints "200 102"
                for reaction in slow + fast { reaction.cancel() }
            },
            Sample("A value that is needed, but does not decide when to run") {
                let order = Observable("2 pears")
                let userName = Observable("Ann")
                let log = autorun { print(untracked { userName.value }, "orders", order.value) }
                // prints:
                // Ann orders 2 pears
                userName.value = "Bob"
                order.value = "3 pears"  // prints "Bob orders 3 pears"
                log.cancel()
            },
            Sample("One computed for all readers") {
                var sorts = 0
                let words = Observable(["pear", "apple"])
                let sorted = Computed {
                    sorts += 1
                    return words.value.sorted()
                }
                let first = autorun { _ = sorted.value.first }
                let last = autorun { _ = sorted.value.last }
                words.value.append("fig")
                print(sorts)  // prints "2"
                first.cancel()
                last.cancel()
            },
            Sample("A loop of writes is one transaction") {
                let total = Observable(0)
                let report = autorun { _ = total.value }
                for number in 1...1_000 { total.value += number }
                print(report.runCount)  // prints "1001"
                inTransaction {
                    for number in 1...1_000 { total.value += number }
                }
                print(report.runCount)  // prints "1002"
                report.cancel()
            },
            Sample("A view of a collection asks for the changed element only") {
                struct Todo { @Observable var isDone = false }
                let todos = ObservableArray((1...1_000).map { _ in Todo() })
                var asked = 0
                let count = Computed {
                    todos.count { asked += 1; return !$0.isDone }
                }
                let open = todos.live.filter { asked += 1; return !$0.isDone }
                let slow = autorun { _ = count.value }
                let fast = autorun { _ = open.count }
                asked = 0
                todos[500].isDone = true
                print(asked)  // prints "1001"
                slow.cancel()
                fast.cancel()
            },
            Sample("A cheap rule for large values") {
                struct Document {
                    var version = 1
                    var text = ""
                }
                @Observable(equals: { $0.version == $1.version }) var document = Document()
                let editor = autorun { print("version", document.version) }  // prints "version 1"
                document = Document(version: 1, text: "the same version, loaded again")
                document = Document(version: 2, text: "a new version")  // prints "version 2"
                editor.cancel()
            },
        ])
}
