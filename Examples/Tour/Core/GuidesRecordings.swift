// The samples of the page Debugging that record: what happened, why, how often, and what is still there.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveInspector

private struct Note: Codable {
    @Observable var text = ""
}

extension Chapter {
    static let recordings = Chapter(
        "Recordings",
        [
            Sample("What happened, and because of what") {
                let price = Observable(5, named: "price")
                let total = Computed(named: "total") { price.value * 2 }
                let report = autorun(named: "report") { _ = total.value }
                let recording = Diagnostics.record()
                price.value = 6
                recording.stop()
                for event in recording.events {
                    print(event.id, event.kind, event.node?.name ?? "", "because of", event.causes)
                }
                // prints:
                // 0 write price because of []
                // 1 evaluation total because of [0]
                // 2 run report because of [1]
                report.cancel()
            },
            Sample("A change that ends at a computed") {
                let level = Observable(3, named: "level")
                let isHigh = Computed(named: "isHigh") { level.value > 10 }
                let lamp = autorun(named: "lamp") { _ = isHigh.value }
                let recording = Diagnostics.record()
                level.value = 4
                recording.stop()
                for event in recording.events {
                    print("\(event.kind) \(event.node?.name ?? "")" + (event.hasChanged == false ? ": equal" : ""))
                }
                // prints:
                // write level
                // evaluation isHigh: equal
                lamp.cancel()
            },
            Sample("Work without a result") {
                let level = Observable(0, named: "level")
                let isHigh = Computed(named: "isHigh") { level.value > 90 }
                let lamp = autorun(named: "lamp") { _ = isHigh.value }
                let recording = Diagnostics.record()
                for value in 1...100 { level.value = value }
                recording.stop()
                for work in recording.report.futileEvaluations {
                    print("\(work.node.name): evaluated \(work.runCount) times, changed \(work.changeCount) times")
                }
                // prints:
                // isHigh: evaluated 100 times, changed 1 times
                lamp.cancel()
            },
            Sample("Reactions that run again and again") {
                let count = Observable(10, named: "count")
                let recording = Diagnostics.record()
                let counter = autorun(named: "counter") { if count.value < 10 { count.value += 1 } }
                count.value = 5
                recording.stop()
                for each in recording.report.repeatedRuns { print(each.node.name, each.count) }  // prints "counter 6"
                counter.cancel()
            },
            Sample("What was created and not freed") {
                let recording = Diagnostics.record()
                var rows = (1...3).map { Observable($0, named: "row") }
                rows.removeLast(2)
                recording.stop()
                for each in recording.report.notFreed { print(each.node.name, each.count) }  // prints "row 1"
                withExtendedLifetime(rows) {}
            },
            Sample("Events for a system of metrics") {
                let price = Observable(5, named: "price")
                let report = autorun(named: "report") { _ = price.value }
                let recording = Diagnostics.record { events in
                    for event in events where event.kind == .run {
                        print("ran:", event.node?.name ?? "")  // counter.increment(by: 1)
                    }
                }
                price.value = 6
                recording.stop()  // prints "ran: report"
                report.cancel()
            },
            Sample("The same as a file for Perfetto") {
                let price = Observable(5, named: "price")
                let report = autorun(named: "report") { _ = price.value }
                let recording = Diagnostics.record()
                price.value = 6
                recording.stop()
                let folder = FileManager.default.temporaryDirectory
                try recording.trace.write(to: folder.appending(path: "trace.json"))
                report.cancel()
            },
            Sample("A live page that steps through a history") {
                let note = Note()
                let history = History(note)
                note.text = "tea"
                let inspector = Diagnostics.inspector(history: history)
                print(inspector.page.hasPrefix("<!doctype html>"))  // prints "true"
                history.end()
            },
            Sample("Secrets are not shown") {
                let shown: Set = ["title", "count"]
                Diagnostics.describe = { value, name in
                    shown.contains(name) ? String(describing: value) : "hidden"
                }
                print(Diagnostics.describe("1234", "password"))  // prints "hidden"
            },
        ])
}
