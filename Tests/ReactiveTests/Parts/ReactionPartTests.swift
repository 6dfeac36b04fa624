// Reactions that consist of parts: which parts an update passes on, and what happens to parts that end meanwhile.

#if DEBUG
import Foundation
@testable import Reactive
import TestSupport
import Testing

private struct Refused: Error {}

private actor Stage {
    /// Changes `x` elsewhere and then here, before the hop to this actor arrives.
    func change(_ x: Observable<Int>, readThrough computed: Computed<Int>) {
        let follower = ToyFollower.start(0..<1, isolation: self) { _ in computed.value }
        onOtherThread { x.value = 1 }
        #expect(follower.updated == [])
        x.value = 2
        #expect(follower.updated == [0])
        follower.cancel()
    }
}

extension Stage {
    /// As before, where an element of a view reads the computed.
    func change(_ x: Observable<Int>, readThroughAnElementOf list: ToyList) {
        let computed = Computed { x.value * 2 }
        let view = ToyView(list) { _, value in value + computed.value }
        var seen: [Int] = []
        let reader = autorun { seen.append(view.sum) }
        onOtherThread { x.value = 1 }
        #expect(seen == [1])
        x.value = 2
        #expect(seen == [1, 5])
        reader.cancel()
    }
}

extension ReactiveTests {
    @Suite struct ReactionPartTests {
        private let flags = (0..<5).map { Observable($0, named: "flag \($0)") }
        private let signs: [Computed<Int>]

        init() { signs = flags.map { flag in Computed { flag.value % 3 } } }

        /// A follower with a row for each number, which reads that flag.
        private func follower(_ rows: Range<Int> = 0..<3) -> ToyFollower {
            ToyFollower.start(rows) { [flags] in flags[$0].value }
        }

        /// Runs `body` and expects that no row is freed meanwhile, because all are kept. A row that were released too
        /// often would be.
        private func keepingRows(of follower: ToyFollower, _ body: () -> Void) {
            let kept = Array(follower.rows.values)
            withExtendedLifetime(kept) {
                body()
                #expect(follower.alive == kept.count)
            }
        }

        private func expectConsistency(_ location: SourceLocation = #_sourceLocation) {
            #expect(GraphHandle.current.brokenInvariants == [], sourceLocation: location)
        }

        // MARK: - The reaction

        @Test func theReactionIsListedUnderItsName() {
            let follower = ToyFollower.start(0..<1, named: "follower of one row") { $0 }
            #expect(Diagnostics.liveReactions.contains { $0.name == "follower of one row" })
            follower.cancel()
        }

        @Test func partsOfAnUnnamedReactionHaveItsSourceLocation() {
            let (unnamed, named) = (follower(), ToyFollower.start(0..<1, named: "named") { $0 })
            #expect(unnamed.rows[0]?.displayName == unnamed.reaction?.name)
            #expect(named.rows[0]?.displayName == "unknown")
            [unnamed, named].forEach { $0.cancel() }
        }

        @Test func aReactionWithAnOwnerEndsThoseWhoseOwnersAreGone() {
            IndependentGraph(named: "with owners").run {
                func abandoned() -> ToyFollower {
                    ToyFollower.start(0..<1, for: WeakOwner(LifetimeTracker())) { $0 }
                }
                let first = abandoned()
                let second = ToyFollower.start(0..<1) { $0 }
                #expect(first.reaction != nil)
                let third = abandoned()
                #expect(first.reaction == nil && second.reaction != nil && third.reaction != nil)
                [second, third].forEach { $0.cancel() }
            }
        }

        @Test func theCauseNamesWhatAPartHasRead() {
            let follower = follower()
            flags[1].value = 7
            #expect(follower.reaction?.lastCause?.writes == ["flag 1"])
            follower.cancel()
        }

        // MARK: - Updates

        @Test func aRunWithoutChangesFinishesNoUpdate() {
            let follower = follower()
            follower.reaction?.invalidate()
            follower.reaction?.runNow()
            #expect((follower.finishes, follower.deliveries) == (0, 0))
            follower.cancel()
        }

        @Test func aPartThatChangesTwiceIsCollectedOnce() {
            let follower = ToyFollower.start(0..<2, schedule: .custom { _ in }) { [flags] in flags[$0].value }
            for value in 5...6 { flags[0].value = value }
            var collected = 0
            GraphHandle.current.withLock {
                follower.reaction?.options?.parts?.forEachCollected { _ in collected += 1 }
            }
            #expect(collected == 1)
            follower.cancel()
        }

        @Test func aPartThatIsMarkedAsChangedIsUpdatedByTheNextRun() {
            let follower = follower()
            GraphHandle.current.withLock { follower.rows[1]?.markChanged() }
            follower.reaction?.catchUp()
            #expect(follower.updated == [])
            expectConsistency()
            follower.reaction?.invalidate()
            #expect(follower.updated == [1] && follower.delivered == [1])
            follower.cancel()
        }

