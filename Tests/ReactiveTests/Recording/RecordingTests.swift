import Foundation
import Reactive
import TestSupport
import Testing

@Suite struct RecordingTests {
    @Test func aWriteCausesEvaluationsAndRuns() throws {
        let price = Observable(5, named: "price")
        let count = Observable(2, named: "count")
        let total = Computed(named: "total") { price.value * count.value }
        let reaction = autorun(named: "report") { _ = total.value }
        defer { reaction.cancel() }

        let recording = Diagnostics.record()
        price.value = 6
        recording.stop()
        count.value = 3

        let events = recording.events.filter { $0.node != nil }
        #expect(events.map(\.kind) == [.write, .run, .evaluation] || events.map(\.kind) == [.write, .evaluation, .run])
        let write = try #require(events.first { $0.kind == .write })
        let evaluation = try #require(events.first { $0.kind == .evaluation })
        let run = try #require(events.first { $0.kind == .run })
        #expect(write.node?.name == "price")
        #expect(evaluation.node?.name == "total")
        #expect(evaluation.hasChanged == true)
        #expect(evaluation.causes == [write.id])
        #expect(run.node?.name == "report")
        #expect(run.causes == [evaluation.id])
    }

    @Test func namesOfFreedNodesAreKept() throws {
        let recording = Diagnostics.record()
        do {
            let first = Observable(1, named: "first")
            first.value = 2
        }
        for _ in 0..<10 {
            let next = Observable(1, named: "next")
            next.value = 2
        }
        recording.stop()
        let mine = recording.events.filter { ["first", "next"].contains($0.node?.name) }
        #expect(mine.map(\.kind) == Array(repeating: [.creation, .write, .end], count: 11).flatMap { $0 })
        #expect(Set(mine.map { $0.node!.id }).count == 11)
    }
}
