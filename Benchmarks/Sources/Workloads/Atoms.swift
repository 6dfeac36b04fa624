// Atoms and selectors in a store: reading, setting, observing, and one of many.
//
// By hand, an atom is an observable, a selector is a computed, and a family is a dictionary.

import CLimit
import Harness
import Reactive
import ReactiveAtoms

private let number = atom(1)
private let double = selector { accessor in try accessor.get(number) * 2 }

/// The same atom and selector, created on each access.
private enum Properties {
    static var number: Atom<Int> { atom(1) }
    static var double: Selector<Int> { selector { accessor in try accessor.get(number) * 2 } }
}

private let numbers = atomFamily { (index: Int) in index }
private let doubles = selectorFamily { (index: Int, accessor: StateGetter) in try accessor.get(numbers(index)) * 2 }
private let sums = selectorFamily { (index: Int, accessor: StateGetter) in try accessor.get(number) + index }

/// A chain of selectors. Each adds one to the previous value.
private let links: SelectorFamily<Int, Int> = selectorFamily { (index: Int, accessor: StateGetter) in
    try (index == 0 ? accessor.get(number) : accessor.get(links(index - 1))) + 1
}

private let many = 10_000
private let total = selector { accessor in try (0..<many).reduce(0) { try $0 + accessor.get(doubles($1)) } }

extension Workload {
    static var atoms: [Workload] { reading + creating + setting + gathering }

