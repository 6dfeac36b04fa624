// Schedules: when due runs happen. The samples advance their clock by hand.

import Dispatch
import Reactive

extension Chapter {
    static let schedules = Chapter(
        "Schedules",
        [
            Sample(awaiting: "debounced: once nothing has changed for a while") {
                let clock = HandClock()
                let query = Observable("")
                let searched = Observable("")
                let observer = autorun(schedule: .debounced(for: .milliseconds(300), clock: clock)) {
                    print("search:", query.value)
                    searched.value = query.value
                }  // prints "search: "
                query.value = "s"
                query.value = "sw"
                query.value = "swift"
                await clock.advance(by: .milliseconds(300))
                try await when { searched.value == "swift" }  // prints "search: swift"
                observer.cancel()
            },
            Sample(awaiting: "throttled: at once, then at most once in each interval") {
                let clock = HandClock()
                let position = Observable(0)
                let shown = Observable(0)
                let observer = autorun(schedule: .throttled(every: .milliseconds(16), clock: clock)) {
                    print("position:", position.value)
                    shown.value = position.value
                }  // prints "position: 0"
                position.value = 1  // prints "position: 1"
                position.value = 2
                position.value = 3
                await clock.advance(by: .milliseconds(16))
                try await when { shown.value == 3 }  // prints "position: 3"
                observer.cancel()
            },
            Sample(awaiting: "custom: when a scheduler of your own says so") {
                let title = Observable("draft")
                let shown = Observable("")
                let queue = DispatchQueue(label: "screen")
                let observer = autorun(schedule: .custom { run in queue.async(execute: run) }) {
                    print(title.value)
                    shown.value = title.value
                }  // prints "draft"
                title.value = "final"
                try await when { shown.value == "final" }  // prints "final"
                observer.cancel()
            },
            Sample("By the system's clock, unless another is handed in") {
                func search(_ text: String) { print("search:", text) }
                let query = Observable("swift")
                let observer = autorun(schedule: .debounced(for: .milliseconds(300))) { search(query.value) }
                observer.cancel()  // prints "search: swift"
            },
            Sample("immediate: the default") {
                let count = Observable(0)
                let observer = autorun(schedule: .immediate) { print(count.value) }  // prints "0"
                count.value = 1  // prints "1"
                observer.cancel()
            },
        ])
}
