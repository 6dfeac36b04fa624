// What a cycle depends on, and the names on it, where the path to the innermost evaluation is not a plain chain.

import Reactive
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
    }
}
