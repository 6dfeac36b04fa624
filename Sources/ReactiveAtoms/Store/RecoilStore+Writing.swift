// Writing nodes through a store.

import Reactive

extension RecoilStore {
    /// Sets a node: an atom keeps the value, a selector passes it on.
    ///
    /// An asynchronous atom that is loading stops to: the value that is set wins.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value. Setting what the node has already changes nothing.
    @inlinable
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) {
        // One write is one change without a transaction.
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
    /// An atom is changed in place: appending to an array copies nothing, and always counts as a change. If there is no value now, because of an error
    /// or because it is loading, the call is reported as misuse and ignored. Where reading subscribes, the old value does not count as read:
    /// an `autorun` that only updates a node does not follow it.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - body: Gets the value to change. Runs with the graph locked, in a transaction.
    /// - Throws: What `body` throws, after everything has been taken back.
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
                    "\(node.key.name) has no value to update, and is left alone. Set it, or wait until it is loaded.",
                    site: node.key.name)
                return
            }
            try body(&value)
            set(node, value)
        }
    }

    /// Gives a node its default back.
    ///
    /// An atom computes its default anew; an asynchronous one loads again. The setter of a selector is called with the selector's present value, and what
    /// it sets is reset instead. If there is no present value, the atoms that the selector depends on are reset.
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

    /// Keeps the value of an atom: what setting one comes down to.
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

    /// Loads a node again, and those that it depends on and that have failed.
    ///
    /// An asynchronous node starts a new run, whatever it has kept, and shows its data meanwhile; a run that is under way is cancelled. A selector
    /// computes its value again; an atom whose default failed tries it again.
    ///
    /// - Parameter node: The node.
    public func refresh<Node: RecoilNode>(_ node: Node) {
        graph.inTransaction {
            let instance = instance(for: node)
            let failed = instance.upstream.filter { source in
                (try? untracked { try source.summary().error }) ?? nil != nil
            }
            for next in failed + [instance] { next.reload() }
            // Whether or not somebody observes them.
            for next in failed + [instance] { try? untracked { try next.follow() } }
        }
    }

    /// Runs `body` as one change: reads in it see its writes, and observers hear of them once, when it has ended.
    ///
    /// - Parameter body: Runs at once, with the graph locked.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, after everything it wrote has been taken back.
    @discardableResult
    public func transaction<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try graph.inTransaction(body) }

    /// Runs `body` as one change, with something to read and write with.
    ///
    /// - Parameter body: Runs at once, with the graph locked.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, after everything it wrote has been taken back.
    @discardableResult
    public func transaction<R, E: Error>(_ body: (StateAccessor) throws(E) -> R) throws(E) -> R {
        try graph.inTransaction { () throws(E) in try body(StateAccessor(self)) }
    }
}
