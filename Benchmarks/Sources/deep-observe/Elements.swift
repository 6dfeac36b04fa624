// One element of a plain array inserted, removed, moved or replaced: without an observer, with `deepObserve`, and with
// the patch of the change.

import Reactive
import ReactiveCodable

/// The table `elements`.
enum Elements {
    private typealias Edit = (name: String, edit: @Sendable (ItemList, Int) -> Void)

    /// The edits. Each keeps the number of elements or alternates with its inverse.
    private static let edits: [Edit] = [
        (
            "one write to a field",
            { list, number in list.items[index(number, list.items.count)].title = "\(number)" }
        ),
        ("insertion", { list, number in list.items.insert(Item(number), at: index(number, list.items.count)) }),
        ("removal", { list, number in list.items.remove(at: index(number, list.items.count)) }),
        (
            "move",
            { list, number in
                var items = list.items
                items.insert(
                    items.remove(at: index(number, items.count)), at: index(number &* 31 &+ 5, items.count))
                list.items = items
            }
        ),
        ("replacement", { list, number in list.items[index(number, list.items.count)] = Item(number) }),
    ]

    static func print(_ sizes: [Int]) {
        var table = ScalingTable(sizes)
        for size in sizes {
            for (name, edit) in edits {
                let list = ItemList(size)
                table.measure("\(name), nobody observes", size, repetitions: repetitions(size)) { edit(list, $0) }
            }
            for (name, edit) in edits {
                let list = ItemList(size)
                var calls = 0
                let reaction = deepObserve(list) { calls += 1 }
                table.measure("\(name), `deepObserve`", size, repetitions: repetitions(size)) { edit(list, $0) }
                precondition(calls > 0)
                reaction.cancel()
            }
            for (name, edit) in edits {
                let list = ItemList(size)
                var operations = 0
                let reaction = deepObserve(list) { (changes: DeepChanges) in
                    operations += (try? changes.jsonPatch().operations.count) ?? 0
                }
                table.measure("\(name), with its patch", size, repetitions: repetitions(size)) { edit(list, $0) }
                precondition(operations > 0)
                reaction.cancel()
            }
        }
        table.print("elements")
    }

    /// A fixed number of repetitions, so that removals leave enough elements.
    private static func repetitions(_ size: Int) -> Int { max(1, min(50, 20_000 / size)) }
}
