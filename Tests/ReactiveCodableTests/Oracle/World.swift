// A random graph, and random edits of it. Each edit returns its description, so that a failing session can be followed
// and shrunk by hand.
//
// The graph consists of things and parts of a pool. An edit uses objects that are already in the graph or not yet. So
// the same instance and the same struct's observables get several paths, leave the graph, are edited outside, and
// return.
//
// Without cycles, a thing and a part have a rank, and refer only to things of a lower rank.

import Reactive
import ReactiveCollections
import TestSupport

/// A random graph.
final class World {
    /// The features of a graph.
    struct Shape {
        /// Whether things may refer to each other in cycles.
        var hasCycles = false
        /// Whether an instance of the subclass may replace one of the superclass: it would not survive decoding.
        var hasHiddenSubclasses = false
    }

    /// A transaction that is rolled back.
    struct Rollback: Error {}

    var random: SplitMix64
    let root: Root
    private let shape: Shape
    private let things: [Thing]
    private var parts: [(rank: Int, part: Part)] = []
    private var partCount = 0

    init(seed: UInt64, _ shape: Shape, edits: Int = 30) {
        random = SplitMix64(seed: seed)
        self.shape = shape
        // The last one is the root's first, and can refer to all others.
        things = (0..<6).map { $0 == 1 || $0 == 3 ? Special() : Thing() }
        for (index, thing) in things.enumerated() { thing.name = "thing \(index)" }
        root = Root(things[5])
        for _ in 0..<edits { _ = edit() }
    }

    /// Breaks the cycles, which would leak.
    func dismantle() {
        for thing in things {
            (thing.parts, thing.things, thing.friend, thing.payload) = ([], [], nil, .none)
            (thing.byName, thing.byNumber, thing.byKind, thing.byColour) = ([:], [:], [:], [:])
            (thing.special, thing.list.value) = (nil, [])
            (thing as? Special)?.pair = nil
            thing.rows.removeAll()
            thing.team.removeAll()
            thing.members.removeAll()
            thing.ranks.removeAll()
        }
        for (_, part) in parts { part.thing = nil }
    }

    // MARK: - Transactions

    /// One to four edits in a transaction, some of them rolled back.
    ///
    /// - Parameter log: Gets the descriptions.
    func transaction(_ log: inout [String]) {
        var edits: [String] = []
        let count = random.below(3) == 0 ? 1 + random.below(4) : 1
        if count == 1, random.oneIn(2) {
            edits.append(edit())
        } else {
            let fails = random.oneIn(6)
            do {
                try inTransaction {
                    for _ in 0..<count { edits.append(edit()) }
                    if random.oneIn(5) {
                        edits.append("(")
                        try? inTransaction {
                            for _ in 0...random.below(2) { edits.append(edit()) }
                            throw Rollback()
                        }
                        edits.append("rolled back)")
                    }
                    if fails { throw Rollback() }
                }
            } catch {
                edits.append("all rolled back")
            }
        }
        log.append(edits.joined(separator: "; "))
    }

    /// One edit, inside the graph or outside.
    func edit() -> String {
        var description: String
        let rank = random.below(things.count)
        switch random.below(12) {
        case 0: description = editRoot()
        case 1, 2, 3: description = editPart()
        default: description = "thing \(rank): " + edit(things[rank], rank)
        }
        if !shape.hasCycles, unfoldedSize > 250 {
            let thing = things[rank]
            (thing.things, thing.byColour, thing.friend, thing.payload) = ([], [:], nil, .none)
            thing.team.removeAll()
            thing.ranks.removeAll()
            description += ", and few references"
        }
        return description
    }

    // MARK: - Choices

    private func thing(below rank: Int, isSpecial: Bool = false) -> (index: Int, thing: Thing)? {
        let candidates = things.indices.filter {
            (shape.hasCycles || $0 < rank)
                && (isSpecial ? things[$0] is Special : shape.hasHiddenSubclasses || !(things[$0] is Special))
        }
        guard !candidates.isEmpty else { return nil }
        let index = random.pick(candidates)
        return (index, things[index])
    }

