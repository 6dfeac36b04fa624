// Keys and results of operators are released when nothing is locked, because their deinitialisers may run any code.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

/// A number with a life.
private final class Mark: Comparable, Hashable {
    let number: Int
    private let token: LifetimeTracker.Token

    init(_ number: Int, _ token: LifetimeTracker.Token) { (self.number, self.token) = (number, token) }

    static func == (a: Mark, b: Mark) -> Bool { a.number == b.number }
    static func < (a: Mark, b: Mark) -> Bool { a.number < b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Creates marks, and notes whether one was freed while a graph was locked.
private final class Marks {
    private let tracker = LifetimeTracker()
    private(set) var wasLocked = false
    var alive: Int { tracker.alive }

    func callAsFunction(_ number: Int) -> Mark {
        Mark(number, tracker.token { [unowned self] in if GraphHandle.held != nil { wasLocked = true } })
    }
}

extension ReactiveCollectionsTests {
    @Suite struct OperatorReleaseTests {
        private typealias Read = () -> Void

        /// Views and values of marks. Each returns a closure that reads it.
        private static let operators: [String: @Sendable (LiveArray<Mark>) -> Read] = [
            "map": { marks in
                let view = marks.map { $0 }
                return { _ = view.count }
            },
            "sorted": { marks in
                let view = marks.sorted()
                return { _ = view.count }
            },
            "sorted by a predicate": { marks in
                let view = marks.sorted { $1 < $0 }
                return { _ = view.count }
            },
            "uniqued": { marks in
                let view = marks.uniqued()
                return { _ = view.count }
            },
            "min": { marks in
                let least = marks.min(by: { $0 })
                return { _ = least.value }
            },
            "reduce": { marks in
                let sum = marks.reduce(0, add: { $0 + $1.number }, remove: { $0 - $1.number })
                return { _ = sum.value }
            },
            "joined": { marks in
                let view = marks.joined(with: marks, on: { $0 }, equals: { $0 })
                return { _ = view.count }
            },
        ]

        @Test(arguments: operators.keys.sorted()) func marksOfAnArray(name: String) {
            let mark = Marks()
            let array = ObservableArray((0..<9).map { mark($0) })
            let read = Self.operators[name]!(array.live)
            func expectExact(_ edit: () -> Void) {
                read()
                edit()
                read()
                #expect(mark.alive == array.count && !mark.wasLocked)
            }
            expectExact { array[1] = mark(20) }
            expectExact { array.remove(at: 2) }
            expectExact { array.swapAt(0, 3) }
            expectExact { array.append(mark(30)) }
            expectExact { array.replaceSubrange(0..<8, with: [mark(11), mark(12)]) }
            expectExact {
                inTransaction {
                    array.removeAll()
                    array.append(contentsOf: [mark(13), mark(14), mark(13)])
                }
            }
            expectExact { array.removeAll() }
        }

        @Test func elementsOfAPlainArray() {
            let mark = Marks()
            let marks = Observable((0..<9).map { mark($0) }, equals: .never)
            let view = marks.live(id: \.number, equals: .never)
            func expectExact(_ edit: () -> Void) {
                _ = view.count
                edit()
                _ = view.count
                #expect(mark.alive == marks.value.count && !mark.wasLocked)
            }
            expectExact { marks.value[3] = mark(3) }
            expectExact { marks.value.remove(at: 2) }
            expectExact { marks.value.swapAt(0, 3) }
            expectExact { marks.value = [mark(4), mark(20)] }
            expectExact { marks.value = [] }
        }

        /// Views by key. Each returns a closure that reads it, and the number of marks that it creates.
        private static let keyedOperators:
            [String: @Sendable (LiveDictionary<Mark, Mark>, LiveDictionary<Mark, Mark>, Marks) -> () -> Int] = [
                "mapValues": { marks, _, mark in
                    let view = marks.mapValues { mark($0.number) }
                    return { view.count }
                },
                "compactMapValues": { marks, _, mark in
                    let view = marks.compactMapValues { $0.number % 2 == 0 ? nil : mark($0.number) }
                    return { view.count }
                },
                "filter": { marks, _, _ in
                    let view = marks.filter { $0.value.number % 2 == 0 }
                    return {
                        _ = view.count
                        return 0
                    }
                },
                "keys": { marks, _, _ in
                    let (keys, values) = (marks.keys, marks.values)
                    return {
                        _ = (keys.count, values.count)
                        return 0
                    }
                },
                "merging": { marks, others, mark in
                    let view = marks.merging(others, equals: .never) { a, b in mark(a.number + b.number) }
                    return { marks.count + others.count - view.count }
                },
            ]

        @Test(arguments: keyedOperators.keys.sorted()) func marksOfADictionary(name: String) {
            let mark = Marks()
            // The same objects in both dictionaries, because a merged view keeps one of the two for each key.
            let keys = (0..<16).map { mark($0) }
            func marks(_ numbers: Range<Int>) -> ObservableDictionary<Mark, Mark> {
                ObservableDictionary(uniqueKeysWithValues: numbers.map { (keys[$0], mark($0)) }, equals: .never)
            }
            let (first, second) = (marks(0..<9), marks(5..<15))
            let read = Self.keyedOperators[name]!(first.live, second.live, mark)
            func expectExact(_ edit: () -> Void) {
                _ = read()
                edit()
                let created = read()
                #expect(mark.alive == keys.count + first.count + second.count + created && !mark.wasLocked)
            }
            expectExact { first[keys[1]] = mark(7) }
            expectExact { second[keys[6]] = mark(7) }
            expectExact { first[keys[2]] = nil }
            expectExact { first[keys[6]] = nil }
            expectExact { second[keys[7]] = nil }
            expectExact { second[keys[14]] = nil }
            expectExact { first[keys[6]] = mark(5) }
            expectExact {
                inTransaction {
                    first.removeAll()
                    second.removeAll()
                    for number in 0..<4 { (first[keys[number]], second[keys[9 - 3 * number]]) = (mark(1), mark(2)) }
                }
            }
            expectExact { first.removeAll() }
            expectExact { second.removeAll() }
        }
    }
}
