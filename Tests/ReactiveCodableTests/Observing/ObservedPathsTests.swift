// The paths of a deep observation after cells have left, lost links or got new ones.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

/// Refers to others in each way that has regions of its own.
private final class Vertex: Encodable {
    @Observable var value = 0
    @Observable var next: [Vertex] = []
    @Observable var named: [String: Vertex] = [:]
    @Observable var other: Vertex?
    let rows: ObservableArray<Vertex> = []

    func clear() {
        (next, named, other) = ([], [:], nil)
        rows.removeAll()
    }

    /// The observables that refer to others, each with its references.
    var links: [(key: String, targets: [(key: String, vertex: Vertex)])] {
        func indexed(_ vertices: [Vertex]) -> [(key: String, vertex: Vertex)] {
            vertices.enumerated().map { ("/\($0)", $1) }
        }
        return [
            ("next", indexed(next)), ("named", named.map { ("/\($0)", $1) }), ("other", other.map { [("", $0)] } ?? []),
            ("rows", indexed(rows.elements)),
        ]
    }
}

private struct Item: Encodable { @Observable var title = "a" }

extension ReactiveCodableTests {
    @Suite struct ObservedPathsTests {
        /// Returns the pointers to the values of all vertices, by vertex. No path passes an observable twice. Returns
        /// `nil` if there are very many.
        private func pointers(from root: Vertex) -> [ObjectIdentifier: [String]]? {
            var found: [ObjectIdentifier: [String]] = [:]
            var passed: Set<String> = []
            var left = 2_000
            func visit(_ vertex: Vertex, _ path: String) {
                left -= 1
                guard left > 0 else { return }
                found[ObjectIdentifier(vertex), default: []].append(path + "/value")
                for (key, targets) in vertex.links where passed.insert("\(ObjectIdentifier(vertex))\(key)").inserted {
                    for target in targets { visit(target.vertex, "\(path)/\(key)\(target.key)") }
                    passed.remove("\(ObjectIdentifier(vertex))\(key)")
                }
            }
            visit(root, "")
            return left > 0 ? found : nil
        }

        @Test(arguments: seeds(6)) func changesOfCyclicGraphsHaveAllTheirPaths(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let vertices = (0..<5).map { _ in Vertex() }
            defer { for vertex in vertices { vertex.clear() } }
            var reported: [String] = []
            let r = deepObserve(vertices[0], pathLimit: 2_000) { changes in reported += changes.map(\.pointer) }
            defer { r.cancel() }
            var compared = 0
            for step in 0..<60 {
                inTransaction {
                    for _ in 0...random.below(3) {
                        let vertex = random.pick(vertices), target = random.pick(vertices)
                        switch random.below(8) {
                        case 0, 1: vertex.other = random.oneIn(2) ? nil : target
                        case 2: vertex.next = random.oneIn(2) ? [] : [target, random.pick(vertices)]
                        case 3: if !vertex.next.isEmpty { vertex.next.removeFirst() }
                        case 4: vertex.named = random.oneIn(2) ? [:] : ["a": target]
                        case 5: vertex.named["b"] = vertex.named["b"] == nil ? target : nil
                        case 6: if vertex.rows.count < 2 { vertex.rows.insert(target, at: 0) }
                        default: if !vertex.rows.isEmpty { vertex.rows.remove(at: 0) }
                        }
                    }
                }
                guard let expected = pointers(from: vertices[0]) else { continue }
                compared += 1
                for (index, vertex) in vertices.enumerated() {
                    reported = []
                    vertex.value += 1
                    let paths = expected[ObjectIdentifier(vertex)] ?? []
                    #expect(reported.sorted() == paths.sorted(), "seed \(seed), step \(step), vertex \(index)")
                }
            }
            #expect(compared > 10, "seed \(seed)")
        }

        @Test func aCycleThatIsCutOffWhileItClosesIsForgotten() {
            let root = Vertex(), a = Vertex(), b = Vertex()
            defer { for vertex in [root, a, b] { vertex.clear() } }
            root.other = a
            a.other = b
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            inTransaction {
                b.other = a
                root.other = nil
            }
            count = 0
            a.value += 1
            b.value += 1
            #expect(count == 0)
        }

        @Test func theOrderOfPathsStaysWhenAValueIsWrittenAgain() {
            struct Root: Encodable {
                @Observable var a: Item
                @Observable var b: Item
            }
            let item = Item()
            let root = Root(a: item, b: item)
            var pointers: [[String]] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers.append(changes.map(\.pointer)) }
            defer { r.cancel() }
            item.title = "b"
            root.a = item
            item.title = "c"
            root.b = item
            item.title = "d"
            #expect(pointers.first?.count == 2)
            #expect(pointers == [pointers[0], ["/a"], pointers[0], ["/b"], pointers[0]])
        }

