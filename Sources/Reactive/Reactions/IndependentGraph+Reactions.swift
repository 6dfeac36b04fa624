// Ending all reactions of a graph.

import CReactive

extension IndependentGraph {
    /// Ends all reactions of this graph.
    ///
    /// What a server calls at the end of a session, so that the graph can be freed.
    public func cancelReactions() {
        graph.enter()
        let reactions = graph.reactionsInOrder().map { $0.reaction.takeUnretainedValue() }
            .filter { $0.extras?.isInternal != true }
        graph.leave()
        for reaction in reactions { reaction.cancel() }
    }
}
