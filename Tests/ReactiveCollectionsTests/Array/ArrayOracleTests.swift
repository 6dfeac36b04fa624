// Random edits and transactions, compared with a plain array.

import TestSupport
import Testing

@testable import ReactiveCollections

private struct Item: Hashable, Identifiable {
    var id: Int
    var value: Int
}

/// Works like a view: holds an element for each row, and updates it only from the log.
private struct Follower {
    private var held: [Row: Item] = [:]
    private var cursor: Int?

    /// Reads the log to its end, and returns the differences from the array.
    mutating func differences(from array: ObservableArray<Item>) -> [String] {
        array.graphHandle.withUntrackedLock {
            array.follow()
            if let cursor, let changes = array.stageLog.log.changes(since: cursor) {
                for change in changes {
                    held[change.row] = array.ordering.contains(change.row) ? array.element(at: change.row) : nil
                }
            } else {
                held = [:]
                array.forEachRow { row, element in
                    held[row] = element
                    return true
                }
            }
            cursor = array.stageLog.log.end
            var differences: [String] = []
            #if DEBUG
            differences += array.brokenInvariants()
            #endif
            if array.ordering.count != array.count { differences.append("\(array.ordering.count) rows") }
            if held.count != array.count { differences.append("holds \(held.count) of \(array.count)") }
            array.forEachRow { row, element in
                if held[row] != element { differences.append("row \(row) has \(element)") }
                if array.ordering.row(at: array.ordering.position(of: row)) != row { differences.append("order") }
                return true
            }
            return differences
        }
    }
}

private struct Refusal: Error {}

/// An array, its observers, and the plain array that it should equal.
private final class Subject {
    var random: SplitMix64
    let array: ObservableArray<Item>
    var model: [Item]
    var follower = Follower()
    let allowsDuplicates: Bool
    var nextID = 0

