// Random edits of arrays with views and values, compared with the standard library's operators on plain arrays.

import TestSupport
import Testing

@testable import ReactiveCollections

struct Piece: Hashable, Comparable, Sendable {
    var id: Int
    var key: Int
    /// The observable whose value closures add to the key, if any.
    var cell: Int?

    static func < (a: Piece, b: Piece) -> Bool { a.key < b.key }
}

/// Plain arrays, and the values of observables.
struct PlainWorld {
    var left: [Piece] = []
    var right: [Piece] = []
    var inners: [[Piece]] = Array(repeating: [], count: 4)
    var cells: [Int] = (0..<6).map { $0 % 3 }

    func key(of piece: Piece) -> Int { piece.key + (piece.cell.map { cells[$0] } ?? 0) }
    func inner(of piece: Piece) -> [Piece] { inners[key(of: piece) % 4] }
}

/// The same state as collections and observables.
final class World {
    let left = ObservableArray<Piece>([], named: "left")
    let right = ObservableArray<Piece>([], named: "right")
    let inners = (0..<4).map { ObservableArray<Piece>([], named: "inner \($0)") }
    let cells: [Observable<Int>] = (0..<6).map { Observable($0 % 3, named: "cell \($0)") }

    func key(of piece: Piece) -> Int { piece.key + (piece.cell.map { cells[$0].value } ?? 0) }
    func inner(of piece: Piece) -> ObservableArray<Piece> { inners[key(of: piece) % 4] }
}

/// A view or a value under test.
protocol Probe: AnyObject {
    /// Returns the differences from the plain arrays. `readsLog`: a follower continues to read, too.
    func differences(from world: PlainWorld, readsLog: Bool) -> [String]
    /// Returns the differences between the last value of an observer and the plain arrays.
    func observerDifferences(from world: PlainWorld) -> [String]
    func observe(_ isObserved: Bool)
    /// The entries read from the log, for a transaction that may be rolled back.
    var memory: Any { get set }
}

final class ValueProbe<Value>: Probe {
    private let value: Computed<Value>
    private let plain: (PlainWorld) -> Value
    private let areEqual: (Value, Value) -> Bool
    private var reaction: Reaction?
    private var seen: Value?
    var memory: Any = ()

    init(
        _ value: Computed<Value>, by areEqual: @escaping (Value, Value) -> Bool,
        _ plain: @escaping (PlainWorld) -> Value
    ) {
        (self.value, self.areEqual, self.plain) = (value, areEqual, plain)
    }

    convenience init(_ value: Computed<Value>, _ plain: @escaping (PlainWorld) -> Value) where Value: Equatable {
        self.init(value, by: ==, plain)
    }

    func differences(from world: PlainWorld, readsLog: Bool) -> [String] {
        let current = untracked { value.value }
        let expected = plain(world)
        return areEqual(current, expected) ? [] : ["is \(current), not \(expected)"]
    }

    func observerDifferences(from world: PlainWorld) -> [String] {
        guard reaction != nil, let seen else { return [] }
        let expected = plain(world)
        return areEqual(seen, expected) ? [] : ["observer saw \(seen), not \(expected)"]
    }

    func observe(_ isObserved: Bool) {
        reaction?.cancel()
        reaction = isObserved ? autorun { [unowned self] in seen = value.value } : nil
    }
}

final class ViewProbe<Element>: Probe {
    private let view: LiveArray<Element>
    private let plain: (PlainWorld) -> [Element]
    private let areEqual: (Element, Element) -> Bool
    private var reaction: Reaction?
    private var seen: [Element] = []
    private var follower = RowFollower<Element>()

    init(
        _ view: LiveArray<Element>, by areEqual: @escaping (Element, Element) -> Bool,
        _ plain: @escaping (PlainWorld) -> [Element]
    ) {
        (self.view, self.areEqual, self.plain) = (view, areEqual, plain)
    }

    convenience init(_ view: LiveArray<Element>, _ plain: @escaping (PlainWorld) -> [Element])
    where Element: Equatable {
        self.init(view, by: ==, plain)
    }

    var memory: Any {
        get { follower }
        set { if let newValue = newValue as? RowFollower<Element> { follower = newValue } }
    }

    func differences(from world: PlainWorld, readsLog: Bool) -> [String] {
        let expected = plain(world)
        let elements = untracked { view.elements }
        if !elements.elementsEqual(expected, by: areEqual) { return ["has \(elements), not \(expected)"] }
        if untracked({ view.count }) != expected.count { return ["count"] }
        return readsLog ? follower.differences(from: view, by: areEqual) : []
    }

    func observerDifferences(from world: PlainWorld) -> [String] {
        let expected = plain(world)
        guard reaction != nil, !seen.elementsEqual(expected, by: areEqual) else { return [] }
        return ["observer saw \(seen), not \(expected)"]
    }

    func observe(_ isObserved: Bool) {
        reaction?.cancel()
        reaction = isObserved ? autorun { [unowned self] in seen = view.elements } : nil
    }
}

/// Views and values, and their source arrays, which are edited randomly.
final class OperatorOracle {
    struct Subject: Sendable {
        let name: String
        let create: @Sendable (World) -> any Probe

        init(_ name: String, _ create: @escaping @Sendable (World) -> any Probe) {
            (self.name, self.create) = (name, create)
        }
    }

    private var random: SplitMix64
    private let subjects: [Subject]
    private let world = World()
    private var model = PlainWorld()
    private var nextID = 0
    private var probes: [any Probe] = []
    private(set) var problems: [String] = []

