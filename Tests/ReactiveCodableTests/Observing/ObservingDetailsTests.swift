// Details of a deep observation: links that change, what is released, and changes that are delivered later.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

private final class Part: Codable { @Observable var number = 1 }

/// Refers to others.
private final class Vertex: Encodable {
    @Observable var value = 0
    @Observable var next: [Vertex] = []
    @Observable var named: [String: Vertex] = [:]
    @Observable var other: Vertex?

    func clear() { (next, named, other) = ([], [:], nil) }
}

extension ReactiveCodableTests {
    @Suite struct ObservingDetailsTests {
        // MARK: - Paths

        @Test func aCycleIsFoundOnBothOfItsPathsAfterItsEntryHasChanged() {
            // c is found below p, and gets an entry of its own before that of p goes away.
            let root = Vertex(), p = Vertex(), c = Vertex()
            defer { for vertex in [root, p, c] { vertex.clear() } }
            root.next = [p]
            p.other = c
            c.next = [p]
            var pointers: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers = changes.map(\.pointer) }
            defer { r.cancel() }
            root.other = c
            root.next = []
            c.value += 1
            #expect(pointers.sorted() == ["/other/next/0/other/value", "/other/value"])
        }

        @Test func aPartStaysBelowOneThatHasChangedItsWayToTheRoot() {
            // c is found below p, which leaves, and later below the end of a chain, which gets its own entry.
            let root = Vertex(), p = Vertex(), c = Vertex(), d = Vertex()
            let chain = (0..<4).map { _ in Vertex() }
            defer { for vertex in [root, p, c, d] + chain { vertex.clear() } }
            root.next = [p]
            p.other = c
            root.named = ["chain": chain[0], "d": d]
            for index in 1..<4 { chain[index - 1].other = chain[index] }
            var pointers: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers = changes.map(\.pointer) }
            defer { r.cancel() }
            chain[3].other = c
            root.other = chain[3]
            c.other = d
            inTransaction {
                root.next = []
                root.named["chain"] = nil
            }
            root.named["d"] = nil
            pointers = []
            d.value += 1
            #expect(pointers == ["/other/other/other/value"])
        }

        private struct Content: Encodable {
            struct Failure: Error {}
            var fails = false

            func encode(to encoder: any Encoder) throws {
                if fails { throw Failure() }
                var container = encoder.singleValueContainer()
                try container.encode("c")
            }
        }

        private final class Shown: Encodable { @Observable var content = Content() }
        private final class Shelf: Encodable { @Observable var list: [Shown] = [] }

        @Test(arguments: [true, false], [true, false])
        func aFailureIsReportedOnThePathThatIsLeft(losesFirst: Bool, hasDirect: Bool) {
            struct Root: Encodable {
                @Observable var first: Shelf?
                @Observable var second: Shelf?
                @Observable var direct: Shown?
            }
            let part = Shown(), shelf = Shelf()
            shelf.list = [part, Shown(), part]
            let root = Root(first: shelf, second: shelf, direct: hasDirect ? part : nil)
            let r = deepObserve(root) {}
            defer { r.cancel() }
            inTransaction {
                shelf.list.remove(at: 0)
                root.direct = nil
                if losesFirst { root.first = nil } else { root.second = nil }
            }
            let messages = issues { part.content = Content(fails: true) }.map(\.message)
            let path = losesFirst ? "/second/list/1/content" : "/first/list/1/content"
            #expect(messages.count == 1 && messages[0].contains(path))
        }

        @Test(arguments: [true, false]) func aPathThatIsGoneIsNotReported(isFirst: Bool) {
            struct Root: Encodable {
                @Observable var a: Part?
                @Observable var b: Part?
            }
            let part = Part()
            let root = Root(a: part, b: part)
            var pointers: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers = changes.map(\.pointer) }
            defer { r.cancel() }
            if isFirst { root.a = nil } else { root.b = nil }
            part.number = 2
            #expect(pointers == [isFirst ? "/b/number" : "/a/number"])
        }

        @Test func aRootMayContainAPartTwice() {
            struct Root: Encodable { let a: Part, b: Part }
            let part = Part()
            var pointers: [String] = []
            let r = deepObserve(Root(a: part, b: part)) { (changes: DeepChanges) in pointers = changes.map(\.pointer) }
            defer { r.cancel() }
            part.number = 2
            #expect(pointers.sorted() == ["/a/number", "/b/number"])
        }

        @Test func allPathsThroughManyCyclesAreFound() {
            let people = (0..<6).map { _ in Vertex() }
            for person in people { person.next = people.filter { $0 !== person } }
            defer { for person in people { person.clear() } }
            let last = people[3]
            var expected: [String] = []
            var passed: Set<ObjectIdentifier> = []
            func follow(_ person: Vertex, _ path: String) {
                passed.insert(ObjectIdentifier(person))
                for (index, friend) in person.next.enumerated() {
                    if friend === last { expected.append("\(path)/next/\(index)/value") }
                    if !passed.contains(ObjectIdentifier(friend)) { follow(friend, "\(path)/next/\(index)") }
                }
                passed.remove(ObjectIdentifier(person))
            }
            follow(people[0], "")
            var pointers: [String] = []
            let r = deepObserve(people[0], pathLimit: 1_000) { changes in pointers = changes.map(\.pointer) }
            defer { r.cancel() }
            last.value = 1
            #expect(expected.count == 261)
            #expect(pointers.sorted() == expected.sorted())
        }

        // MARK: - Walks

        /// Reads its name itself, if it is told to.
        private final class Reader: Encodable {
            @Observable var note = "o"
            @Observable var name = "n"
            let readsName: Bool

            init(readsName: Bool) { self.readsName = readsName }

            enum CodingKeys: CodingKey { case note, name }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(_note, forKey: .note)
                if readsName { try container.encode(name, forKey: .name) }
            }
        }

        @Test(arguments: 0..<3) func anAddedElementThatIsTheFirstToReadIsObserved(kind: Int) {
            struct Root: Encodable {
                @Observable var list = [Reader(readsName: false)]
                @Observable var table = ["a": Reader(readsName: false)]
                let rows: ObservableArray<Reader> = [Reader(readsName: false)]
            }
            let root = Root()
            let reader = Reader(readsName: true)
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            switch kind {
            case 0: root.list.append(reader)
            case 1: root.table["b"] = reader
            default: root.rows.append(reader)
            }
            count = 0
            reader.name = "m"
            reader.note = "p"
            #expect(count == 2)
            switch kind {
            case 0: root.list.removeLast()
            case 1: root.table["b"] = nil
            default: root.rows.remove(at: 1)
            }
            count = 0
            reader.name = "l"
            reader.note = "q"
            #expect(count == 0)
        }

        @Test func anElementKeepsItsPartsWhenItsFormerRowIsUsedByAnother() {
            struct Element: Encodable {
                let number: Int
                var part: Part?
            }
            struct Root: Encodable { let rows: ObservableArray<Element> }
            let part = Part()
            let elements = [Element(number: 0, part: part), Element(number: 1), Element(number: 2)]
            let root = Root(rows: ObservableArray(elements))
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            // Each of the first two gets the row of the other.
            inTransaction {
                root.rows.remove(at: 0)
                root.rows.remove(at: 0)
                root.rows.insert(elements[0], at: 0)
                root.rows.insert(elements[1], at: 1)
            }
            root.rows.remove(at: 1)
            count = 0
            part.number = 2
            #expect(count == 1)
        }

        @Test func recordedStateOfADifferentGraphCannotBeEncoded() throws {
            final class Mixed: Encodable {
                @Observable var name = "n"
                let foreign: Observable<Int>

                init(_ foreign: Observable<Int>) { self.foreign = foreign }

                enum CodingKeys: CodingKey { case name, foreign }

                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(name, forKey: .name)
                    try container.encode(foreign, forKey: .foreign)
                }
            }
            struct Root: Encodable {
                @Observable var first = 1
                let mixed: Mixed
            }
            let foreign = IndependentGraph(named: "session").run { Observable(1, named: "stranger") }
            let root = Root(mixed: Mixed(foreign))
            var reported: DeepChanges?
            var reaction: Reaction?
            let found = issues {
                reaction = deepObserve(root) { (changes: DeepChanges) in reported = changes }
                root.mixed.name = "m"
            }
            defer { reaction?.cancel() }
            #expect(!found.isEmpty)
            let changes = try #require(reported)
            for snapshot in [changes.before, changes.after] {
                let error = #expect(throws: EncodingError.self) { try JSONValue(encoding: snapshot) }
                #expect("\(error as Any)".contains("stranger belongs to"))
            }
        }

        @Test func theLogOfAHistoryNamesTheElementsThatWereRemoved() {
            final class Root: Codable { @Observable var parts = [Part(), Part(), Part()] }
            let root = Root()
            let history = History(root)
            root.parts.remove(at: 0)
            root.parts.remove(at: 1)
            // All elements are equal as JSON.
            #expect(
                history.log.done.map(\.patch.description) == [
                    #"[{"op":"remove","path":"/parts/0"}]"#, #"[{"op":"remove","path":"/parts/1"}]"#,
                ])
        }

        // MARK: - Changes that are delivered later

        // `apply` needs the paths of the present graph, so it updates an observation whose call is still to come.

        @Test func membersThatWereRemovedInTwoUpdatesAreInOnePatch() throws {
            struct Root: Codable {
                @Observable var items: [String: Observable<Int>]
                @Observable var number = 0
            }
            let root = Root(items: Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", Observable($0)) }))
            var pending: [() -> Void] = []
            var found: [DeepChanges] = []
            let r = deepObserve(root, schedule: .custom { pending.append($0) }) { (changes: DeepChanges) in
                found.append(changes)
            }
            defer { r.cancel() }
            let before = try JSONValue(encoding: root)
            root.items["0"] = nil
            try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/number","value":1}]"#), to: root)
            root.items["1"] = nil
            for run in pending { run() }
            let patches = try found.map { try $0.jsonPatch() }
            let after = try patches.reduce(before) { try NaiveJSONPatch.apply($1, to: $0) }
            #expect(after == (try JSONValue(encoding: root)))
        }

        @Test func keptChangesShowTheirValuesAfterAnEndBeforeTheNextCall() throws {
            struct Root: Codable {
                @Observable var a = 0
                @Observable var b = 0
                @Observable var c = 0
            }
            let root = Root()
            var pending: [() -> Void] = []
            var kept: DeepChanges?
            let r = deepObserve(root, schedule: .custom { pending.append($0) }) { (changes: DeepChanges) in
                kept = changes
            }
            root.a = 1
            let due = pending
            pending = []
            for run in due { run() }
            let changes = try #require(kept)
            let expected = try JSONValue(encoding: root)
            root.a = 2
            try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/b","value":1}]"#), to: root)
            r.cancel()
            root.c = 1
            #expect(try JSONValue(encoding: changes.after) == expected)
        }

        @Test func changesThatAreNeverDeliveredAreReleased() throws {
            struct Root: Codable {
                @Observable var part: Part?
                @Observable var a = 0
                @Observable var b = 0
            }
            weak var part: Part?
            do {
                let root = Root(part: Part())
                part = root.part
                var pending: [() -> Void] = []
                let r = deepObserve(root, schedule: .custom { pending.append($0) }) { (_: DeepChanges) in }
                root.a = 1
                try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/b","value":1}]"#), to: root)
                #expect(part != nil)
                r.cancel()
                pending = []
            }
            #expect(part == nil)
        }

        // MARK: - Lifetimes

        @Test func anEndedHistoryKeepsNoOldValues() {
            final class Box: Codable { @Observable var part = Part() }
            final class Root: Codable {
                @Observable var name = "n"
                var box: Box? = Box()

                enum CodingKeys: CodingKey { case name, box }

                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(name, forKey: .name)
                    try container.encodeIfPresent(box, forKey: .box)
                }
            }
            let root = Root()
            weak let part = root.box?.part
            let history = History(root)
            #expect(part != nil)
            history.end()
            root.box = nil
            #expect(part == nil)
            withExtendedLifetime(history) {}
        }

        @Test func verticesThatReferToEachOtherAreReleasedAfterTheEnd() {
            weak var first: Vertex?
            do {
                let root = Vertex(), a = Vertex(), b = Vertex()
                first = a
                root.next = [a, b]
                a.next = [b]
                b.next = [a]
                let r = deepObserve(root) {}
                r.cancel()
                for vertex in [root, a, b] { vertex.clear() }
            }
            #expect(first == nil)
        }

        /// Contains a shared part and one of its own in each way that has regions of its own.
        private final class Holder: Encodable {
            struct Pair: Encodable { let shared: Part, own: Part }

            @Observable var pair: Pair
            @Observable var list: [Part]
            @Observable var table: [String: Part]
            let rows: ObservableArray<Part>

            init(_ shared: Part, own: [Part]) {
                _pair = Observable(wrappedValue: Pair(shared: shared, own: own[0]))
                _list = Observable(wrappedValue: [shared, own[1]])
                _table = Observable(wrappedValue: ["shared": shared, "own": own[2]])
                rows = [shared, own[3]]
            }
        }

        @Test func oneSharedPartDoesNotKeepAllThatHaveContainedIt() {
            struct Root: Encodable {
                let shared: Part
                @Observable var holder: Holder?
            }
            struct WeakPart { weak var part: Part? }
            let root = Root(shared: Part(), holder: nil)
            let r = deepObserve(root) {}
            defer { r.cancel() }
            var parts: [[WeakPart]] = []
            for _ in 0..<100 {
                let own = (0..<4).map { _ in Part() }
                parts.append(own.map { WeakPart(part: $0) })
                root.holder = Holder(root.shared, own: own)
            }
            for kind in 0..<4 {
                let keptCount = parts.filter { $0[kind].part != nil }.count
                #expect(keptCount < 20, "kind \(kind)")
            }
        }

        private struct Chain: Encodable {
            @Observable var rest: Chain?

            init(_ rest: Chain?) { self.rest = rest }
        }

        @Test func theEndOfAnObservationOfALongChainNeedsNoStack() {
            onOtherThread(stackSize: 512 << 10) {
                var chain = Chain(nil)
                let last = chain
                for _ in 1...deep { chain = Chain(chain) }
                let root = chain
                chain = last
                // Cells end in any order, and rarely all in the one that needs no more stack.
                for _ in 0..<2 {
                    var count = 0
                    let r = deepObserve(root) { count += 1 }
                    last.rest = Chain(nil)
                    #expect(count == 1)
                    r.cancel()
                }
                root.rest = nil
            }
        }
    }
}
