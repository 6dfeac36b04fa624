// The live inspector as a server sees it: the messages of a stream, and the answers.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveInspector
import ReactiveJSON
import TestSupport
import Testing

/// Whether the events of a node's graph are recorded.
private func isRecorded(_ node: _Node) -> Bool {
    let graph = GraphHandle(of: node)
    return graph.withUntrackedLock { graph.pointer.isRecorded }
}

/// What a page knows after the messages so far.
private struct Reader {
    private var messages: AsyncStream<String>.AsyncIterator
    private(set) var viewer = 0
    private(set) var names: [Int: String] = [:]
    private(set) var sources: [Int: [Int]] = [:]
    private(set) var events: [JSONValue] = []
    private(set) var travel: JSONValue?
    private(set) var hasEnded = false

    init(_ inspector: Inspector) { messages = inspector.events().makeAsyncIterator() }

    mutating func read() async throws {
        guard let line = await messages.next() else {
            hasEnded = true
            return
        }
        #expect(!line.contains("\n") && !line.contains("<"))
        let message = try JSONValue(parsing: line)
        if let number = message["viewer"]?.int { viewer = number }
        for node in message["nodes"]?.elements ?? [] {
            let id = try #require(node[0]?.int)
            names[id] = node[2]?.text
            sources[id] = node[8]?.elements.compactMap(\.int)
        }
        for id in message["ended"]?.elements ?? [] { names[id.int ?? -1] = nil }
        events += message["events"]?.elements ?? []
        if let travel = message["travel"] { self.travel = travel }
    }

    /// Reads until something is true.
    mutating func read(until isDone: (Reader) -> Bool) async throws {
        while !isDone(self), !hasEnded { try await read() }
    }

    func id(of name: String) -> Int { names.first { $0.value == name }?.key ?? -1 }

    /// The events of nodes with a name, as in "write price".
    func kinds(of name: String) -> [String] {
        events.filter { $0[2]?.int == id(of: name) }.compactMap { $0[1]?.text }
    }

    func question(_ member: String, _ number: Int) -> String { "{\"viewer\":\(viewer),\"\(member)\":\(number)}" }
}

extension JSONValue {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var int: Int? { if case .number(let number) = self { number.exactly(Int.self) } else { nil } }
    fileprivate var elements: [JSONValue] { if case .array(let array) = self { Array(array) } else { [] } }
    fileprivate subscript(index: Int) -> JSONValue? { elements.indices.contains(index) ? elements[index] : nil }
}

@Suite(.ownGraph, .timeLimit) struct InspectorTests {
    @Test func aPageSeesTheGraphAndThenWhatChanges() async throws {
        let graph = IndependentGraph(named: "shop")
        let (price, count) = graph.run { (Observable(5, named: "price"), Observable(2, named: "count")) }
        let total = graph.run { Computed(named: "total") { price.value * count.value } }
        let report = graph.run { autorun(named: "report") { _ = total.value } }
        defer { report.cancel() }
        let inspector = graph.run { Diagnostics.inspector() }
        var reader = Reader(inspector)
        try await reader.read()
        #expect(Set(reader.names.values) == ["price", "count", "total", "report"])
        #expect(reader.sources[reader.id(of: "total")] == [reader.id(of: "price"), reader.id(of: "count")])
        #expect(reader.sources[reader.id(of: "report")] == [reader.id(of: "total")])
        #expect(reader.events.isEmpty && reader.viewer > 0)

        price.value = 6
        try await reader.read { !$0.kinds(of: "report").isEmpty }
        #expect(reader.kinds(of: "price") == ["write"])
        #expect(reader.kinds(of: "total") == ["evaluation"])
        let write = reader.events.first { $0[1]?.text == "write" }
        let evaluation = reader.events.first { $0[1]?.text == "evaluation" }
        #expect(evaluation?[7]?.elements == write?[0].map { [$0] })
    }

