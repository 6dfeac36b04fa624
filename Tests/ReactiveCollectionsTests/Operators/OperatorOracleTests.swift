// Random edits for compactMap, flatMap, concatenated, joined, and the operators to a value.

import TestSupport
import Testing

@testable import ReactiveCollections

private typealias Subject = OperatorOracle.Subject

private func isInfiniteAware(_ a: Double, _ b: Double) -> Bool { a == b || (a.isNaN && b.isNaN) }

/// A number as a floating-point number; sums of those are exact. Some are infinite.
private func number(_ key: Int) -> Double { key == 9 ? .infinity : key == 10 ? -.infinity : Double(key) / 4 }

private let views: [Subject] = [
    Subject("compactMap") { world in
        let view: LiveArray<Int> = world.left.live.compactMap { piece -> Int? in
            let key = world.key(of: piece)
            return key % 3 == 0 ? nil : key * 10
        }
        return ViewProbe(view) { plain in plain.left.map(plain.key).filter { $0 % 3 != 0 }.map { $0 * 10 } }
    },
    Subject("compactMap of compactMap") { world in
        let first: LiveArray<Piece> = world.left.live.compactMap { piece -> Piece? in piece.key == 2 ? nil : piece }
        let second: LiveArray<Int> = first.compactMap { piece -> Int? in world.key(of: piece) > 6 ? nil : piece.id }
        return ViewProbe(second) { plain in plain.left.filter { $0.key != 2 && plain.key(of: $0) <= 6 }.map(\.id) }
    },
    Subject("flatMap of arrays") { world in
        let view: LiveArray<Int> = world.left.live.flatMap { piece -> [Int] in
            (0..<world.key(of: piece) % 5).map { $0 + piece.id }
        }
        return ViewProbe(view) { plain in
            plain.left.flatMap { piece -> [Int] in (0..<plain.key(of: piece) % 5).map { $0 + piece.id } }
        }
    },
    Subject("flatMap of sequences in flatMap") { world in
        let first: LiveArray<Int> = world.left.live.flatMap { piece -> Repeated<Int> in
            repeatElement(piece.id, count: world.key(of: piece) % 3)
        }
        let second: LiveArray<Int> = first.flatMap { number -> [Int] in number % 4 == 0 ? [] : [number, -number] }
        return ViewProbe(second) { plain in
            let first = plain.left.flatMap { piece in repeatElement(piece.id, count: plain.key(of: piece) % 3) }
            return first.flatMap { number -> [Int] in number % 4 == 0 ? [] : [number, -number] }
        }
    },
    Subject("flatMap of observable arrays") { world in
        let view: LiveArray<Piece> = world.left.live.flatMap { world.inner(of: $0) }
        return ViewProbe(view) { plain in plain.left.flatMap(plain.inner) }
    },
    Subject("flatMap of views") { world in
        let view: LiveArray<[Int]> = world.left.live.flatMap { piece -> LiveArray<[Int]> in
            let even = world.inner(of: piece).live.filter { world.key(of: $0) % 2 == 0 }
            return even.map { inner -> [Int] in [inner.id, piece.id] }
        }
        return ViewProbe(view) { plain in
            plain.left.flatMap { piece -> [[Int]] in
                plain.inner(of: piece).filter { plain.key(of: $0) % 2 == 0 }.map { [$0.id, piece.id] }
            }
        }
    },
    Subject("filter of flatMap") { world in
        let flat: LiveArray<Piece> = world.left.live.flatMap { world.inner(of: $0) }
        return ViewProbe(flat.filter { world.key(of: $0) % 3 == 1 }) { plain in
            plain.left.flatMap(plain.inner).filter { plain.key(of: $0) % 3 == 1 }
        }
    },
    Subject("concatenated") { world in
        ViewProbe(world.left.live.concatenated(with: world.right.live)) { $0.left + $0.right }
    },
    Subject("map of concatenated of filter") { world in
        let even = world.left.live.filter { world.key(of: $0) % 2 == 0 }
        let odd = world.right.live.filter { $0.key % 2 == 1 }
        let keys: LiveArray<Int> = even.concatenated(with: odd).concatenated(with: world.left.live).map {
            piece -> Int in
            world.key(of: piece)
        }
        return ViewProbe(keys) { plain in
            let even = plain.left.filter { plain.key(of: $0) % 2 == 0 }
            let odd = plain.right.filter { $0.key % 2 == 1 }
            return (even + odd + plain.left).map(plain.key)
        }
    },
    Subject("joined") { world in
        let pairs = world.left.live.joined(
            with: world.right.live, on: { world.key(of: $0) }, equals: { world.key(of: $0) })
        return ViewProbe(pairs, by: ==) { plain in
            plain.left.flatMap { left -> [(Piece, Piece)] in
                plain.right.filter { plain.key(of: $0) == plain.key(of: left) }.map { (left, $0) }
            }
        }
    },
    Subject("filter of joined of filter") { world in
        let left = world.left.live.filter { world.key(of: $0) % 2 == 0 }
        let right = world.right.live.filter { $0.id % 4 != 0 }
        let pairs = left.joined(with: right, on: \.key, equals: { world.key(of: $0) })
        return ViewProbe(pairs.filter { ($0.0.id + $0.1.id) % 3 != 0 }, by: ==) { plain in
            let left = plain.left.filter { plain.key(of: $0) % 2 == 0 }
            let right = plain.right.filter { $0.id % 4 != 0 }
            let pairs = left.flatMap { left -> [(Piece, Piece)] in
                right.filter { plain.key(of: $0) == left.key }.map { (left, $0) }
            }
            return pairs.filter { ($0.0.id + $0.1.id) % 3 != 0 }
        }
    },
]

