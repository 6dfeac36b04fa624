// Derivations that change what they have read, so that they are not up to date when their evaluation ends. Whoever
// begins to observe one is notified of that change too. (Such writes are reported as issues.)

import Foundation
import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct UncertaintyTests {
        private let source = Observable(0)
        private let isReading = Observable(false)
        private let list = ToyList([10])

        /// Increments what it reads, up to three.
        private func climb() -> Int {
            if source.value < 3 { source.value += 1 }
            return source.value
        }

        private func climbing() -> Computed<Int> { Computed { climb() } }

        /// Checks that a reader of `value`, which reads the source once `isReading` is set, sees the last value.
        private func expect(_ last: Int, _ value: @escaping () -> Int) {
            var seen: [Int] = []
            _ = issues {
                let reader = autorun { seen.append(value()) }
                isReading.value = true
                #if DEBUG
                #expect(GraphHandle.current.brokenInvariants == [])
                #endif
                reader.cancel()
            }
            #expect(source.value == 3 && seen.last == last, "\(seen)")
        }

        @Test func aReactionBeginsToReadOne() {
            let climbing = climbing()
            expect(3) { isReading.value ? climbing.value : 0 }
        }

        @Test func aComputedBeginsToReadOne() {
            let climbing = climbing()
            let computed = Computed { isReading.value ? climbing.value : 0 }
            expect(3) { computed.value }
        }

        @Test func aComputedBelowAComputedBeginsToReadOne() {
            let climbing = climbing()
            let computed = Computed { isReading.value ? climbing.value : 0 }
            let next = Computed { computed.value + 1 }
            let last = Computed { next.value + 1 }
            expect(5) { last.value }
        }

        @Test func aComputedBeginsToReadOneInARunOfItsReaction() {
            let climbing = climbing()
            let computed = Computed { isReading.value ? climbing.value : 0 }
            expect(4) { (isReading.value ? 1 : 0) + computed.value }
        }

        @Test func aPartBeginsToReadOneInARunOfItsReader() {
            let climbing = climbing()
            let view = ToyView(list) { _, value in isReading.value ? value + climbing.value : 0 }
            expect(14) { (isReading.value ? 1 : 0) + view.sum }
        }

        /// After a hundred updates of the views, the other reader evaluates the computed that the view reads.
        @Test func aViewWaitsWhileAComputedThatItReadsWrites() {
            let climbing = Computed { () -> Int in
                if isReading.value, source.value < 250 { source.value += 1 }
                return source.value
            }
            // The newer view is the first that observes the computed.
            let older = ToyGroups(list) { _, _ in climbing.value }
            let newer = ToyGroups(list) { _, _ in climbing.value }
            _ = issues {
                let readers = [newer, older].map { groups in autorun { _ = groups[250] } }
                let other = autorun { _ = climbing.value }
                isReading.value = true
                for _ in 0..<10 { _ = climbing.value }
                (readers + [other]).forEach { $0.cancel() }
            }
            #expect(source.value == 250 && (older[250], newer[250]) == (10, 10))
        }

        @Test func aPartBeginsToReadOne() {
            let climbing = climbing()
            let view = ToyView(list) { _, value in isReading.value ? value + climbing.value : 0 }
            expect(13) { view.sum }
        }

        @Test func aPartWithReadersBelowBeginsToReadOne() {
            let climbing = climbing()
            let view = ToyView(list) { _, value in isReading.value ? value + climbing.value : 0 }
            let next = ToyView(view) { _, value in isReading.value ? value + 1 : 0 }
            let sum = Computed { next.sum }
            expect(14) { sum.value }
        }

        @Test func aNewPartReadsOne() {
            let climbing = climbing()
            let view = ToyView(list) { _, value in value > 10 ? climbing.value : value }
            let sum = Computed { view.sum }
            expect(3) {
                if isReading.value { list.set(0, to: 11) }
                return sum.value
            }
        }

        @Test func aViewThatIsOneGoesLive() {
            let view = ToyView(list) { _, value in value + climb() }
            expect(13) { isReading.value ? view.sum : 0 }
        }

        @Test func aComputedOfAViewThatIsOneGoesLive() {
            let view = ToyView(list) { _, value in value + climb() }
            let sum = Computed { view.sum }
            let next = Computed { sum.value }
            expect(13) { isReading.value ? next.value : 0 }
        }

        @Test func theFirstKeyOfAViewThatIsOneIsRead() {
            let groups = ToyGroups(list) { _, _ in climb() }
            expect(10) { isReading.value ? groups[3] ?? 0 : 0 }
        }

        @Test func anUnobservedOneIsEvaluatedUntilItIsUpToDate() {
            let climbing = climbing()
            let next = Computed { climbing.value }
            _ = issues {
                _ = next.value
                expect(3) { next.value }
            }
        }

        // MARK: - Later changes

        /// Checks that a reader sees a change after it has begun to read a value that was not up to date, but the same.
        private func expectLaterChange(_ value: @escaping () -> Int) {
            source.value = 2
            var seen: [Int] = []
            _ = issues {
                let reader = autorun { seen.append(value()) }
                isReading.value = true
                #if DEBUG
                #expect(GraphHandle.current.brokenInvariants == [])
                #endif
                source.value = 8
                reader.cancel()
            }
            #expect(seen.last == 5, "\(seen)")
        }

        /// Three or less counts as nothing.
        private func excess(_ climbing: Computed<Int>) -> Int { isReading.value ? max(climbing.value - 3, 0) : 0 }

        @Test func aComputedWithTheSameResultFollowsLaterChanges() {
            let climbing = climbing()
            let computed = Computed { excess(climbing) }
            let next = Computed { computed.value }
            expectLaterChange { next.value }
        }

        /// Counts the runs of a reader of `value`, which runs again once because of `isReading`.
        private func expectTwoRuns(_ value: @escaping () -> Int) {
            source.value = 2
            _ = issues {
                let reader = autorun { _ = (isReading.value, value()) }
                isReading.value = true
                #expect(reader.runCount == 2)
                reader.cancel()
            }
        }

        @Test func aComputedWithTheSameResultDoesNotRunItsReaderAgain() {
            let climbing = climbing()
            let computed = Computed { excess(climbing) }
            expectTwoRuns { computed.value }
        }

        @Test func aPartWithTheSameResultDoesNotRunItsReaderAgain() {
            let climbing = climbing()
            let view = ToyView(list) { _, _ in excess(climbing) }
            expectTwoRuns { view.sum }
        }

        @Test func aPartWithTheSameResultFollowsLaterChanges() {
            let climbing = climbing()
            let view = ToyView(list) { _, _ in excess(climbing) }
            let next = Computed { view.sum }
            expectLaterChange { next.value }
        }

        @Test func aNewPartWithTheSameResultFollowsLaterChanges() {
            let climbing = climbing()
            let view = ToyView(list) { _, value in value == 10 ? 0 : excess(climbing) }
            let next = Computed { view.sum }
            expectLaterChange {
                if isReading.value { list.set(0, to: 11) }
                return next.value
            }
        }

        #if os(Linux) || os(macOS) || os(Windows)
        /// The second one knows that it is going to read the first one, which is running.
        @Test func aCycleThatArisesLaterStops() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nonisolated(unsafe) var second: Computed<Int>?
                let isCyclic = Observable(false)
                let first = Computed(named: "first") { isCyclic.value ? second?.value ?? 0 : 0 }
                second = Computed(named: "second") { first.value + (isCyclic.value ? 1 : 0) }
                _ = second?.value
                isCyclic.value = true
                _ = first.value
            }
            expectMessage(result, "first → second → first")
        }
        #endif

        // MARK: - The end of liveness

        @Test func aMarkedComputedThatLosesItsReaderIsNotUpToDate() {
            let double = Computed { 2 * source.value }
            let next = Computed { double.value + 1 }
            let reader = autorun { _ = next.value }
            inTransaction {
                source.value = 1
                reader.cancel()
                #expect(next.value == 3)
            }
            let second = autorun { _ = next.value }
            source.value = 2
            #expect(next.value == 5)
            second.cancel()
            source.value = 3
            #expect(next.value == 7 && double.value == 6)
        }

        @Test func aMarkedViewThatLosesItsReaderIsNotUpToDate() {
            let view = ToyView(list) { _, value in value + source.value }
            let reader = autorun { _ = view.sum }
            inTransaction {
                source.value = 1
                reader.cancel()
                #expect(view.sum == 11)
                source.value = 2
            }
            let second = autorun { _ = view.sum }
            #expect(view.sum == 12)
            source.value = 3
            #expect(view.sum == 13)
            second.cancel()
        }
    }
}
