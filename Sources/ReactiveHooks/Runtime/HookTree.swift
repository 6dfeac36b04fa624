// The runtime: renders a body in passes, runs the effects that a pass left behind, and is told when another pass is due.

import Reactive

/// A tree of rendered bodies and what their hooks keep, driven by a host.
///
/// The host takes a turn: ``begin()``, ``render(in:_:)``, ``commit()``, ``end(limit:)``. See ReactiveHooks.swift for what happens when.
package final class HookTree: @unchecked Sendable {
    // Sendable because everything but `status` belongs to the thread that has begun a turn, and `status` is guarded.

    /// Who has the tree, and what happened meanwhile.
    private struct Status {
        /// Some thread takes a turn.
        var isBusy = false
        /// Something that the last pass read has changed since, or a pass was asked for.
        var isInvalidated = false
        /// To be unmounted as soon as the turn is over.
        var isUnmounting = false
        /// There is something to unmount.
        var isMounted = false
        /// How many passes followed one another because the turn before asked for it.
        var row = 0
        /// The last pass that `row` counts.
        var countedPass = 0
    }

    /// What comes after a turn.
    package enum Sequel {
        /// Nothing until something changes.
        case rest
        /// Another turn: something changed meanwhile.
        case again
        /// Nothing, although something changed: it does so each time.
        case loop
    }

    /// Called once when another pass becomes due while no turn is in progress: outside the lock, in the isolation that made the tree. Set
    /// it before the first pass.
    package var onInvalidation: () -> Void = {}

    /// What diagnostics call it.
    package let name: String

    private let status = Guarded(Status())
    /// Read by every pass, so that writing it makes one due.
    private let version = Observable(0, named: "update")
    private var scope: ObserverScope<Void>?
    /// What the scope runs; `nil` when there is nothing to render.
    private var pass: (() -> Void)?
    private var root: HookInstance?

    /// The number of the current pass.
    var passNumber = 0
    /// How many instances there have been.
    var instanceCount = 0
    /// Slots whose update waits for the commit, in hook order.
    var dueUpdates: [HookSlot] = []
    /// What was removed in the pass, in the order in which to dispose of it.
    var removed: [HookSlot] = []
    /// What the pass did against the rules.
    var violations: [HooksRules.Violation] = []

    /// Creates a tree that has rendered nothing.
    package init(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.name = name ?? "\(fileID):\(line)"
        // Nobody's, because a tree lives as long as its owner, also if it is made in a run of something else.
        let owner = Hosting.owner
        Hosting.owner = nil
        defer { Hosting.owner = owner }
        scope = ObserverScope(
            named: name, schedule: .told { [weak self] in self?.noteInvalidation() }, isolation: isolation,
            fileID: fileID, line: line
        ) { [unowned self] in
            pass?()
        }
    }

    // MARK: - Turns

    /// Whether another pass is due.
    package var isInvalidated: Bool { status.withLock { $0.isInvalidated } }

    /// Whether something that the last pass read has changed, told or not.
    package var isStale: Bool { scope?.isStale == true }

    /// Whether a turn is in progress.
    package var isBusy: Bool { status.withLock { $0.isBusy } }

    /// Whether something is rendered.
    package var isMounted: Bool { status.withLock { $0.isMounted } }

    /// Takes the tree for a turn. Fails if there is a turn in progress, which is followed by another then.
    package func begin() -> Bool {
        status.withLock { status in
            if status.isBusy { status.isInvalidated = true }
            defer { status.isBusy = true }
            return !status.isBusy
        }
    }

    /// Takes the tree for what asks for no pass: running the effects that wait, or a pass that is due anyway.
    package func beginIfIdle() -> Bool {
        status.withLock { status in
            defer { status.isBusy = true }
            return !status.isBusy
        }
    }

    /// Ends a turn.
    ///
    /// - Parameter limit: How many passes may follow one another because of what they or their effects change. What other threads change
    ///   does not count.
    package func end(limit: Int = .max) -> Sequel {
        // What the turn itself has changed may not have been told yet: inside a flush it will be when the flush goes on.
        let isStale = isStale
        let isUndisturbed = scope?.isUndisturbed == true
        let sequel = status.withLock { status -> Sequel? in
            guard !status.isUnmounting else { return nil }
            if isStale { status.isInvalidated = true }
            if status.isInvalidated, isUndisturbed {
                if status.countedPass != passNumber { status.row += 1 }
                status.countedPass = passNumber
            } else if !isUndisturbed || dueUpdates.isEmpty {
                status.row = 0
            }
            if status.row == limit {
                // Still busy: the changes are forgotten first.
                status.row = 0
                status.isInvalidated = false
                return .loop
            }
            status.isBusy = false
            return status.isInvalidated ? .again : .rest
        }
        switch sequel {
        case .loop:
            if scope?.forgetChanges() == false { status.withLock { $0.isInvalidated = true } }
            return release()
        case nil:
            removeAll()
            status.withLock { $0 = Status() }
            return .rest
        case let sequel?: return sequel
        }
    }

    /// Ends a turn after a loop, whose changes have been forgotten: only what another thread changed since is left.
    private func release() -> Sequel {
        let isUnmounting = status.withLock { status in
            status.isBusy = status.isUnmounting
            return status.isUnmounting
        }
        if isUnmounting { return end() }
        return isInvalidated ? .again : .loop
    }

    /// Runs `body` in the root scope, tracked. Only in a turn.
    package func render<Output>(
        in environment: @escaping () -> EnvironmentValues, _ body: @escaping () -> Output
    ) -> Output {
        var output: Output?
        pass = { [self] in
            // Whatever changed up to here, this pass sees.
            status.withLock { status in
                status.isInvalidated = false
                status.isMounted = true
            }
            _ = version.value
            passNumber += 1
            let root = root ?? HookInstance(in: self)
            self.root = root
            output = root.render(in: environment(), body)
        }
        runPass()
        if let output { return output }
        // The actor that the tree belongs to is gone, and with it the subscription.
        Hosting.unobserved { pass?() }
        pass = nil
        return output.unsafelyUnwrapped
    }

    private func runPass() {
        scope?.takeOver()
        scope?.render()
        pass = nil
    }

    /// Runs what the last pass has left to do: outside the lock, subscribing nobody. Only in a turn.
    ///
    /// Reports violations of the rules, disposes of what is gone, cleans up after the effects that are due, and runs them.
    package func commit() {
        reportViolations()
        outside {
            let gone = removed
            removed = []
            gone.forEach { $0.disposeOnce(in: self) }
            let due = dueUpdates.filter { $0.isDue && !$0.isDisposed }
            dueUpdates = []
            due.forEach { $0.cleanUp() }
            for slot in due where !slot.isDisposed && !status.withLock({ $0.isUnmounting }) {
                slot.isDue = false
                slot.update()
            }
        }
    }

    /// Runs `body` as an effect: outside scopes, subscribing nobody. What it makes belongs to the tree's graph.
    func outside(_ body: () -> Void) {
        version.inItsGraph { Hosting.unobserved { HookInstance.outsideScopes(body) } }
    }

    /// Runs `body` with the tree's graph locked.
    func locked<R>(_ body: () -> R) -> R { version.inItsTransaction(body) }

    /// Tells the host what the last pass did against the rules. Only in a turn.
    package func reportViolations() {
        guard !violations.isEmpty else { return }
        let reported = violations
        violations = []
        reported.forEach { HooksRules.report($0) }
    }

    /// Tells that a turn has ended in a loop.
    package func reportLoop(_ limit: Int) {
        Hosting.report(
            .loop,
            """
            \(name) does not settle: its renders or effects set state each time, \(limit) times in a row. It waits for the next change. Set state \
            in an event, or in a useEffect(.preserved(by:)) whose values settle.
            """, site: name)
    }

    // MARK: - Invalidation

    /// Makes another pass due: now, or when the enclosing transaction ends.
    package func invalidate() {
        Hosting.unobserved { version.value &+= 1 }
    }

    private func noteInvalidation() {
        let isNews = status.withLock { status in
            defer { status.isInvalidated = true }
            return !status.isInvalidated && !status.isBusy && status.isMounted
        }
        if isNews { onInvalidation() }
    }

    // MARK: - The end

    /// Disposes of all hooks, in reverse order, and forgets what the passes read. In a turn: when it ends.
    ///
    /// Outside the lock; the next pass begins anew.
    package func unmount() {
        let isIdle = status.withLock { status in
            guard status.isMounted || status.isBusy else { return false }
            status.isUnmounting = true
            defer { status.isBusy = true }
            return !status.isBusy
        }
        if isIdle { Hosting.whenUnlocked { [self] in _ = end() } }
    }

    /// Whether the turn in progress is to be the last.
    package var isUnmounting: Bool { status.withLock { $0.isUnmounting } }

    private func removeAll() {
        Hosting.unobserved { runPass() }
        root?.removeAll()
        root = nil
        dueUpdates = []
        commit()
    }
}