    /// Returns a part for a thing of this rank: an existing one, or a new one.
    private func part(_ rank: Int) -> Part {
        let candidates = parts.filter { shape.hasCycles || $0.rank <= rank }
        if !candidates.isEmpty, random.below(3) > 0 { return random.pick(candidates).part }
        let part = newPart()
        parts.append((random.below(rank + 1), part))
        return part
    }

    /// Returns a part that is used nowhere else.
    func newPart() -> Part {
        partCount += 1
        return Part(partCount)
    }

    private func payload(_ rank: Int, depth: Int = 0) -> Payload {
        switch random.below(depth > 2 ? 2 : 7) {
        case 0: return .none
        case 1: return .number(random.below(3))
        case 2: return .part(part(rank), tag: ["a", "b"][random.below(2)])
        case 3: return thing(below: rank).map { .thing($0.thing) } ?? .none
        case 4: return .observable(Observable(random.below(5)))
        case 5: return .form(Form())
        default: return .list((0..<random.below(3)).map { _ in payload(rank, depth: depth + 1) })
        }
    }

    private func text() -> String { ["", "a", "b", "c/~", "a longer text of no use"][random.below(5)] }

    // MARK: - Edits

    private func editRoot() -> String {
        switch random.below(6) {
        case 0:
            let other = random.oneIn(3) ? nil : thing(below: things.count)
            root.second = other?.thing
            return "root.second = \(other.map { "thing \($0.index)" } ?? "nil")"
        case 1:
            root.archive = root.parts
            return "root.archive = root.parts"
        case 2:
            root.parts = things[5].parts
            return "root.parts = thing 5.parts"
        case 3: return edit("root.archive", root, \.archive) { part(things.count - 1) }
        default: return edit("root.parts", root, \.parts) { part(things.count - 1) }
        }
    }

    private func editPart() -> String {
        guard !parts.isEmpty else { return "no part" }
        let (rank, part) = random.pick(parts)
        switch random.below(5) {
        case 4: return "part \(part.number) " + edit("notes", part.notes) { text() }
        case 0:
            let other = random.oneIn(3) ? nil : thing(below: rank)
            part.thing = other?.thing
            return "part \(part.number).thing = \(other.map { "thing \($0.index)" } ?? "nil")"
        case 1:
            let tag = random.below(6)
            if part.tags.remove(tag) == nil { part.tags.insert(tag) }
            return "part \(part.number).tags: \(tag) toggled"
        default:
            part.title = text()
            return "part \(part.number).title = \"\(part.title)\""
        }
    }

