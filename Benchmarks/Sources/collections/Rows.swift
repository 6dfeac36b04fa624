// The rows: each sets up the same program with a collection, with a plain array, and by hand.

import CLimit
import ReactiveCollections

/// The three programs of a row. Each makes one change and updates the result.
struct Programs {
    let collection: () -> Void
    /// With `@Observable var rows: [Element]` and `Computed`.
    let plain: (() -> Void)?
    /// An array, and a loop over it after each change.
    let byHand: (() -> Void)?
    /// Keeps the observers alive.
    let observers: [Reaction]
}

enum Rows {
    private typealias Row = (name: String, make: (Int) -> Programs)

    private static var all: [Row] {
        [
            ("dictionary, observer of the key", { dictionary($0, isOther: false) }),
            ("dictionary, observer of another key", { dictionary($0, isOther: true) }),
            (
                "filter",
                { size in
                    derived(size) {
                        let view = $0.live.filter { $0.number & 1 == 0 }
                        return { view.count }
                    } of: {
                        $0.reduce(0) { $0 + ($1.number & 1 == 0 ? 1 : 0) }
                    }
                }
            ),
            (
                "map",
                { size in
                    derived(size) {
                        let view = $0.live.map { $0.number &* 2 }
                        return { view[0] }
                    } of: {
                        $0.map { $0.number &* 2 }[0]
                    }
                }
            ),
            (
                "sum",
                { size in
                    derived(size) {
                        let sum = $0.live.sum { $0.number }
                        return { sum.value }
                    } of: {
                        $0.reduce(0) { $0 + $1.number }
                    }
                }
            ),
            (
                "count(where:)",
                { size in
                    derived(size) {
                        let count = $0.live.count { $0.number & 1 == 0 }
                        return { count.value }
                    } of: {
                        $0.reduce(0) { $0 + ($1.number & 1 == 0 ? 1 : 0) }
                    }
                }
            ),
            (
                "grouped",
                { size in
                    derived(size) {
                        let group = $0.live.grouped { $0.number & 63 }
                        return { group[0]?.count ?? 0 }
                    } of: {
                        Dictionary(grouping: $0) { $0.number & 63 }[0]?.count ?? 0
                    }
                }
            ),
            (
                "sorted",
                { size in
                    derived(size) {
                        let view = $0.live.sorted(by: \.number)
                        return { view[0].number }
                    } of: {
                        $0.sorted { $0.number < $1.number }[0].number
                    }
                }
            ),
            (
                "filter, sorted, prefix(10)",
                { size in
                    derived(size) {
                        let view = $0.live.filter { $0.number & 1 == 0 }.sorted(by: \.number).prefix(10)
                        return { view.elements.last?.number ?? 0 }
                    } of: {
                        $0.filter { $0.number & 1 == 0 }.sorted { $0.number < $1.number }.prefix(10).last?.number ?? 0
                    }
                }
            ),
            ("a flag that a closure read", flags),
            ("one group of 1,000, each observed", groups),
            ("each of 1,000 writes in a transaction", transaction),
            (
                "inserting in the middle, removing",
                { size in
                    let rows = ObservableArray(elements(size))
                    var plain = elements(size)
                    return Programs(
                        collection: {
                            rows.insert(Element(id: -1, number: 0), at: size / 2)
                            rows.remove(at: size / 3)
                        },
                        plain: nil,
                        byHand: {
                            plain.insert(Element(id: -1, number: 0), at: size / 2)
                            plain.remove(at: size / 3)
                        },
                        observers: [])
                }
            ),
        ]
    }

    static func print(_ sizes: [Int], where isWanted: (String) -> Bool) {
        let unit = Unit()
        for size in sizes {
            Swift.print("| one change of \(size) elements | ReactiveCollections | `[Row]` and `Computed` | by hand |")
            Swift.print("|---|--:|--:|--:|")
            for row in all where isWanted(row.name) {
                let programs = row.make(size)
                let divisor = row.name.hasPrefix("each of 1,000") ? ", 1,000 of them" : ""
                let cells = [programs.collection, programs.plain, programs.byHand].map {
                    $0.map { Cost(unit, $0).text } ?? "–"
                }
                Swift.print("| \(row.name)\(divisor) | " + cells.joined(separator: " | ") + " |")
                for observer in programs.observers { observer.cancel() }
            }
            Swift.print("")
            Building.print(size, isWanted)
        }
    }

    static func elements(_ size: Int) -> [Element] {
        var numbers = Numbers()
        return (0..<size).map { Element(id: $0, number: numbers.next(below: 1 << 40)) }
    }

    // MARK: - Derived from rows

