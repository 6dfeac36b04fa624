// A host for hooks without a user interface: for a terminal, a server, a test.

import Reactive

/// Renders a body that uses hooks, and renders it again when what it read, or the state of its hooks, has changed.
///
/// ```swift
/// func show(_ text: String) { print(text) }
///
/// let renderer = HookRenderer {
///     let count = useState(0)
///     useEffect(.preserved(by: count.wrappedValue)) {
///         print("shown:", count.wrappedValue)
///         return nil
///     }
///     return (text: "Count: \(count.wrappedValue)", increment: { count.wrappedValue += 1 })
/// } onRender: { show($0.text) }  // prints "Count: 0", "shown: 0"
/// renderer.output.increment()  // prints "Count: 1", "shown: 1"
/// renderer.unmount()
/// ```
///
/// - The body is tracked: an `Observable`, a `Computed` or whatever is made of them renders it again when it changes. No hook is needed.
/// - Writes in one `inTransaction` give one render, a write of an equal value gives none.
/// - A change that only a scope with an id has read renders that scope alone; see ``hookScope(id:fileID:line:column:_:)``.
/// - Each output goes to ``onRender``, then effects run. State that is set in a render or in an effect gives one more render after that. After 25 in a
///   row, with no event from outside in between, an issue is reported, and the renderer waits for the next change.
/// - It ends with ``unmount()``, or when it is released: its hooks are disposed of in reverse order, and late writes to their state are ignored.
///
/// The body and all that hooks call, clean-ups included, run in the isolation that created the renderer. Where the last reference is released elsewhere,
/// the clean-ups take a hop. Created in none, they run on the thread whose write caused the render, or that released the renderer. The
/// body runs with the library's lock held, as tracked closures do: it must not wait for another thread. Effects run outside the lock.
public final class HookRenderer<Output> {
    /// Gets each output of the body, before effects run. Outside the library's lock, untracked.
    ///
    /// A render of a scope with an id that leaves the body alone is no output. Set after the initializer, it gets the outputs that follow; the first one is ``output``.
    public var onRender: ((Output) -> Void)?

    private let tree: HookTree
    private let scheduler: HookScheduler
    private let body: () -> Output
    private let environmentCell: Observable<EnvironmentValues>
    /// What the last render returned: a `RenderedOutput<Output>`.
    private var latest: AnyObject?
    /// Takes the turn that is due; made once.
    private var scheduledTurn: @Sendable () -> Void = {}

    /// Creates a renderer, and renders unless the scheduler is manual.
    ///
    /// - Parameters:
    ///   - scheduler: When renders that are due happen; by default at once.
    ///   - name: What diagnostics call it. Without one: the file and line that made it.
    ///   - isolation: The actor that the closures belong to; by default the caller's. Changes elsewhere reach it by one hop.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    ///   - body: Returns the output. Kept as long as the renderer.
    ///   - environment: Sets up what ``useEnvironment(_:)`` and ``useContext(_:)`` find. Runs at once.
    ///   - onRender: Gets each output, before effects run. Kept as long as the renderer.
    public init(
        scheduler: HookScheduler = .immediate, named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping () -> Output, environment: (inout EnvironmentValues) -> Void = { _ in },
        onRender: @escaping (Output) -> Void = { _ in }
    ) {
        var values = EnvironmentValues()
        environment(&values)
        environmentCell = Observable(values, equals: .never, named: "environment", fileID: fileID, line: line)
        tree = HookTree(named: name, isolation: isolation, fileID: fileID, line: line)
        self.scheduler = scheduler
        self.body = body
        self.onRender = onRender
        let link = RendererLink(self)
        scheduledTurn = { link.renderer?.tree.perform { link.renderer?.takeScheduledTurn() } }
        tree.onInvalidation = { link.renderer?.scheduleTurn() }
        if !scheduler.isManual { turn() }
    }

    deinit { tree.unmount() }

    // MARK: - Rendering

    /// What the last render returned; with a manual scheduler, the first render happens when it is first asked for. Reading it subscribes nobody.
    ///
    /// - Precondition: Not read by the body during its first render.
    public var output: Output {
        if let latest = tree.locked({ latest }) { return value(of: latest) }
        turn()
        guard let latest = tree.locked({ latest }) else {
            fatalError(
                "A HookRenderer's body read the renderer's output during its first render. Keep what it needs in a useRef."
            )
        }
        return value(of: latest)
    }