    private func edit(_ thing: Thing, _ rank: Int) -> String {
        switch random.below(32) {
        case 0:
            thing.name = text()
            return "name = \"\(thing.name)\""
        case 1, 2, 3: return edit("parts", thing, \.parts) { part(rank) }
        case 4: return edit("list", thing, \.list.value) { part(rank) }
        case 5:
            guard self.thing(below: rank) != nil else { return "nothing" }
            return edit("things", thing, \.things) { self.thing(below: rank)!.thing }
        case 6:
            let other = random.oneIn(3) ? nil : self.thing(below: rank)
            thing.friend = other?.thing
            return "friend = \(other.map { "thing \($0.index)" } ?? "nil")"
        case 7:
            thing.payload = payload(rank)
            return "payload = \(thing.payload.summary)"
        case 8: return "payload: " + edit(thing.payload)
        case 9: return edit("byName", thing, \.byName, ["a", "b/~", "", "0"]) { part(rank) }
        case 10: return edit("byNumber", thing, \.byNumber, [-1, 0, 7]) { part(rank) }
        case 11: return edit("byKind", thing, \.byKind, Kind.allCases) { part(rank) }
        case 12: return edit("byColour", thing, \.byColour, Colour.allCases) { self.thing(below: rank)?.thing }
        case 13:
            return edit("bySpot", thing, \.bySpot, [Spot(x: 0, y: 0), Spot(x: 0, y: 1), Spot(x: 2, y: 0)]) {
                random.below(4)
            }
        case 14:
            let mark = text()
            if thing.marks.remove(mark) == nil { thing.marks.insert(mark) }
            return "marks: \"\(mark)\" toggled"
        case 15: return "form: " + edit(thing.form)
        case 20, 21, 22: return edit("rows", thing.rows) { part(rank) }
        case 23, 24:
            guard self.thing(below: rank) != nil else { return "nothing" }
            return edit("team", thing.team) { self.thing(below: rank)!.thing }
        case 25:
            if thing.grid.isEmpty || random.oneIn(3) {
                return edit("grid", thing.grid) {
                    ObservableArray((0..<random.below(3)).map { _ in random.below(4) }, equals: .automatic)
                }
            }
            return "grid: " + edit("row", random.pick(thing.grid.elements)) { random.below(4) }
        case 26, 27: return edit("members", thing.members, ["a", "b/~", "", "0"]) { part(rank) }
        case 28: return edit("ranks", thing.ranks, [-1, 0, 7]) { self.thing(below: rank)?.thing }
        case 29: return edit("counts", thing.counts, Kind.allCases) { random.below(3) }
        case 30, 31:
            let label = text()
            if thing.labels.remove(label) == nil { thing.labels.insert(label) }
            return "labels: \"\(label)\" toggled"
        case 16:
            let other = random.oneIn(3) ? nil : self.thing(below: rank, isSpecial: true)
            thing.special = other?.thing as? Special
            return "special = \(other.map { "thing \($0.index)" } ?? "nil")"
        case 17:
            thing.note.value = random.oneIn(2) ? nil : text()
            return "note = \(thing.note.value ?? "nil")"
        case 18:
            thing.count.value = random.below(4)
            return "count = \(thing.count.value)"
        default:
            guard let special = thing as? Special else { return edit("parts", thing, \.parts) { part(rank) } }
            if random.oneIn(2) {
                special.extra += 1
                return "extra += 1"
            }
            special.pair = random.oneIn(3) ? nil : [part(rank), part(rank)]
            return "pair = \(special.pair?.map(\.number).description ?? "nil")"
        }
    }

    /// Writes to the contents of a payload, not to the payload.
    private func edit(_ payload: Payload) -> String {
        switch payload {
        case .none, .number, .thing: return "nothing"
        case .part(let part, _):
            part.title = text()
            return "part \(part.number).title = \"\(part.title)\""
        case .observable(let observable):
            observable.value += 1
            return "observable += 1"
        case .list(let list): return list.isEmpty ? "nothing" : edit(random.pick(list))
        case .form(let form): return edit(form)
        }
    }

    private func edit(_ form: Form) -> String {
        switch random.below(4) {
        case 0:
            form.title = text()
            return "title = \"\(form.title)\""
        case 1: return edit("lines", form, \.lines) { text() }
        default:
            form.stars = random.below(4)
            return "stars = \(form.stars)"
        }
    }

    /// Inserts, removes, moves or replaces elements of an array.
    private func edit<Base, Element>(
        _ name: String, _ base: Base, _ path: ReferenceWritableKeyPath<Base, [Element]>, _ new: () -> Element
    ) -> String {
        edit(name, new, base[keyPath: path]) { base[keyPath: path] = $0 }
    }

    private func edit<Element>(
        _ name: String, _ new: () -> Element, _ array: [Element], _ write: ([Element]) -> Void
    ) -> String {
        var array = array
        let index = array.isEmpty ? 0 : random.below(array.count)
        let other = array.isEmpty ? 0 : random.below(array.count)
        let what: String
        switch array.isEmpty ? 0 : random.below(array.count > 5 ? 12 : 9) {
        case 0, 1, 2:
            let place = random.below(array.count + 1)
            array.insert(new(), at: place)
            what = "insert at \(place)"
        case 3:
            array.append(contentsOf: [new(), new()])
            what = "append two"
        case 4:
            array[index] = new()
            what = "replace \(index)"
        case 5:
            array.insert(array.remove(at: index), at: other)
            what = "move \(index) to \(other)"
        case 6:
            array.swapAt(index, other)
            what = "swap \(index) and \(other)"
        case 7:
            array.shuffle(using: &random)
            what = "shuffle"
        case 8, 9:
            array.remove(at: index)
            what = "remove \(index)"
        default:
            array.removeSubrange(min(index, other)...max(index, other))
            what = "remove \(min(index, other))...\(max(index, other))"
        }
        write(array)
        return "\(name): \(what)"
    }

