// What the other modules of this package need from the engine, and users do not.

import CReactive

/// The engine's doors for a module that hosts rendering.
package enum Hosting {
    /// What renders on this thread (unretained), or `nil`. It belongs to the module that sets it.
    package static var rendering: UnsafeMutableRawPointer? {
        get { reactive_current().pointee.rendering }
        set { reactive_current().pointee.rendering = newValue }
    }

    /// The reaction that owns what is made on this thread now (unretained), or `nil`.
    package static var owner: UnsafeMutableRawPointer? {
        get { reactive_current().pointee.owner }
        set { reactive_current().pointee.owner = newValue }
    }

    /// Runs `action` once this thread holds no graph: now if it does not.
    package static func whenUnlocked(_ action: @escaping () -> Void) {
        GraphPointer.current.deferAction(action)
    }

    /// Runs `body`, which only makes state, so that this belongs to the default graph, whatever this thread holds and is told.
    package static func inDefaultGraph<R>(_ body: () -> R) -> R {
        let thread = reactive_current()
        let (scope, held) = (thread.pointee.scope, thread.pointee.graph)
        thread.pointee.scope = nil
        thread.pointee.graph = nil
        // The lock is held all the same: what is freed here must not empty the trash.
        thread.pointee.freeing_depth += 1
        defer {
            thread.pointee.freeing_depth -= 1
            thread.pointee.scope = scope
            thread.pointee.graph = held
        }
        return body()
    }

    /// Reports an issue, as the engine reports its own.
    ///
    /// - Parameters:
    ///   - kind: What sort of thing happened.
    ///   - message: What happened, to which thing, and how to mend it.
    ///   - site: Where; the default handler prints one line for each.
    package static func report(_ kind: Diagnostics.Issue.Kind, _ message: String, site: String) {
        Diagnostics.report(.init(kind: kind, message: message, site: site), in: .current)
    }

    /// Runs `body` as an effect does: nothing is subscribed to what it reads, and what it makes belongs to nobody.
    package static func unobserved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        let expected = thread.pointee.expected
        let active = thread.pointee.active
        thread.pointee.owner = nil
        thread.pointee.expected = nil
        thread.pointee.active = nil
        defer {
            thread.pointee.owner = owner
            thread.pointee.expected = expected
            thread.pointee.active = active
        }
        return try body()
    }
}

extension Observable {
    /// Runs `body` with the graph that this observable belongs to locked, tracked as the caller is.
    package func holdingItsGraph<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        graph.enter(for: node)
        defer { graph.leave() }
        return try body()
    }

    /// Runs `body` with the graph that this observable belongs to locked: now, or, if this thread holds another, once it does not.
    package func holdingItsGraphOnceFree(_ body: @escaping () -> Void) {
        if let held = reactive_current().pointee.graph, held != graph {
            // What `body` has captured must go before the other graph is held again.
            var pending: (() -> Void)? = body
            held.deferAction {
                if let body = pending.take() { self.holdingItsGraph(body) }
            }
        } else {
            holdingItsGraph(body)
        }
    }

    /// Runs `body` as one change of the graph that this observable belongs to, whatever the calling thread's own is.
    package func inItsTransaction<R>(_ body: () -> R) -> R {
        graph.beginTransaction()
        defer { graph.commitTransaction() }
        return body()
    }

    /// Runs `body`, outside the lock, so that what it makes belongs to the graph that this observable belongs to.
    package func inItsGraph<R>(_ body: () -> R) -> R {
        let thread = reactive_current()
        let scope = thread.pointee.scope
        thread.pointee.scope = graph
        defer { thread.pointee.scope = scope }
        return body()
    }
}

extension Equality {
    /// Whether two values count as the same.
    package func callAsFunction(_ old: Value, _ new: Value) -> Bool { areEqual(old, new) }
}
