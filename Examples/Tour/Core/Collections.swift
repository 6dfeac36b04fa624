// The module ReactiveCollections, part one: arrays, dictionaries and sets.

import Foundation
import ReactiveCollections

extension Chapter {
    static let collections = Chapter(
        "Observable arrays, dictionaries and sets",
        [
            Sample("In ten lines: a list, a view of it, and a sum") {
                struct Todo {
                    let title: String
                    var hours = 1.0
                    @Observable var isDone = false
                }

                let todos: ObservableArray = [Todo(title: "Buy milk"), Todo(title: "Paint the fence", hours: 6)]
                let open = todos.live.filter { !$0.isDone }
                let hours = open.sum { $0.hours }
                let report = autorun { print(open.count, "open,", hours.value, "hours") }  // prints "2 open, 7.0 hours"
                todos.append(Todo(title: "Call Bob", hours: 0.5))  // prints "3 open, 7.5 hours"
                todos[1].isDone = true  // prints "2 open, 1.5 hours"
                report.cancel()
            },
            Sample("An observer of the count does not run when an element changes") {
                let names: ObservableArray = ["Ann", "Bob"]
                autorun { print(names.count) }  // prints "2"
                names.append("Cleo")  // prints "3"
                names[0] = "Anne"  // the count is the same
            },
            Sample("An array has the methods of `Array`") {
                let letters = ObservableArray("ablce")
                letters.remove(at: 1)
                letters.insert("d", at: 3)
                letters.replaceSubrange(1...2, with: ["b", "c"])
                letters.move(fromOffsets: [0], toOffset: 4)
                letters.sort()
                print(letters.count, letters.first ?? "-", String(letters))  // prints "5 a abcde"
            },
            Sample("An element by its id") {
                struct Row: Identifiable {
                    let id: Int
                    var text: String
                }
                let rows: ObservableArray = [Row(id: 1, text: "one"), Row(id: 2, text: "two")]
                let observer = autorun { print(rows[id: 2]?.text ?? "gone") }  // prints "two"
                rows[id: 1]?.text = "uno"
                rows.insert(Row(id: 0, text: "zero"), at: 0)
                rows[id: 2]?.text = "dos"  // prints "dos"
                rows.remove(id: 2)  // prints "gone"
                observer.cancel()
            },
            Sample("An id of your choice") {
                struct City {
                    let name: String
                    var inhabitants: Int
                }
                let cities = ObservableArray([City(name: "Ulm", inhabitants: 128_000)], id: \.name)
                cities[id: "Ulm"]?.inhabitants += 1
                print(cities[id: "Ulm"]?.inhabitants ?? 0, cities.contains(id: "Bonn"))  // prints "128001 false"
            },
            Sample("Iterators and slices are snapshots") {
                let numbers: ObservableArray = [1, 2, 3]
                let front = numbers[..<2]
                for number in numbers { numbers.append(10 * number) }
                numbers.removeFirst()
                print(numbers, front)  // prints "[2, 3, 10, 20, 30] [1, 2]"
            },
            Sample("All elements are replaced as one change") {
                let rows: ObservableArray = ["x", "y", "z"]
                let prices: ObservableDictionary = ["apple": 2]
                let observer = autorun { print(rows.elements, prices.keys.sorted()) }
                // prints:
                // ["x", "y", "z"] ["apple"]
                rows.replaceSubrange(0..., with: ["a", "b"])
                // prints:
                // ["a", "b"] ["apple"]
                inTransaction {
                    prices.removeAll()
                    prices.merge(["pear": 3]) { _, new in new }
                }
                // prints:
                // ["a", "b"] ["pear"]
                observer.cancel()
            },
            Sample("A key of a dictionary: its observer does not run for other keys") {
                let stock: ObservableDictionary = ["apple": 3, "pear": 5]
                let observer = autorun { print("apples:", stock["apple", default: 0]) }  // prints "apples: 3"
                stock["pear"] = 4
                stock["apple", default: 0] += 1  // prints "apples: 4"
                observer.cancel()
            },
            Sample("The keys of a dictionary") {
                let words = ["to", "be", "or", "not", "to", "be"]
                let counts = ObservableDictionary<String, Int>()
                let observer = autorun { print(counts.keys.sorted()) }  // prints "[]"
                inTransaction {
                    for word in words { counts[word, default: 0] += 1 }
                }
                // prints:
                // ["be", "not", "or", "to"]
                counts["to"] = 0  // the same keys
                counts["or"] = nil
                // prints:
                // ["be", "not", "to"]
                observer.cancel()
            },
            Sample("An element of a set") {
                let selection: ObservableSet = [1, 2]
                let observer = autorun { print(selection.contains(3)) }  // prints "false"
                selection.insert(4)
                selection.insert(3)  // prints "true"
                observer.cancel()
            },
            Sample("A set has the methods of `Set`") {
                let tags: ObservableSet = ["new", "red"]
                let observer = autorun { print(tags.sorted()) }
                // prints:
                // ["new", "red"]
                tags.formUnion(["round"])
                // prints:
                // ["new", "red", "round"]
                tags.subtract(["red", "blue"])
                // prints:
                // ["new", "round"]
                print(tags.union(["old"]).count, tags.isDisjoint(with: ["red"]))  // prints "3 true"
                observer.cancel()
            },
            Sample("A transaction is one change, or none") {
                struct Refused: Error {}
                let queue: ObservableArray = ["a", "b"]
                let observer = autorun { print(queue.elements) }
                // prints:
                // ["a", "b"]
                inTransaction {
                    queue.append("c")
                    queue.removeFirst()
                }
                // prints:
                // ["b", "c"]
                inTransaction {
                    queue.append("d")
                    queue.removeLast()
                }  // the array is what it was
                try? inTransaction {
                    queue.removeAll()
                    throw Refused()
                }  // rolled back
                observer.cancel()
            },
            Sample("Collections are `Codable`, as plain ones are") {
                struct Album: Codable {
                    let title: String
                    let songs: ObservableArray<String>
                }
                let album = Album(title: "Blue", songs: ["Carey"])
                album.songs.append("River")
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                let data = try encoder.encode(album)
                print(String(decoding: data, as: UTF8.self))
                // prints:
                // {"songs":["Carey","River"],"title":"Blue"}
                print(try JSONDecoder().decode(Album.self, from: data).songs.count)  // prints "2"
            },
        ])
}
