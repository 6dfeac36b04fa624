// Functions of a store that write nodes.

import Reactive

extension RecoilStore {
    /// Sets a node. An atom keeps the value; a selector passes it to its setter.
    ///
    /// Setting an asynchronous atom overrides a current load.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value. An equal value changes nothing.
    @inlinable
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) {
        // A single write is one change without a transaction.
        if Node.self == Atom<Node.T>.self { return assign(newValue, to: node) }
        inTransaction {
            node.setValue(context: MutableContext(accessor: StateAccessor(self)), newValue: newValue)
        }
    }

    /// Runs `body` as one change of the store's graph.
    @usableFromInline
    func inTransaction(_ body: () -> Void) { graph.inTransaction(body) }

    /// Changes the value of a node.
    ///
    /// An atom is changed in place: appending to an array copies nothing, and always counts as a change. If the node
    /// has failed or is loading, there is no value to change: the call is reported as misuse and ignored. The old value
    /// does not count as read: an `autorun` that only updates a node does not follow it.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - body: Receives the value to change. Runs with the graph locked, in a transaction.
    /// - Throws: The error of `body`, after all its writes have been rolled back.
    public func update<Node: Writeable, E: Error>(
        _ node: Node, _ body: (inout Node.T) throws(E) -> Void
    ) throws(E) {
        try graph.inTransaction { () throws(E) in
            if isInitializing, instance(for: node, trigger: .set).isSetByEffects { return }
            if !_isPOD(Node.T.self), let atom = instance(for: node, trigger: .set) as? AtomInstance<Node.T>,
                try atom.mutate(body)
            {
                return
            }
            guard var value = untracked({ getOrNil(node) }) else {
                Hosting.report(
                    .misuse,
                    """
                    \(node.key.name) has no value to update: `update` does nothing. Set the value, or wait until it is \
                    loaded.
                    """, site: node.key.name)
                return
            }
            try body(&value)
            set(node, value)
        }
    }

    /// Resets a node to its default.
    ///
    /// An atom computes its default again; an asynchronous atom loads again. For a selector, the setter is called with
    /// the current value, and the nodes that it sets are reset instead. If there is no current value, the atoms that
    /// the selector depends on are reset.
    ///
    /// - Parameter node: The node.
    public func reset<Node: Writeable>(_ node: Node) {
        graph.inTransaction {
            let instance = instance(for: node, trigger: .set)
            if instance.isAtom {
                reset(instance)
            } else if let value = untracked({ getOrNil(node) }) {
                let accessor = StateAccessor(self, isReset: true)
                node.setValue(context: MutableContext(accessor: accessor), newValue: value)
            } else {
                for atom in instance.upstream where atom.isAtom { reset(atom) }
            }
        }
    }

    private func reset(_ atom: _AnyNodeInstance) {
        if isInitializing, atom.isSetByEffects { return }
        atom.resetAtom()
    }

    /// Stores the value of an atom. All functions that set an atom call it.
    @inlinable
    func assign<Node: Writeable>(_ newValue: Node.T, to node: Node) {
        table.enter()
        if isInitializing {
            instance(for: node, trigger: .set).initialize(newValue)
            table.leave()
        } else if let found = table.find(instanceOf: node) {
            found._withUnsafeGuaranteedRef { $0.instance(for: node).assignAndLeave(newValue) }
        } else {
            makeInstance(for: node, .set).assignAndLeave(newValue)
        }
    }

    /// Loads a node again, including its dependencies that have failed.
    ///
    /// An asynchronous node starts a new run, whatever is cached, and shows its data meanwhile. A current run is
    /// cancelled. A selector computes its value again. An atom whose default has failed computes it again.
    ///
    /// - Parameter node: The node.
    public func refresh<Node: RecoilNode>(_ node: Node) {
        graph.inTransaction {
            let instance = instance(for: node)
            let failed = instance.upstream.filter { source in
                (try? untracked { try source.summary().error }) ?? nil != nil
            }
            for next in failed + [instance] { next.reload() }
            // Even if they have no observers.
            for next in failed + [instance] { try? untracked { try next.follow() } }
        }
    }

    /// Runs `body` as one change. Reads in it see its writes, and observers are notified once, when it has ended.
    ///
    /// - Parameter body: Called immediately, with the graph locked.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, after all its writes have been rolled back.
    @discardableResult
    public func transaction<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try graph.inTransaction(body) }

    /// Runs `body` as one change, with an accessor that reads and writes.
    ///
    /// - Parameter body: Called immediately, with the graph locked.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, after all its writes have been rolled back.
    @discardableResult
    public func transaction<R, E: Error>(_ body: (StateAccessor) throws(E) -> R) throws(E) -> R {
        try graph.inTransaction { () throws(E) in try body(StateAccessor(self)) }
    }
}
