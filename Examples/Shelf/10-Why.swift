// Why did this run? Names, causes, live reactions and the graph itself.
//
//     swift run --package-path Examples Why

import Reactive

let price = Observable(5, named: "price")
let count = Observable(2, named: "count")
let total = Computed(named: "total") { price.value * count.value }
let report = autorun(named: "report") { print(total.value) }  // prints "10"

count.value = 3  // prints "15"
print(report.lastCause?.description ?? "nothing")  // prints "count → total"

inTransaction {
    price.value = 6
    count.value = 4
}  // prints "24"
print(report.lastCause?.description ?? "nothing")  // prints "price → total; count → total"
print("runs:", report.runCount)  // prints "runs: 3"

// The live reactions. A reaction that should have ended would be in this list.
print(Diagnostics.liveReactions.map(\.name))
// prints:
// ["report"]

// The graph as a diagram.
print(Diagnostics.graph().mermaid, terminator: "")
// prints:
// flowchart LR
//   n0{{"report"}}
//   n1["total"]
//   n2(["price"])
//   n3(["count"])
//   n1 --> n0
//   n2 --> n1
//   n3 --> n1
report.cancel()
