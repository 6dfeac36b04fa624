// The samples of the guide Testing: how programs that use the library are tested. They run as tests.

import Foundation
import ProgramSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import Testing
import TourCore

final class Cart {
    @Observable(named: "prices") var prices = [5, 10]
    private(set) lazy var total = Computed(of: self, named: "total") { $0.prices.reduce(0, +) }
}

/// Runs a test in a graph of its own, and ends the reactions that are left.
func inOwnGraph(_ test: () throws -> Void) rethrows {
    let graph = IndependentGraph()
    defer { graph.cancelReactions() }
    try graph.run(test)
}

@Suite struct CartTests {
    @Test func theTotalFollowsThePrices() {
        let cart = Cart()
        var shown: [Int] = []
        let report = autorun { shown.append(cart.total.value) }
        cart.prices.append(20)
        #expect(shown == [15, 35])
        report.cancel()
    }

    @Test func nothingElseIsAlive() {
        inOwnGraph {
            let cart = Cart()
            autorun(named: "report") { _ = cart.total.value }
            #expect(Diagnostics.liveReactions.map(\.name) == ["report"])
        }
    }

    @Test func anEqualTotalRunsNothing() {
        let cart = Cart()
        let report = autorun { _ = cart.total.value }
        cart.prices = [15]
        #expect(report.runCount == 1)
        inTransaction {
            cart.prices.append(1)
            cart.prices.append(2)
        }
        #expect(report.runCount == 2)
        #expect(report.lastCause?.paths == [["prices", "total"]])
        report.cancel()
    }
}

@Suite struct SearchTests {
    @Test func searchesAfterAPause() async throws {
        let clock = HandClock()
        let query = Observable("")
        let searched = Observable<[String]>([])
        let pause = Schedule.debounced(for: .milliseconds(300), clock: clock)
        let search = reaction(schedule: pause) {
            query.value
        } onChange: {
            searched.value.append($0)
        }
        query.value = "s"
        query.value = "swift"
        #expect(searched.value.isEmpty)
        await clock.advance(by: .milliseconds(300))
        try await when { !searched.value.isEmpty }
        #expect(searched.value == ["swift"])
        search.cancel()
    }

    @Test func givesUpAfterFiveSeconds() async {
        let clock = HandClock()
        let isReady = Observable(false)
        let waiting = Task { try await when(timeout: .seconds(5), clock: clock) { isReady.value } }
        await clock.advance(by: .seconds(5))
        await #expect(throws: WhenTimeoutError.self) { try await waiting.value }
    }
}

@MainActor final class Profile {
    @Observable private(set) var name = "unknown"
    func load(_ fetch: @escaping @Sendable () async -> String) {
        Task { [weak self] in
            let name = await fetch()
            self?.name = name
        }
    }
}

@Suite @MainActor struct ProfileTests {
    @Test func showsTheLoadedName() async throws {
        let profile = Profile()
        profile.load { "Ann" }
        #expect(profile.name == "unknown")
        try await when(timeout: .seconds(60)) { profile.name != "unknown" }
        #expect(profile.name == "Ann")
    }
}

struct Note: Codable { @Observable var title = "" }

@Suite struct SavingTests {
    @Test func theTitleIsInTheFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("note.json")
        let note = Note()
        let saving = autosave(note, to: url)
        defer { saving.cancel() }
        note.title = "Milk"
        try saving.flush()
        #expect(try load(Note.self, from: url).title == "Milk")
    }
}

/// Returns the issues that `body` causes. The handler belongs to the whole process.
func issues(causedBy body: () -> Void) -> [Diagnostics.Issue] {
    let issues = Observable<[Diagnostics.Issue]>([])
    let handler = Diagnostics.onIssue
    defer { Diagnostics.onIssue = handler }
    Diagnostics.onIssue = { issues.value.append($0) }
    body()
    return issues.value
}

@Suite(.serialized) struct IssueTests {
    @Test func aCounterOfItsOwnRunsIsALoop() {
        let runs = Observable(0, named: "runs")
        let found = issues { autorun(named: "counter") { runs.value += 1 }.cancel() }
        #expect(found.map(\.kind) == [.loop])
        #expect(found[0].message.contains("counter → runs → counter"))
    }
}

final class Screen {
    private(set) var title = ""
    init(_ source: Observable<String>) {
        autorun(of: self) { $0.title = source.value }
    }
}

@Suite struct LifetimeTests {
    @Test func theScreenIsFreedWithItsReaction() {
        inOwnGraph {
            let title = Observable("Inbox")
            weak var freed: Screen?
            do {
                let screen = Screen(title)
                freed = screen
                #expect(screen.title == "Inbox")
            }
            #expect(freed == nil)
            #expect(Diagnostics.liveReactions.isEmpty)
        }
    }
}

@Suite struct OracleTests {
    @Test(arguments: 1...20) func theSumOfLargeOrdersIsTheSum(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let orders: ObservableArray<Int> = []
        let large = orders.live.filter { $0 >= 50 }.sum()
        var shown = 0
        let report = autorun { shown = large.value }
        for _ in 1...200 {
            let order = Int.random(in: 0..<100, using: &random)
            let index = Int.random(in: 0...orders.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where index < orders.count: orders[index] = order
            case 1 where index < orders.count: orders.remove(at: index)
            case 2:
                try? inTransaction {
                    orders.removeAll()
                    throw CancellationError()
                }
            default: orders.insert(order, at: index)
            }
            try #require(shown == orders.elements.filter { $0 >= 50 }.reduce(0, +), "seed \(seed)")
        }
        report.cancel()
    }
}
