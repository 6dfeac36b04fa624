// Diagnostics: names, causes, issues, live reactions, and the graph.

import Foundation
import Reactive
import ReactiveInspector

extension Chapter {
    static let diagnostics = Chapter(
        "Diagnostics",
        [
            Sample("Why did it run?") {
                let price = Observable(5, named: "price")
                let count = Observable(2, named: "count")
                let total = Computed(named: "total") { price.value * count.value }
                let report = autorun(named: "report") { print(total.value) }  // prints "10"
                count.value = 3  // prints "15"
                print(report.lastCause?.description ?? "nothing")  // prints "count → total"
                report.cancel()
            },
            Sample("What goes wrong is reported") {
                Diagnostics.onIssue = { print("\($0.kind):", $0.message.prefix { $0 != "." }) }
                let x = Observable(0, named: "x")
                let y = Observable(0, named: "y")
                let a = autorun(named: "A") { x.value = y.value + 1 }
                let b = autorun(named: "B") { y.value = x.value + 1 }
                // prints:
                // loop: B runs in a loop: B → y → A → x → B
                a.cancel()
                b.cancel()
                Diagnostics.onIssue = nil
            },
            Sample("What is alive") {
                let count = Observable(0)
                let observer = autorun(named: "report") { print(count.value) }  // prints "0"
                for each in Diagnostics.liveReactions { print(each.name, each.runCount) }  // prints "report 1"
                observer.cancel()
                print(Diagnostics.liveReactions.count)  // prints "0"
            },
            Sample("What depends on what") {
                let price = Observable(5, named: "price")
                let total = Computed(named: "total") { price.value * 2 }
                let report = autorun(named: "report") { _ = total.value }
                print(Diagnostics.graph().mermaid, terminator: "")
                // prints:
                // flowchart LR
                //   n0{{"report"}}
                //   n1["total"]
                //   n2(["price"])
                //   n1 --> n0
                //   n2 --> n1
                let edges = Diagnostics.graph().dot.split(separator: "\n").filter { $0.contains("->") }
                print(edges.joined(separator: "\n"))
                // prints:
                //   n1 -> n0;
                //   n2 -> n1;
                report.cancel()
            },
            Sample("The same as a page") {
                let price = Observable(5, named: "price")
                let report = autorun(named: "report") { _ = price.value }
                let folder = FileManager.default.temporaryDirectory.path
                try Diagnostics.graph().html.write(toFile: "\(folder)/graph.html", atomically: true, encoding: .utf8)
                report.cancel()
            },
            Sample("Printing subscribes nobody") {
                let count = Observable(0, named: "count")
                let observer = autorun { print("\(count)") }  // prints "0"
                count.value = 1
                print(String(reflecting: count))  // prints "Observable(1, count)"
                observer.cancel()
            },
        ])
}