    @Test func newNodesComeAndFreedOnesGo() async throws {
        let graph = IndependentGraph(named: "rows")
        let first = graph.run { Observable(1, named: "first") }
        let isOn = graph.run { Observable(false, named: "isOn") }
        let observed = graph.run { autorun(named: "sum") { _ = isOn.value } }
        defer { observed.cancel() }
        var reader = Reader(graph.run { Diagnostics.inspector() })
        try await reader.read()
        #expect(Set(reader.names.values) == ["isOn", "sum"])
        var late: Reaction? = graph.run { autorun(named: "late") { _ = first.value } }
        try await reader.read { $0.id(of: "late") >= 0 }
        #expect(reader.sources[reader.id(of: "late")] == [reader.id(of: "first")])
        late?.cancel()
        late = nil
        try await reader.read { $0.id(of: "late") < 0 }
        #expect(Set(reader.names.values) == ["isOn", "sum", "first"])
    }

    @Test func valuesAreToldOnDemandAndRedacted() async throws {
        let graph = IndependentGraph(named: "login")
        let (name, password) = graph.run { (Observable("Ann", named: "name"), Observable("1234", named: "password")) }
        let length = graph.run { Computed(named: "length") { password.value.count } }
        let reaction = graph.run { autorun(named: "form") { _ = (name.value, length.value) } }
        defer { reaction.cancel() }
        let inspector = graph.run { Diagnostics.inspector() }
        var reader = Reader(inspector)
        try await reader.read()
        func value(_ name: String) async throws -> JSONValue {
            try JSONValue(parsing: await inspector.answer(to: reader.question("value", reader.id(of: name))))
        }
        #expect(try await value("name") == ["value": "Ann"])
        #expect(try await value("length") == ["value": "4"])
        #expect(try await value("form")["error"] != nil)
        let plain = Diagnostics.describe
        Diagnostics.describe = { value, name in name == "password" ? "hidden" : plain(value, name) }
        defer { Diagnostics.describe = plain }
        #expect(try await value("password") == ["value": "hidden"])
        #expect(try await value("name") == ["value": "Ann"])
    }

