// What a flush does between reactions: the work of operations inside effects, and records of absences.

#if DEBUG
import CReactive
import Foundation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct FlushTests {
        @Test func anActionThatIsDeferredOutsideRunsImmediately() {
            let source = Observable(0)
            var log: [String] = []
            source.graph.deferAction { log.append("outside") }
            #expect(log == ["outside"])
            inTransaction {
                source.graph.deferAction { log.append("in a transaction") }
                #expect(log.count == 1)
            }
            #expect(log.count == 2)
        }

        @Test func anEffectMayChangeAViewByKeyAfterOtherState() {
            let (list, other, trigger) = (ToyList([1, 2]), Observable(0), Observable(0))
            let groups = ToyGroups(list) { _, value in value % 2 }
            let double = Computed { groups[1].map { $0 * 2 } }
            var (seen, inEffect): ([Int?], [Int?]) = ([], [])
            let reactions = [
                autorun { seen.append(groups[1]) },
                autorun { _ = (other.value, double.value) },
                reaction({ trigger.value }) { value in
                    other.value = value
                    list.set(0, to: 1 + 2 * value)
                    inEffect.append(double.value)
                },
            ]
            trigger.value = 1
            trigger.value = 2
            #expect(seen == [1, 3, 5])
            #expect(inEffect == [6, 10])
            reactions.forEach { $0.cancel() }
        }

        @Test func anEffectInAnEffectOfADifferentGraphBelongsToItsOwnFlush() {
            let other = IndependentGraph(named: "other")
            let (first, second, last) = (Observable(0), other.run { Observable(0) }, Observable(0))
            var log: [String] = []
            let reactions = [
                reaction({ first.value }) { value in
                    second.value = value
                    log.append("first ends")
                },
                other.run {
                    reaction({ second.value }) { value in
                        last.value = value
                        log.append("second ends")
                    }
                },
                autorun { log.append("last \(last.value)") },
            ]
            first.value = 1
            #expect(log == ["last 0", "second ends", "first ends", "last 1"])
            reactions.forEach { $0.cancel() }
        }

        @Test func absencesOfOneThreadAreLinked() {
            let trigger = Observable(0)
            var broken: [String]?
            let reader = reaction({ trigger.value }) { _ in
                trigger.graph.runUnlocked { broken = GraphHandle.current.brokenInvariants }
                #expect(GraphHandle.current.brokenInvariants == [])
            }
            trigger.value = 1
            #expect(broken == [])
            reader.cancel()
        }

        @Test func stateThatAnEffectOrACleanupCreatesBelongsToItsGraph() {
            let graph = IndependentGraph(named: "of the reactions")
            let trigger = graph.run { Observable(0) }
            var created: [Observable<Int>] = []
            let reactions = graph.run {
                [
                    reaction({ trigger.value }) { _ in created.append(Observable(1)) },
                    autorun {
                        _ = trigger.value
                        onCleanup { created.append(Observable(2)) }
                    },
                ]
            }
            trigger.value = 1
            reactions.forEach { $0.cancel() }
            #expect(created.map(\.value) == [1, 2, 2])
            #expect(created.allSatisfy { $0.graph == graph.graph })
        }

        @Test func aGraphIsUnlockedWithoutFlagsOfWork() {
            let graph = IndependentGraph(named: "broken by hand")
            graph.graph.pointee.due.work.insert(.reactions)
            let broken = graph.run { GraphHandle.current.brokenInvariants }
            #expect(broken == ["The graph was unlocked with flags of work."])
            #expect(graph.run { GraphHandle.current.brokenInvariants } == [])
        }

        @Test func writersAreRecordedOnlyToNameALoop() {
            let (source, target) = (Observable(0), Observable(0))
            let writer = reaction({ source.value }) { target.value = $0 }
            let inner = autorun { target.value = -source.value }
            let reader = autorun { _ = target.value }
            source.value = 1
            #expect(source.graph.details.writers.isEmpty && reader.runCount > 1)
            reader.cancel()
            inner.cancel()
            writer.cancel()
        }

        // MARK: - Several threads

        /// Otherwise the end of the effect, which restores what it has written, would undo the run.
        @Test func aRunOfAThreadIsNoPartOfTheEffectOfAnother() {
            let (trigger, written, read) = (Observable(0), Observable(0), Observable(0))
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let reactions = [
                reaction({ trigger.value }) { _ in
                    written.value = 1
                    entered.signal()
                    mayEnd.wait()
                    written.value = 0
                },
                autorun { _ = written.value }, autorun { _ = read.value },
            ]
            let end = inBackground { trigger.value = 1 }
            entered.wait()
            read.value = 1
            #expect(reactions[2].runCount == 2)
            mayEnd.signal()
            end()
            #expect(reactions[2].runCount == 2)
            #expect(GraphHandle.current.brokenInvariants == [])
            reactions.forEach { $0.cancel() }
        }
    }
}
#endif
