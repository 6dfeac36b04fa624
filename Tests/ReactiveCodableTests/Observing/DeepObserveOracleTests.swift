// Random graphs and random edits, compared with an observer that encodes everything each time.
//
// The oracle is an `autorun` that encodes the whole root. For each transaction deepObserve must report exactly if the
// oracle runs again. The reported changes must turn the JSON before into the JSON after. The reported states before and
// after must equal those of the oracle, also much later.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

private indirect enum Content: Encodable {
    case nothing
    case number(Int)
    case note(Note, tag: String)
    case thing(Thing)
    case observable(Observable<Content>)
    case list([Content])
}

private struct Note: Encodable {
    @Observable var text = ""
    @Observable var stars: Int?
    @Observable var content = Content.nothing
    let fixed = 7
}

private class Thing: Encodable {
    @Observable var name = "t"
    @Observable var parts: [Content] = []
    @Observable var byName: [String: Note] = [:]
    @Observable var byNumber: [Int: Content] = [:]
    @Observable var friend: Thing?
    let note = Note()
}

/// Encodes by hand, and reads its own observables meanwhile.
private final class Special: Thing {
    @Observable var extra = 0
    @Observable var pair: [Note]?

    enum CodingKeys: CodingKey { case extra, pair, sum }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(extra, forKey: .extra)
        try container.encodeIfPresent(pair, forKey: .pair)
        var sums = container.nestedUnkeyedContainer(forKey: .sum)
        try sums.encode(name.count + extra)
        try sums.encodeNil()
        try super.encode(to: container.superEncoder())
    }
}

/// A graph without cycles: a thing only contains things of a lower rank.
private final class Garden {
    var random: SplitMix64
    private(set) var things: [Thing] = []
    let root: Thing

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for _ in 0..<6 { things.append(random.oneIn(3) ? Special() : Thing()) }
        root = things[5]
        for _ in 0..<20 { edit() }
    }

    /// Contents in which things have a rank below `rank`.
    private func content(below rank: Int, depth: Int = 0) -> Content {
        switch random.below(depth > 3 ? 2 : 7) {
        case 0: return .nothing
        case 1: return .number(random.below(3))
        case 2: return .note(note(below: rank, depth: depth + 1), tag: "x")
        case 3, 4: return rank == 0 ? .number(9) : .thing(things[random.below(rank)])
        case 5: return .observable(Observable(content(below: rank, depth: depth + 1)))
        default: return .list((0..<random.below(4)).map { _ in content(below: rank, depth: depth + 1) })
        }
    }

    private func note(below rank: Int, depth: Int) -> Note {
        Note(text: "\(random.below(3))", stars: random.oneIn(2) ? nil : 1, content: content(below: rank, depth: depth))
    }

    /// Everything in `content` that can be written and is not inside a thing.
    private func edit(_ content: Content, below rank: Int) {
        switch content {
        case .nothing, .number, .thing: break
        case .note(let note, _): edit(note, below: rank)
        case .observable(let observable):
            if random.oneIn(2) {
                observable.value = self.content(below: rank)
            } else {
                edit(observable.value, below: rank)
            }
        case .list(let list): if !list.isEmpty { edit(random.pick(list), below: rank) }
        }
    }

    private func edit(_ note: Note, below rank: Int) {
        switch random.below(4) {
        case 0: note.text = "\(random.below(3))"
        case 1: note.stars = random.oneIn(3) ? nil : random.below(2)
        case 2: note.content = content(below: rank)
        default: edit(note.content, below: rank)
        }
    }

    func edit() {
        let rank = random.below(things.count)
        let thing = things[rank]
        switch random.below(14) {
        case 0: thing.name = "\(random.below(3))"
        case 1: thing.parts.insert(content(below: rank), at: random.below(thing.parts.count + 1))
        case 2: if !thing.parts.isEmpty { thing.parts.remove(at: random.below(thing.parts.count)) }
        case 3: thing.parts.reverse()
        case 4: if !thing.parts.isEmpty { edit(random.pick(thing.parts), below: rank) }
        case 5: thing.byName["\(random.below(3))/~"] = random.oneIn(3) ? nil : note(below: rank, depth: 0)
        case 6: if let note = thing.byName.values.first { edit(note, below: rank) }
        case 7: thing.byNumber[random.below(3)] = random.oneIn(3) ? nil : content(below: rank)
        case 8: if let content = thing.byNumber.values.first { edit(content, below: rank) }
        case 9: thing.friend = rank == 0 || random.oneIn(3) ? nil : things[random.below(rank)]
        case 10, 11: edit(thing.note, below: rank)
        case 12:
            if let special = thing as? Special { special.extra = random.below(3) }
        default:
            guard let special = thing as? Special else { break }
            if let pair = special.pair, !pair.isEmpty, random.oneIn(2) {
                edit(random.pick(pair), below: rank)
            } else {
                special.pair = random.oneIn(3) ? nil : [note(below: rank, depth: 1), note(below: rank, depth: 1)]
            }
        }
    }

    func free() {
        for thing in things { (thing.parts, thing.byName, thing.byNumber, thing.friend) = ([], [:], [:], nil) }
    }
}