    /// Inserts, removes, moves or replaces elements of a collection.
    private func edit<Element>(
        _ name: String, _ array: ObservableArray<Element>, _ new: () -> Element
    ) -> String {
        let index = array.isEmpty ? 0 : random.below(array.count)
        let other = array.isEmpty ? 0 : random.below(array.count)
        switch array.isEmpty ? 0 : random.below(array.count > 5 ? 14 : 11) {
        case 0, 1, 2:
            let place = random.below(array.count + 1)
            array.insert(new(), at: place)
            return "\(name): insert at \(place)"
        case 3:
            array.append(contentsOf: [new(), new()])
            return "\(name): append two"
        case 4:
            array[index] = new()
            return "\(name): replace \(index)"
        case 5:
            array.move(from: index, to: other)
            return "\(name): move \(index) to \(other)"
        case 6:
            array.swapAt(index, other)
            return "\(name): swap \(index) and \(other)"
        case 7:
            array.shuffle(using: &random)
            return "\(name): shuffle"
        case 8:
            inTransaction { array.insert(array.remove(at: index), at: other) }
            return "\(name): take out \(index), put in at \(other)"
        case 9 where random.oneIn(3):
            array.removeAll()
            return "\(name): remove all"
        case 9, 10, 11:
            array.remove(at: index)
            return "\(name): remove \(index)"
        default:
            let range = min(index, other)..<max(index, other)
            array.replaceSubrange(range, with: [new()])
            return "\(name): replace \(range)"
        }
    }

    /// Sets or removes one of the keys of a collection.
    private func edit<Key: Hashable, Value>(
        _ name: String, _ dictionary: ObservableDictionary<Key, Value>, _ keys: [Key], _ new: () -> Value?
    ) -> String {
        let key = random.pick(keys)
        let value = random.oneIn(3) ? nil : new()
        dictionary[key] = value
        return "\(name)[\(key)] \(value == nil ? "removed" : "set")"
    }

    /// Sets or removes one of the keys.
    private func edit<Key: Hashable, Value>(
        _ name: String, _ thing: Thing, _ path: ReferenceWritableKeyPath<Thing, [Key: Value]>, _ keys: [Key],
        _ new: () -> Value?
    ) -> String {
        let key = random.pick(keys)
        let value = random.oneIn(3) ? nil : new()
        thing[keyPath: path][key] = value
        return "\(name)[\(key)] \(value == nil ? "removed" : "set")"
    }

    // MARK: - Size

    /// The number of things below the root, each counted once per path.
    private var unfoldedSize: Int {
        var sizes: [Int] = []
        for thing in things {
            var size = 1
            func count(_ other: Thing?) {
                guard let other, let index = things.firstIndex(where: { $0 === other }) else { return }
                size += sizes[index]
            }
            func count(_ parts: some Sequence<Part>) { for part in parts { count(part.thing) } }
            func count(_ payload: Payload) {
                switch payload {
                case .part(let part, _): count([part])
                case .thing(let other): count(other)
                case .list(let list): list.forEach(count)
                case .none, .number, .observable, .form: break
                }
            }
            count(thing.parts)
            thing.things.forEach(count)
            count(thing.friend)
            count(thing.payload)
            for dictionary in [Array(thing.byName.values), Array(thing.byNumber.values), Array(thing.byKind.values)] {
                count(dictionary)
            }
            thing.byColour.values.forEach(count)
            count(thing.special)
            count(thing.rows)
            thing.team.forEach(count)
            count(thing.members.values)
            thing.ranks.values.forEach(count)
            count(thing.list.value)
            count((thing as? Special)?.pair ?? [])
            sizes.append(size)
        }
        func size(_ thing: Thing?) -> Int {
            things.firstIndex { $0 === thing }.map { sizes[$0] } ?? 0
        }
        return size(root.first) + size(root.second)
            + (root.parts + root.archive).reduce(0) { $0 + size($1.thing) }
    }
}
