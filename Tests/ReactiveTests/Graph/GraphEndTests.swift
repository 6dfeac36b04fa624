// What ends with an independent graph, and what a freed node leaves behind.

#if DEBUG
import CReactive
import Observation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct GraphEndTests {
        @Test func theObjectsOfAGraphEndWithIt() {
            ObservationBridge.isEnabled = true
            weak var details: GraphDetails?
            weak var reader: OutsideReader?
            do {
                let graph = IndependentGraph(named: "short")
                details = graph.graph.details
                let number = graph.run { Observable("a") }
                let log = Log()
                withObservationTracking {
                    _ = number.value
                } onChange: {
                    log("changed")
                }
                reader = graph.graph.pointee.reader.map {
                    Unmanaged<OutsideReader>.fromOpaque($0).takeUnretainedValue()
                }
                #expect(details?.name == "short" && reader != nil)
            }
            #expect(details == nil && reader == nil)
        }

        @Test(.alone) func theRecorderOfAGraphEndsWithIt() {
            weak var recorder: Recorder?
            let recording = Diagnostics.record(limit: 100)
            do {
                let graph = IndependentGraph(named: "short")
                recorder = graph.graph.recorder
                #expect(recorder != nil)
            }
            #expect(recorder == nil)
            recording.stop()
        }

        @Test(.alone) func aRecordingThatStopsLeavesAGraphAsItWas() {
            let graph = IndependentGraph(named: "recorded")
            let number = graph.run { Observable(1) }
            let recording = Diagnostics.record(limit: 100)
            number.value = 2
            #expect(graph.graph.isRecorded && graph.graph.recorder != nil)
            recording.stop()
            number.value = 3
            #expect(!graph.graph.isRecorded && graph.graph.recorder == nil)
            #expect(graph.graph.pointee.recording == 0)
        }

        @Test(.alone) func anInvisibleCreationIsNotRecorded() {
            let recording = Diagnostics.record(limit: 100)
            let list = IndependentGraph(named: "other").run { ToyList([1]) }
            inTransaction { _ = ToyKey(beside: list) }
            recording.stop()
        }

        @Test func edgesAreFreedWithTheirObserversOrWhenTheyAreNotReadAgain() {
            ObservationBridge.isEnabled = true
            let graph = IndependentGraph(named: "edges")
            var edgesInUse: UInt32 { graph.graph.pointee.first_slab.map { UInt32($0.pointee.live) } ?? 0 }
            graph.run {
                let flags = (0..<3).map { _ in Observable(true) }
                func read() -> Int { flags.prefix { $0.value }.count }
                let reader = autorun { _ = read() }
                var count: Computed<Int>? = Computed { read() }
                _ = count?.value
                #expect(edgesInUse == 6)
                flags[0].value = false
                _ = count?.value
                #expect(edgesInUse == 2)
                reader.cancel()
                #expect(edgesInUse == 1)
                count = nil
                #expect(edgesInUse == 0)
                let followed = Observable(0)
                let log = Log()
                withObservationTracking {
                    _ = followed.value
                } onChange: {
                    log("changed")
                }
                #expect(edgesInUse == 1)
                #expect(GraphHandle.current.brokenInvariants == [])
            }
            #expect(edgesInUse == 0)
        }

        @Test func aSourceThatIsReadTwiceHasOneEdge() {
            let graph = IndependentGraph(named: "edges")
            var edgesInUse: UInt32 { graph.graph.pointee.first_slab.map { UInt32($0.pointee.live) } ?? 0 }
            graph.run {
                let flags = (0..<3).map { Observable($0) }
                let reader = autorun { for index in [0, 1, 0, 2, 1, 0] { _ = flags[index].value } }
                #expect(edgesInUse == 3)
                flags[1].value = 7
                #expect(reader.runCount == 2 && edgesInUse == 3)
                reader.cancel()
                #expect(edgesInUse == 0)
            }
        }

        @Test func aComputedThatIsFreedInATransactionOfAnotherGraphKeepsItsOwnNoLonger() {
            weak var freed: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "short")
                freed = graph
                var double: Computed<Int>? = graph.run {
                    let number = Observable(1)
                    return Computed { 2 * number.value }
                }
                #expect(double?.value == 2)
                IndependentGraph(named: "other").run { inTransaction { double = nil } }
            }
            #expect(freed == nil)
        }

        @Test func writesKeepNoGraph() {
            weak var freed: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "short")
                freed = graph
                let number = graph.run { Observable(1) }
                let reader = graph.run { autorun { _ = number.value } }
                for value in 2...5 { number.value = value }
                reader.cancel()
            }
            #expect(freed == nil)
        }

        @Test func aGraphMayReportTheNodesThatAreCreatedInIt() {
            var created: [ObjectIdentifier] = []
            let graph = IndependentGraph { created.append(ObjectIdentifier($0)) }
            let number = graph.run { Observable(1) }
            let double = graph.run { Computed { 2 * number.value } }
            #expect(double.value == 2)
            number.value = 2
            #expect(double.value == 4)
            #expect(created == [ObjectIdentifier(number), ObjectIdentifier(double)])
        }

        @Test func graphsAreNamedInMessages() {
            let (named, unnamed) = (IndependentGraph(named: "short"), IndependentGraph())
            #expect(named.run { GraphHandle.current.name } == "graph short")
            #expect(unnamed.run { GraphHandle.current.name } == "an unnamed graph")
            #expect(GraphHandle.default.name == "the default graph")
        }

        /// Nothing else happens on this thread that would perform what was deferred.
        @Test(arguments: [false, true]) func aFollowedNodeEndsWithItsLastReference(isDerived: Bool) {
            ObservationBridge.isEnabled = true
            weak var freed: IndependentGraph?
            do {
                let graph = IndependentGraph(named: "short")
                freed = graph
                let log = Log()
                graph.run {
                    let number = Observable("a")
                    let text = Computed { number.value }
                    withObservationTracking {
                        _ = isDerived ? text.value : number.value
                    } onChange: {
                        log("changed")
                    }
                    _ = text
                }
            }
            #expect(freed == nil)
        }

        @Test(.alone) func aFollowedNodeThatNoEventNamesHasNoEndInARecording() {
            ObservationBridge.isEnabled = true
            let recording: Diagnostics.Recording
            do {
                let number = Observable("a", named: "followed")
                let log = Log()
                withObservationTracking {
                    _ = number.value
                } onChange: {
                    log("changed")
                }
                recording = Diagnostics.record(limit: .max)
            }
            recording.stop()
            #expect(!recording.events.contains { $0.node?.name == "followed" })
        }

        // MARK: - Going live

        @Test func aViewWithPartsGoesLiveWithoutAnEvaluationMore() {
            let flags = (0..<3).map { Observable($0) }
            let list = ToyList([1, 2, 3])
            let view = ToyView(list) { row, value in value + flags[Int(row)].value }
            _ = view.sum
            flags[1].value = 5
            let reader = autorun { _ = view.sum }
            #expect(view.evaluationCount == 2 && view.sum == 13)
            #expect(view.evaluationCount == 2)
            list.set(0, to: 9)
            #expect(view.evaluationCount == 3 && view.sum == 21)
            #expect(view.evaluationCount == 3)
            reader.cancel()
        }

        @Test func aViewGoesLiveInATransactionThatHasChangedIt() {
            let flags = (0..<3).map { Observable($0) }
            let view = ToyView(ToyList([1, 2, 3])) { row, value in value + flags[Int(row)].value }
            let sum = Computed { view.sum }
            #expect(sum.value == 9)
            var reader: Reaction?
            inTransaction {
                flags[1].value = 5
                #expect(view.sum == 13)
                reader = autorun { _ = sum.value }
                #expect(GraphHandle.current.brokenInvariants == [])
                flags[2].value = 7
                #expect(sum.value == 18)
                flags[1].value = 6
                #expect(sum.value == 19)
                #expect(GraphHandle.current.brokenInvariants == [])
            }
            flags[0].value = 1
            #expect(sum.value == 20)
            reader?.cancel()
        }

        /// Its sources are the same ones, so the earlier value is restored and not computed again.
        @Test func aRollBackRestoresAResultWithoutAnEvaluation() {
            let source = Observable(1)
            let double = Computed { 2 * source.value }
            _ = double.value
            source.value = 2
            #expect(double.value == 4)
            try? inTransaction {
                source.value = 3
                #expect(double.value == 6)
                throw CancellationError()
            }
            #expect(double.value == 4 && double.evaluationCount == 3)
        }

        @Test func aMarkLastsNoLongerThanLiveness() {
            let source = Observable(1)
            let double = Computed { 2 * source.value }
            let reader = autorun { _ = double.value }
            inTransaction {
                source.value = 2
                reader.cancel()
                source.value = 1
            }
            #expect(double.value == 2 && double.evaluationCount == 1)
        }

        @Test func aMarkedRouterIsPending() {
            let list = ToyList([1, 2, 3])
            let groups = ToyGroups(list) { _, value in value % 3 }
            let reader = autorun { _ = groups[0] }
            let router = groups.node.pointee.observers?.pointee.observer
            #expect(router?.pointee.flags.contains(.router) == true)
            router?.pointee.flags.insert(.maybeStale)
            #expect(GraphHandle.current.brokenInvariants.contains { $0.hasSuffix("is marked, but not pending.") })
            router?.pointee.flags.remove(.maybeStale)
            #expect(GraphHandle.current.brokenInvariants == [])
            reader.cancel()
        }

        // MARK: - Observation

        @Test func aSourceThatReportsEveryChangeIsCachedWhileItIsNotObserved() {
            let number = Observable(wrappedValue: 1, onObserved: {}, onUnobserved: {})
            let double = Computed { 2 * number.value }
            let reader = autorun { _ = double.value }
            #expect(double.evaluationCount == 1)
            reader.cancel()
            #expect(double.value == 2 && double.evaluationCount == 1)
            number.value = 2
            #expect(double.value == 4 && double.evaluationCount == 2)
        }

        @Test func aSourceThatIsObservedCountsAsUnchanged() {
            let source = Source(onObserved: {}, onUnobserved: {})
            let number = Computed {
                source.track()
                return 1
            }
            let reader = autorun { _ = number.value }
            #expect(GraphHandle.current.brokenInvariants == [])
            #expect(number.evaluationCount == 1)
            // The last observer leaves and a new one arrives in one operation.
            inTransaction {
                reader.cancel()
                autorun { _ = number.value }
            }
            let count = number.evaluationCount
            #expect(number.value == 1 && number.evaluationCount == count)
            #expect(GraphHandle.current.brokenInvariants == [])
        }
    }
}
#endif
