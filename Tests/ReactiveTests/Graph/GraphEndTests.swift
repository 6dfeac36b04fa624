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

        @Test func theRecorderOfAGraphEndsWithIt() {
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
