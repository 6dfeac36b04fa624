// A program that records, prints the report, and prints the graph.

import Reactive

let recording = Diagnostics.record()
let price = Observable(3, named: "price")
let printing = autorun(named: "printing") { print("price:", price.value) }
price.value = 4
print(Diagnostics.graph())
printing.cancel()
recording.stop()
guard recording.report.eventCount >= 3 else { fatalError("the events are missing") }
print(recording.report)