    /// Renders now, whether or not anything has changed.
    ///
    /// In a turn of this renderer (its render, its effects) it makes another render follow instead. With a manual scheduler, effects of the
    /// render before that have been left waiting run first, and those of this one wait for ``runEffects()``.
    ///
    /// After ``unmount()`` it starts anew, with fresh state.
    ///
    /// - Returns: The newest output.
    /// - Precondition: Called on the actor that the renderer was created on, if there is one. Elsewhere it stops the program.
    @discardableResult
    public func render() -> Output {
        turn()
        return output
    }

    /// Whether something has changed since the last render began, and no render followed. True of a change of another thread as soon as that
    /// is made, also before the scheduler is told.
    public var needsRender: Bool { tree.locked { latest } == nil || tree.isInvalidated || tree.isStale }

    /// Whether it renders, or runs effects, on some thread.
    var isBusy: Bool { tree.isBusy }

    /// Runs the effects that the last render has left waiting; for hosts with a manual scheduler, to be called when the output is shown.
    public func runEffects() {
        guard tree.beginIfIdle() else { return }
        tree.commit()
        finishTurn()
    }

    /// The environment of the body. Setting it renders.
    public var environment: EnvironmentValues {
        get { untracked { environmentCell.value } }
        set { environmentCell.value = newValue }
    }

    /// Sets whether a changed order of hooks is reported.
    ///
    /// - Parameter isDisabled: Whether to keep silent. The recovery is the same.
    /// - Returns: The renderer.
    @discardableResult
    public func disableHooksRulesAssertion(_ isDisabled: Bool = true) -> Self {
        environment.hooksRulesAssertionDisabled = isDisabled
        return self
    }

    /// Ends it: hooks are disposed of in reverse order, clean-ups run, nothing renders any more. Unmounting again does nothing.
    ///
    /// In a turn of this renderer it happens when the turn is over, in a transaction when that ends, and off the renderer's actor by a hop to it.
    public func unmount() { tree.unmount() }

    // MARK: - Turns

    private func value(of output: AnyObject) -> Output { unsafeDowncast(output, to: RenderedOutput<Output>.self).value }

    private func turn() {
        if tree.begin() { takeTurn(isForced: true) }
    }

    /// - Parameter isForced: Whether the body runs although only scopes with an id are due, or nothing is.
    private func takeTurn(isForced: Bool) {
        // Released when the lock is.
        let previous = latest
        defer { withExtendedLifetime(previous) {} }
        if scheduler.isManual { tree.commit() }
        var isNew = false
        tree.render(isForced: isForced, in: { environmentCell.value }) {
            latest = RenderedOutput(body())
            isNew = true
        }
        // An enclosing transaction holds the lock until it ends.
        let hasOutput = isNew
        tree.graph.whenFree { self.handOver(hasOutput: hasOutput) }
    }

    private func handOver(hasOutput: Bool) {
        if !tree.isUnmounting {
            tree.endPass()
            if hasOutput, let onRender, let latest { tree.outside { onRender(value(of: latest)) } }
            if !scheduler.isManual { tree.commit() }
        }
        finishTurn()
    }

    private func finishTurn() {
        switch tree.end(limit: scheduler.turnLimit) {
        case .rest: scheduler.rested()
        case .again: scheduleTurn()
        case .loop:
            tree.reportLoop(scheduler.turnLimit)
            scheduler.rested()
        }
    }

    private func scheduleTurn() { scheduler.schedule(scheduledTurn) }

    /// Takes a turn that was scheduled, if it is still due.
    private func takeScheduledTurn() {
        if tree.beginIfInvalidated() { takeTurn(isForced: false) }
    }
}

/// Leads to a renderer that may be gone.
private final class RendererLink<Output>: @unchecked Sendable {
    // Sendable because it is used where the scheduler's contract says: in the renderer's isolation.
    weak var renderer: HookRenderer<Output>?
    init(_ renderer: HookRenderer<Output>) { self.renderer = renderer }
}

/// An output of a renderer. (An optional output instead would have to ask the runtime for its type at each use.)
private final class RenderedOutput<Output> {
    let value: Output
    init(_ value: Output) { self.value = value }
}
