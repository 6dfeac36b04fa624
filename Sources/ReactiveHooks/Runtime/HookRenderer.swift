// A host for hooks without a user interface: for a terminal, a server, a test.

import Reactive

#if canImport(SwiftUI)
import SwiftUI
#endif

/// Renders a body that uses hooks, and renders it again when the state of its hooks, or another value that it has read,
/// changes.
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
/// - The body is tracked. A change of an `Observable` or a `Computed` that it has read renders it again. No hook is
///   needed for that.
/// - Writes in one `inTransaction` cause one render. Writing an equal value causes none.
/// - If only a scope with an id has read a changed value, only that scope renders; see
///   ``hookScope(id:fileID:line:column:_:)``.
/// - ``onRender`` receives each output; then effects run. State that is set in a render or in an effect causes one more
///   render after that. After 25 renders in a row, without an event from outside, an issue is reported, and the
///   renderer waits for the next change.
/// - The renderer ends with ``unmount()``, or when it is released. Its hooks are disposed of in reverse order, and late
///   writes to their state are ignored.
///
/// The body and all closures of hooks, clean-ups included, run in the isolation that created the renderer. If the last
/// reference is released elsewhere, the clean-ups run after a hop. A renderer that was created in no isolation runs
/// them on the thread whose write caused the render, or that released the renderer.
///
/// The body runs with the library's lock held, as tracked closures do: it must not wait for another thread. Effects run
/// outside the lock.
public final class HookRenderer<Output> {
    /// Receives each output of the body, even if it equals the previous one, before effects run. Called outside the
    /// library's lock, untracked.
    ///
    /// If a scope with an id renders without the body, there is no new output. A closure that is set after the
    /// initializer receives the later outputs; the first one is ``output``.
    public var onRender: ((Output) -> Void)?

    private let tree: HookTree
    private let scheduler: HookScheduler
    private let body: () -> Output
    private let environmentCell: Observable<EnvironmentValues>
    /// The result of the last render: a `RenderedOutput<Output>`.
    private var latest: AnyObject?
    /// Takes the turn that is due; created once.
    private var scheduledTurn: @Sendable () -> Void = {}

    /// Creates a renderer, and renders unless the scheduler is manual.
    ///
    /// - Parameters:
    ///   - scheduler: When renders that are due happen; by default immediately.
    ///   - name: The name in diagnostics; by default the file and line that create it.
    ///   - isolation: The actor that the closures belong to; by default the caller's. Changes elsewhere reach it by one
    ///     hop.
    ///   - fileID: The file that creates it.
    ///   - line: The line that creates it.
    ///   - body: Returns the output. Kept as long as the renderer.
    ///   - environment: Sets the values that ``useEnvironment(_:)`` and ``useContext(_:)`` find. Called immediately.
    ///   - onRender: Receives each output, before effects run. Kept as long as the renderer.
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

    /// The result of the last render. With a manual scheduler, the first access renders. Reading it is not tracked.
    ///
    /// - Precondition: Not read by the body during its first render.
    public var output: Output {
        if let latest = tree.locked({ latest }) { return value(of: latest) }
        turn()
        guard let latest = tree.locked({ latest }) else {
            fatalError(
                """
                The body of renderer \(tree.name) reads the renderer's output during the first render, before there is \
                one. Keep the value that it needs in a useRef.
                """)
        }
        return value(of: latest)
    }

    /// Renders now, whether or not anything has changed.
    ///
    /// In a turn of this renderer (its render, its effects) it does not render immediately, but causes one more render.
    /// With a manual scheduler, effects of the previous render that are still waiting run first, and those of this
    /// render wait for ``runEffects()``.
    ///
    /// After ``unmount()`` it starts anew, with fresh state.
    ///
    /// - Returns: The newest output.
    /// - Precondition: Called on the actor that the renderer was created on, if there is one. Elsewhere it stops the
    ///   program.
    @discardableResult
    public func render() -> Output {
        turn()
        return output
    }

    /// Whether something has changed since the last render began, and no render followed. A change on another thread
    /// counts as soon as it is made, even before the scheduler is called.
    public var needsRender: Bool { tree.locked { latest } == nil || tree.isInvalidated || tree.isStale }

    /// Whether a thread is rendering, or running effects.
    var isBusy: Bool { tree.isBusy }

    /// Runs the effects of the last render that are still waiting. A host with a manual scheduler calls it when the
    /// output is shown.
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
    /// - Parameter isDisabled: Whether to silence the report. The recovery is the same.
    /// - Returns: The renderer.
    @discardableResult
    public func disableHooksRulesAssertion(_ isDisabled: Bool = true) -> Self {
        environment.hooksRulesAssertionDisabled = isDisabled
        return self
    }

    /// Ends the renderer: hooks are disposed of in reverse order, clean-ups run, and nothing renders any more.
    /// Unmounting again does nothing.
    ///
    /// In a turn of this renderer, it ends when the turn is over; in a transaction, when the transaction ends. Off the
    /// renderer's actor, it ends by a hop to the actor.
    public func unmount() { tree.unmount() }

    // MARK: - Turns

    private func value(of output: AnyObject) -> Output { unsafeDowncast(output, to: RenderedOutput<Output>.self).value }

    private func turn() {
        if tree.begin() { takeTurn(isForced: true) }
    }

    /// - Parameter isForced: Whether the body runs although only scopes with an id are due, or nothing is.
    private func takeTurn(isForced: Bool) {
        // Keeps the old output alive until the lock is released.
        let previous = latest
        // No test sees this left out: only an optimizing compiler would release it earlier.
        defer { withExtendedLifetime(previous) {} }
        // No test sees this always hold: other schedulers leave nothing to a later turn.
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

/// A reference to a renderer that may have been released.
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
