// The changes that deepObserve reports.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

private struct Todo: Encodable {
    @Observable var title = "a"
    @Observable var due: Int?
    @Observable var parts: [Todo] = []
}

private struct State: Encodable {
    @Observable var todos = [Todo(), Todo()]
    @Observable var odd: [String: Int] = [:]
    @Observable var table: [String: Todo] = [:]

    enum CodingKeys: String, CodingKey { case todos = "to/do~s", odd, table }
}

/// Encodes its contents like a hand-written `encode(to:)`: it reads its observables.
private final class Reader: Encodable {
    @Observable var name = "n"
    @Observable var todo = Todo()
    @Observable var when = Date(timeIntervalSince1970: 0)

    enum CodingKeys: CodingKey { case name, todo, when, upper }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(todo, forKey: .todo)
        try container.encode(when, forKey: .when)
        try container.encode(["x": name.uppercased()], forKey: .upper)
    }
}

private struct Readers: Encodable {
    @Observable var all = [Reader(), Reader(), Reader()]
    let first = Reader()
}

/// Reads its observables, and contains others that do.
private final class Nest: Encodable {
    @Observable var name = 0
    @Observable var inner: [Nest] = []

    enum CodingKeys: CodingKey { case name, inner }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(inner, forKey: .inner)
    }
}

private func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return (try? String(decoding: encoder.encode(value), as: UTF8.self)) ?? "failed"
}

/// Each change as its pointer, old value and new value.
private func texts(_ changes: DeepChanges) -> [[String]] {
    changes.map { [$0.pointer, json($0.oldValue), json($0.newValue)] }
}

/// Collects the reports of a deep observation.
private final class Log {
    var changes: [[String]] = []
    var befores: [String] = []
    var afters: [String] = []
    var kept: [DeepChanges] = []
    var keeps = false

    func observe<Root: Encodable>(_ root: Root) -> Reaction {
        deepObserve(root) { [self] (changes: DeepChanges) in
            self.changes += texts(changes)
            befores.append(json(changes.before))
            afters.append(json(changes.after))
            if keeps { kept.append(changes) }
        }
    }

    func take() -> [[String]] {
        defer { changes = [] }
        return changes
    }
}

extension ReactiveCodableTests {
    @Suite struct DeepChangesTests {
        @Test func aChangeHasItsPathAndItsOldAndNewValue() {
            let state = State(), log = Log()
            let r = log.observe(state)
            defer { r.cancel() }
            state.todos[1].title = "b"
            #expect(log.take() == [["/to~1do~0s/1/title", #""a""#, #""b""#]])
            state.todos[1].due = 3
            state.todos[1].due = nil
            #expect(log.take() == [["/to~1do~0s/1/due", "null", "3"], ["/to~1do~0s/1/due", "3", "null"]])
            state.odd["a/~b"] = 1
            #expect(log.take() == [["/odd", "{}", #"{"a/~b":1}"#]])
            state.table["a/b"] = Todo()
            #expect(log.take() == [["/table", "{}", #"{"a/b":{"parts":[],"title":"a"}}"#]])
            state.table["a/b"]?.title = "c"
            #expect(log.take() == [["/table/a~1b/title", #""a""#, #""c""#]])
            state.table["/\u{301}"] = Todo()
            state.table["/\u{301}"]?.title = "d"
            #expect(log.take().last?.first == "/table/~1\u{301}/title")
        }

        @Test func aChangeIsDescribedByItsPath() {
            let count = Observable(0), state = State()
            var descriptions: [String] = []
            let observations = [
                deepObserve(count) { (changes: DeepChanges) in descriptions += changes.map(\.description) },
                deepObserve(state) { (changes: DeepChanges) in descriptions += changes.map(\.description) },
            ]
            defer { for observation in observations { observation.cancel() } }
            count.value = 1
            state.odd["a"] = 1
            #expect(descriptions == ["the root", "/odd"])
        }

        @Test func anElementsKeyIsItsIndex() {
            let state = State()
            var path: [any CodingKey] = []
            let r = deepObserve(state) { (changes: DeepChanges) in path = changes.first?.path ?? [] }
            defer { r.cancel() }
            state.todos[1].title = "b"
            #expect(path.map(\.stringValue) == ["to/do~s", "1", "title"])
            #expect(path.map(\.intValue) == [nil, 1, nil])
        }