    private static var reading: [Workload] {
        [
            Workload("get of an atom", repetitions: 20_000) {
                let number = Observable(1)
                return { count in for _ in 0..<count { measure_sink(Int64(number.value)) } }
            } ours: {
                let store = RecoilStore()
                return { count in for _ in 0..<count { measure_sink(Int64(store.getOrNil(number) ?? 0)) } }
            },
            Workload("get of an atom of a computed property", repetitions: 20_000) {
                let number = Observable(1)
                return { count in for _ in 0..<count { measure_sink(Int64(number.value)) } }
            } ours: {
                let store = RecoilStore()
                return { count in for _ in 0..<count { measure_sink(Int64(store.getOrNil(Properties.number) ?? 0)) } }
            },
            Workload("get of a selector", repetitions: 20_000) {
                let number = Observable(1)
                let double = Computed { number.value * 2 }
                return keeping(autorun { check(double.value, 2) }) { count in
                    for _ in 0..<count { measure_sink(Int64(double.value)) }
                }
            } ours: {
                let store = RecoilStore()
                return keeping(autorun { check(store.getOrNil(double), 2) }) { count in
                    for _ in 0..<count { measure_sink(Int64(store.getOrNil(double) ?? 0)) }
                }
            },
            Workload("get of a selector of a computed property", repetitions: 20_000) {
                let number = Observable(1)
                let double = Computed { number.value * 2 }
                return keeping(autorun { check(double.value, 2) }) { count in
                    for _ in 0..<count { measure_sink(Int64(double.value)) }
                }
            } ours: {
                let store = RecoilStore()
                return keeping(autorun { check(store.getOrNil(Properties.double), 2) }) { count in
                    for _ in 0..<count { measure_sink(Int64(store.getOrNil(Properties.double) ?? 0)) }
                }
            },
            Workload("get of a member of a family of 1,000", repetitions: 20_000) {
                let table = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, Observable($0)) })
                return { count in for i in 0..<count { check(table[i % 1_000]?.value, i % 1_000) } }
            } ours: {
                let store = RecoilStore()
                for i in 0..<1_000 { check(store.getOrNil(numbers(i)), i) }
                return { count in for i in 0..<count { check(store.getOrNil(numbers(i % 1_000)), i % 1_000) } }
            },
        ]
    }

    /// Includes freeing: each 1,000 nodes have a new store.
    private static var creating: [Workload] {
        [
            Workload("first get of an atom", repetitions: 2_000) {
                inThousands { indices in
                    var table: [Int: Observable<Int>] = [:]
                    for i in indices {
                        let number = Observable(i)
                        table[i] = number
                        check(number.value, i)
                    }
                }
            } ours: {
                inThousands { indices in
                    let store = RecoilStore()
                    for i in indices { check(store.getOrNil(numbers(i)), i) }
                }
            },
            Workload("first get of a selector", repetitions: 2_000) {
                let number = Observable(1)
                return inThousands { indices in
                    var table: [Int: Computed<Int>] = [:]
                    for i in indices {
                        let sum = Computed { number.value + i }
                        table[i] = sum
                        check(sum.value, 1 + i)
                    }
                }
            } ours: {
                inThousands { indices in
                    let store = RecoilStore()
                    for i in indices { check(store.getOrNil(sums(i)), 1 + i) }
                }
            },
        ]
    }

    private static var setting: [Workload] {
        [
            Workload("set of an atom", repetitions: 20_000) {
                let number = Observable(1)
                return { count in
                    for i in 1...count { number.value = -i }
                    check(number.value, -count)
                }
            } ours: {
                let store = RecoilStore()
                return { count in
                    for i in 1...count { store.set(number, -i) }
                    check(store.getOrNil(number), -count)
                }
            },
            Workload("set, a selector, an autorun", repetitions: 10_000) {
                let (number, seen) = (Observable(1), Counter())
                let double = Computed { number.value * 2 }
                return keeping(autorun { seen.count = double.value }) { count in
                    for i in 1...count { number.value = -i }
                    check(seen.count, -count * 2)
                }
            } ours: {
                let (store, seen) = (RecoilStore(), Counter())
                return keeping(autorun { seen.count = store.getOrNil(double) ?? 0 }) { count in
                    for i in 1...count { store.set(number, -i) }
                    check(seen.count, -count * 2)
                }
            },
            Workload("set, a chain of 100 selectors, an autorun", repetitions: 100) {
                let (number, seen) = (Observable(1), Counter())
                var end = Computed { number.value + 1 }
                for _ in 1..<100 { end = Computed { [end] in end.value + 1 } }
                return keeping(autorun { [end] in seen.count = end.value }) { count in
                    for i in 1...count { number.value = -i }
                    check(seen.count, 100 - count)
                }
            } ours: {
                let (store, seen) = (RecoilStore(), Counter())
                return keeping(autorun { seen.count = store.getOrNil(links(99)) ?? 0 }) { count in
                    for i in 1...count { store.set(number, -i) }
                    check(seen.count, 100 - count)
                }
            },
        ]
    }

    private static var gathering: [Workload] {
        [
            Workload("set of one of 10,000 below a selector", unit: .milliseconds, repetitions: 1) {
                let (sum, seen) = (Sum(), Counter())
                return keeping(autorun { seen.count = sum.total.value }) { count in
                    for i in 0..<count { sum.numbers[i * 7 % many].value += 1 }
                    check(seen.count, sum.numbers.reduce(0) { $0 + $1.value * 2 })
                }
            } ours: {
                let (store, seen, sets) = (RecoilStore(), Counter(), Counter())
                return keeping(autorun { seen.count = store.getOrNil(total) ?? 0 }) { count in
                    for i in 0..<count { store.update(numbers(i * 7 % many)) { $0 += 1 } }
                    sets.count += count
                    check(seen.count, many * (many - 1) + sets.count * 2)
                }
            },
            Workload("get over 10,000 after the observers went", unit: .milliseconds, repetitions: 1) {
                let sum = Sum()
                return { count in
                    for _ in 0..<count {
                        autorun { check(sum.total.value, many * (many - 1)) }.cancel()
                        check(sum.total.value, many * (many - 1))
                    }
                }
            } ours: {
                let store = RecoilStore()
                return { count in
                    for _ in 0..<count {
                        autorun { check(store.getOrNil(total), many * (many - 1)) }.cancel()
                        check(store.getOrNil(total), many * (many - 1))
                    }
                }
            },
        ]
    }
}

/// The selector `total`, by hand.
private final class Sum {
    let numbers: [Observable<Int>]
    let total: Computed<Int>

    init() {
        let numbers = (0..<many).map { Observable($0) }
        let doubles = numbers.map { number in Computed { number.value * 2 } }
        self.numbers = numbers
        total = Computed { doubles.reduce(0) { $0 + $1.value } }
    }
}

/// Returns a program that runs 1,000 operations together.
private func inThousands(_ body: @escaping (Range<Int>) -> Void) -> Workload.Program {
    { count in for start in stride(from: 0, to: count, by: 1_000) { body(0..<min(1_000, count - start)) } }
}
