// What liveness begins and ends with: the marks, and the lists of edges.

#if DEBUG
import CReactive
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LivenessTests {
        private let flags = (0..<3).map { Observable($0) }
        private let list = ToyList([1, 2, 3])

        private func isMarked(_ node: _Observer) -> Bool {
            !node.observer.flags.isDisjoint(with: [.stale, .maybeStale, .sourceChanged])
        }

        private func view() -> ToyView { ToyView(list) { [flags] row, value in value + flags[Int(row)].value } }

        @Test func aViewThatIsUpToDateGoesLiveUnmarked() {
            let view = view()
            let total = Computed { view.sum }
            _ = total.value
            let evaluations = view.evaluationCount
            let reader = autorun { _ = total.value }
            #expect(view.evaluationCount == evaluations && reader.runCount == 1)
            #expect(!isMarked(view) && !isMarked(total) && view.takeDueRows().isEmpty)
            #expect(view.sum == 9 && view.evaluationCount == evaluations)
            reader.cancel()
        }

        @Test func aNewPartOfALiveViewIsUnmarked() {
            let view = ToyView(list) { [flags] row, value in value > 3 ? value + flags[Int(row)].value : value }
            let reader = autorun { _ = view.sum }
            list.set(1, to: 9)
            #expect(view.evaluationCount == 2 && reader.runCount == 2)
            #expect(!isMarked(view) && view.takeDueRows().isEmpty)
            flags[1].value = 5
            #expect(view.sum == 1 + 14 + 3 && reader.runCount == 3)
            reader.cancel()
        }

        @Test func anObserverThatIsMarkedAndLosesItsReaderIsUnmarked() {
            let double = Computed { [flags] in 2 * flags[0].value }
            let view = view()
            let reader = autorun { _ = (double.value, view.sum) }
            inTransaction {
                flags[0].value = 4
                #expect(isMarked(double))
                reader.cancel()
            }
            #expect(!isMarked(double) && double.value == 8)
            #expect(view.observer.flags.isDisjoint(with: .marks) && view.sum == 6 + 4 + 1 + 2)
        }

        /// A part of an earlier state of a view keeps the computed live, though nothing brings it up to date.
        @Test func aComputedThatWasNotCheckedBeforeItGoesLiveIsCheckedLater() {
            var evaluations = 0
            let double = Computed { [flags] in
                evaluations += 1
                return 2 * flags[2].value
            }
            let view = ToyView(list) { [flags] row, value in flags[Int(row)].value == 0 ? double.value : value }
            #expect(view.sum == 4 + 2 + 3)
            inTransaction {
                flags[0].value = 1
                let reader = autorun { _ = view.sum }
                #expect(double.observer.flags.contains(.live))
                reader.cancel()
            }
            #expect(double.value == 4 && evaluations == 1)
        }

        /// The memory of an edge is used again, and leads to an edge of its former observer.
        @Test func anEdgeThatKeepsNothingAliveIsTheOnlyOneOfItsObserver() {
            let sources = (0..<6).map { _ in Observable(0) }
            let reader = autorun { for source in sources { _ = source.value } }
            reader.cancel()
            // Takes the memory of the last edge, behind which there was none.
            let second = autorun { _ = sources[0].value }
            let number = Observable(1)
            let follower = autorun {}
            let graph = number.graph
            graph.enter()
            graph.linkUnkept(follower.observer, to: number.node)
            #expect(follower.sources.pointee.source == number.node)
            #expect(follower.sources.pointee.next_source == reactive_end_of_sources())
            graph.unlinkUnkept(follower.observer, isBeingFreed: false)
            #expect(follower.sources == reactive_end_of_sources())
            graph.leave()
            follower.cancel()
            second.cancel()
        }

        @Test func anObserverThatEndsUnderAnotherGraphReleasesItsOwn() {
            weak var freed: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "of the observer")
                freed = graph
                let number = graph.run { Observable(1) }
                var double: Computed<Int>? = graph.run { Computed { 2 * number.value } }
                #expect(double?.value == 2)
                IndependentGraph(named: "other").run { inTransaction { double = nil } }
            }
            #expect(freed == nil)
        }
    }
}
#endif