        @Test func theOldValueIncludesItsOldContents() {
            let state = State(), log = Log()
            let r = log.observe(state)
            defer { r.cancel() }
            let before = json(state)
            inTransaction {
                state.todos[0].title = "b"
                state.todos.insert(Todo(title: "new"), at: 0)
                state.todos[2].title = "c"
            }
            let old = #"[{"parts":[],"title":"a"},{"parts":[],"title":"a"}]"#
            let new = #"[{"parts":[],"title":"new"},{"parts":[],"title":"b"},{"parts":[],"title":"c"}]"#
            #expect(
                log.take() == [
                    ["/to~1do~0s/1/title", #""a""#, #""b""#], ["/to~1do~0s", old, new],
                    ["/to~1do~0s/2/title", #""a""#, #""c""#],
                ])
            #expect(log.befores == [before])
            #expect(log.afters == [json(state)])
        }

        @Test func theOldValueShowsARemovedElementAsItWas() {
            let state = State(), log = Log()
            let r = log.observe(state)
            defer { r.cancel() }
            let leaving = state.todos[1]
            inTransaction {
                leaving.title = "changed and gone"
                state.todos.removeLast()
            }
            #expect(
                log.take() == [
                    [
                        "/to~1do~0s", #"[{"parts":[],"title":"a"},{"parts":[],"title":"a"}]"#,
                        #"[{"parts":[],"title":"a"}]"#,
                    ]
                ])
        }

        @Test func aSharedPartIsReportedOnEachPath() {
            let state = State(), log = Log()
            let shared = Todo()
            state.todos = [Todo(parts: [shared]), shared]
            state.table = ["s": shared]
            let r = log.observe(state)
            defer { r.cancel() }
            shared.title = "b"
            #expect(
                Set(log.take().map { $0[0] }) == [
                    "/to~1do~0s/0/parts/0/title", "/to~1do~0s/1/title", "/table/s/title",
                ])
        }

        @Test func aCyclicPathIsCut() {
            final class Vertex: Encodable {
                @Observable var next: Vertex?
                @Observable var value = 0
            }
            let a = Vertex(), b = Vertex()
            a.next = b
            b.next = a
            defer { a.next = nil }
            var pointers: [String] = []
            let r = deepObserve(a) { (changes: DeepChanges) in pointers += changes.map(\.pointer) }
            defer { r.cancel() }
            b.value = 1
            #expect(pointers == ["/next/value"])
            a.value = 1
            #expect(pointers.contains("/value"))
        }

        @Test func valuesThatReadTheirObservablesThemselvesAreReportedAsAWhole() {
            let root = Readers(), log = Log()
            let r = log.observe(root)
            defer { r.cancel() }
            let todo = #"{"parts":[],"title":"a"}"#
            func text(_ name: String, _ todo: String, _ upper: String) -> String {
                #"{"name":"\#(name)","todo":\#(todo),"upper":{"x":"\#(upper)"},"when":"1970-01-01T00:00:00Z"}"#
            }
            root.all[1].name = "m"
            #expect(log.take() == [["/all/1", text("n", todo, "N"), text("m", todo, "M")]])
            root.first.name = "o"
            #expect(log.take() == [["/first", text("n", todo, "N"), text("o", todo, "O")]])
            root.all[1].todo.title = "b"
            #expect(log.take() == [["/all/1/todo/title", #""a""#, #""b""#]])
            inTransaction {
                root.all[1].name = "p"
                root.all.removeFirst()
                root.all[0].todo.due = 1
            }
            #expect(log.afters.last == json(root))
            let befores = log.befores.dropFirst()
            #expect(Array(befores) == Array(log.afters.dropLast()))
        }

        @Test func keptChangesContinueToShowTheirState() {
            let root = Readers(), log = Log()
            log.keeps = true
            let r = log.observe(root)
            root.all[0].todo.title = "b"
            root.all[0].name = "c"
            let leaving = root.all[0]
            root.all.remove(at: 0)
            leaving.todo.title = "after it left"
            leaving.name = "after it left"
            root.all[0].todo.parts.append(Todo())
            root.first.todo.title = "d"
            for round in 0..<2 {
                #expect(log.kept.map { json($0.before) } == log.befores, "round \(round)")
                #expect(log.kept.map { json($0.after) } == log.afters, "round \(round)")
                #expect(log.kept.flatMap(texts) == log.changes)
                r.cancel()
                root.all = []
                root.first.name = "e"
            }
        }