        @Test func changesThatAreForgottenAreNotUpdated() {
            let follower = follower()
            GraphHandle.current.withLock { follower.rows[1]?.markChanged() }
            inTransaction {
                flags[2].value = 7
                #expect(follower.reaction?.forgetChanges() == true)
            }
            expectConsistency()
            follower.reaction?.invalidate()
            #expect(follower.updated == [])
            flags[2].value = 8
            #expect(follower.updated == [2])
            follower.cancel()
        }

        @Test func aPartMayWriteWhatItReads() {
            let follower = ToyFollower.start(0..<1) { [flags] _ in
                let value = flags[0].value
                if value % 4 != 0 { flags[0].value = value + 1 }
                return value
            }
            flags[0].value = 1
            #expect(follower.values[0] == 4 && follower.delivered == [0, 0, 0, 0])
            expectConsistency()
            follower.cancel()
        }

        @Test func aPartThatIsNotEvaluatedAgainKeepsItsSources() {
            let follower = ToyFollower.start(0..<2) { [flags, signs] in signs[$0].value + flags[4].value }
            follower.isPlain = { _ in true }
            flags[0].value = 1
            // Equal for the computed, so that only a part that counts as not evaluated would change.
            flags[0].value = 4
            #expect(follower.updated == [0])
            try? inTransaction {
                flags[0].value = 5
                follower.reaction?.catchUp()
                #expect(follower.updated == [0, 0])
                throw Refused()
            }
            #expect(follower.updated == [0, 0, 0] && follower.values[0] == 5)
            expectConsistency()
            follower.cancel()
        }

        // MARK: - The first run

        @Test func updatesOfAFirstRunThatIsRolledBackAreDiscarded() {
            var created: ToyFollower?
            try? inTransaction {
                flags[0].value = 5
                created = follower()
                flags[0].value = 6
                created?.reaction?.catchUp()
                throw Refused()
            }
            guard let follower = created else { return }
            #expect(follower.discards == 1 && follower.deliveries == 0)
            #expect(follower.values == [0: 0, 1: 1, 2: 2])
            flags[0].value = 7
            #expect(follower.discards == 1 && follower.delivered == [0])
            follower.cancel()
        }

        // MARK: - What the check of a part does

        /// A follower whose row 1 reads a computed that performs an action while the reaction checks its parts.
        private func follower(_ rows: Range<Int>, acting act: @escaping (ToyFollower?) -> Void) -> ToyFollower {
            let created = Shared<ToyFollower?>(nil)
            let acting = Computed { [flags] in
                if flags[1].value > 1 {
                    act(created.value)
                    created.value = nil
                }
                return flags[1].value
            }
            let follower = ToyFollower.start(rows) { [signs] in $0 == 1 ? acting.value : signs[$0].value }
            created.value = follower
            return follower
        }

        @Test(arguments: [1..<2, 0..<3]) func theCheckOfAPartMayCancelTheReaction(rows: Range<Int>) {
            let follower = follower(rows) { $0?.cancel() }
            keepingRows(of: follower) {
                inTransaction { for flag in flags { flag.value += 3 } }
                #expect(follower.reaction == nil && follower.updated == [])
            }
            #expect(follower.alive == 0)
            expectConsistency()
        }

        @Test func theCheckOfAPartMayEndIt() {
            let follower = follower(0..<3) { $0?.remove(1) }
            keepingRows(of: follower) { flags[1].value = 4 }
            #expect(follower.updated == [] && follower.reaction?.runCount == 1 && follower.alive == 2)
            expectConsistency()
            follower.cancel()
        }

        @Test func theCheckOfAPartMayChangeWhatIsChecked() {
            let follower = follower(0..<5) { follower in
                _ = follower?.reaction?.forgetChanges()
                for number in [2, 3] { follower?.rows[number]?.markChanged() }
            }
            inTransaction {
                flags[0].value += 3
                flags[1].value += 3
            }
            #expect(follower.updated == [2, 3])
            expectConsistency()
            follower.cancel()
        }

        // MARK: - Parts that end

        @Test func aPartEndsOnce() {
            let follower = follower()
            let row = follower.rows[1]
            GraphHandle.current.withLock {
                follower.remove(1)
                row?.end()
            }
            #expect(row?.hasEnded == true && follower.alive == 3 && flags[1].node.pointee.observers == nil)
            GraphHandle.current.withLock { row?.markChanged() }
            flags[1].value = 7
            follower.reaction?.invalidate()
            #expect(follower.updated == [] && follower.alive == 3)
            expectConsistency()
            follower.cancel()
        }

        @Test func aChangedPartMayEndBeforeItsUpdate() {
            let follower = follower()
            follower.onUpdate = { [unowned follower] number in
                if number == 0 { [1, 2].forEach(follower.remove) }
            }
            keepingRows(of: follower) {
                inTransaction {
                    flags[0].value = 7
                    flags[1].value = 7
                    follower.rows[2]?.markChanged()
                }
            }
            #expect(follower.updated == [0] && follower.rows.keys.sorted() == [0] && follower.alive == 1)
            follower.cancel()
        }

