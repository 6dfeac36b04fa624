// A render closure that runs again when what it read has changed: what a user interface is made of.

import CReactive

/// Renders something, and renders it again whenever what the last render read has changed.
///
/// ```swift
/// let scope = ObserverScope { "\(job.done) of \(job.total)" } onRender: { print($0) }  // prints "1 of 3"
/// job.done += 1  // prints "2 of 3"
/// ```
///
/// - Renders at once, then once per transaction that changed something it read.
/// - `onRender` gets every output, the first included.
/// - ``output`` is never stale: reading it before the next render is due renders first.
/// - The scope ends with ``cancel()`` or when it is released.
/// - Reactions made and cleanups registered in a render belong to it, and end before the next one.
@_fixed_layout
public final class ObserverScope<Output> {
    @usableFromInline let effect: TypedEffect
    @usableFromInline package let reaction: Reaction
    @usableFromInline let freeing = FreeingMark()

    /// Creates a scope and renders for the first time.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call it. Without one: the file and line that made it.
    ///   - schedule: When renders that are due happen; by default at once.
    ///   - isolation: The actor that the closures belong to; by default the caller's. Changes elsewhere reach it by one
    ///     hop.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    ///   - render: Returns the output. Tracked; runs with the graph locked. Kept until the scope ends.
    ///   - onRender: Gets each output, outside the library's lock, untracked, its writes batched. Kept until the scope
    ///     ends.
    @inlinable
    public init(
        named name: String? = nil, schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ render: @escaping () -> Output,
        onRender: @escaping (Output) -> Void = { _ in }
    ) {
        let effect = RenderEffect.make(render, schedule.isTold ? nil : onRender)
        self.effect = effect
        reaction = .started(
            named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, following: effect)
    }

    /// Creates a scope that works for an object and does not keep it alive, and renders for the first time.
    ///
    /// Once the owner is gone the scope renders no more; ``output`` stays what it was.
    ///
    /// - Parameters:
    ///   - owner: What the closures get. Held weakly.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - schedule: When renders that are due happen; by default immediately.
    ///   - isolation: The actor that the closures belong to; by default the caller's. Changes elsewhere reach it by one
    ///     hop.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - render: Returns the output. Tracked; runs with the graph locked. Kept until the scope ends.
    ///   - onRender: Gets each output, outside the library's lock, untracked, its writes batched. Kept until the scope
    ///     ends.
    @inlinable
    public init<Owner: AnyObject>(
        of owner: Owner, named name: String? = nil, schedule: Schedule = .immediate,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ render: @escaping (Owner) -> Output, onRender: @escaping (Owner, Output) -> Void = { _, _ in }
    ) {
        let owner = WeakOwner(owner)
        let effect = RenderEffect<Output>.make(nil) { output in owner.act { onRender($0, output) } }
        self.effect = effect
        reaction = .started(
            for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line,
            effect: effect
        ) { RenderEffect.rendered(render($0), for: effect) }
    }

    /// Creates a scope that works for an actor, on it, and does not keep it alive, and renders for the first time.
    ///
    /// As for an object; the closures may use the actor as its own methods do.
    ///
    /// - Parameters:
    ///   - owner: The actor that the closures get and belong to. Held weakly.
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - schedule: When renders that are due happen; by default immediately.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - render: Returns the output. Tracked; runs with the graph locked. Kept until the scope ends.
    ///   - onRender: Gets each output, outside the library's lock, untracked, its writes batched. Kept until the scope
    ///     ends.
    @inlinable
    public convenience init<Owner: Actor>(
        of owner: isolated Owner, named name: String? = nil, schedule: Schedule = .immediate,
        fileID: StaticString = #fileID, line: UInt = #line, _ render: @escaping (isolated Owner) -> Output,
        onRender: @escaping (isolated Owner, Output) -> Void = { _, _ in }
    ) {
        self.init(
            of: owner, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
            Isolation.plain(render), onRender: Isolation.plain(onRender))
    }

    deinit {
        reaction.cancel()
        // An output may hold scopes, whose outputs hold scopes, and so on.
        if FreeingMark.begin() { FreeingMark.postpone(effect) }
    }

    /// What the last render returned, rendered now if it is stale. Reading it subscribes nobody.
    ///
    /// Read it in the isolation that made the scope.
    @inlinable
    public var output: Output {
        let graph = reaction.graph
        graph.enter()
        defer { graph.leave() }
        reaction.runIfStale()
        return effect.state.assumingMemoryBound(to: RenderEffect<Output>.self).pointee.output.unsafelyUnwrapped
    }

    /// How often it has rendered.
    public var renderCount: Int { reaction.runCount }

    /// Makes it render again although nothing changed: now, or when the enclosing transaction ends.
    public func invalidate() { reaction.invalidate() }

    /// Ends it: it renders no more. Cancelling again does nothing.
    public func cancel() { reaction.cancel() }
}

extension ObserverScope: Cancellable {}

extension ObserverScope: CustomStringConvertible {
    /// The scope's name and how often it rendered.
    public var description: String { "ObserverScope(\(reaction.name), rendered \(renderCount) times)" }
}