    // The sample of the page *ReactiveInspector*.
    @Test(.alone) func loadedStateIsHiddenByItsName() async throws {
        struct Account: Codable {
            @Observable(named: "password") var password = "1234"
            @Observable(named: "user") var user = "Ann"
        }
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("account.json")
        try Data(#"{"password": "1234", "user": "Ann"}"#.utf8).write(to: file)
        let graph = IndependentGraph(named: "login")
        let account = try graph.run { try load(Account.self, from: file) }
        let reaction = graph.run { autorun(named: "login") { _ = (account.password, account.user) } }
        defer { reaction.cancel() }
        let inspector = graph.run { Diagnostics.inspector() }
        var reader = Reader(inspector)
        try await reader.read()
        let plain = Diagnostics.describe
        Diagnostics.describe = { value, name in
            name.contains("password") ? "hidden" : String(describing: value)
        }
        defer { Diagnostics.describe = plain }
        func answer(_ name: String) async -> String {
            await inspector.answer(to: reader.question("value", reader.id(of: name)))
        }
        #expect(await answer("password") == #"{"value":"hidden"}"#)
        #expect(await answer("user") == #"{"value":"Ann"}"#)
    }

    @Test(.alone) func theKeysOfStepsAreDescribed() async throws {
        final class Garage: Codable {
            @Observable var cars: [String: [String: Int]] = [:]
            @Observable var rows = [1]
        }
        let graph = IndependentGraph(named: "garage")
        let garage = graph.run { Garage() }
        let history = History(garage)
        garage.cars["SECRET-7"] = [:]
        garage.cars["SECRET-7"]?["SECRET-8"] = 1
        garage.rows[0] = 2
        func titles(_ describe: @escaping @Sendable (Any, String) -> String) async throws -> [JSONValue]? {
            let plain = Diagnostics.describe
            Diagnostics.describe = describe
            defer { Diagnostics.describe = plain }
            var reader = Reader(graph.run { Diagnostics.inspector(history: history) })
            try await reader.read()
            return reader.travel?["titles"]?.elements
        }
        #expect(
            try await titles { value, _ in String(describing: value) }
                == ["add /cars/SECRET-7", "add /cars/SECRET-7/SECRET-8", "replace /rows/0"])
        #expect(
            try await titles { value, name in name == "cars" ? "hidden" : String(describing: value) }
                == ["add /cars/hidden", "add /cars/hidden/hidden", "replace /rows/0"])
        #expect(
            try await titles { _, _ in "hidden" }
                == ["add /hidden/hidden", "add /hidden/hidden/hidden", "replace /hidden/hidden"])
    }

    @Test func aStepThatDoesNotApplyShowsNoValues() async throws {
        struct Car: Codable { @Observable var seats = 4 }
        final class Garage: Codable { var cars = ["SECRET": Car()] }
        let graph = IndependentGraph(named: "garage")
        let garage = graph.run { Garage() }
        let recorded = History(garage)
        garage.cars["SECRET"]?.seats = 5
        let history = try History(garage, log: recorded.log)
        // Nothing records this.
        garage.cars = [:]
        let answer = await graph.run { Diagnostics.inspector(history: history) }.answer(to: #"{"travel":0}"#)
        #expect(try JSONValue(parsing: answer)["error"]?.text?.contains("does not apply") == true)
        #expect(!answer.contains("SECRET"))
    }

    @Test(.alone) func theMessagesOfIssuesAreDescribed() async throws {
        let graph = IndependentGraph(named: "issues")
        let plain = Diagnostics.describe
        Diagnostics.describe = { value, name in
            name.contains("login") ? "hidden" : String(describing: value)
        }
        defer { Diagnostics.describe = plain }
        var reader = Reader(graph.run { Diagnostics.inspector() })
        try await reader.read()
        graph.run {
            Diagnostics.report(.misuse, "SECRET", site: "login")
            Diagnostics.report(.misuse, "harmless", site: "menu")
        }
        try await reader.read { $0.events.count { $0[1]?.text == "issue" } == 2 }
        let texts = reader.events.filter { $0[1]?.text == "issue" }.compactMap { $0[9]?.text }
        #expect(texts == ["hidden", "menu\nharmless"])
    }

    @Test(arguments: [
        "", "{", "{}", "[1]", #"{"viewer":-1,"value":0}"#, #"{"travel":1}"#, #"{"viewer":"x","value":1e9}"#,
    ])
    func aBadQuestionIsAnsweredWithAnError(question: String) async throws {
        let answer = await IndependentGraph().run { Diagnostics.inspector() }.answer(to: question)
        #expect(try JSONValue(parsing: answer)["error"]?.text?.isEmpty == false)
    }

    @Test func aHistoryIsSteppedThrough() async throws {
        final class Document: Codable { @Observable var title = "a" }
        let graph = IndependentGraph(named: "document")
        let document = graph.run { Document() }
        let history = History(document)
        for title in ["b", "c", "d"] { document.title = title }
        let inspector = graph.run { Diagnostics.inspector(history: history) }
        var reader = Reader(inspector)
        try await reader.read()
        #expect(reader.travel?["position"] == 3 && reader.travel?["count"] == 3)
        #expect(reader.travel?["titles"]?[0] == "replace /title")
        #expect(await inspector.answer(to: reader.question("travel", 1)) == "{}")
        #expect(document.title == "b")
        try await reader.read { $0.travel?["position"] == 1 }
        #expect(await inspector.answer(to: reader.question("travel", 99)) == "{}")
        #expect(document.title == "d")
        #expect(await inspector.answer(to: reader.question("travel", -5)) == "{}")
        #expect(document.title == "a")
    }

    @Test func aCancelledStreamEndsAndStopsRecording() async throws {
        let graph = IndependentGraph(named: "ended")
        let state = graph.run { Observable(1, named: "state") }
        let inspector = graph.run { Diagnostics.inspector() }
        let task = Task {
            var count = 0
            for await _ in inspector.events() { count += 1 }
            return count
        }
        while !isRecorded(state) { await Task.yield() }
        task.cancel()
        #expect(await task.value <= 1)
        #expect(!isRecorded(state))
    }

    @Test func manyEventsBetweenTwoMessagesAreDroppedFromTheOldest() async throws {
        let graph = IndependentGraph(named: "many")
        let state = graph.run { Observable(0, named: "state") }
        let reaction = graph.run { autorun(named: "reader") { _ = state.value } }
        defer { reaction.cancel() }
        var reader = Reader(graph.run { Diagnostics.inspector() })
        try await reader.read()
        for value in 1...30_000 { state.value = value }
        // Nodes that were created among the dropped events are known all the same.
        let last = graph.run { autorun(named: "last") { _ = state.value } }
        defer { last.cancel() }
        try await reader.read { $0.id(of: "last") >= 0 }
        #expect(reader.events.count <= 21_000)
        #expect(reader.kinds(of: "last") == ["creation", "run"])
    }
}