        @Test func aLinkFromACellThatWasInDoubtIsKept() {
            // The part is found below p and q, which lose their way to the root and get it back through y.
            let root = Vertex(), x = Vertex(), p = Vertex(), q = Vertex(), part = Vertex()
            let chain = (0..<4).map { _ in Vertex() }
            defer { for vertex in [root, x, p, q, part] + chain { vertex.clear() } }
            root.next = [x]
            x.next = [p, q]
            (p.other, q.other) = (part, part)
            root.named = ["chain": chain[0]]
            for index in 1..<4 { chain[index - 1].other = chain[index] }
            var pointers: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers = changes.map(\.pointer) }
            defer { r.cancel() }
            chain[3].other = x
            root.other = chain[3]
            inTransaction {
                root.next = []
                root.named = [:]
            }
            part.value += 1
            #expect(
                pointers.sorted() == ["/other/other/next/0/other/value", "/other/other/next/1/other/value"])
        }

        @Test func theNextValueOfAnEarlierPropertyHasNoKeyOfADictionary() {
            struct Root: Encodable {
                @Observable var first = Item()
                @Observable var table = ["a": Item()]
                @Observable var list = [Item()]
            }
            let root = Root()
            var pointers: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers += changes.map(\.pointer) }
            defer { r.cancel() }
            root.first.title = "b"
            root.table["a"]?.title = "b"
            root.list[0].title = "b"
            #expect(pointers == ["/first/title", "/table/a/title", "/list/0/title"])
        }

        @Test func onlyThePathThroughASetIsOneWithoutAnOrder() throws {
            final class State: Codable { @Observable var count = 0 }
            struct Tag: Codable, Hashable {
                let id: Int
                var state = State()
                static func == (a: Tag, b: Tag) -> Bool { a.id == b.id }
                func hash(into hasher: inout Hasher) { hasher.combine(id) }
            }
            struct Root: Codable {
                @Observable var after: [State]
                @Observable var tags: Set<Tag>
                @Observable var before: [State]
            }
            let tag = Tag(id: 1)
            let root = Root(after: [tag.state], tags: [tag], before: [tag.state])
            var paths: [String] = []
            let r = deepObserve(root) { (changes: DeepChanges) in
                let patch = try? changes.jsonPatch()
                paths = patch?.operations.map(\.path.description) ?? []
            }
            defer { r.cancel() }
            tag.state.count = 1
            #expect(paths.sorted() == ["/after/0/count", "/before/0/count", "/tags"])
        }

        @Test func aRootThatEncodesAnotherValueIsReplaced() throws {
            final class Root: Encodable {
                @Observable var number: Int?
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.singleValueContainer()
                    try container.encode(number)
                }
            }
            let root = Root()
            var patches: [JSONPatch] = []
            let r = deepObserve(root) { (changes: DeepChanges) in
                guard let patch = try? changes.jsonPatch(), let inverse = try? patch.inverse else { return }
                patches += [patch, inverse]
            }
            defer { r.cancel() }
            root.number = 1
            #expect(
                patches.map(\.description) == [
                    #"[{"op":"replace","path":"","value":1}]"#, #"[{"op":"replace","path":"","value":null}]"#,
                ])
        }

        // MARK: - Lifetimes

        private final class Part: Encodable { @Observable var number = 1 }

        private struct Pair: Encodable {
            let shared: Part
            @Observable var part: Part
        }

        @Test(arguments: [true, false]) func aPartIsReleasedWhenItLeavesBesideASharedOne(isFirst: Bool) {
            struct Root: Encodable {
                @Observable var first: Pair?
                @Observable var second: Pair?
            }
            let shared = Part()
            weak var part: Part?
            let root = Root(first: Pair(shared: shared, part: Part()), second: Pair(shared: shared, part: Part()))
            part = isFirst ? root.first?.part : root.second?.part
            var count = 0
            let r = deepObserve(root) { count += 1 }
            defer { r.cancel() }
            if isFirst { root.first = nil } else { root.second = nil }
            #expect(part == nil)
            shared.number = 2
            #expect(count == 2)
        }

        private struct Parts: Encodable {
            @Observable var part: Part?
            @Observable var list: [Part]
            @Observable var table: [String: Part]
            let rows: ObservableArray<Part>

            init(_ part: Part) {
                _part = Observable(wrappedValue: part)
                _list = Observable(wrappedValue: [part])
                _table = Observable(wrappedValue: ["a": part])
                rows = [part]
            }
        }

        @Test(arguments: [true, false]) func nothingIsKeptAfterTheEnd(keepsChanges: Bool) {
            weak var weakPart: Part?
            weak var weakCaptured: Part?
            var kept: [DeepChanges] = []
            let r: Reaction
            do {
                let part = Part(), captured = Part()
                (weakPart, weakCaptured) = (part, captured)
                r = deepObserve(Parts(part)) { (changes: DeepChanges) in
                    captured.number += 1
                    if keepsChanges { kept.append(changes) }
                }
                part.number = 2
            }
            #expect(weakPart != nil && weakCaptured?.number == 2)
            r.cancel()
            #expect(weakCaptured == nil)
            #expect((weakPart != nil) == keepsChanges)
            kept = []
            #expect(weakPart == nil)
        }

        @Test func oldValuesAreReleasedOnceNoChangesAreKept() {
            struct Root: Encodable {
                @Observable var part: Part?
                @Observable var number = 0
            }
            let root = Root(part: Part())
            weak let part = root.part
            var kept: DeepChanges?
            let r = deepObserve(root) { (changes: DeepChanges) in if root.number == 1 { kept = changes } }
            defer { r.cancel() }
            root.number = 1
            #expect(kept?.count == 1)
            kept = nil
            root.number = 2
            root.part = nil
            #expect(part == nil)
        }

        @Test func manyKeptChangesAreReleasedWithLittleStack() {
            onOtherThread(stackSize: 512 << 10) {
                let number = Observable(0)
                var first: DeepChanges?
                let r = deepObserve(number) { (changes: DeepChanges) in if first == nil { first = changes } }
                for value in 1...30_000 { number.value = value }
                #expect(first?.map(\.pointer) == [""])
                first = nil
                number.value = 0
                r.cancel()
            }
        }
    }
}
