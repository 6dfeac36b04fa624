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
            #expect(broken(by: nil, at: \.observers, of: source) == ["double is not in the list of source."])
        }

        @Test func anObserverThatIsListedHasTheEdge() {
            let second = graph.run { autorun(named: "second") { [source] in _ = source.value } }
            let sources = double.sources
            double.sources = reactive_end_of_sources()
            #expect(broken == ["double is listed as an observer of something that is not among its sources."])
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
            #expect(broken == ["source does not know the last of its observers."])
            first.pointee.previous_observer = last
            last!.pointee.previous_observer = last
            #expect(broken == ["source lists an edge with a wrong neighbour."])
            last!.pointee.previous_observer = first
            #expect(broken == [])
            second.cancel()
            reader.cancel()
        }

        @Test func aMarkedNodeHasMarkedObservers() {
            let flags = double.node.pointee.flags
            #expect(
                broken(by: flags.union(.maybeStale), at: \.flags, of: double)
                    == ["reader is not marked, but what it reads is: double."])
        }

        @Test func aChangedSourceHasMarkedObservers() {
            graph.run { Observable(0) }.value = 1
            #expect(
                broken(by: graph.graph.pointee.epoch, at: \.changed_at, of: source)
                    == ["double is not marked, but source has changed since."])
        }

        @Test func noChangeIsNewerThanTheEpoch() {
            let next = graph.graph.pointee.epoch + 1
            #expect(broken(by: next, at: \.changed_at, of: source).contains("source changed in the future."))
        }

        @Test func noValidationIsNewerThanTheEpoch() {
            let next = graph.graph.pointee.evaluations + 1
            #expect(broken(by: next, at: \.last_reader, of: source) == ["source was read in the future."])
        }

        @Test func aLiveNodeIsObserved() {
            let flags = double.node.pointee.flags
            #expect(
                broken(by: flags.subtracting(.live), at: \.flags, of: double).contains(
                    "double is live and not observed, or observed and not live."))
        }

        @Test func nothingIsInProgress() {
            let flags = double.node.pointee.flags
            #expect(
                broken(by: flags.union(.checking), at: \.flags, of: double)
                    == ["double is marked as if something were in progress."])
        }

        @Test func aReactionKnowsItsIndexInTheRegistry() {
            #expect(
                broken(by: 7, at: \.registry_index, of: reader) == ["reader does not know its place in the registry."])
        }

        @Test func aMarkedReactionIsQueued() {
            let flags = reader.node.pointee.flags
            #expect(
                broken(by: flags.union(.stale), at: \.flags, of: reader)
                    == ["reader is (maybe) stale, and nobody will look at it."])
        }

        @Test func aQueuedReactionIsInAQueue() {
            let flags = reader.node.pointee.flags
            #expect(
                broken(by: flags.union(.queued), at: \.flags, of: reader)
                    == ["reader is queued or suspended, and held by no thread."])
        }

        @Test func theLogIsEmptyOutsideOfTransactions() {
            #expect(broken(by: 1, at: \.log_index, of: source) == ["source has an entry behind the end of the log."])
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