    /// Returns a row in which a random element gets a different number, with an observed derivation.
    private static func derived(
        _ size: Int, _ derive: (ObservableArray<Element>) -> () -> Int, of compute: @escaping ([Element]) -> Int
    ) -> Programs {
        let rows = ObservableArray(elements(size))
        let value = derive(rows)
        let observer = autorun { measure_sink(Int64(value())) }
        var numbers = Numbers()

        let plain = Observable(elements(size))
        let result = Computed { compute(plain.value) }
        let plainObserver = autorun { measure_sink(Int64(result.value)) }
        var plainNumbers = Numbers()

        var array = elements(size)
        var arrayNumbers = Numbers()
        return Programs(
            collection: {
                rows[numbers.next(below: size)] = Element(id: 0, number: numbers.next(below: 1 << 40))
            },
            plain: {
                plain.value[plainNumbers.next(below: size)].number = plainNumbers.next(below: 1 << 40)
            },
            byHand: {
                array[arrayNumbers.next(below: size)].number = arrayNumbers.next(below: 1 << 40)
                measure_sink(Int64(compute(array)))
            },
            observers: [observer, plainObserver])
    }

    private static func flags(_ size: Int) -> Programs {
        let tasks = (0..<size).map { _ in Task() }
        let rows = ObservableArray(tasks)
        let count = rows.live.count { $0.isDone.value }
        let observer = autorun { measure_sink(Int64(count.value)) }
        var numbers = Numbers()

        let plainTasks = (0..<size).map { _ in Task() }
        let plain = Computed { plainTasks.reduce(0) { $0 + ($1.isDone.value ? 1 : 0) } }
        let plainObserver = autorun { measure_sink(Int64(plain.value)) }
        var plainNumbers = Numbers()
        return Programs(
            collection: {
                tasks[numbers.next(below: size)].isDone.value.toggle()
            },
            plain: {
                plainTasks[plainNumbers.next(below: size)].isDone.value.toggle()
            },
            byHand: nil,
            observers: [observer, plainObserver])
    }

    private static func groups(_ size: Int) -> Programs {
        let rows = ObservableArray(elements(size))
        let byRest = rows.live.grouped { $0.number % 1_000 }
        let observers = (0..<1_000).map { key in autorun { measure_sink(Int64(byRest[key]?.count ?? 0)) } }
        var numbers = Numbers()
        return Programs(
            collection: {
                rows[numbers.next(below: size)] = Element(id: 0, number: numbers.next(below: 1 << 40))
            },
            plain: nil,
            byHand: nil,
            observers: observers)
    }

    private static func transaction(_ size: Int) -> Programs {
        let rows = ObservableArray(elements(size))
        let view = rows.live.filter { $0.number & 1 == 0 }
        let observer = autorun { measure_sink(Int64(view.count)) }
        var numbers = Numbers()

        let plain = Observable(elements(size))
        let result = Computed { plain.value.reduce(0) { $0 + ($1.number & 1 == 0 ? 1 : 0) } }
        let plainObserver = autorun { measure_sink(Int64(result.value)) }
        var plainNumbers = Numbers()
        return Programs(
            collection: {
                inTransaction {
                    for _ in 0..<1_000 {
                        rows[numbers.next(below: size)] = Element(id: 0, number: numbers.next(below: 1 << 40))
                    }
                }
            },
            plain: {
                inTransaction {
                    for _ in 0..<1_000 {
                        plain.value[plainNumbers.next(below: size)].number = plainNumbers.next(below: 1 << 40)
                    }
                }
            },
            byHand: nil,
            observers: [observer, plainObserver])
    }

    // MARK: - Dictionaries

    private static func dictionary(_ size: Int, isOther: Bool) -> Programs {
        let contents = Dictionary(uniqueKeysWithValues: (0..<size).map { ($0, 0) })
        let rows = ObservableDictionary(contents)
        let observer = autorun { measure_sink(Int64(rows[1] ?? 0)) }
        var numbers = Numbers()
        var value = 0

        let plain = Observable(contents)
        let plainObserver = autorun { measure_sink(Int64(plain.value[1] ?? 0)) }
        var plainNumbers = Numbers()

        var byHand = contents
        var byHandNumbers = Numbers()
        return Programs(
            collection: {
                value += 1
                rows[isOther ? numbers.next(below: size - 2) + 2 : 1] = value
            },
            plain: {
                value += 1
                plain.value[isOther ? plainNumbers.next(below: size - 2) + 2 : 1] = value
            },
            byHand: {
                value += 1
                byHand[isOther ? byHandNumbers.next(below: size - 2) + 2 : 1] = value
                measure_sink(Int64(byHand[1] ?? 0))
            },
            observers: [observer, plainObserver])
    }
}
