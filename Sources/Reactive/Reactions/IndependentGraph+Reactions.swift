// The cancellation of all reactions of a graph.

import CReactive

extension IndependentGraph {
    /// Cancels all reactions of this graph.
    ///
    /// A server calls it at the end of a session, so that the graph can be freed. Autosaves, histories, recorders and
    /// replicas of the graph end too, without a report: flush, synchronise and end them first.
    public func cancelReactions() {
        graph.enter()
        let reactions = graph.reactionsInOrder().map { $0.reaction.takeUnretainedValue() }
            .filter { $0.options?.isInternal != true }
        graph.leave()
        for reaction in reactions { reaction.cancel() }
    }
}
