import ReactiveCollections

final class Task {
    let title: String
    @Observed var isDone = false

    init(_ title: String) { self.title = title }
}

let tasks = ObservableArray<Task>()
let byTitle = ObservableDictionary<String, Int>()
let open = tasks.live.filter { !$0.isDone }.sorted(by: \.title)
let report = autorun { print(open.elements.map(\.title), byTitle["milk"] ?? 0) }
tasks.append(Task("milk"))
byTitle["milk"] = 2
tasks[0].isDone = true
report.cancel()
