// The list of live reactions, for people to read.

import CReactive

extension Diagnostics {
    /// A description of a reaction that has not been cancelled.
    public struct LiveReaction: Sendable, CustomStringConvertible {
        /// The name: the given one, or the file and line of the call that created the reaction.
        public let name: String
        /// The file and line of the call that created the reaction.
        public let site: String
        /// The number of runs of its tracked closure.
        public let runCount: Int

        /// The name, the source location and the number of runs in one line.
        public var description: String {
            name == site ? "\(name), ran \(runCount) times" : "\(name) (\(site)), ran \(runCount) times"
        }
    }

    /// The reactions that have not been cancelled, in order of creation. Reactions whose owner or actor is gone are
    /// omitted; they will be cancelled. Complexity: O(*n* log *n*) in their number.
    ///
    /// The list covers one graph: inside `run` of an ``IndependentGraph``, that graph; elsewhere, the default one.
    public static var liveReactions: [LiveReaction] {
        let graph = GraphPointer.current
        graph.enter()
        defer { graph.leave() }
        return graph.activeReactionsInOrder().map { reaction in
            let header = reaction.pointee.node
            return LiveReaction(
                name: NodeName.text(of: header), site: NodeName.site(of: header), runCount: Int(header.run_count))
        }
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The elements of `reactionsInOrder`, without those whose owner or actor is gone, and without the library's own.
    /// Under the lock.
    package func activeReactionsInOrder() -> [ObserverPointer] {
        reactionsInOrder().filter { reaction in
            reaction.reaction._withUnsafeGuaranteedRef { reaction in
                reaction.options.map { !$0.isAbandoned && !$0.isInternal } ?? true
            }
        }
    }
}
