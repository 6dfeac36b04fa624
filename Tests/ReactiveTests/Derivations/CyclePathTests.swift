// What a cycle depends on, and the names on it, where the path to the innermost evaluation is not a plain chain.

import Reactive
import ReactiveCollections
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct CyclePathTests {
        /// A read in `untracked` closes the cycle: it adds nothing to what its reader depends on.
        @Test func aCycleOfAnUntrackedReadIsNoDependency() {
            let source = Observable(0)
            var runs = 0
            var inner: ThrowingComputed<Int>?
            let outer = ThrowingComputed { try source.value + inner!.value }
            inner = ThrowingComputed {
                runs += 1
                return (try? untracked { try outer.value }) ?? -1
            }
            defer { inner = nil }
            #expect((try? outer.value) == -1)
            source.value = 1
            #expect((try? inner?.value) == -1)
            #expect(runs == 1)
        }

        /// Each level reads both computeds of the level below, so there are 2⁴⁰ ways to the source.
        ///
        ///     first → top of the levels;  first → last → first
        @Test func theSourcesBesideACycleAreVisitedOnce() {
            let source = Observable(1)
            var level = [Computed { source.value }, Computed { source.value }]
            for _ in 0..<40 {
                let below = level
                level = (0..<2).map { _ in Computed { (below[0].value &+ below[1].value) & 1 } }
            }
            let top = level
            var last: ThrowingComputed<Int>?
            let first = ThrowingComputed(named: "first") { try top[0].value + top[1].value + last!.value }
            last = ThrowingComputed(named: "last") { try first.value }
            defer { last = nil }
            #expect { try first.value } throws: { ($0 as? CycleError)?.path == ["first", "last", "first"] }
        }

        /// Has a computed that closes a cycle while it is evaluated, and notes the paths of errors.
        private final class Closing {
            let isClosed = Observable(false)
            private(set) var paths: [[String]] = []
            private let source = Observable(0)
            private var isArmed = false

            /// Returns the computed. It calls `read` when it has closed the cycle.
            func writer(_ read: @escaping () -> Void) -> Computed<Int> {
                Computed(named: "writer") { [self] in
                    let value = source.value
                    guard isArmed else { return value }
                    isArmed = false
                    isClosed.value = true
                    read()
                    return value
                }
            }

            /// Makes the computed close the cycle in its next evaluation.
            func arm() {
                isArmed = true
                source.value = 1
            }

            func read(_ computed: ThrowingComputed<Int>?) {
                do { _ = try computed!.value } catch { paths.append((error as? CycleError)?.path ?? []) }
            }
        }

        /// `middle` is being checked when a source of it writes. It is then evaluated, and reads something else than
        /// before, which closes the cycle. Its name is on the path once.
        ///
        ///     before   outer → middle → writer
        ///     after    outer → middle → outer
        @Test func aDerivationThatIsCheckedAndThenEvaluatedIsNamedOnce() {
            let closing = Closing()
            var middle: ThrowingComputed<Int>?
            let writer = closing.writer { closing.read(middle) }
            let outer = ThrowingComputed(named: "outer") { try middle!.value }
            middle = ThrowingComputed(named: "middle") { try closing.isClosed.value ? outer.value : writer.value }
            defer { middle = nil }
            #expect((try? middle!.value) == 0)
            closing.arm()
            let reported = issues { closing.read(outer) }
            #expect(closing.paths == [["outer", "middle", "outer"], ["outer", "middle", "outer"]])
            #expect(reported.allSatisfy { $0.kind == .writeInComputed })
        }

        /// As before, with a second derivation that is checked first and then evaluated.
        ///
        ///     before   outer → middle → inner → writer
        ///     after    outer → middle → inner → outer
        @Test func derivationsOfADetourAreNamedOnce() {
            let closing = Closing()
            var (middle, inner): (ThrowingComputed<Int>?, ThrowingComputed<Int>?)
            let writer = closing.writer { closing.read(middle) }
            let outer = ThrowingComputed(named: "outer") { try middle!.value }
            middle = ThrowingComputed(named: "middle") { try inner!.value }
            inner = ThrowingComputed(named: "inner") { try closing.isClosed.value ? outer.value : writer.value }
            defer { (middle, inner) = (nil, nil) }
            #expect((try? outer.value) == 0)
            closing.arm()
            _ = issues { closing.read(outer) }
            let path = ["middle", "inner", "outer", "middle"]
            #expect(closing.paths == [path, path])
        }

        /// `inner` is checked first, in the detour by which `middle` is checked, and is evaluated on the cycle.
        ///
        ///     before   outer → middle → inner → writer
        ///     after    outer → middle → new → inner → outer
        @Test func aDerivationOfADetourIsNamedOnceOnTheCycle() {
            let closing = Closing()
            var middle: Computed<Int>?
            var outer: ThrowingComputed<Int>?
            let writer = closing.writer { _ = middle!.value }
            let inner = Computed(named: "inner") {
                guard closing.isClosed.value else { return writer.value }
                closing.read(outer)
                return 7
            }
            let new = Computed(named: "new") { inner.value }
            middle = Computed(named: "middle") { closing.isClosed.value ? new.value : inner.value }
            outer = ThrowingComputed(named: "outer") { middle!.value }
            defer { (middle, outer) = (nil, nil) }
            #expect(middle!.value == 0)
            closing.arm()
            _ = issues { _ = try? outer!.value }
            #expect(closing.paths.first == ["outer", "middle", "new", "inner", "outer"])
        }

        /// `middle` leads to the cycle, and reads the reader after a change that has ended the cycle.
        @Test func whatLedToACycleMayReadItsReaderLater() throws {
            let isOpen = Observable(false)
            var reader: ThrowingComputed<Int>?
            let middle = ThrowingComputed(named: "middle") { isOpen.value ? try reader!.value : 1 }
            let first = ThrowingComputed(named: "first") { isOpen.value ? 5 : try middle.value + reader!.value }
            reader = ThrowingComputed(named: "reader") { try first.value }
            defer { reader = nil }
            #expect(throws: CycleError.self) { try first.value }
            isOpen.value = true
            #expect(try middle.value == 5)
            #expect(try reader!.value == 5)
        }

        /// The reader of a cycle depends on what the elements of a view have read that led to it.
        @Test func elementsOfAViewThatLedToACycleCount() throws {
            let factor = Observable(1)
            let rows: ObservableArray = [1]
            let view = rows.live.map { $0 * factor.value }
            var reader: ThrowingComputed<Int>?
            let first = ThrowingComputed { view[0] > 5 ? 7 : try reader!.value }
            reader = ThrowingComputed { try first.value }
            defer { reader = nil }
            #expect(throws: CycleError.self) { try first.value }
            factor.value = 10
            #expect(try reader!.value == 7)
        }
    }
}
