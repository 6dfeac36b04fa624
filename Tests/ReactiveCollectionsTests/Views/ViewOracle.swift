// Random edits of the source array of a view, compared with the standard library's operators on a plain array.

import TestSupport
import Testing

@testable import ReactiveCollections

struct ViewItem: Hashable, Comparable, Sendable {
    var id: Int
    var key: Int
    /// The observable whose value closures add to the key, if any.
    var cell: Int?

    static func < (a: ViewItem, b: ViewItem) -> Bool { a.key < b.key }
}

/// Observables that closures of views read.
final class Cells {
    let values: [Observable<Int>] = (0..<6).map { Observable($0 % 3, named: "cell \($0)") }
    let start = Observable(0, named: "start")
    let length = Observable(4, named: "length")

    func key(of item: ViewItem) -> Int { item.key + (item.cell.map { values[$0].value } ?? 0) }
}

/// A view, its expected contents, and its source array, which is edited randomly.
final class ViewOracle {
    struct Subject: Sendable {
        let name: String
        let create: @Sendable (LiveArray<ViewItem>, Cells) -> LiveArray<ViewItem>
        let plain: @Sendable ([ViewItem], Cells) -> [ViewItem]
    }

    var random: SplitMix64
    private let subject: Subject
    private let array: ObservableArray<ViewItem>
    private let cells = Cells()
    private var model: [ViewItem]
    private var nextID = 0
    private var view: LiveArray<ViewItem>
    private var follower = RowFollower<ViewItem>()
    private var reaction: Reaction?
    private var seen: [ViewItem] = []
    private var runs = 0
    /// Whether observers may run after the last edit although their elements are the same: it replaced all elements, so
    /// that views are built again, or it moved an element past others, which may be outside of a view.
    private var mayRunNeedlessly = false
    private(set) var problems: [String] = []

    init(_ subject: Subject, seed: UInt64) {
        random = SplitMix64(seed: seed)
        self.subject = subject
        model = []
        let count = random.below(random.pick([4, 40, 300]))
        array = ObservableArray<ViewItem>([], named: "array")
        view = subject.create(array.live, cells)
        model = (0..<count).map { _ in item() }
        array.append(contentsOf: model)
    }

    /// Whether the view is observed from now on.
    private func setObserved(_ isObserved: Bool) {
        reaction?.cancel()
        reaction = nil
        guard isObserved else { return }
        let view = view
        reaction = autorun { [unowned self] in
            seen = view.elements
            runs += 1
        }
    }

    private func item() -> ViewItem {
        nextID += 1
        return ViewItem(id: nextID, key: random.below(8), cell: random.oneIn(3) ? random.below(6) : nil)
    }

    private func range() -> Range<Int> {
        let start = random.below(model.count + 1)
        let rest = model.count - start
        return start..<start + (random.oneIn(8) ? rest : Swift.min(rest, random.below(6)))
    }

    func edit() {
        let index = model.isEmpty ? 0 : random.below(model.count)
        mayRunNeedlessly = false
        switch random.below(23) {
        case 0:
            let item = item()
            array.append(item)
            model.append(item)
        case 1, 2, 4:
            let (item, index) = (item(), random.below(model.count + 1))
            array.insert(item, at: index)
            model.insert(item, at: index)
        case 3 where !model.isEmpty:
            array.remove(at: index)
            model.remove(at: index)
        case 5 where !model.isEmpty:
            let key = random.below(8)
            array[index].key = key
            model[index].key = key
        case 7 where !model.isEmpty:
            let item = item()
            array[index] = item
            model[index] = item
        case 8 where !model.isEmpty:
            let other = random.below(model.count)
            mayRunNeedlessly = true
            array.swapAt(index, other)
            model.swapAt(index, other)
        case 9 where !model.isEmpty:
            let other = random.below(model.count)
            mayRunNeedlessly = true
            array.move(from: index, to: other)
            model.insert(model.remove(at: index), at: other)
        case 11:
            let (range, items) = (range(), (0..<random.below(6)).map { _ in item() })
            mayRunNeedlessly = range == model.indices
            array.replaceSubrange(range, with: items)
            model.replaceSubrange(range, with: items)
        case 12:
            let range = range()
            mayRunNeedlessly = range == model.indices
            array.removeSubrange(range)
            model.removeSubrange(range)
        case 13 where random.oneIn(3):
            mayRunNeedlessly = true
            array.sort { $0.key < $1.key }
            model.sort { $0.key < $1.key }
        case 14 where random.oneIn(3):
            mayRunNeedlessly = true
            array.reverse()
            model.reverse()
        case 15 where random.oneIn(3):
            let items = (0..<random.below(100)).map { _ in item() }
            array += items
            model += items
        case 16 where random.oneIn(8):
            mayRunNeedlessly = true
            array.removeAll()
            model.removeAll()
        case 17 where random.oneIn(3):
            // More changes than the log's capacity.
            for index in model.indices {
                array[index].key = 7 - model[index].key
                model[index].key = 7 - model[index].key
            }
        case 6, 18, 19, 20:
            random.pick(cells.values).value = random.below(4)
        case 21:
            cells.start.value = random.below(10) - 2
        case 22:
            cells.length.value = random.below(random.oneIn(4) ? 300 : 12) - 2
        default:
            break
        }
    }

    private func compare(_ place: String) {
        let expected = untracked { subject.plain(model, cells) }
        let elements = untracked { view.elements }
        if elements != expected { problems.append("\(place): has \(elements), not \(expected)") }
        if untracked({ view.count }) != expected.count { problems.append("\(place): count") }
        if random.oneIn(2) { problems += follower.differences(from: view, by: ==).map { "\(place): \($0)" } }
    }

    /// Runs a transaction, or a nested one.
    private func transact(depth: Int) {
        let (model, follower) = (model, follower)
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
        // A roll-back restores the log of the view, and so does a transaction that restores some state.
        self.follower = follower
    }

    private struct Refusal: Error {}

    /// Makes one change, and checks which observers ran.
    func step() {
        if random.oneIn(12) { setObserved(random.oneIn(2)) }
        if random.oneIn(30) {
            setObserved(false)
            view = subject.create(array.live, cells)
            follower = RowFollower()
        }
        if random.oneIn(4) {
            transact(depth: 0)
        } else {
            let (seen, runs) = (seen, runs)
            edit()
            let isNeedless = reaction != nil && !mayRunNeedlessly && seen == self.seen && runs != self.runs
            if isNeedless { problems.append("needless run") }
        }
        guard problems.isEmpty else { return }
        if reaction != nil, seen != untracked({ subject.plain(model, cells) }) { problems.append("observer") }
        // Views that have not been read for a while are behind.
        if random.oneIn(3) { compare("after a step") }
    }

    func stop() { setObserved(false) }

    static func run(_ subject: Subject, seed: UInt64, steps: Int = 120) {
        let oracle = ViewOracle(subject, seed: seed)
        for step in 0..<steps {
            oracle.step()
            guard oracle.problems.isEmpty else {
                Issue.record("\(subject.name), seed \(seed), step \(step): \(oracle.problems)")
                break
            }
        }
        oracle.stop()
    }
}
