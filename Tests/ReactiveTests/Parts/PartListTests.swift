// Which parts of a derivation are due, what their closures run in, and when the list of parts ends.

#if DEBUG
import CReactive
import Observation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct PartListTests {
        private let flags = (0..<4).map { Observable($0) }
        private let list = ToyList([1, 2, 3, 4])

        private func view() -> ToyView {
            ToyView(list) { [flags] row, value in value + flags[Int(row)].value }
        }

        private func parts(of view: ToyView) -> [UInt32: _DerivationPart] {
            var parts: [UInt32: _DerivationPart] = [:]
            view.forEachPart { parts[$0.row] = $0 }
            return parts
        }

        // MARK: - What is due

        @Test func aViewWithoutPartsIsCachedLikeAComputed() {
            let view = ToyView(list) { _, value in value }
            _ = view.sum
            _ = view.sum
            #expect(view.evaluationCount == 1)
            autorun { _ = view.sum }.cancel()
            _ = view.sum
            #expect(view.evaluationCount == 1)
        }

        @Test func onlyPartsOfChangedRowsAreDue() {
            let view = view()
            let reader = autorun { _ = view.sum }
            for row in [2, 3, 0] {
                flags[row].value += 10
                #expect(view.due == [UInt32(row)])
            }
            reader.cancel()
        }

        @Test func aPartThatProvesUnchangedIsDueOnce() {
            let signs = flags.map { flag in Computed { flag.value % 3 } }
            let view = ToyView(list) { row, value in value + signs[Int(row)].value }
            let reader = autorun { _ = view.sum }
            // The walk that leads to the view finds the part unchanged.
            flags[1].value += 3
            #expect(view.due == [1] && view.runs == 4)
            // In a transaction, the evaluation of the view does.
            inTransaction {
                flags[2].value += 3
                _ = view.sum
            }
            #expect(view.due == [2] && view.runs == 4)
            flags[3].value += 1
            #expect(view.due == [3] && view.runs == 5)
            flags[0].value += 1
            #expect(view.due == [0] && view.runs == 6)
            reader.cancel()
        }

        /// In a transaction, parts of the earlier state stay subscribed. No evaluation checks them.
        @Test func aPartOfAnEarlierStateStopsNoPush() {
            let view = view()
            let total = Computed { view.sum }
            let reader = autorun { _ = total.value }
            inTransaction {
                list.set(1, to: nil)
                #expect(total.value == 8 + 0 + 2 + 3)
                for value in [5, 6] {
                    flags[1].value = value
                    #expect(total.value == 13)
                }
                flags[1].value = 7
                list.set(0, to: 11)
                #expect(total.value == 23)
                #expect(GraphHandle.current.brokenInvariants == [])
            }
            #expect(total.value == 23)
            reader.cancel()
        }

        /// A computed that only an earlier state of a view reads is followed with that state, though the view no longer
        /// brings it up to date.
        @Test(arguments: [false, true]) func aSourceOfAnEarlierStateMayBeOutdated(isDeep: Bool) {
            let double = Computed { [flags] in 2 * flags[3].value }
            let source = isDeep ? Computed { double.value } : double
            let view = ToyView(list) { [flags] row, value in flags[Int(row)].value == 0 ? source.value : value }
            #expect(view.sum == 6 + 2 + 3 + 4)
            flags[3].value = 5
            inTransaction {
                flags[0].value = 1
                let reader = autorun { _ = view.sum }
                flags[1].value = 7
                reader.cancel()
            }
            #expect(source.value == 10 && double.value == 10 && view.sum == 1 + 2 + 3 + 4)
            #expect(GraphHandle.current.brokenInvariants == [])
        }

        @Test func aWriteThatIsRolledBackEvaluatesNothing() {
            struct Refused: Error {}
            let double = Computed { [flags] in 2 * flags[1].value }
            let reader = autorun { [flags] in _ = (double.value, flags[2].value) }
            try? inTransaction {
                flags[1].value = 5
                flags[2].value = 5
                throw Refused()
            }
            #expect(double.evaluationCount == 1 && reader.runCount == 1)
            reader.cancel()
        }

        // MARK: - What a closure runs in

        @Test func aClosureThatReadsNothingLeavesTheSparePartToTheNextOne() {
            let view = ToyView(list) { _, value in value }
            _ = view.sum
            let spare = view.scratch
            list.set(0, to: 9)
            #expect(view.sum == 18 && view.scratch == spare)
        }

        @Test func aPartIsReplacedOnlyInATransaction() {
            let view = view()
            let reader = autorun { _ = view.sum }
            weak let part = parts(of: view)[2]
            flags[2].value = 10
            #expect(part != nil && parts(of: view)[2] === part)
            inTransaction {
                flags[2].value = 11
                _ = view.sum
                #expect(view.partCount == 5)
            }
            #expect(view.partCount == 4 && part == nil)
            reader.cancel()
        }

        @Test func reactionsOfAClosureBelongToNoReader() {
            let number = Observable(0)
            let groups = ToyGroups(list) { row, value in
                if row == 0 { autorun(named: "of the element") {} }
                return value % 2
            }
            let reader = autorun(named: "reader") {
                _ = number.value
                _ = groups.all
                autorun(named: "of the reader") {}
            }
            number.value = 1
            let live = Diagnostics.liveReactions.map(\.name)
            let names = ["reader", "of the element", "of the reader"]
            #expect(live.filter { names.contains($0) } == names)
            GraphHandle.current.run { reader.cancel() }
        }

        @Test func readsBehindTheClosuresAreThoseOfTheView() {
            let (first, last) = (Observable(1), Observable(10))
            let view = LateReader(first) { last.value }
            var sums: [Int] = []
            let reader = autorun { sums.append(view.sum) }
            last.value = 20
            first.value = 2
            #expect(sums == [11, 21, 22])
            #expect(view.isEvaluatingItself)
            reader.cancel()
        }

        @Test func aWriteOfAnEarlierClosureIsNotAChange() {
            let written = Observable(0)
            let view = ToyView(ToyList([1, 2])) { row, value in
                if row == 0 { written.value = 7 }
                return row == 0 ? value : value + written.value
            }
            _ = issues { #expect(view.sum == 10) }
            #expect(view.sum == 10 && view.runs == 2)
        }

        @Test func aViewThatIsReadLaterByItselfFollowsADerivationThatChangesWhatItHasRead() {
            let (source, isReading) = (Observable(0), Observable(false))
            let climbing = Computed {
                if source.value < 3 { source.value += 1 }
                return source.value
            }
            let view = LateReader(Observable(10)) { isReading.value ? climbing.value : 0 }
            var sums: [Int] = []
            _ = issues {
                let reader = autorun { sums.append(view.sum) }
                isReading.value = true
                reader.cancel()
            }
            #expect(sums.last == 13)
        }

        @Test func aDebouncedReactionIsNotifiedOfEachChangeAboveAPart() async {
            let clock = ManualClock()
            let signs = flags.map { flag in Computed { flag.value % 3 } }
            let view = ToyView(list) { row, value in value + signs[Int(row)].value }
            let reader = autorun(schedule: .debounced(for: .seconds(5), clock: clock)) { _ = view.sum }
            flags[1].value = 2
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(3))
            flags[1].value = 0
            clock.advance(by: .seconds(3))
            await letOthersRun()
            #expect(reader.runCount == 1)
            clock.advance(by: .seconds(2))
            await eventually { reader.runCount == 2 }
            reader.cancel()
        }

        /// The closure's write makes a router pending, which must wait for views that observe an evaluation in
        /// progress.
        @Test func aClosureMayChangeAViewByKey() {
            let (other, sign) = (ToyList([1, 2]), Observable(1))
            let groups = ToyGroups(other) { _, value in value % 2 }
            let view = ToyView(list) { row, value in
                if row == 1 { other.set(0, to: 2 + sign.value) }
                return value * sign.value
            }
            var seen: [Int?] = []
            _ = issues {
                let readers = [autorun { seen.append(groups[1]) }, autorun { _ = view.sum }]
                sign.value = 3
                sign.value = 5
                #expect(view.sum == 50)
                readers.forEach { $0.cancel() }
            }
            #expect(seen == [1, 3, 5, 7])
        }

        /// The view is evaluated by a read, and no router of its own updates the others.
        @Test func aClosureMayChangeOlderAndNewerViewsByKey() {
            let (before, after, sign) = (ToyList([1, 2]), ToyList([1, 2]), Observable(1))
            let older = ToyGroups(before) { _, value in value % 2 }
            let view = ToyView(list) { row, value in
                if row == 1 {
                    before.set(0, to: sign.value)
                    after.set(0, to: sign.value)
                }
                return value * sign.value
            }
            let newer = ToyGroups(after) { _, value in value % 2 }
            var seen: [[Int?]] = [[], []]
            _ = issues {
                let readers = [autorun { seen[0].append(older[1]) }, autorun { seen[1].append(newer[1]) }]
                for value in [3, 5] {
                    sign.value = value
                    #expect(view.sum == 10 * value)
                }
                readers.forEach { $0.cancel() }
            }
            #expect(seen == [[1, 3, 5], [1, 3, 5]])
        }

        /// One of the views by key is older than the view that waits for the computed, the other one newer.
        @Test func aComputedThatAViewReadsMayChangeViewsByKey() {
            let (other, sign) = (ToyList([1, 2]), Observable(1))
            let older = ToyGroups(other) { _, value in value % 2 }
            let writer = Computed {
                other.set(0, to: 2 + sign.value)
                return sign.value
            }
            let view = LateReader(Observable(10)) { writer.value }
            let next = Computed { view.sum + 1 }
            let newer = ToyGroups(other) { _, value in value % 2 }
            var (seen, sums): ([[Int?]], [Int]) = ([[], []], [])
            _ = issues {
                let readers = [
                    autorun { seen[0].append(older[1]) }, autorun { seen[1].append(newer[1]) },
                    autorun { sums.append(next.value) },
                ]
                sign.value = 3
                sign.value = 5
                readers.forEach { $0.cancel() }
            }
            #expect(seen == [[1, 3, 5, 7], [1, 3, 5, 7]])
            #expect(sums.last == 16)
        }

        @Test func aComputedThatIsFollowedOutsideMayChangeAViewByKey() {
            ObservationBridge.isEnabled = true
            let (other, sign) = (ToyList([1, 2]), Observable(1))
            let groups = ToyGroups(other) { _, value in value % 2 }
            let writer = Computed {
                other.set(0, to: 2 + sign.value)
                return sign.value
            }
            var seen: [Int?] = []
            let log = Log()
            _ = issues {
                let reader = autorun { seen.append(groups[1]) }
                withObservationTracking {
                    _ = writer.value
                } onChange: {
                    log("changed")
                }
                sign.value = 3
                #expect(writer.value == 3)
                reader.cancel()
            }
            #expect(seen == [1, 3, 5])
            #expect(log.take() == ["changed"])
        }

        // MARK: - The end

        /// How a view loses its last reference.
        enum Release: CaseIterable { case alone, inATransactionOfAnotherGraph, followedInATransactionOfAnotherGraph }

        @Test(arguments: Release.allCases, [false, true])
        func aListOfPartsForgetsItsDerivation(_ release: Release, hasParts: Bool) throws {
            ObservationBridge.isEnabled = true
            weak var freed: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "of the view")
                freed = graph
                let flag = graph.run { Observable(1) }
                var view: ToyView? = graph.run {
                    ToyView(ToyList([1, 2])) { _, value in hasParts ? value * flag.value : value }
                }
                let log = Log()
                if release == .followedInATransactionOfAnotherGraph {
                    withObservationTracking {
                        _ = view?.rows
                    } onChange: {
                        log("changed")
                    }
                }
                #expect(view?.sum == 3)
                var part = view.flatMap { parts(of: $0)[1] }
                #expect((part != nil) == hasParts)
                let list = part?.node.pointee.part_list
                #expect(list?.pointee.derivation == (hasParts ? view?.observer : nil))
                weak let freedView = view
                if release == .alone {
                    view = nil
                } else {
                    IndependentGraph(named: "other").run { inTransaction { view = nil } }
                }
                #expect(freedView == nil)
                #expect(list?.pointee.derivation == nil)
                #expect(list?.pointee.count == (hasParts ? 1 : nil))
                part = nil
                flag.value = 2
                #expect(log.take().isEmpty)
            }
            #expect(freed == nil)
        }
    }
}

/// A view that reads after the closure of its only element.
final class LateReader: _PartedDerivation {
    private let first: Observable<Int>
    private let last: () -> Int
    @exclusivity(unchecked) private var part: _DerivationPart?
    @exclusivity(unchecked) private var value = 0
    @exclusivity(unchecked) private(set) var isEvaluatingItself = false

    init(_ first: Observable<Int>, _ last: @escaping () -> Int) {
        (self.first, self.last) = (first, last)
        super.init(beside: first, named: "late", fileID: #fileID, line: #line) {
            unsafeDowncast($0, to: LateReader.self).update()
        }
    }

    var sum: Int { read { value } }

    private func update() -> Bool {
        if let part, onlyDueRow != nil { _ = hasChanged(part) }
        var read = 0
        evaluateElements { (read, part) = run(row: 0, part: part) { first.value } }
        isEvaluatingItself = graph.pointee.evaluating?.pointee.node == node
        value = read + last()
        return true
    }
}
#endif