    var runs = (elements: 0, count: 0, ids: [Int](repeating: 0, count: 12))
    var seen: (elements: [Item], count: Int, ids: [Item?])
    private var reactions: [Reaction] = []
    var problems: [String] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        allowsDuplicates = seed % 4 == 3
        let count = seed % 3 == 0 ? 0 : random.below(seed % 3 == 1 ? 20 : 300)
        model = (0..<count).map { Item(id: $0, value: $0 % 3) }
        nextID = count
        array = ObservableArray(model, named: "array")
        seen = ([], 0, Array(repeating: nil, count: 12))
    }

    func observe() {
        reactions.append(
            autorun { [unowned self] in
                seen.elements = array.elements
                runs.elements += 1
            })
        reactions.append(
            autorun { [unowned self] in
                seen.count = array.isEmpty ? 0 : array.count
                runs.count += 1
            })
        for id in 0..<12 {
            reactions.append(
                autorun { [unowned self] in
                    seen.ids[id] = array[id: id]
                    runs.ids[id] += 1
                })
        }
    }

    func stop() { reactions.forEach { $0.cancel() } }

    private func item() -> Item {
        // Observed ids are removed and inserted again.
        let free = (0..<12).filter { id in !model.contains { $0.id == id } }
        if allowsDuplicates, random.oneIn(3) { return Item(id: random.below(14), value: random.below(3)) }
        if let id = free.randomElement(using: &random), random.oneIn(2) { return Item(id: id, value: random.below(3)) }
        nextID += 1
        return Item(id: 1_000_000 + nextID, value: random.below(3))
    }

    private func items(_ limit: Int) -> [Item] {
        var items: [Item] = []
        for _ in 0..<random.below(limit) {
            let item = item()
            if allowsDuplicates || !items.contains(where: { $0.id == item.id }) { items.append(item) }
        }
        return items
    }

    private func range() -> Range<Int> {
        let start = random.below(model.count + 1)
        let rest = model.count - start
        return start..<start + (random.oneIn(8) ? rest : Swift.min(rest, random.below(6)))
    }

    private func offsets() -> Set<Int> {
        Set((0..<random.below(5)).map { _ in random.below(model.count + 1) }.filter { $0 < model.count })
    }

    func edit() {
        let index = model.isEmpty ? 0 : random.below(model.count)
        switch random.below(26) {
        case 0, 1:
            let item = item()
            array.append(item)
            model.append(item)
        case 2, 3:
            let (item, index) = (item(), random.below(model.count + 1))
            array.insert(item, at: index)
            model.insert(item, at: index)
        case 4 where !model.isEmpty:
            if array.remove(at: index) != model.remove(at: index) { problems.append("removed") }
        case 5 where !model.isEmpty:
            let value = random.below(3)
            array[index].value = value
            model[index].value = value
        case 6 where !model.isEmpty:
            let value = random.below(3)
            array[index] = Item(id: model[index].id, value: value)
            model[index].value = value
        case 7 where !model.isEmpty:
            let item = item()
            array[index] = item
            model[index] = item
        case 8 where !model.isEmpty:
            let id = item().id
            array[index].id = id
            model[index].id = id
        case 9 where !model.isEmpty:
            let other = random.below(model.count)
            array.swapAt(index, other)
            model.swapAt(index, other)
        case 10 where !model.isEmpty:
            let other = random.below(model.count)
            array.move(from: index, to: other)
            model.insert(model.remove(at: index), at: other)
        case 11, 12:
            let (range, items) = (range(), items(6))
            array.replaceSubrange(range, with: items)
            model.replaceSubrange(range, with: items)
        case 13:
            let range = range()
            let items = model[range].map { random.oneIn(4) ? Item(id: $0.id, value: 7) : $0 }
            array[range] = ObservableArray(items).snapshot
            model.replaceSubrange(range, with: items)
        case 14:
            let range = range()
            array.removeSubrange(range)
            model.removeSubrange(range)
        case 15:
            let (value, few) = (random.below(4), random.oneIn(2))
            array.removeAll { $0.value == value && (!few || $0.id % 16 == 3) }
            model.removeAll { $0.value == value && (!few || $0.id % 16 == 3) }
        case 16:
            array.sort { $0.value < $1.value }
            model.sort { $0.value < $1.value }
        case 17:
            array.reverse()
            model.reverse()
        case 18:
            let offsets = offsets()
            let destination = random.below(model.count + 1)
            array.move(fromOffsets: offsets, toOffset: destination)
            let moved = offsets.sorted().map { model[$0] }
            let before = destination - offsets.filter { $0 < destination }.count
            for offset in offsets.sorted(by: >) { model.remove(at: offset) }
            model.insert(contentsOf: moved, at: before)
        case 19:
            let offsets = offsets()
            array.remove(atOffsets: offsets)
            for offset in offsets.sorted(by: >) { model.remove(at: offset) }
        case 20:
            let id = random.below(12)
            let removed = model.firstIndex { $0.id == id }.map { model.remove(at: $0) }
            if array.remove(id: id) != removed { problems.append("removed by id") }
        case 21:
            let item = Item(id: random.below(12), value: random.below(3))
            array[id: item.id] = item
            if let index = model.firstIndex(where: { $0.id == item.id }) {
                model[index] = item
            } else {
                model.append(item)
            }
        case 22 where random.oneIn(3):
            let items = items(random.oneIn(3) ? 400 : 20)
            array += items
            model += items
        case 23 where random.oneIn(4):
            array.removeAll()
            model.removeAll()
        case 24:
            if array.popFirst() != (model.isEmpty ? nil : model.removeFirst()) { problems.append("popFirst") }
            if array.popLast() != model.popLast() { problems.append("popLast") }
        case 25:
            let pivot = array.partition { $0.value == 1 }
            model = model.filter { $0.value != 1 } + model.filter { $0.value == 1 }
            if pivot != model.firstIndex(where: { $0.value == 1 }) ?? model.count { problems.append("partition") }
        default:
            break
        }
    }

    func compare() {
        if array.elements != model { problems.append("elements") }
        if array.count != model.count || array.isEmpty != model.isEmpty { problems.append("count") }
        if !model.isEmpty {
            let index = random.below(model.count)
            if array[index] != model[index] { problems.append("subscript") }
        }
        let id = random.below(12)
        if array[id: id] != model.first(where: { $0.id == id }) { problems.append("id") }
        if array.index(id: id) != model.firstIndex(where: { $0.id == id }) { problems.append("index of id") }
        if random.oneIn(2) { problems += follower.differences(from: array) }
    }

    /// Runs a transaction, or a nested one. Returns whether it was rolled back.
    func transact(depth: Int) {
        let (model, follower) = (model, follower)
        let isRolledBack = random.oneIn(3)
        let isUndone = !isRolledBack && random.oneIn(4)
        do {
            try inTransaction {
                for _ in 0..<1 + random.below(5) {
                    if depth < 3, random.oneIn(5) { transact(depth: depth + 1) } else { edit() }
                    if random.oneIn(2) { untracked { compare() } }
                }
                if isUndone {
                    array.replaceSubrange(0..<array.count, with: model)
                    self.model = model
                }
                if isRolledBack { throw Refusal() }
            }
        } catch {
            self.model = model
            self.follower = follower
        }
        // A transaction without net effect restores the log, as a roll-back does.
        if self.model == model { self.follower = follower }
    }

    /// Makes one change, and checks which observers ran.
    func step() {
        let (model, runs) = (model, runs)
        problems = []
        if random.oneIn(3) { transact(depth: 0) } else { edit() }
        guard problems.isEmpty else { return }
        if seen.elements != self.model { problems.append("seen elements") }
        if seen.count != self.model.count { problems.append("seen count") }
        func first(_ id: Int, in items: [Item]) -> Item? { items.first { $0.id == id } }
        for id in 0..<12 where seen.ids[id] != first(id, in: self.model) { problems.append("seen id \(id)") }
        if !allowsDuplicates {
            // `popFirst` and `popLast` are two changes.
            func check(_ name: String, _ runs: Int, _ changed: Bool) {
                if changed ? runs == 0 || runs > 2 : runs != 0 { problems.append("\(name) ran \(runs) times") }
            }
            check("elements", self.runs.elements - runs.elements, model != self.model)
            check("count", self.runs.count - runs.count, model.count != self.model.count)
            for id in 0..<12 {
                check("id \(id)", self.runs.ids[id] - runs.ids[id], first(id, in: model) != first(id, in: self.model))
            }
        }
        compare()
    }
}

@Suite(.ownGraph, .timeLimit) struct ArrayOracleTests {
    @Test(arguments: seeds(40)) func followsAPlainArray(seed: UInt64) {
        let subject = Subject(seed: seed)
        _ = issues {
            subject.observe()
            for step in 0..<100 {
                subject.step()
                guard subject.problems.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(subject.problems)")
                    break
                }
            }
            subject.stop()
        }
    }

    /// Without observers, ids and views, so the array has no rows and no nodes.
    @Test(arguments: seeds(20)) func followsAPlainArrayWithoutRows(seed: UInt64) {
        let subject = Subject(seed: seed)
        for _ in 0..<150 {
            subject.edit()
            if subject.random.oneIn(9) { subject.transact(depth: 1) }
            #expect(subject.array.elements == subject.model)
        }
    }
}
