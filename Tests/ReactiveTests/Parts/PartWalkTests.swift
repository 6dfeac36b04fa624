// The walk that finds out what is stale, where it meets views with parts, and where the code that it evaluates changes
// what is being checked.

#if DEBUG
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct PartWalkTests {
        private let trigger = Observable(0)
        private let flags = (0..<4).map { Observable($0) }
        private let list = ToyList([1, 2, 3, 4])

        // MARK: - Depth

        /// How many closures are nested in one another, and how many were at most.
        private final class Depth {
            private(set) var greatest = 0
            private var current = 0
            private var addresses: [UInt] = []

            /// The number of bytes of the stack between the highest closure and the lowest.
            var bytes: UInt { (addresses.max() ?? 0) - (addresses.min() ?? 0) }

            func nesting<Result>(_ body: () -> Result) -> Result {
                current += 1
                defer { current -= 1 }
                greatest = max(greatest, current)
                var local: UInt8 = 0
                withUnsafeMutablePointer(to: &local) { addresses.append(UInt(bitPattern: $0)) }
                return body()
            }

            func reset() { (greatest, addresses) = (0, []) }
        }

        //  list ──▶ base ──▶ view 1 ──▶ a computed for each row ──▶ parts of view 2 ──▶ …
        //  trigger ──▶ a computed for each part, which is never different
        //
        /// Each view is brought up to date before the closures that read it, and so is every other source of a part.
        @Test func aChainOfViewsIsUpdatedWithoutRecursion() {
            let base = ToyView(list) { _, value in value }
            let depth = Depth()
            var last = ToyView(base) { [trigger] row, value in depth.nesting { value + trigger.value * Int(row) } }
            _ = last.sum
            for _ in 0..<30 {
                let before = last
                let inputs = (0..<4).map { row in
                    Computed { depth.nesting { before.rows.values[UInt32(row)] ?? 0 } }
                }
                let noise = (0..<4).map { _ in Computed { [trigger] in depth.nesting { trigger.value * 0 } } }
                last = ToyView(base) { row, value in
                    depth.nesting { noise[Int(row)].value + inputs[Int(row)].value }
                }
                _ = last.sum
            }
            let reader = autorun { _ = last.sum }
            #expect(last.sum == 10)
            depth.reset()
            trigger.value = 1
            #expect(last.sum == 10 + 0 + 1 + 2 + 3)
            #expect(depth.greatest == 1 && (depth.bytes < 20_000 || isUnderAddressSanitizer))
            reader.cancel()
        }

        // MARK: - Which parts are checked

        /// A view of `stage` whose element in row 1 reads a computed. Returns also the number of its evaluations.
        private func view(of stage: any ToyStage) -> (view: ToyView, evaluations: () -> Int) {
            var evaluations = 0
            let sign = Computed { [flags] in
                evaluations += 1
                return flags[1].value % 3
            }
            return (ToyView(stage) { row, value in row == 1 ? value + sign.value : value }, { evaluations })
        }

        @Test func aChangedPartIsFoundBehindAnUnchangedOne() {
            let signs = flags.map { flag in Computed { flag.value % 3 } }
            let view = ToyView(list) { row, value in value + signs[Int(row)].value }
            let total = Computed { view.sum }
            let reader = autorun { _ = total.value }
            #expect(total.value == 13)
            for changed in 0..<4 {
                inTransaction {
                    for row in 0..<4 { flags[row].value += row == changed ? 1 : 3 }
                }
                #expect(total.value == 10 + flags.reduce(0) { $0 + $1.value % 3 })
            }
            #expect(view.runs == 4 + 4)
            for row in 0..<4 { list.set(UInt32(row), to: nil) }
            #expect(view.partCount == 0)
            reader.cancel()
        }

        @Test(arguments: [false, true]) func aPartWhoseElementIsGoneIsNotChecked(isIndirect: Bool) {
            let (view, evaluations) = view(of: isIndirect ? ToyView(list) { _, value in value } : list)
            let reader = autorun { _ = view.sum }
            #expect(evaluations() == 1)
            inTransaction {
                flags[1].value = 2
                list.set(1, to: nil)
            }
            #expect(view.sum == 8 && evaluations() == 1)
            reader.cancel()
        }

        @Test func aPartOfAnEarlierStateIsNotChecked() {
            let (view, evaluations) = view(of: list)
            let total = Computed { view.sum }
            let reader = autorun { _ = total.value }
            inTransaction {
                list.set(1, to: nil)
                #expect(total.value == 8)
                flags[1].value = 2
                #expect(total.value == 8 && evaluations() == 1)
            }
            reader.cancel()
        }

        /// The part was collected while the view was live. That its element is gone shows only when the view's source is
        /// evaluated, since no change marks that one any more.
        @Test func aCollectedPartOfAViewThatIsNoLongerLiveIsNotChecked() {
            let (view, evaluations) = view(of: ToyView(list) { _, value in value })
            let total = Computed { view.sum }
            let reader = autorun { _ = total.value }
            inTransaction {
                flags[1].value = 2
                reader.cancel()
            }
            list.set(1, to: nil)
            #expect(total.value == 8 && evaluations() == 1)
        }

        // MARK: - Code that changes what is being checked

        @Test func aReactionThatIsCancelledByWhatItReadsIsCheckedNoFurther() {
            var reader: Reaction?
            var evaluations = 0
            let cancelling = Computed { [trigger] in
                if trigger.value == 1 { reader?.cancel() }
                return 0
            }
            let next = Computed { [trigger] in
                evaluations += 1
                return trigger.value
            }
            reader = autorun { _ = cancelling.value + next.value }
            trigger.value = 1
            #expect(evaluations == 1 && reader?.runCount == 1)
            #expect(GraphHandle.current.brokenInvariants == [])
        }

        //  trigger ──▶ first ──▶ writer ──▶ reader        writer sets `isCut`, and reads `reader`,
        //         └──────────────▶ other ──▶ ┘            which then reads neither `writer` nor `other`
        //
        /// The walk is on its way from the reader to the writer, and must not use the reader's edges any more.
        @Test(arguments: [false, true]) func aComputedThatIsEvaluatedInTheMeantimeIsNotEvaluatedAgain(isDeep: Bool) {
            let isCut = Observable(false)
            var evaluations = (reader: 0, other: 0)
            var reader: Computed<Int>?
            let first = Computed { [trigger] in trigger.value }
            let writer = Computed { [trigger] in
                let value = isDeep ? first.value : trigger.value
                if value == 1 {
                    isCut.value = true
                    _ = reader?.value
                }
                return value
            }
            let other = Computed { [trigger] in
                evaluations.other += 1
                return trigger.value
            }
            let cut = Computed {
                evaluations.reader += 1
                return isCut.value ? -1 : writer.value + other.value
            }
            reader = cut
            let last = Computed { cut.value }
            let reaction = autorun { _ = last.value }
            _ = issues { trigger.value = 1 }
            #expect(evaluations == (2, 1))
            #expect(last.value == -1 && reaction.runCount == 2)
            #expect(GraphHandle.current.brokenInvariants == [])
            reaction.cancel()
            reader = nil
        }

        /// The same with a part of a view.
        @Test(arguments: [false, true]) func aViewThatIsEvaluatedInTheMeantimeIsNotEvaluatedAgain(isDeep: Bool) {
            let isCut = Observable(false)
            var otherEvaluations = 0
            var cut: ToyView?
            let first = Computed { [trigger] in trigger.value }
            let writer = Computed { [trigger] in
                let value = isDeep ? first.value : trigger.value
                if value == 1 {
                    isCut.value = true
                    _ = cut?.sum
                }
                return value
            }
            let other = Computed { [trigger] in
                otherEvaluations += 1
                return trigger.value
            }
            let view = ToyView(ToyList([10])) { _, value in isCut.value ? -1 : value + writer.value + other.value }
            cut = view
            let last = Computed { view.sum }
            let reaction = autorun { _ = last.value }
            _ = issues { trigger.value = 1 }
            #expect(view.evaluationCount == 2 && view.runs == 2 && otherEvaluations == 1)
            #expect(last.value == -1 && reaction.runCount == 2)
            #expect(GraphHandle.current.brokenInvariants == [])
            reaction.cancel()
            cut = nil
        }
    }
}
#endif
