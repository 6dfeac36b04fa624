// Recordings: the events, their causes, and when they are recorded. State of tests that have ended may still be freed,
// so each test looks only at nodes with names of its own: no two tests have the same prefix. Most recordings have no
// limit: other events would count too.

import Foundation
import Reactive
import ReactiveCollections
import TestSupport
import Testing

@Suite(.alone, .timeLimit) struct RecordingTests {
    /// Records `body`. Returns the events of nodes whose names begin with a prefix, without creations and ends.
    private func events(
        of prefix: String, _ body: () throws -> Void
    ) rethrows -> [Diagnostics.Event] {
        let recording = Diagnostics.record(limit: .max)
        try body()
        recording.stop()
        return recording.events.filter {
            $0.node?.name.hasPrefix(prefix) == true && ![.creation, .end].contains($0.kind)
        }
    }

    private func summary(_ events: [Diagnostics.Event]) -> [String] {
        events.map { "\($0.kind) \($0.node?.name ?? "")" }
    }

    // MARK: - Causes

    @Test func aWriteCausesAnEvaluationThatCausesARun() throws {
        let price = Observable(5, named: "a.price")
        let count = Observable(2, named: "a.count")
        let total = Computed(named: "a.total") { price.value * count.value }
        let reaction = autorun(named: "a.report") { _ = total.value }
        defer { reaction.cancel() }
        let events = events(of: "a.") { price.value = 6 }
        #expect(Set(summary(events)) == ["write a.price", "evaluation a.total", "run a.report"])
        let byKind = Dictionary(grouping: events, by: \.kind).mapValues { $0[0] }
        let (write, evaluation, run) = try (
            #require(byKind[.write]), #require(byKind[.evaluation]), #require(byKind[.run])
        )
        #expect(evaluation.hasChanged == true)
        #expect(evaluation.causes == [write.id])
        #expect(run.causes == [evaluation.id])
    }

    @Test func aWriteThatOnlyAClosureOfAViewReadIsACause() throws {
        let flags = (0..<3).map { Observable(false, named: "j.flag \($0)") }
        let rows = ObservableArray(flags, named: "j.rows")
        let shown = rows.live.filter(named: "j.shown") { $0.value }
        let reaction = autorun(named: "j.report") { _ = shown.count }
        defer { reaction.cancel() }
        let events = events(of: "j.") { flags[1].value = true }
        let write = try #require(events.first { $0.kind == .write })
        let evaluation = try #require(events.first { $0.kind == .evaluation && $0.node?.name == "j.shown" })
        #expect(evaluation.causes == [write.id])
    }

    @Test func anEvaluationWithAnEqualResultCausesNoRun() {
        let price = Observable(5, named: "b.price")
        let isDear = Computed(named: "b.isDear") { price.value > 10 }
        let reaction = autorun(named: "b.report") { _ = isDear.value }
        defer { reaction.cancel() }
        let events = events(of: "b.") { price.value = 6 }
        #expect(summary(events) == ["write b.price", "evaluation b.isDear"])
        #expect(events.last?.hasChanged == false)
    }

    @Test func anEffectIsAnEventOfItsOwn() {
        let price = Observable(5, named: "c.price")
        let reaction = reaction(named: "c.report") {
            price.value
        } onChange: { _ in
        }
        defer { reaction.cancel() }
        let events = events(of: "c.") { price.value = 6 }
        #expect(summary(events) == ["write c.price", "run c.report", "effect c.report"])
    }

    @Test func inPlaceMutationsAndCollectionsAreWrites() {
        let names = Observable(["Ann"], named: "d.names")
        let rows = ObservableArray([1, 2], named: "d.rows")
        let events = events(of: "d.") {
            names.value.append("Bob")
            rows.append(3)
            rows[0] = 7
        }
        #expect(summary(events).prefix(1) == ["write d.names"])
        #expect(events.count { $0.kind == .write && $0.node?.name == "d.rows" } == 2)
    }

    // MARK: - Transactions

