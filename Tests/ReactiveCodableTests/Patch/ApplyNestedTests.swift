// Patches of observables whose values are observables themselves, and of collections in observables.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

/// Encodes only an observable.
private struct Wrapper: Codable {
    let number: Observable<Int>
    init(_ number: Int) { self.number = Observable(number) }
    init(from decoder: any Decoder) throws { number = try Observable(from: decoder) }
    func encode(to encoder: any Encoder) throws { try number.encode(to: encoder) }
}

private final class Root: Codable {
    @Observable var rows: ObservableArray<Int>?
    @Observable var others: ObservableArray<Int>?
    @Observable var table: ObservableDictionary<String, Int>?
    @Observable var title: Observable<String>?
    @Observable var number: Observable<Int?>?
    @Observable var any: Observable<JSONValue>?
    @Observable var wrapper: Wrapper?
    @Observable var list: [Observable<Int>?] = []
    @Observable var parts: [Part] = []
    @Observable var count = 0

    struct Part: Codable {
        var name: Observable<String>?
        var scores: ObservableArray<Int>?
    }
}

extension ReactiveCodableTests {
    @Suite struct ApplyNestedTests {
        private let root = Root()

        init() {
            root.rows = [1, 2]
            root.table = ["a": 1]
            root.title = Observable("milk")
            root.number = Observable(1)
            root.any = Observable("x")
            root.wrapper = Wrapper(1)
            root.list = [Observable(1), nil, Observable(3)]
            root.parts = [Root.Part(name: Observable("a"), scores: [1])]
        }

        /// Applies a patch, and compares the document with that of a naive implementation.
        private func patch(_ text: String) throws {
            let patch = try JSONPatch(parsing: text)
            let expected = try NaiveJSONPatch.apply(patch, to: JSONValue(encoding: root))
            try apply(patch, to: root)
            #expect(try JSONValue(encoding: root) == expected, "\(text)")
        }

        private func observing(_ isObserved: Bool, _ body: () throws -> Void) throws {
            let reaction = isObserved ? deepObserve(root) {} : nil
            defer { reaction?.cancel() }
            try body()
        }

