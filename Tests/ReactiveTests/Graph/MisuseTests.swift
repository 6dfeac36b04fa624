// Fatal misuse stops the program with a message that names the node and the fix. Each test uses a process of its own.

#if os(Linux) || os(macOS) || os(Windows)
import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct MisuseTests {
        private static func count(_ part: String, in result: ExitTest.Result?) -> Int {
            String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).components(separatedBy: part).count - 1
        }

        @Test func readingDuringAnInPlaceMutation() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let items = Observable([1, 2], named: "items")
                items.value.withUnsafeMutableBufferPointer { $0[0] = items.value.count }
            }
            expectMessage(result, "items is read while it is being modified in place", "local copy")
        }

        @Test func readingPlainBitsDuringAnInPlaceMutation() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                func add(_ value: inout Int, _ amount: () -> Int) { value += amount() }
                let count = Observable(0, named: "count")
                add(&count.value) { count.value }
            }
            expectMessage(result, "count is read while it is being modified in place")
        }

        @Test func writingDuringAnInPlaceMutation() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let items = Observable([1, 2], named: "items")
                items.value.withUnsafeMutableBufferPointer { _ in items.value = [] }
            }
            expectMessage(result, "items is written while it is being modified in place")
        }

        @Test func mutatingDuringAnInPlaceMutation() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let items = Observable([1, 2], named: "items")
                items.value.withUnsafeMutableBufferPointer { _ in items.value.append(1) }
            }
            expectMessage(result, "items is written while it is being modified in place")
        }

        @Test func readingThroughAComputedDuringAnInPlaceMutation() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let items = Observable([1, 2], named: "items")
                let count = Computed { items.value.count }
                items.value.withUnsafeMutableBufferPointer { _ in _ = count.value }
            }
            expectMessage(result, "items is read while it is being modified in place")
        }

        @Test func anUnnamedObservableIsNamedByFileAndLine() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let items = Observable([1])
                items.value.withUnsafeMutableBufferPointer { _ in items.value = [] }
            }
            expectMessage(result, "MisuseTests.swift:")
        }

        @Test func aComputedThatReadsItself() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nonisolated(unsafe) var next: Computed<Int>?
                let a = Computed(named: "A1") { (next?.value ?? 0) + 1 }
                let b = Computed(named: "B1") { a.value + 1 }
                next = Computed(named: "C1") { b.value + 1 }
                _ = a.value
            }
            expectMessage(result, "A1 → C1 → B1 → A1", "ThrowingComputed")
        }

        @Test func aFirstPullThatWouldOverflowTheStack() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                onOtherThread(stackSize: 512 << 10) {
                    var last = Computed(named: "first") { 1 }
                    for number in 1..<100_000 {
                        let below = last
                        last = Computed(named: "link \(number)") { below.value + 1 }
                    }
                    _ = last.value
                }
            }
            expectMessage(result, "the stack is almost exhausted", "link 99999 → link 99998", "more …")
        }

        @Test func aMutationInPlaceThatOutlivesItsThread() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let count = Observable(0, named: "count")
                await onChangingThreads { await changeAndSuspend(&count.value) }
            }
            expectMessage(result, "count was modified in place across an `await`")
        }

        // MARK: - Misuse that the program survives

        @Test func anIssueIsPrintedOncePerSite() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let x = Observable(0, named: "x")
                for round in 1...3 {
                    let loop = autorun(named: "endless") { x.value += 1 }
                    loop.cancel()
                    x.value = -round
                    onCleanup {}
                }
                exit(0)
            }
            #expect(Self.count("endless runs in a loop", in: result) == 1)
            #expect(Self.count("onCleanup is called outside", in: result) == 1)
            #expect(Self.count("\n", in: result) == 2)
        }

        // MARK: - Two graphs

        @Test func writingToAnotherGraphInATransaction() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let other = IndependentGraph(named: "session 7").run { Observable(0, named: "count") }
                inTransaction { other.value = 1 }
            }
            expectMessage(
                result, "count, which belongs to graph session 7,", "transaction", "of the default graph",
                "in `run` of graph session 7.")
        }

        @Test func readingAnotherGraphInATrackedClosure() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let count = Observable(0, named: "count")
                IndependentGraph(named: "session 7").run { _ = autorun { _ = count.value } }
            }
            expectMessage(
                result, "count, which belongs to the default graph,", "tracked closure of graph session 7",
                "in `run` of graph session 7.")
        }

        @Test func readingAnotherGraphUntrackedInATransaction() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let count = IndependentGraph(named: "session 7").run { Observable(0, named: "count") }
                inTransaction { _ = count.value }
            }
            expectMessage(result, "count, which belongs to graph session 7,", "of the default graph")
        }

        @Test func readingAComputedOfAnotherGraphInAComputed() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (left, right) = (IndependentGraph(), IndependentGraph(named: "right"))
                let number = left.run { Computed(named: "number") { 1 } }
                let text = right.run { Computed { "\(number.value)" } }
                _ = text.value
            }
            expectMessage(result, "number, which belongs to an unnamed graph,", "graph right")
        }

        @Test func enteringAnotherGraphInATransaction() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                inTransaction { IndependentGraph(named: "session 7").run {} }
            }
            expectMessage(result, "graph session 7 is used inside a transaction", "effect")
        }
    }
}
#endif