private func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? String(decoding: encoder.encode(value), as: UTF8.self)) ?? "failed"
}

private func parsed(_ json: String) -> Any {
    (try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)) ?? "unparsable \(json)"
}

private func printed(_ value: Any) -> String {
    (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])).map {
        String(decoding: $0, as: UTF8.self)
    } ?? "unprintable"
}

/// Returns `document` with `value` at `path`; a key gets no `null`.
private func replacing(_ document: Any, _ path: ArraySlice<any CodingKey>, _ value: Any) -> Any {
    guard let key = path.first else { return value }
    let rest = path.dropFirst()
    if var array = document as? [Any], let index = key.intValue, array.indices.contains(index) {
        array[index] = replacing(array[index], rest, value)
        return array
    }
    guard var object = document as? [String: Any] else { return "nothing at \(path)" }
    object[key.stringValue] =
        rest.isEmpty && value is NSNull ? nil : replacing(object[key.stringValue] ?? "missing", rest, value)
    return object
}

extension ReactiveCodableTests {
    @Suite struct DeepObserveOracleTests {
        private struct Stop: Error {}

        @Test(arguments: seeds(10)) func agreesWithAnObserverThatEncodesEverything(seed: UInt64) {
            let garden = Garden(seed: seed)
            defer { garden.free() }
            var text = ""
            let oracle = autorun { text = json(garden.root) }
            defer { oracle.cancel() }
            var voidCount = 0
            let r0 = deepObserve(garden.root) { voidCount += 1 }
            defer { r0.cancel() }
            var reported: DeepChanges?
            let r = deepObserve(garden.root, pathLimit: 100_000) { (changes: DeepChanges) in
                #expect(reported == nil)
                reported = changes
            }
            defer { r.cancel() }
            var kept: [(DeepChanges, before: String, after: String, all: [String])] = []

            for step in 0..<40 {
                let before = text
                let runs = oracle.runCount
                voidCount = 0
                let edits = 1 + garden.random.below(4)
                let failing = garden.random.oneIn(5)
                try? inTransaction {
                    for _ in 0..<edits { garden.edit() }
                    if failing { throw Stop() }
                }
                #expect((reported != nil) == (oracle.runCount > runs), "seed \(seed), step \(step)")
                #expect(voidCount == (reported == nil ? 0 : 1), "seed \(seed), step \(step)")
                guard let changes = reported else { continue }
                reported = nil
                #expect(json(changes.before) == before, "seed \(seed), step \(step)")
                #expect(json(changes.after) == text, "seed \(seed), step \(step)")
                #expect(Set(changes.map(\.pointer)).count == changes.count, "seed \(seed), step \(step)")
                var document = parsed(before)
                let sorted = changes.sorted { $0.path.count < $1.path.count }
                for change in sorted { document = replacing(document, change.path[...], parsed(json(change.newValue))) }
                #expect(printed(document) == printed(parsed(text)), "seed \(seed), step \(step)")
                if garden.random.oneIn(6) {
                    kept.append((changes, before, text, changes.map { json($0.oldValue) + json($0.newValue) }))
                }
            }
            for (changes, before, after, all) in kept {
                #expect(json(changes.before) == before, "seed \(seed)")
                #expect(json(changes.after) == after, "seed \(seed)")
                #expect(changes.map { json($0.oldValue) + json($0.newValue) } == all, "seed \(seed)")
            }
        }

        @Test(arguments: seeds(10)) func cyclicGraphsAreObservedAsFarAsTheyAreReachable(seed: UInt64) {
            final class Vertex: Encodable {
                @Observable var value = 0
                @Observable var next: [Vertex] = []
                @Observable var other: Vertex?
            }
            var random = SplitMix64(seed: seed)
            let vertices = (0..<8).map { _ in Vertex() }
            defer { for vertex in vertices { (vertex.next, vertex.other) = ([], nil) } }
            var count = 0
            let r = deepObserve(vertices[0]) { count += 1 }
            defer { r.cancel() }
            for step in 0..<200 {
                inTransaction {
                    for _ in 0...random.below(3) {
                        let vertex = random.pick(vertices)
                        if random.oneIn(3) {
                            vertex.other = random.oneIn(2) ? nil : random.pick(vertices)
                        } else {
                            vertex.next = (0..<random.below(3)).map { _ in random.pick(vertices) }
                        }
                    }
                }
                var reachable = Set([ObjectIdentifier(vertices[0])])
                var pending = [vertices[0]]
                while let vertex = pending.popLast() {
                    for next in vertex.next + [vertex.other].compactMap({ $0 })
                    where reachable.insert(ObjectIdentifier(next)).inserted { pending.append(next) }
                }
                for (index, vertex) in vertices.enumerated() {
                    count = 0
                    vertex.value += 1
                    #expect(
                        count == (reachable.contains(ObjectIdentifier(vertex)) ? 1 : 0),
                        "seed \(seed), step \(step), vertex \(index)")
                }
            }
        }
    }
}