    @Test func transactionsCommitOrRollBack() {
        struct Failure: Error {}
        let graph = IndependentGraph()
        let price = graph.run { Observable(5, named: "e.price") }
        let recording = Diagnostics.record(limit: .max)
        graph.run {
            inTransaction { price.value = 6 }
            try? inTransaction {
                price.value = 7
                throw Failure()
            }
        }
        recording.stop()
        let events = recording.events
        let own = events.first { $0.node?.name == "e.price" }?.graph
        let mine = events.filter { $0.graph == own && $0.kind != .end }
        #expect(Set(mine.map(\.kind)) == [.write, .transaction, .rollBack])
        #expect(mine.count { $0.kind == .write } == 2)
        // Each write has the location of its transaction.
        let sites = Dictionary(grouping: mine.compactMap(\.text)) { $0 }
        #expect(sites.count == 2 && sites.values.allSatisfy { $0.count == 2 }, "\(sites)")
        #expect(sites.keys.allSatisfy { $0.hasPrefix("RecordingTests.swift:") })
    }

    @Test func aTransactionThatCommitsInAnyCaseIsAnEventWithItsLocation() throws {
        let price = Observable(5, named: "aa.price")
        let recording = Diagnostics.record(limit: .max)
        inTransaction(onError: .commit) { price.value = 6 }
        let line = #line - 1
        recording.stop()
        let write = try #require(recording.events.first { $0.node?.name == "aa.price" })
        #expect(write.text == "RecordingTests.swift:\(line)")
    }

    @Test func anIssueIsAnEvent() {
        let before = Diagnostics.onIssue
        Diagnostics.onIssue = { _ in }
        defer { Diagnostics.onIssue = before }
        let recording = Diagnostics.record(limit: .max)
        Diagnostics.report(.misuse, "ab.issue", site: "ab.site")
        recording.stop()
        Diagnostics.report(.misuse, "ab.later", site: "ab.site")
        let mine = recording.events.filter { $0.kind == .issue && $0.text?.hasPrefix("ab.") == true }
        #expect(mine.map(\.text) == ["ab.site\nab.issue"])
    }

    @Test func aSourceThatIsFreedWithItsReaderIsNoLivingNode() {
        let recording: Diagnostics.Recording
        do {
            let a = Observable(1, named: "k.a")
            let b = Observable(1, named: "k.b")
            a.value = 2
            recording = Diagnostics.record(limit: .max)
            let sum = Computed(named: "k.sum") { a.value + b.value }
            _ = sum.value
        }
        recording.stop()
        // The ends of `a` and `b` are events only if other recordings are in progress.
        let mine = recording.events.filter { $0.node?.name == "k.sum" }
        #expect(summary(mine) == ["creation k.sum", "evaluation k.sum", "end k.sum"])
    }

    @Test func aRecordingThatIsStoppedInATransactionRecordsNothingMore() {
        let state = Observable(1, named: "l.state")
        let received = Shared(0)
        inTransaction {
            Diagnostics.record { events in
                let own = events.count { $0.node?.name == "l.state" }
                received.withLock { $0 += own }
            }.stop()
        }
        for value in 2...3_000 { state.value = value }
        #expect(received.value == 0)
    }

    @Test func anEffectThatBeganBeforeTheRecordingHasAStart() throws {
        let page = Diagnostics.record(limit: .max)
        defer { page.stop() }
        let state = Observable(1, named: "m.state")
        let inner = Shared<Diagnostics.Recording?>(nil)
        let reaction = reaction(named: "m.report") {
            state.value
        } onChange: { _ in
            inner.value = Diagnostics.record(limit: .max)
        }
        defer { reaction.cancel() }
        state.value = 2
        let recording = try #require(inner.value)
        recording.stop()
        #expect(recording.events.allSatisfy { $0.start >= 0 && $0.duration >= 0 })
        #expect(try JSONSerialization.jsonObject(with: Data(recording.trace.json.utf8)) is [String: Any])
    }

