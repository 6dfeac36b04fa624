// `Reaction.lastCause` where there are several paths, or not all of a path: shared computeds, parts, views by key,
// sources that a run no longer reads.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct CausePathTests {
        let a = Observable(1, named: "a"), b = Observable(1, named: "b")

        private func cause(of reaction: Reaction) -> String? { reaction.lastCause?.description }

        // MARK: - Runs without a cause

        @Test func aWriteBeforeTheFirstRunIsNoCause() {
            a.value = 2
            let reader = autorun { _ = a.value }
            #expect(cause(of: reader) == nil)
            reader.cancel()
        }

        @Test func aRunThatWasOnlyInvalidatedHasNoCause() {
            let reader = autorun { _ = a.value }
            reader.invalidate()
            #expect(reader.runCount == 2)
            #expect(cause(of: reader) == nil)
            reader.cancel()
        }

        @Test func aWriteThatIsStillToBeSeenIsNoCause() {
            let reader = autorun { _ = a.value + b.value }
            a.value = 2
            inTransaction {
                b.value = 2
                #expect(cause(of: reader) == "a")
            }
            #expect(cause(of: reader) == "b")
            reader.cancel()
        }

        @Test func aCancelledReactionHasNoCause() {
            let reader = autorun { _ = a.value }
            a.value = 2
            reader.cancel()
            #expect(cause(of: reader) == nil)
        }

        // MARK: - Paths

        @Test func onePathStandsForAllThroughTheSameSource() {
            let left = Computed(named: "left") { a.value }
            let right = Computed(named: "right") { a.value }
            let reader = autorun { _ = left.value + right.value }
            a.value = 2
            #expect(cause(of: reader) == "a → left")
            reader.cancel()
        }

        @Test func aPathThroughAPartOfAReactionIsComplete() {
            let double = Computed(named: "double") { a.value * 2 }
            let follower = ToyFollower.start(0..<2) { $0 == 0 ? double.value : b.value }
            a.value = 2
            #expect(follower.reaction.map { cause(of: $0) } == "a → double")
            b.value = 2
            #expect(follower.reaction.map { cause(of: $0) } == "b")
            follower.cancel()
        }

        @Test func aPathThroughAnElementOfAViewIsComplete() {
            let list = ToyList([1, 2])
            let view = ToyView(list) { row, value in value + (row == 1 ? a.value : 0) }
            let reader = autorun { _ = view.sum }
            a.value = 2
            #expect(cause(of: reader) == "a → view")
            list.set(0, to: 5)
            #expect(cause(of: reader) == "list → view")
            reader.cancel()
        }

        @Test func theCauseOfAReaderOfAKeyIsTheWriteBehindTheView() {
            let list = ToyList([1, 2])
            let groups = ToyGroups(list) { _, value in value % 2 + a.value * 0 }
            let reader = autorun { _ = groups[0] }
            list.set(1, to: 4)
            #expect(reader.lastCause?.writes == ["list"])
            #expect(reader.lastCause?.paths.count == 1)
            reader.cancel()
        }

        //  isReading, which is no longer read → groups → keys of other groups → reader
        @Test func aViewThatNoLongerReadsItsChangedSourceIsTheBeginningOfThePath() {
            let isReading = Observable(true)
            let groups = ToyGroups(ToyList([1]), named: "groups") { _, _ in
                untracked { isReading.value } && isReading.value ? 0 : 1
            }
            let others = ToyGroups(ToyList([1]), named: "others") { _, _ in groups[0] ?? 7 }
            let reader = autorun { _ = others[1] }
            isReading.value = false
            #expect(reader.runCount == 2)
            #expect(cause(of: reader) == "groups → others")
            reader.cancel()
        }

        @Test func aComputedThatNoLongerReadsItsChangedSourceIsTheBeginningOfThePath() {
            let isReading = Observable(true)
            let first = Computed(named: "first") { untracked { isReading.value } && isReading.value }
            let second = Computed(named: "second") { first.value }
            let reader = autorun { _ = second.value }
            isReading.value = false
            #expect(cause(of: reader) == "first → second")
            reader.cancel()
        }

        @Test func severalKeysOfAViewHaveOneCause() {
            let list = ToyList([1, 2])
            let groups = ToyGroups(list) { _, value in value % 2 }
            let reader = autorun { _ = (groups[0], groups[1]) }
            inTransaction {
                list.set(0, to: 3)
                list.set(1, to: 4)
            }
            #expect(reader.lastCause?.writes == ["list"])
            #expect(reader.lastCause?.paths.count == 1)
            reader.cancel()
        }

        // MARK: - Sources that the run no longer reads

        @Test func aSourceThatIsNoLongerReadAndHadNotChangedIsNoCause() {
            let reader = autorun { if a.value == 1 { _ = b.value } }
            a.value = 2
            #expect(cause(of: reader) == "a")
            reader.cancel()
        }

        @Test func aSourceThatCausedTheRunBeforeIsNoCauseIfItIsNoLongerRead() {
            let reader = autorun { if a.value == 1 { _ = b.value } }
            b.value = 2
            #expect(cause(of: reader) == "b")
            a.value = 2
            #expect(cause(of: reader) == "a")
            reader.cancel()
        }

        /// The first run is repeated, because it changes something that it has read. The first time, it reads `b`.
        @Test func aSourceThatOnlyTheFirstRunReadIsNoCause() {
            b.value = 2
            let reader = autorun {
                if a.value == 1 {
                    _ = b.value
                    a.value = 2
                }
            }
            #expect(reader.runCount == 2)
            #expect(cause(of: reader) == "a")
            reader.cancel()
        }
    }
}