private let values: [Subject] = [
    Subject("count(where:)") { world in
        ValueProbe(world.left.live.count { world.key(of: $0) % 3 == 0 }) { plain in
            plain.left.filter { plain.key(of: $0) % 3 == 0 }.count
        }
    },
    Subject("contains(where:)") { world in
        ValueProbe(world.left.live.contains { world.key(of: $0) == 9 }) { plain in
            plain.left.contains { plain.key(of: $0) == 9 }
        }
    },
    Subject("allSatisfy") { world in
        ValueProbe(world.left.live.allSatisfy { world.key(of: $0) != 8 }) { plain in
            plain.left.allSatisfy { plain.key(of: $0) != 8 }
        }
    },
    Subject("contains") { world in
        ValueProbe(world.left.live.map { world.key(of: $0) }.contains(9)) { plain in
            plain.left.map(plain.key).contains(9)
        }
    },
    Subject("sum of integers") { world in
        ValueProbe(world.left.live.sum { world.key(of: $0) - 5 }) { plain in
            plain.left.reduce(0) { $0 + plain.key(of: $1) - 5 }
        }
    },
    Subject("sum of unsigned integers") { world in
        ValueProbe(world.left.live.map { UInt16(world.key(of: $0)) }.sum()) { plain in
            plain.left.reduce(0) { $0 + UInt16(plain.key(of: $1)) }
        }
    },
    Subject("sum of numbers") { world in
        ValueProbe(world.left.live.sum { number(world.key(of: $0)) }, by: isInfiniteAware) { plain in
            plain.left.reduce(0) { $0 + number(plain.key(of: $1)) }
        }
    },
    Subject("sum of durations") { world in
        ValueProbe(world.left.live.sum { Duration.milliseconds(world.key(of: $0)) }) { plain in
            .milliseconds(plain.left.reduce(0) { $0 + plain.key(of: $1) })
        }
    },
    Subject("reduce") { world in
        ValueProbe(world.left.live.map { world.key(of: $0) }.reduce(7, add: +, remove: -)) { plain in
            plain.left.reduce(7) { $0 + plain.key(of: $1) }
        }
    },
    Subject("reduce into") { world in
        ValueProbe(
            world.left.live.map { world.key(of: $0) }.reduce(
                into: [:], add: { $0[$1, default: 0] += 1 },
                remove: { counts, key in
                    counts[key, default: 0] -= 1
                    if counts[key] == 0 { counts[key] = nil }
                })
        ) { plain in plain.left.reduce(into: [:]) { $0[plain.key(of: $1), default: 0] += 1 } }
    },
    Subject("min") { world in ValueProbe(world.left.live.min()) { $0.left.min() } },
    Subject("max") { world in ValueProbe(world.left.live.max()) { $0.left.max() } },
    Subject("min by key") { world in
        ValueProbe(world.left.live.min(by: { world.key(of: $0) })) { plain in
            plain.left.min { plain.key(of: $0) < plain.key(of: $1) }
        }
    },
    Subject("max by key path") { world in
        ValueProbe(world.left.live.max(by: \.key)) { plain in plain.left.max { $0.key < $1.key } }
    },
    Subject("min by comparison of a filter") { world in
        ValueProbe(
            world.left.live.filter { world.key(of: $0) % 2 == 0 }.min(by: { $0.id % 5 < $1.id % 5 })
        ) { plain in plain.left.filter { plain.key(of: $0) % 2 == 0 }.min { $0.id % 5 < $1.id % 5 } }
    },
    Subject("max by comparison") { world in
        ValueProbe(world.left.live.max(by: { $0.id % 5 < $1.id % 5 })) { plain in
            plain.left.max { $0.id % 5 < $1.id % 5 }
        }
    },
    Subject("first(where:)") { world in
        ValueProbe(world.left.live.first { world.key(of: $0) % 3 == 2 }) { plain in
            plain.left.first { plain.key(of: $0) % 3 == 2 }
        }
    },
]

extension ReactiveCollectionsTests {
    @Suite struct OperatorOracleTests {
        @Test(arguments: seeds(10)) func viewsEqualPlainOperators(seed: UInt64) {
            OperatorOracle.run(views, seed: seed)
        }

        @Test(arguments: seeds(10)) func valuesEqualPlainOperators(seed: UInt64) {
            OperatorOracle.run(values, seed: seed)
        }

        /// Each operator alone, so that no stage is read on behalf of others.
        @Test(arguments: seeds(2)) func eachEqualsItsPlainOperator(seed: UInt64) {
            for subject in views + values { OperatorOracle.run([subject], seed: seed, steps: 40) }
        }
    }
}
