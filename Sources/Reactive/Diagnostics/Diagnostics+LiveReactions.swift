// The live reactions, for people.

import CReactive

extension Diagnostics {
    /// What is known about a reaction that has not been cancelled.
    public struct LiveReaction: Sendable, CustomStringConvertible {
        /// The name that it was given, or the file and line that made it.
        public let name: String
        /// The file and line that made it.
        public let site: String
        /// How often its tracked part has run.
        public let runCount: Int

        /// Name, place and count in one line.
        public var description: String {
            name == site ? "\(name), ran \(runCount) times" : "\(name) (\(site)), ran \(runCount) times"
        }
    }

    /// The reactions that have not been cancelled, in order of creation; without those whose owner or actor is gone,
    /// which only wait to be cancelled. Complexity: O(*n* log *n*) in their number.
    ///
    /// Those of one graph: inside `run` of an ``IndependentGraph`` that one's, else the default one's.
    public static var liveReactions: [LiveReaction] {
        let graph = GraphPointer.current
        graph.enter()
        defer { graph.leave() }
        return graph.employedReactionsInOrder().map { reaction in
            let header = reaction.pointee.node
            return LiveReaction(
                name: NodeName.text(of: header), site: NodeName.site(of: header), runCount: Int(header.run_count))
        }
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// As `reactionsInOrder`, without those that have lost their owner or actor, and the library's own. Under the lock.
    func employedReactionsInOrder() -> [ObserverPointer] {
        reactionsInOrder().filter { reaction in
            reaction.reaction._withUnsafeGuaranteedRef { reaction in
                reaction.extras.map { !$0.isAbandoned && !$0.isInternal } ?? true
            }
        }
    }
}
