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

        /// `middle` is being checked when a source of it writes. It is then evaluated, and reads something else than
        /// before, which closes the cycle. Its name is on the path once.
        ///
        ///     before   outer → middle → writer
        ///     after    outer → middle → outer
        @Test func aDerivationThatIsCheckedAndThenEvaluatedIsNamedOnce() {
            let (isClosed, source) = (Observable(false), Observable(0))
            var isArmed = false
            var middle: ThrowingComputed<Int>?
            var paths: [[String]] = []
            let writer = Computed(named: "writer") {
                let value = source.value
                guard isArmed else { return value }
                isArmed = false
                isClosed.value = true
                do { _ = try middle!.value } catch { paths.append((error as? CycleError)?.path ?? []) }
                return value
            }
            let outer = ThrowingComputed(named: "outer") { try middle!.value }
            middle = ThrowingComputed(named: "middle") { try isClosed.value ? outer.value : writer.value }
            defer { middle = nil }
            #expect((try? middle!.value) == 0)
            isArmed = true
            source.value = 1
            let reported = issues {
                do { _ = try outer.value } catch { paths.append((error as? CycleError)?.path ?? []) }
            }
            #expect(paths == [["outer", "middle", "outer"], ["outer", "middle", "outer"]])
            #expect(reported.allSatisfy { $0.kind == .writeInComputed })
        }

        /// As before, with a second derivation that is checked first and then evaluated.
        ///
        ///     before   outer → middle → inner → writer
        ///     after    outer → middle → inner → outer
        @Test func derivationsOfADetourAreNamedOnce() {
            let (isClosed, source) = (Observable(false), Observable(0))
            var isArmed = false
            var (middle, inner): (ThrowingComputed<Int>?, ThrowingComputed<Int>?)
            var paths: [[String]] = []
            let writer = Computed(named: "writer") {
                let value = source.value
                guard isArmed else { return value }
                isArmed = false
                isClosed.value = true
                do { _ = try middle!.value } catch { paths.append((error as? CycleError)?.path ?? []) }
                return value
            }
            let outer = ThrowingComputed(named: "outer") { try middle!.value }
            middle = ThrowingComputed(named: "middle") { try inner!.value }
            inner = ThrowingComputed(named: "inner") { try isClosed.value ? outer.value : writer.value }
            defer { (middle, inner) = (nil, nil) }
            #expect((try? outer.value) == 0)
            isArmed = true
            source.value = 1
            _ = issues {
                do { _ = try outer.value } catch { paths.append((error as? CycleError)?.path ?? []) }
            }
            #expect(paths == [["middle", "inner", "outer", "middle"], ["middle", "inner", "outer", "middle"]])
        }

        /// `inner` is checked first, in the detour by which `middle` is checked, and is evaluated on the cycle.
        ///
        ///     before   outer → middle → inner → writer
        ///     after    outer → middle → new → inner → outer
        @Test func aDerivationOfADetourIsNamedOnceOnTheCycle() {
            let (isClosed, source) = (Observable(false), Observable(0))
            var isArmed = false
            var middle: Computed<Int>?
            var paths: [[String]] = []
            let writer = Computed(named: "writer") {
                let value = source.value
                guard isArmed else { return value }
                isArmed = false
                isClosed.value = true
                return middle!.value
            }
            var outer: ThrowingComputed<Int>?
            let inner = Computed(named: "inner") {
                guard isClosed.value else { return writer.value }
                do { return try outer!.value } catch { paths.append((error as? CycleError)?.path ?? []) }
                return 7
            }
            let new = Computed(named: "new") { inner.value }
            middle = Computed(named: "middle") { isClosed.value ? new.value : inner.value }
            outer = ThrowingComputed(named: "outer") { middle!.value }
            defer { (middle, outer) = (nil, nil) }
            #expect(middle!.value == 0)
            isArmed = true
            source.value = 1
            _ = issues { _ = try? outer!.value }
            #expect(paths.first == ["outer", "middle", "new", "inner", "outer"])
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