    /// In a process of its own: the events of other tests count too.
    @Test func manyHandOversDropNothing() async {
        await #expect(processExitsWith: .success) {
            let state = Observable(0, named: "n.state")
            let limit = 200_000
            let recording = Diagnostics.record(limit: limit)
            for value in 1...(limit / 1_024 + 100) {
                state.value = value
                // The start of another recording cuts a chunk.
                Diagnostics.record(limit: 1).stop()
            }
            recording.stop()
            let writes = recording.events.count { $0.node?.name == "n.state" && $0.kind == .write }
            precondition(writes == limit / 1_024 + 100)
        }
    }

    @Test func aReaderOfAKeyHasTheWriteAsItsCause() throws {
        let prices: ObservableDictionary = ["tea": 5]
        let key = Computed(named: "o.tea") { prices["tea"] }
        let reaction = autorun(named: "o.report") { _ = key.value }
        defer { reaction.cancel() }
        let recording = Diagnostics.record(limit: .max)
        prices["tea"] = 6
        recording.stop()
        let evaluation = try #require(recording.events.first { $0.node?.name == "o.tea" && $0.kind == .evaluation })
        #expect(evaluation.causes.count == 1)
    }

    @Test func whatARunWritesIsNoCauseOfIt() throws {
        let (state, count) = (Observable(0, named: "p.state"), Observable(0, named: "p.count"))
        let recording = Diagnostics.record(limit: .max)
        let reaction = autorun(named: "p.report") {
            _ = state.value
            count.value = 7
            _ = count.value
        }
        defer { reaction.cancel() }
        recording.stop()
        let run = try #require(recording.events.first { $0.node?.name == "p.report" && $0.kind == .run })
        #expect(run.causes.isEmpty)
    }

    // MARK: - Names

    @Test func theNodeOfAKeyIsCreatedUnderTheNameOfItsCollection() {
        let prices = ObservableDictionary(["tea": 5], named: "ad.prices")
        let recording = Diagnostics.record(limit: .max)
        let reader = autorun { _ = prices["tea"] }
        defer { reader.cancel() }
        recording.stop()
        let mine = recording.events.filter { $0.node?.name.hasPrefix("ad.") == true }
        #expect(mine.contains { $0.kind == .creation })
    }

    @Test func namesOfFreedNodesAreKept() {
        let recording = Diagnostics.record(limit: .max)
        for _ in 0..<20 { Observable(1, named: "f.node").value = 2 }
        recording.stop()
        let mine = recording.events.filter { $0.node?.name == "f.node" }
        #expect(mine.map(\.kind) == Array(repeating: [.creation, .write, .end], count: 20).flatMap { $0 })
        #expect(Set(mine.map { $0.node?.id }).count == 20)
    }

    @Test func aGraphThatIsCreatedInATransactionOfAnotherIsRecorded() {
        let recording = Diagnostics.record(limit: .max)
        let outer = IndependentGraph()
        let graph = outer.run { inTransaction { IndependentGraph() } }
        let state = graph.run { Observable(1, named: "h.state") }
        state.value = 2
        recording.stop()
        let events = recording.events.filter { $0.node?.name == "h.state" }
        #expect(summary(events) == ["creation h.state", "write h.state"])
    }

    /// The receiver uses graphs that the recording has just held.
    @Test func theReceiverMayUseGraphs() {
        let graphs = (0..<3).map { _ in IndependentGraph() }
        let states = graphs.map { graph in graph.run { Observable(0, named: "i.state") } }
        let received = Shared(0)
        let recording = Diagnostics.record { events in
            let own = events.count { $0.node?.name == "i.state" && $0.kind == .write }
            received.withLock { $0 += own }
            onOtherThread { for state in states { _ = state.value } }
        }
        for state in states { for value in 1...600 { state.value = value } }
        inTransaction { recording.stop() }
        // A different recording that begins or ends may pass on a batch of this one, on its own thread.
        while received.value < 1_800 { sched_yield() }
        #expect(received.value == 1_800)
    }

    @Test func nodesOfIndependentGraphsAreRecordedUntilTheGraphEnds() {
        let before = IndependentGraph()
        let first = before.run { Observable(1, named: "g.first") }
        let recording = Diagnostics.record(limit: .max)
        first.value = 2
        do {
            let graph = IndependentGraph()
            let second = graph.run { Observable(1, named: "g.second") }
            second.value = 2
        }
        recording.stop()
        first.value = 3
        let mine = recording.events.filter { $0.node?.name.hasPrefix("g.") == true }
        #expect(summary(mine) == ["write g.first", "creation g.second", "write g.second", "end g.second"])
        #expect(Set(mine.map(\.graph)).count == 2)
    }

    // MARK: - Start, stop, limit

    @Test func aRecordingMayStartAndStopInsideATransaction() {
        let price = Observable(5, named: "q.price")
        var recording: Diagnostics.Recording?
        inTransaction {
            price.value = 6
            recording = Diagnostics.record(limit: .max)
            price.value = 7
            recording?.stop()
            price.value = 8
        }
        let mine = recording?.events.filter { $0.node?.name == "q.price" } ?? []
        #expect(summary(mine) == ["write q.price"])
    }

    @Test func aRecordingEndsWhenItIsReleased() {
        let received = Shared(0)
        let price = Observable(0, named: "ac.price")
        do {
            _ = Diagnostics.record { events in
                let own = events.count { $0.node?.name == "ac.price" }
                received.withLock { $0 += own }
            }
        }
        for value in 1...3_000 { price.value = value }
        #expect(received.value == 0)
    }

    @Test func twoRecordingsSeeWhatHappensDuringEach() {
        let price = Observable(0, named: "r.price")
        let first = Diagnostics.record(limit: .max)
        price.value = 1
        let second = Diagnostics.record(limit: .max)
        price.value = 2
        first.stop()
        price.value = 3
        second.stop()
        let counts = [first, second].map { recording in recording.events.count { $0.node?.name == "r.price" } }
        #expect(counts == [2, 2])
    }

    @Test func olderEventsAreDropped() {
        let graph = IndependentGraph()
        let price = graph.run { Observable(0, named: "s.price") }
        let recording = Diagnostics.record(limit: 2_000)
        for value in 1...10_000 { price.value = value }
        recording.stop()
        let mine = recording.events.filter { $0.node?.name == "s.price" }
        #expect(mine.count <= 2_000 + 1_024)
        #expect(recording.droppedCount + recording.events.count >= 10_000)
    }

    @Test func batchesHaveAllEvents() async {
        let seen = Guarded<[String]>([])
        let price = Observable(0, named: "t.price")
        let recording = Diagnostics.record { events in
            let mine = events.filter { $0.node?.name == "t.price" && $0.kind == .write }.map { "\($0.kind)" }
            seen.withLock { $0 += mine }
        }
        for value in 1...3_000 { price.value = value }
        recording.stop()
        // A thread of a different test may be passing the last batches on.
        await eventually { seen.withLock { $0.count } == 3_000 }
        #expect(recording.events.isEmpty)
    }

    @Test func batchesArriveOneAtATimeInOrder() async {
        let seen = Guarded<[Int]>([])
        let running = Guarded(0)
        let price = Observable(0, named: "u.price")
        let recording = Diagnostics.record { events in
            #expect(
                running.withLock {
                    $0 += 1; return $0
                } == 1)
            let mine = events.filter { $0.node?.name == "u.price" && $0.kind == .write }.map(\.id)
            seen.withLock { $0 += mine }
            running.withLock { $0 -= 1 }
        }
        // Each value is new: writing the current one would be no event.
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            for value in 1...3_000 { price.value = thread * 10_000 + value }
        }
        recording.stop()
        await eventually { seen.withLock { $0.count } == 9_000 }
        #expect(seen.withLock { $0 == $0.sorted() })
    }

    @Test func nodesMayBeCreatedWhileARecordingEnds() {
        let isOver = Guarded(false)
        onThreads(2) { thread in
            let graph = IndependentGraph()
            if thread == 0 {
                for _ in 0..<100 { Diagnostics.record { _ in }.stop() }
                isOver.withLock { $0 = true }
            } else {
                // The end of a recording reads the names of nodes that have just been created.
                while !isOver.withLock({ $0 }) { graph.run { _ = Observable(0, named: "v.new") } }
            }
        }
    }

    @Test func graphsThatFollowOneAnotherHaveDifferentNumbers() async {
        let numbers = Guarded<[String: Set<Int>]>([:])
        let recording = Diagnostics.record { events in
            numbers.withLock { numbers in
                for event in events {
                    if let name = event.node?.name { numbers[name, default: []].insert(event.graph) }
                }
            }
        }
        for index in 0..<10 {
            let graph = IndependentGraph()
            graph.run { Observable(0, named: "w.\(index)") }.value = 1
        }
        recording.stop()
        await eventually { numbers.withLock { numbers in (0..<10).allSatisfy { numbers["w.\($0)"] != nil } } }
        let all = numbers.withLock { numbers in (0..<10).flatMap { Array(numbers["w.\($0)"] ?? []) } }
        #expect(Set(all).count == 10 && all.count == 10)
    }

    @Test func threadsWriteWhileRecordingsStartAndStop() {
        let graph = IndependentGraph()
        let state = graph.run { (0..<4).map { Observable(0, named: "x.\($0)") } }
        let sum = graph.run { Computed(named: "x.sum") { state.reduce(0) { $0 + $1.value } } }
        let reaction = graph.run { autorun(named: "x.report") { _ = sum.value } }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            if index == 3 {
                for _ in 0..<50 {
                    let recording = Diagnostics.record(limit: 5_000)
                    _ = recording.events.count
                    recording.stop()
                    #expect(recording.events.allSatisfy { $0.duration >= 0 })
                }
            } else {
                for value in 1...2_000 { state[index].value = value }
            }
        }
        #expect(sum.value == 6_000)
        reaction.cancel()
    }

    // MARK: - The report

    @Test func theReportNamesWork() throws {
        let price = Observable(0, named: "y.price")
        let unused = Observable(0, named: "y.unused")
        let isDear = Computed(named: "y.isDear") { price.value > 100 }
        let recording = Diagnostics.record(limit: .max)
        let never = Computed(named: "y.never") { price.value }
        let reaction = autorun(named: "y.report") { _ = isDear.value }
        for value in 1...9 {
            price.value = value
            unused.value = value
        }
        reaction.cancel()
        recording.stop()
        withExtendedLifetime(never) {}
        let report = recording.report
        let futile = try #require(report.futileEvaluations.first { $0.node.name == "y.isDear" })
        #expect(futile.runCount == 10 && futile.changeCount == 1)
        #expect(report.neverEvaluated.contains { $0.name == "y.never" })
        #expect(report.writtenInVain.contains { $0.node.name == "y.unused" && $0.count == 9 })
        #expect(report.fanOut.contains { $0.node.name == "y.price" && $0.count == 1 })
        #expect(report.description.contains("computed y.isDear"))
    }

    @Test func theReportNamesReactionsThatRunAgainAfterOneChange() {
        let price = Observable(0, named: "z.price")
        let reaction = autorun(named: "z.report") { if price.value > 0, price.value < 5 { price.value += 1 } }
        let recording = Diagnostics.record(limit: .max)
        price.value = 1
        recording.stop()
        reaction.cancel()
        let repeated = recording.report.repeatedRuns.first { $0.node.name == "z.report" }
        #expect(repeated?.count == 5)
    }

    // MARK: - The trace

    @Test func theTraceLeadsFromAWriteToARun() throws {
        let price = Observable(5, named: "aa.price \"q\"")
        let total = Computed(named: "aa.total") { price.value * 2 }
        let reaction = autorun(named: "aa.report") { _ = total.value }
        defer { reaction.cancel() }
        let recording = Diagnostics.record(limit: .max)
        price.value = 6
        recording.stop()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("trace \(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try recording.trace.write(to: file)

        let trace = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let rows = try #require(trace["traceEvents"] as? [[String: Any]])
        func row(_ name: String) throws -> [String: Any] { try #require(rows.first { $0["name"] as? String == name }) }
        func id(_ row: [String: Any]) throws -> Int { try #require((row["args"] as? [String: Any])?["event"] as? Int) }
        let write = try row("write aa.price \"q\"")
        let (evaluation, run) = try (row("evaluation aa.total"), row("run aa.report"))
        for (cause, effect) in try [(id(write), id(evaluation)), (id(evaluation), id(run))] {
            let arrow = rows.filter { $0["id"] as? String == "\(cause)-\(effect)" }
            #expect(arrow.compactMap { $0["ph"] as? String } == ["s", "f"])
        }
        let times = try [write, evaluation, run].map { try #require($0["ts"] as? Double) }
        #expect(times[0] <= times[1])
    }

    @Test func aTraceThatCannotBeWrittenSaysWhy() {
        let recording = Diagnostics.record(limit: .max)
        recording.stop()
        let error = #expect(throws: Diagnostics.TraceError.self) {
            try recording.trace.write(to: "/missing/trace.json")
        }
        #expect(error?.description.hasPrefix("The trace cannot be written to /missing/trace.json: ") == true)
    }
}