        @Test(
            arguments: ["rows", "table", "title", "number", "any", "wrapper"], [false, true])
        func aMemberCanBeRemoved(name: String, isObserved: Bool) throws {
            try observing(isObserved) { try patch(#"[{"op":"remove","path":"/\#(name)"}]"#) }
        }

        @Test(arguments: ["rows", "table", "title", "wrapper"], [false, true])
        func nullIsNil(name: String, isObserved: Bool) throws {
            let (rows, title, number) = try (#require(root.rows), #require(root.title), #require(root.wrapper).number)
            try observing(isObserved) {
                try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/\#(name)","value":null}]"#), to: root)
            }
            #expect(try JSONValue(encoding: root)[name] == nil)
            #expect(Array(rows) == [1, 2] && title.value == "milk" && number.value == 1)
        }

        @Test func theInnermostObservableThatTakesNullIsWritten() throws {
            let (number, any) = try (#require(root.number), #require(root.any))
            try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/number","value":null}]"#), to: root)
            try patch(#"[{"op":"replace","path":"/any","value":null}]"#)
            #expect(root.number === number && number.value == nil)
            #expect(root.any === any && any.value == .null)
        }

        @Test(arguments: [false, true]) func elementsAndPropertiesBecomeNil(isObserved: Bool) throws {
            let first = root.list[0], last = root.list[2], scores = root.parts[0].scores
            try observing(isObserved) {
                try patch(#"[{"op":"replace","path":"/list/0","value":null}]"#)
                try apply(JSONPatch(parsing: #"[{"op":"replace","path":"/parts/0/name","value":null}]"#), to: root)
            }
            #expect(root.list[0] == nil && root.list[1] == nil && root.list[2] === last && first?.value == 1)
            #expect(root.parts[0].name == nil && root.parts[0].scores === scores)
            try patch(#"[{"op":"remove","path":"/parts/0/scores"}]"#)
            #expect(root.parts[0].scores == nil)
        }

        @Test(arguments: [false, true]) func aMemberMoves(isObserved: Bool) throws {
            try observing(isObserved) {
                try patch(#"[{"op":"move","from":"/rows","path":"/others"}]"#)
                #expect(root.rows == nil && root.others.map { Array($0) } == [1, 2])
                try patch(#"[{"op":"copy","from":"/others","path":"/rows"},{"op":"add","path":"/rows/-","value":3}]"#)
                #expect(root.rows.map { Array($0) } == [1, 2, 3] && root.others.map { Array($0) } == [1, 2])
            }
        }

        @Test(arguments: [false, true]) func whatIsSharedChangesOnlyAtThePathsOfThePatch(isObserved: Bool) throws {
            root.others = root.rows
            let shared = root.rows
            try observing(isObserved) {
                try patch(#"[{"op":"replace","path":"/rows/0","value":5}]"#)
                #expect(root.others === shared && root.rows !== shared)
                root.rows = shared
                try patch(#"[{"op":"remove","path":"/rows"}]"#)
                root.rows = shared
                try patch(
                    #"[{"op":"replace","path":"/rows/0","value":5},{"op":"replace","path":"/others/0","value":5}]"#)
                #expect(root.others === shared && root.rows === shared)
            }
        }

        @Test func anErrorNamesTheValueThatCannotBeMissing() throws {
            final class Owner: Codable {
                @Observable var title = Observable("milk")
                let own: Observable<String>? = Observable("a")
                enum CodingKeys: CodingKey { case title, own }
            }
            let owner = Owner()
            for name in ["title", "own"] {
                for operation in [#""remove""#, #""replace","value":null"#] {
                    let error = #expect(throws: JSONPatchError.self) {
                        try apply(JSONPatch(parsing: #"[{"op":\#(operation),"path":"/\#(name)"}]"#), to: owner)
                    }
                    #expect(error?.path?.description == "/\(name)", "\(operation)")
                }
            }
            #expect(owner.title.value == "milk" && owner.own?.value == "a")
        }

        /// The changes of a graph, applied to a copy of it, keep the copy equal.
        @Test(arguments: seeds(30)) func changesReachACopy(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            let copy = try JSONValue(encoding: root).decoded(as: Root.self)
            var patches: [JSONPatch] = []
            let r = deepObserve(root) { changes in
                do { patches.append(try changes.jsonPatch()) } catch { Issue.record(error) }
            }
            defer { r.cancel() }
            for _ in 0..<30 {
                inTransaction {
                    for _ in 0..<Int.random(in: 1...3, using: &random) { change(&random) }
                }
                for patch in patches { try apply(patch, to: copy) }
                patches = []
                let (mine, other) = try (JSONValue(encoding: root), JSONValue(encoding: copy))
                #expect(mine == other)
                guard mine == other else { return }
            }
        }

        @Test(arguments: seeds(30)) func changesAreUndoneAndRedone(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            let history = History(root)
            defer { history.end() }
            var documents = [try JSONValue(encoding: root)]
            for _ in 0..<30 {
                inTransaction { for _ in 0..<Int.random(in: 1...3, using: &random) { change(&random) } }
                if history.undoCount == documents.count { documents.append(try JSONValue(encoding: root)) }
                #expect(try JSONValue(encoding: root) == documents.last)
            }
            for document in documents.dropLast().reversed() {
                try history.undo()
                #expect(try JSONValue(encoding: root) == document)
            }
            for document in documents.dropFirst() {
                try history.redo()
                #expect(try JSONValue(encoding: root) == document)
            }
        }

        private func change(_ random: inout SplitMix64) {
            let value = Int.random(in: 0..<5, using: &random)
            switch Int.random(in: 0..<14, using: &random) {
            case 0: root.rows = value == 0 ? nil : ObservableArray(0..<value)
            case 1: root.others = root.rows
            case 2: (root.rows, root.others) = (root.others, root.rows)
            case 3: root.rows?.append(value)
            case 4: root.table = value == 0 ? nil : ["a": value]
            case 5: root.table?["b"] = value
            case 6: root.title = value == 0 ? nil : Observable("\(value)")
            case 7: root.title?.value += "x"
            case 8: root.wrapper = value == 0 ? nil : Wrapper(value)
            case 9: root.wrapper?.number.value = value
            case 10: root.list = (0..<value).map { $0 % 2 == 0 ? nil : Observable($0) } + root.list.suffix(2)
            case 11: root.list.last??.value = value
            case 12: root.parts = root.parts.suffix(1) + [Root.Part(name: value == 0 ? nil : Observable("\(value)"))]
            default: root.parts[0].scores = value == 0 ? nil : [value]
            }
        }
    }
}
