// What the objects of nodes do when they are created and when they end, besides what the graph sees of them.

#if DEBUG
import CReactive
import Observation
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct NodeTests {
        /// A source that names itself.
        private final class NamedByItself: _StoredSource {
            init() { super.init(isCounted: false) }

            override var sourceName: String { "named by itself" }
        }

        private func events(of name: String, during body: () -> Void) -> [Diagnostics.Event.Kind] {
            let recording = Diagnostics.record(limit: .max)
            body()
            recording.stop()
            return recording.events.filter { $0.node?.name == name }.map(\.kind)
        }

        @Test func aNodeWithoutANameKeepsItsGraph() {
            weak var weakGraph: IndependentGraph?
            do {
                var graph: IndependentGraph? = IndependentGraph()
                weakGraph = graph
                let number = graph!.run { Observable(1) }
                graph = nil
                #expect(weakGraph != nil)
                number.value = 2
            }
            #expect(weakGraph == nil)
        }

        @Test func aGraphReportsWhatIsCreatedInIt() {
            var created: [ObjectIdentifier] = []
            let graph = IndependentGraph(onCreation: { created.append(ObjectIdentifier($0)) })
            let number = graph.run { Observable(1) }
            let double = graph.run { Computed { 2 * number.value } }
            #expect(double.value == 2)
            #expect(created == [ObjectIdentifier(number), ObjectIdentifier(double)])
        }

        @Test(.alone) func aSourceMayNameItself() {
            var source: NamedByItself?
            let events = events(of: "named by itself") { source = NamedByItself() }
            #expect(events == [.creation])
            #expect(source.map { NodeName.text(of: $0.node.pointee) } == "named by itself")
        }

        @Test func theNodeOfAKeyIsEvaluatedWithItsView() {
            let groups = ToyGroups(ToyList([1, 2])) { _, value in value % 2 }
            let reader = autorun { _ = groups[1] }
            var observers: [ObserverPointer?] = []
            reader.observer.forEachSource { observers.append($0.evaluatedObserver) }
            #expect(observers == [groups.observer])
            reader.cancel()
        }

        // MARK: - While events are recorded

        /// A part has the name and the source location of its reaction or derivation.
        @Test(.alone) func partsAreNoCreations() {
            let number = Observable(1)
            let list = ToyList([1, 2])
            var view: ToyView?
            let events = events(of: "view without creations") {
                view = ToyView(list, named: "view without creations") { _, value in value + number.value }
                #expect(view?.sum == 5)
            }
            #expect(events.filter { $0 == .creation }.count == 1)

            let delegate = NoParts()
            let site = "NodeTests.swift:\(NoParts.line)"
            var reaction: Reaction?
            let creations = self.events(of: site) { reaction = delegate.start() }.filter { $0 == .creation }
            #expect(creations.count == 1)
            reaction?.cancel()
        }

        /// A reaction with a part that reads nothing.
        private final class NoParts: PartsDelegate {
            static let line: UInt = 12_345
            private var part: _ReactionPart?

            func begin(in reaction: Reaction) { part = _ReactionPart(of: reaction) }
            func update(_ part: _ReactionPart) {}
            func finishUpdate() -> Bool { false }
            func discardUpdate() {}
            func deliver() {}
            func forEachPart(_ body: (_ReactionPart) -> Void) { if let part { body(part) } }

            func end() {
                part?.end()
                part = nil
            }

            func start() -> Reaction {
                .started(
                    of: self, named: nil, schedule: .immediate, isolation: nil, fileID: #fileID, line: NoParts.line)
            }
        }

        @Test(.alone) func anEvaluationOutsideOfTransactionsIsNotLogged() {
            let recording = Diagnostics.record(limit: 100)
            defer { recording.stop() }
            let number = Observable(1)
            let double = Computed { 2 * number.value }
            #expect(double.value == 2)
            #expect(number.graph.pointee.log_count == 0)
        }

        @Test(.alone) func theHeaderOfANewNodeIsChangedUnderTheLock() {
            let recording = Diagnostics.record(limit: 100)
            defer { recording.stop() }
            let list = ToyList([1])
            let graph = list.graph
            let key = ToyKey(beside: list)
            #expect(!reactive_is_inside(graph))
            key.becomeRouted()
            #expect(!reactive_is_inside(graph))
            inTransaction {
                let key = ToyKey(beside: list)
                key.becomeRouted()
                #expect(reactive_is_inside(graph))
            }
            #expect(key.node.pointee.flags.contains(.routed))
        }

        @Test(.alone) func theHeaderOfANodeOfAnotherGraphMayBeChanged() {
            let recording = Diagnostics.record(limit: 100)
            defer { recording.stop() }
            let list = IndependentGraph(named: "other").run { ToyList([1]) }
            inTransaction {
                let key = ToyKey(beside: list)
                key.becomeRouted()
                #expect(key.node.pointee.flags.contains(.routed))
            }
        }

        // MARK: - The end, in the default graph
        //
        // Nodes of other graphs also release their graph, and so do more when they end.

        @Test(.inDefaultGraph, .alone) func aNameEndsWithItsNode() {
            weak var name: NodeName?
            do {
                let number = Observable(1, named: "short")
                let address = UnsafeRawPointer(bitPattern: UInt(number.node.pointee.origin) & ~1)
                name = address.map { Unmanaged<NodeName>.fromOpaque($0).takeUnretainedValue() }
                #expect(name?.name == "short")
            }
            #expect(name == nil)
        }

        @Test(.inDefaultGraph, .alone) func theEndOfANodeThatAnEventNamesIsRecorded() {
            let line = #line + 2
            let events = events(of: "NodeTests.swift:\(line)") {
                let number = Observable(1)
                number.value = 2
            }
            #expect(events == [.creation, .write, .end])
        }

        @Test(.inDefaultGraph) func aNodeThatIsFollowedOutsideIsForgotten() {
            ObservationBridge.isEnabled = true
            let log = Log()
            weak var relay: _Node?
            do {
                let number = Observable(1)
                withObservationTracking {
                    _ = number.value
                } onChange: {
                    log("changed")
                }
                relay = number.node.pointee.observers?.pointee.observer?.object.takeUnretainedValue()
                #expect(relay != nil)
            }
            #expect(relay == nil && log.take().isEmpty)
        }
    }
}
#endif