        @Test(arguments: seeds(10)) func keptChangesOfNestedReadersContinueToShowTheirState(seed: UInt64) {
            struct Root: Encodable { @Observable var nests: [Nest] = [] }
            func everything(_ changes: DeepChanges) -> [[String]] {
                [[json(changes.before), json(changes.after)]] + texts(changes)
            }
            var random = SplitMix64(seed: seed)
            let root = Root()
            var kept: [(changes: DeepChanges, texts: [[String]])] = []
            let r = deepObserve(root) { (changes: DeepChanges) in kept.append((changes, everything(changes))) }
            // Each contains later ones only, so there are no cycles.
            let nests = (0..<6).map { _ in Nest() }
            func edit() {
                let index = random.below(nests.count)
                switch random.below(4) {
                case 0: root.nests = nests.filter { _ in random.oneIn(3) }
                case 1: nests[index].inner = nests[(index + 1)...].filter { _ in random.oneIn(2) }
                case 2: if !nests[index].inner.isEmpty { nests[index].inner.removeLast() }
                default: nests[index].name += 1
                }
            }
            func compare(_ moment: String) {
                for (changes, expected) in kept { #expect(everything(changes) == expected, "seed \(seed), \(moment)") }
            }
            for step in 0..<40 {
                inTransaction { for _ in 0...random.below(3) { edit() } }
                if random.oneIn(4), !kept.isEmpty { kept.remove(at: random.below(kept.count)) }
                compare("step \(step)")
            }
            r.cancel()
            for _ in 0..<10 { edit() }
            #expect(kept.count >= 5, "seed \(seed)")
            compare("cancelled")
        }

        @Test(arguments: [false, true])
        func changesWhoseEffectEndedTheObservationContinueToShowTheirState(byRelease: Bool) {
            final class Owner {}
            let tracker = LifetimeTracker()
            final class Model: Encodable {
                @Observable var title = "a"
                @Observable var todo = Todo()
                let reader = Reader()
                let token: LifetimeTracker.Token
                enum CodingKeys: CodingKey { case title, todo, reader }
                init(_ token: LifetimeTracker.Token) { self.token = token }
            }
            func observeAndCancel(_ write: (Model) -> Void, _ pointer: String) {
                let model = Model(tracker.token()), log = Log()
                let other = log.observe(model)
                let r = Shared<Reaction?>(nil)
                let kept = Shared<DeepChanges?>(nil)
                let owner = Shared<Owner?>(Owner())
                func effect(_ changes: DeepChanges) {
                    if byRelease { owner.value = nil } else { r.value?.cancel() }
                    kept.value = changes
                    model.title = "later"
                    model.todo.title = "later"
                    model.reader.name = "later"
                    model.reader.todo.title = "later"
                }
                r.value = owner.value.map { deepObserve(model, of: $0) { _, changes in effect(changes) } }
                write(model)
                guard let changes = kept.value else {
                    Issue.record("no changes")
                    return
                }
                #expect([json(changes.before)] == log.befores.prefix(1))
                #expect([json(changes.after)] == log.afters.prefix(1))
                #expect(texts(changes) == Array(log.changes.prefix(1)))
                #expect(changes.map(\.pointer) == [pointer])
                other.cancel()
            }
            observeAndCancel({ $0.title = "b" }, "/title")
            observeAndCancel({ $0.todo = Todo() }, "/todo")
            observeAndCancel({ $0.reader.name = "b" }, "/reader")
            observeAndCancel({ $0.reader.todo = Todo() }, "/reader")
            #expect(tracker.alive == 0)
        }

        @Test func encodingASnapshotSubscribesNobody() {
            let state = State()
            var runs = 0
            var text = ""
            let trigger = Observable(0)
            var kept: DeepChanges?
            let r = deepObserve(state) { (changes: DeepChanges) in kept = changes }
            defer { r.cancel() }
            state.todos[0].title = "b"
            let r2 = autorun {
                _ = trigger.value
                text = kept.map { json($0.after) } ?? ""
                runs += 1
            }
            defer { r2.cancel() }
            state.todos[0].title = "c"
            #expect(runs == 1)
            #expect(text.contains(#""title":"b""#))
        }
    }
}