    init(_ subjects: [Subject], seed: UInt64) {
        random = SplitMix64(seed: seed)
        self.subjects = subjects
        probes = subjects.map { $0.create(world) }
        let size = random.pick([4, 12, 80])
        for array in 0..<3 {
            let pieces = (0..<random.below(size)).map { _ in piece() }
            self.array(array).append(contentsOf: pieces)
            plain(array) { $0 = pieces }
        }
    }

    /// The arrays: left, right, and the inner ones.
    private func array(_ index: Int) -> ObservableArray<Piece> {
        index == 0 ? world.left : index == 1 ? world.right : world.inners[index - 2]
    }

    private func plain(_ index: Int, _ body: (inout [Piece]) -> Void) {
        switch index {
        case 0: body(&model.left)
        case 1: body(&model.right)
        default: body(&model.inners[index - 2])
        }
    }

    private func piece() -> Piece {
        nextID += 1
        return Piece(id: nextID, key: random.below(8), cell: random.oneIn(3) ? random.below(6) : nil)
    }

    private func edit() {
        if random.oneIn(4) {
            let (cell, value) = (random.below(6), random.below(4))
            world.cells[cell].value = value
            model.cells[cell] = value
            return
        }
        let which = random.oneIn(2) ? 0 : random.below(6)
        edit(array(which)) { body in plain(which, body) }
    }

    private func edit(_ array: ObservableArray<Piece>, _ plain: ((inout [Piece]) -> Void) -> Void) {
        let count = untracked { array.count }
        let index = count == 0 ? 0 : random.below(count)
        switch random.below(17) {
        case 0, 1, 2:
            let (piece, index) = (piece(), random.below(count + 1))
            array.insert(piece, at: index)
            plain { $0.insert(piece, at: index) }
        case 3 where count > 0, 4 where count > 0:
            array.remove(at: index)
            plain { $0.remove(at: index) }
        case 5 where count > 0, 6 where count > 0:
            let key = random.below(8)
            array[index].key = key
            plain { $0[index].key = key }
        case 7 where count > 0:
            let piece = piece()
            array[index] = piece
            plain { $0[index] = piece }
        case 8 where count > 0:
            let other = random.below(count)
            array.swapAt(index, other)
            plain { $0.swapAt(index, other) }
        case 9 where count > 0, 10 where count > 0:
            let other = random.below(count)
            array.move(from: index, to: other)
            plain { $0.insert($0.remove(at: index), at: other) }
        case 11:
            let end = Swift.min(count, index + random.below(6))
            let pieces = (0..<random.below(6)).map { _ in piece() }
            array.replaceSubrange(index..<end, with: pieces)
            plain { $0.replaceSubrange(index..<end, with: pieces) }
        case 12 where random.oneIn(3):
            array.sort { $0.key < $1.key }
            plain { $0.sort { $0.key < $1.key } }
        case 13 where random.oneIn(3):
            array.reverse()
            plain { $0.reverse() }
        case 14 where random.oneIn(4):
            let pieces = (0..<random.below(40)).map { _ in piece() }
            array += pieces
            plain { $0 += pieces }
        case 15 where random.oneIn(6):
            array.removeAll()
            plain { $0.removeAll() }
        case 16 where random.oneIn(4):
            // More changes than the log's capacity.
            for index in 0..<count {
                array[index].key += 1
                plain { $0[index].key += 1 }
            }
        default:
            break
        }
    }

    private func compare(_ place: String) {
        for (index, probe) in probes.enumerated() where random.oneIn(2) {
            problems += probe.differences(from: model, readsLog: random.oneIn(2)).map {
                "\(subjects[index].name) \(place): \($0)"
            }
        }
    }

    private struct Refusal: Error {}

    /// Runs a transaction, or a nested one.
    private func transact(depth: Int) {
        let (model, memories) = (model, probes.map(\.memory))
        let isRolledBack = random.oneIn(2)
        do {
            try inTransaction {
                for _ in 0..<1 + random.below(5) {
                    if depth < 3, random.oneIn(5) { transact(depth: depth + 1) } else { edit() }
                    if random.oneIn(2) { compare("in a transaction") }
                }
                if isRolledBack { throw Refusal() }
            }
        } catch {
            self.model = model
        }
        // A commit without a net effect restores the logs, too: a follower continues at its old position, as a view
        // does.
        for (index, memory) in memories.enumerated() { probes[index].memory = memory }
    }

    /// Makes one change, and checks which observers ran.
    private func step() {
        let index = random.below(probes.count)
        if random.oneIn(6) { probes[index].observe(random.oneIn(2)) }
        if random.oneIn(20) {
            probes[index].observe(false)
            probes[index] = subjects[index].create(world)
        }
        if random.oneIn(4) { transact(depth: 0) } else { edit() }
        guard problems.isEmpty else { return }
        for (index, probe) in probes.enumerated() {
            problems += probe.observerDifferences(from: model).map { "\(subjects[index].name): \($0)" }
        }
        // Views that have not been read for a while are behind.
        if random.oneIn(3) { compare("after a step") }
    }

    static func run(_ subjects: [Subject], seed: UInt64, steps: Int = 120) {
        let oracle = OperatorOracle(subjects, seed: seed)
        for step in 0..<steps {
            oracle.step()
            guard oracle.problems.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(oracle.problems.prefix(3))")
                break
            }
        }
        for probe in oracle.probes { probe.observe(false) }
    }
}