        @Test func aPartThatHasEndedInFrontOfAChangedOneIsReleasedOnce() {
            let follower = follower()
            keepingRows(of: follower) {
                inTransaction {
                    flags[0].value = 7
                    flags[1].value = 7
                    follower.remove(0)
                }
            }
            #expect(follower.updated == [1] && follower.alive == 2)
            expectConsistency()
            follower.cancel()
        }

        @Test func collectedPartsMayEndWithTheReaction() {
            let follower = follower()
            keepingRows(of: follower) {
                inTransaction {
                    for flag in flags { flag.value += 1 }
                    follower.remove(1)
                    follower.cancel()
                }
            }
            #expect(follower.alive == 0)
            expectConsistency()
        }

        @Test func aPartMayEndInATransactionThatIsRolledBack() {
            let follower = follower()
            keepingRows(of: follower) {
                try? inTransaction {
                    flags[1].value = 7
                    follower.reaction?.catchUp()
                    follower.remove(1)
                    throw Refused()
                }
            }
            #expect(follower.alive == 2)
            expectConsistency()
            follower.cancel()
        }

        // MARK: - Evaluations

        @Test func whatAnEvaluationCreatesBelongsToTheCaller() {
            let follower = follower()
            var log: [String] = []
            var belongings: [Belongings] = []
            for number in 0..<2 {
                GraphHandle.current.withLock {
                    let row = follower.rows[number]
                    let created = row?.evaluateCollecting {
                        _ = flags[number].value
                        guard number == 0 else { return }
                        onCleanup { log.append("cleanup") }
                        autorun { log.append("flag \(flags[3].value)") }
                    }
                    if let created { belongings.append(created) }
                }
            }
            #expect(belongings.map(\.isEmpty) == [false, true])
            flags[2].value = 7
            flags[3].value = 8
            #expect(log == ["flag 3", "flag 8"])
            follower.cancel()
            flags[3].value = 9
            belongings.forEach { $0.end() }
            flags[3].value = 10
            #expect(log == ["flag 3", "flag 8", "flag 9", "cleanup"])
        }

        @Test func theMarkOfReadsMovesWithNewReads() {
            #expect(_ReactionPart.readMark == nil)
            let reader = autorun { [flags] in
                let start = _ReactionPart.readMark
                _ = flags[0].value
                let first = _ReactionPart.readMark
                _ = flags[0].value
                #expect(start != nil && first != start && _ReactionPart.readMark == first)
                untracked { #expect(_ReactionPart.readMark == nil) }
            }
            reader.cancel()
        }

        @Test func anEvaluationReadsKeysOfAViewThatHasChanged() {
            let list = ToyList([1, 2, 3])
            let groups = ToyGroups(list) { _, value in value % 2 }
            let sums = (0..<2).map { key in Computed { groups[key] ?? 0 } }
            let follower = ToyFollower.start(0..<2) { sums[$0].value }
            GraphHandle.current.withLock {
                list.set(0, to: 7)
                if let row = follower.rows[1] { follower.evaluate(row) }
                #expect(follower.values[1] == 10)
            }
            expectConsistency()
            follower.cancel()
        }

        /// Otherwise the end of the effect, which restores what it has written, would undo the evaluation.
        @Test(arguments: [false, true]) func anEvaluationIsNoPartOfTheEffectOfAnotherThread(isSkipped: Bool) {
            let (trigger, written) = (Observable(0), Observable(0))
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let follower = ToyFollower.start(0..<1) { [signs] in signs[$0].value }
            let reactions = [
                reaction({ trigger.value }) { [flags] _ in
                    written.value = 1
                    entered.signal()
                    mayEnd.wait()
                    flags[0].value += 3
                    written.value = 0
                },
                autorun { _ = written.value },
            ]
            let end = inBackground { trigger.value = 1 }
            entered.wait()
            GraphHandle.current.withLock {
                guard let row = follower.rows[0] else { return }
                if isSkipped { row.skipEvaluation() } else { follower.evaluate(row) }
            }
            mayEnd.signal()
            end()
            #expect(follower.updated == [])
            expectConsistency()
            reactions.forEach { $0.cancel() }
            follower.cancel()
        }

        @Test(.inDefaultGraph) func aChangeOnTheActorRunsAReaderOfAnElementForWhichAHopIsInProgress() async {
            await Stage().change(Observable(0), readThroughAnElementOf: ToyList([1]))
        }

        @Test(.inDefaultGraph) func aChangeOnTheActorRunsAPartForWhichAHopIsInProgress() async {
            let x = Observable(0)
            let double = Computed(isolation: nil) { x.value * 2 }
            await Stage().change(x, readThrough: double)
        }
    }
}
#endif
