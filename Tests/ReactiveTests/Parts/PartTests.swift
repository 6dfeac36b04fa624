// Parts of derivations: a change runs only the closures of those elements that have read it.

import Reactive
import TestSupport
import Testing

private struct Refused: Error {}

extension ReactiveTests {
    @Suite struct PartTests {
        private let flags = (0..<4).map { _ in Observable(0) }
        private let list = ToyList([1, 2, 3, 4])

        private func view() -> ToyView {
            ToyView(list) { [flags] row, value in value + flags[Int(row) % 4].value }
        }

        @Test func aFlagRunsTheClosureOfItsElement() {
            let view = view()
            var sums: [Int] = []
            let reader = autorun { sums.append(view.sum) }
            flags[2].value = 10
            flags[2].value = 10
            flags[0].value = 1
            #expect(sums == [10, 20, 21])
            #expect(view.runs == 6)
            #expect(view.builds == 1)
            reader.cancel()
        }

        @Test func aFlagCountsWhileUnobserved() {
            let view = view()
            #expect(view.sum == 10)
            flags[1].value = 5
            #expect(view.sum == 15)
            #expect(view.sum == 15)
            #expect(view.runs == 5)
        }

        @Test func anUnobservedComputedOfAViewSeesFlags() {
            let view = view()
            let sum = Computed { view.sum }
            #expect(sum.value == 10)
            flags[1].value = 5
            #expect(sum.value == 15)
            let reader = autorun { _ = sum.value }
            flags[1].value = 6
            #expect(sum.value == 16)
            reader.cancel()
            flags[1].value = 7
            #expect(sum.value == 17)
            #expect(view.runs == 7)
        }

        @Test func elementsWhoseClosuresReadNothingHaveNoPart() {
            let view = ToyView(list) { [flags] row, value in row == 1 ? flags[0].value : value }
            let reader = autorun { _ = view.sum }
            #expect(view.partCount == 1)
            list.set(1, to: nil)
            #expect(view.partCount == 0)
            flags[0].value = 1
            #expect(reader.runCount == 2)
            reader.cancel()
        }

        @Test func aClosureThatStopsReadingLosesItsPart() {
            let isReading = Observable(true)
            let view = ToyView(list) { row, value in
                row == 1 && untracked { isReading.value } && isReading.value ? 0 : value
            }
            let reader = autorun { _ = view.sum }
            #expect(view.partCount == 1)
            isReading.value = false
            #expect(view.partCount == 0)
            reader.cancel()
        }

        @Test func aRollBackRestoresResultsAndPartsWithoutARun() {
            let view = view()
            let reader = autorun { _ = view.sum }
            try? inTransaction {
                flags[1].value = 5
                #expect(view.sum == 15)
                list.set(0, to: nil)
                list.set(9, to: 0)
                list.set(3, to: 5)
                flags[2].value = 7
                #expect(view.sum == 27)
                throw Refused()
            }
            let runs = view.runs
            #expect(view.sum == 10)
            #expect(view.runs == runs)
            #expect(reader.runCount == 1)
            flags[0].value = 1
            #expect(view.sum == 11)
            #expect(view.runs == runs + 1)
            #expect(view.partCount == 4)
            reader.cancel()
        }

        @Test func aTransactionWithoutNetEffectRunsNoReaction() {
            let view = view()
            let reader = autorun { _ = view.sum }
            inTransaction {
                flags[1].value = 5
                #expect(view.sum == 15)
                flags[1].value = 0
            }
            #expect(view.sum == 10)
            #expect(reader.runCount == 1)
            flags[1].value = 1
            #expect(view.sum == 11)
            #expect(reader.runCount == 2)
            reader.cancel()
        }

        @Test func aClosureMayWrite() {
            let count = Observable(0)
            let view = ToyView(list) { [flags] row, value in
                let result = value + flags[Int(row)].value
                if row == 1, flags[1].value < 3 { flags[1].value += 1 }
                count.value += 1
                return result
            }
            _ = issues {
                let reader = autorun { _ = view.sum }
                #expect(view.sum == 13)
                flags[0].value = 1
                #expect(view.sum == 14)
                reader.cancel()
            }
        }

        @Test func aViewOutlivesItsReadersAndPartsOutliveTheView() {
            var view: ToyView? = view()
            autorun { _ = view?.sum }.cancel()
            weak let weakView = view
            try? inTransaction {
                flags[0].value = 1
                _ = view?.sum
                view = nil
                throw Refused()
            }
            #expect(weakView == nil)
            flags[0].value = 2
        }

        @Test func aViewMayBeFreedInATransactionOfAnotherGraph() {
            var view: ToyView? = view()
            #expect(view?.sum == 10)
            IndependentGraph().run { inTransaction { view = nil } }
            flags[0].value = 2
        }

        @Test func reactionsCreatedInAClosureEndWithItsElement() {
            var log: [String] = []
            let other = Observable(0)
            let view = ToyView(list) { [flags] row, value in
                onCleanup { log.append("end \(row)") }
                if row == 0 { autorun { log.append("inner \(other.value)") } }
                return value + flags[Int(row)].value
            }
            let reader = autorun { _ = view.sum }
            #expect(log == ["inner 0"])
            other.value = 1
            flags[1].value = 1
            #expect(log == ["inner 0", "inner 1", "end 1"])
            try? inTransaction {
                list.set(0, to: nil)
                _ = view.sum
                throw Refused()
            }
            #expect(log == ["inner 0", "inner 1", "end 1"])
            list.set(0, to: nil)
            #expect(log.last == "end 0")
            other.value = 2
            #expect(log.last == "end 0")
            reader.cancel()
        }

        @Test func aViewThatReadsItselfThrowsInAThrowingComputed() throws {
            var view: ToyView?
            let sum = ThrowingComputed { view?.sum ?? 0 }
            view = ToyView(list) { _, _ in (try? sum.value) ?? 1 }
            #expect(try sum.value == 4)
            view = nil
        }

        /// Built one after the other, so only changes pass through the chain.
        @Test func longChainsOfPartsNeedNoStack() {
            onOtherThread(stackSize: 512 * 1024) {
                let source = Observable(1)
                let list = ToyList([0])
                var views: [ToyView] = []
                for _ in 0..<deep {
                    let last = views.last
                    let view = ToyView(list) { _, _ in last?.sum ?? source.value }
                    _ = view.sum
                    views.append(view)
                }
                guard let last = views.last else { return }
                views = []
                var sums: [Int] = []
                let reader = autorun { sums.append(last.sum) }
                source.value = 2
                #expect(sums == [1, 2])
                reader.cancel()
            }
        }
    }
}
