// The check of the graph's invariants finds violations. Debug builds only, like the check.

#if DEBUG
import CReactive
@testable import Reactive
import Testing

extension ReactiveTests {
    /// Each test corrupts a consistent graph, compares the report of the check, and restores the graph.
    @Suite struct InvariantTests {
        private let graph = IndependentGraph(named: "broken by hand")
        private let source: Observable<Int>
        private let double: Computed<Int>
        private let reader: Reaction

        init() {
            (source, double, reader) = graph.run {
                let source = Observable(1, named: "source")
                let double = Computed(named: "double") { 2 * source.value }
                return (source, double, autorun(named: "reader") { _ = double.value })
            }
        }

        private var broken: [String] { graph.run { GraphHandle.current.brokenInvariants } }

        /// Returns the report of the check while a word of the graph has a wrong value.
        private func broken<Word>(
            by wrong: Word, at word: WritableKeyPath<NodeHeader, Word>, of node: _Node
        ) -> [String] {
            let right = node.node.pointee[keyPath: word]
            node.node.pointee[keyPath: word] = wrong
            defer {
                node.node.pointee[keyPath: word] = right
                #expect(broken == [])
                reader.cancel()
                #expect(broken == [])
            }
            return broken
        }

        @Test func aSourceListsItsObservers() {
            #expect(broken(by: nil, at: \.observers, of: source) == ["double is not in the observer list of source."])
        }

        @Test func anObserverThatIsListedHasTheEdge() {
            let second = graph.run { autorun(named: "second") { [source] in _ = source.value } }
            let sources = double.sources
            double.sources = reactive_end_of_sources()
            #expect(broken == ["double is in the observer list of a node that is not among its sources."])
            double.sources = sources
            #expect(broken == [])
            second.cancel()
            reader.cancel()
        }

        @Test func neighboursInAListKnowOneAnother() {
            let second = graph.run { autorun(named: "second") { [source] in _ = source.value } }
            let first = source.node.pointee.observers!
            let last = first.pointee.previous_observer
            first.pointee.previous_observer = first
            #expect(broken == ["source has a wrong pointer to its last observer."])
            first.pointee.previous_observer = last
            last!.pointee.previous_observer = last
            #expect(broken == ["source has an edge with a wrong neighbour in its observer list."])
            last!.pointee.previous_observer = first
            #expect(broken == [])
            second.cancel()
            reader.cancel()
        }

        @Test func aMarkedNodeHasMarkedObservers() {
            let flags = double.node.pointee.flags
            #expect(
                broken(by: flags.union(.maybeStale), at: \.flags, of: double)
                    == ["reader is not marked, but its source double is."])
        }

        @Test func aChangedSourceHasMarkedObservers() {
            graph.run { Observable(0) }.value = 1
            #expect(
                broken(by: graph.graph.pointee.epoch, at: \.changed_at, of: source)
                    == ["double is not marked, but its source source has changed."])
        }

        @Test func noChangeIsNewerThanTheEpoch() {
            let next = graph.graph.pointee.epoch + 1
            #expect(broken(by: next, at: \.changed_at, of: source).contains("source changed at a future epoch."))
        }

        @Test func noValidationIsNewerThanTheEpoch() {
            let next = graph.graph.pointee.evaluations + 1
            #expect(broken(by: next, at: \.last_reader, of: source) == ["source was last read by a future evaluation."])
        }

        @Test func aLiveNodeIsObserved() {
            let flags = double.node.pointee.flags
            #expect(
                broken(by: flags.subtracting(.live), at: \.flags, of: double).contains(
                    "double is live and not observed, or vice versa."))
        }

        @Test func nothingIsInProgress() {
            let flags = double.node.pointee.flags
            #expect(
                broken(by: flags.union(.checking), at: \.flags, of: double)
                    == ["double has a flag of an operation in progress."])
        }

        @Test func aReactionKnowsItsIndexInTheRegistry() {
            #expect(
                broken(by: 7, at: \.registry_index, of: reader) == ["reader has a wrong index in the registry."])
        }

        @Test func aMarkedReactionIsQueued() {
            let flags = reader.node.pointee.flags
            #expect(
                broken(by: flags.union(.stale), at: \.flags, of: reader)
                    == ["reader: It is marked, but not scheduled for a check."])
        }

        @Test func aQueuedReactionIsInAQueue() {
            let flags = reader.node.pointee.flags
            #expect(
                broken(by: flags.union(.queued), at: \.flags, of: reader)
                    == ["reader is queued or suspended, but held by no thread."])
        }

        @Test func theLogIsEmptyOutsideOfTransactions() {
            #expect(broken(by: 1, at: \.log_index, of: source) == ["source has an index past the end of the log."])
        }

        @Test func transactionsAndEffectsLeaveTheGraphConsistent() {
            graph.run {
                inTransaction {
                    source.value = 2
                    #expect(double.value == 4)
                    #expect(broken == [])
                    source.value = 1
                }
                let writer = reaction { [source] in
                    source.value
                } onChange: { [source] new in
                    if new < 5 { source.value = new + 1 }
                    #expect(broken == [])
                }
                source.value = 3
                #expect(double.value == 10 && broken == [])
                writer.cancel()
            }
            reader.cancel()
            #expect(broken == [])
        }
    }
}
#endif
