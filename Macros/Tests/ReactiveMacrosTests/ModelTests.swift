// Models that are compiled with the macros and run with the library.

import Foundation
import ReactiveCodable
import ReactiveMacros
import Testing

@Model struct Counter {
    var count = 1
    let step: Int
    var label: String
}

@Model final class Sheet<Cell: Equatable> {
    var cells: [Cell]
    var title: String?
    /// The number of edits.
    public private(set) var edits = 0 { didSet { log.append("\(oldValue) to \(edits)") } }
    package var width: Int { willSet { log.append("width \(newValue)") } }
    nonisolated fileprivate var counter = 0
    @Unobserved var log: [String] = []
    @Unobserved weak var delegate: Target?
    let id = 7
    static var shared: Int { 1 }
    #if os(Linux) || os(macOS)
    var system = "one"
    #else
    var system = "other"
    #endif
    @available(macOS 10, *) var old = 1
    @Observed(named: "given") var given = 1
    lazy var count = Computed(of: self) { $0.cells.count }
    var twice: Int { cells.count * 2 }

    final class Target {}

    init(_ cells: [Cell]) {
        self.cells = cells
        width = 80
    }

    func edit(_ cells: [Cell]) {
        self.cells = cells
        edits += 1
        width += 1
        counter += 1
    }
}

@Model open class Animal {
    open var name: String
    /// Creates an animal.
    public init(_ name: String) { self.name = name }
}

@Model final class Dog: Animal {
    var tricks: [String] = []
}

@Model @MainActor final class Search {
    var query = "swift"
    private(set) var results: [String] = []
    func search() { results = [query] }
}

@Model actor Session {
    var messages: [String] = []
    private(set) var seen = 0
    func start() { autorun(of: self) { $0.seen = $0.messages.count } }
    func send(_ text: String) { messages.append(text) }
}

@Model struct Task: Codable {
    var title = ""
    var parts: [Task] = []
}

@Model final class Project: Codable {
    var name = "App"
    var tasks: [Task] = []
    init() {}
}

extension MacroTests {
    @Suite struct ModelTests {
        /// The number of runs of one value's readers.
        private func runs(of read: @escaping () -> Void, during body: () -> Void) -> Int {
            let reaction = autorun { read() }
            defer { reaction.cancel() }
            body()
            return reaction.runCount - 1
        }

        @Test func theVariablesOfAStructAreObserved() {
            let counter = Counter(step: 2, label: "a")
            #expect(
                runs {
                    _ = counter.count
                } during: {
                    counter.count += counter.step
                } == 1)
            #expect(
                runs {
                    _ = counter.label
                } during: {
                    counter.count += 1
                } == 0)
            #expect(Counter(count: 5, step: 1, label: "b").count == 5)
        }

        @Test func theVariablesOfAClassAreObserved() {
            let sheet = Sheet([1, 2])
            #expect(
                runs {
                    _ = sheet.cells
                } during: {
                    sheet.edit([3])
                } == 1)
            #expect(
                runs {
                    _ = sheet.edits
                } during: {
                    sheet.edit([4])
                } == 1)
            #expect(
                runs {
                    _ = sheet.twice
                } during: {
                    sheet.edit([5, 6])
                } == 1)
            #expect(
                runs {
                    _ = sheet.count.value
                } during: {
                    sheet.edit([7, 8])
                } == 0)
            #expect(
                runs {
                    _ = sheet.title
                } during: {
                    sheet.title = "a"
                } == 1)
            #expect(
                runs {
                    _ = sheet.system
                } during: {
                    sheet.system = "a"
                } == 1)
            #expect(
                runs {
                    _ = sheet.counter
                } during: {
                    sheet.edit([])
                } == 1)
            #expect(
                runs {
                    _ = sheet.old
                } during: {
                    sheet.old += 1
                } == 1)
            sheet.$title.wrappedValue = "through the binding"
            #expect(sheet.title == "through the binding")
        }

        @Test func propertyObserversRun() {
            let sheet = Sheet([1])
            sheet.edit([2])
            #expect(sheet.log == ["0 to 1", "width 81"])
        }

        @Test func unobservedVariablesAreNotObserved() {
            let sheet = Sheet([1])
            #expect(
                runs {
                    _ = sheet.log
                } during: {
                    sheet.log = ["a"]
                } == 0)
            var target: Sheet<Int>.Target? = .init()
            sheet.delegate = target
            target = nil
            #expect(sheet.delegate == nil)
        }

        @Test func subclassesAreModelsByThemselves() {
            let dog = Dog("Rex")
            #expect(
                runs {
                    _ = dog.name
                } during: {
                    dog.name = "Max"
                } == 1)
            #expect(
                runs {
                    _ = dog.tricks
                } during: {
                    dog.tricks.append("sit")
                } == 1)
        }

        @Test @MainActor func modelsOnTheMainActorAreObserved() {
            let search = Search()
            var seen: [[String]] = []
            let reaction = autorun { seen.append(search.results) }
            search.search()
            #expect(seen == [[], ["swift"]])
            reaction.cancel()
        }

        @Test func theVariablesOfAnActorAreObserved() async {
            let session = Session()
            await session.start()
            await session.send("hello")
            #expect(await session.seen == 1)
        }

        @Test func diagnosticsNameTheLineOfTheVariable() {
            let counter = Counter(step: 1, label: "a")
            let reaction = autorun(named: "reader") { _ = counter.count }
            let names = Diagnostics.graph().nodes.map(\.name)
            #expect(names.contains { $0.hasPrefix("ModelTests.swift:") })
            reaction.cancel()
        }

        @Test func codableModelsAreObservedDeeplyAndSaved() throws {
            let project = Project()
            var changes: [String] = []
            let watching = deepObserve(project) { changes += $0.map(\.pointer) }
            project.tasks.append(Task(title: "Buy milk"))
            project.tasks[0].title = "Buy bread"
            project.name = "Shopping"
            #expect(changes == ["/tasks", "/tasks/0/title", "/name"])
            watching.cancel()
            let copy = try JSONDecoder().decode(Project.self, from: JSONEncoder().encode(project))
            #expect(copy.name == "Shopping")
            #expect(copy.tasks.map(\.title) == ["Buy bread"])
        }
    }
}
