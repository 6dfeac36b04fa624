// A render closure that runs again when its dependencies change: the building block of user interfaces.

import CReactive

#if canImport(Combine)
import Combine
#endif

/// A render closure that runs again whenever something that its last run read has changed.
///
/// ```swift
/// let scope = ObserverScope { "\(job.done) of \(job.total)" } onRender: { print($0) }  // prints "1 of 3"
/// job.done += 1  // prints "2 of 3"
/// ```
///
/// - It renders immediately, and then once per transaction that changed something it read.
/// - `onRender` receives every output, including the first, and those that equal the previous one.
/// - ``output`` is never stale: a read of it renders first if a render is due.
/// - The scope ends with ``cancel()`` or when it is released.
/// - Reactions created and cleanups registered in a render belong to that render, and end before the next one.
@_fixed_layout
public final class ObserverScope<Output> {
    @usableFromInline let effect: TypedEffect
    @usableFromInline package let reaction: Reaction
    @usableFromInline let freeing = FreeingMark()

    /// Creates a scope and renders for the first time.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - schedule: The schedule of due renders; by default they run immediately.
    ///   - isolation: The actor that the closures belong to; by default the caller's. Changes made outside that actor
    ///     arrive after one hop.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - render: Returns the output. Tracked; runs with the graph locked. Kept until the scope ends.
    ///   - onRender: Receives each output. Runs untracked and outside the library's lock; its writes are batched. Kept
    ///     until the scope ends.
    @inlinable
    public init(
        named name: String? = nil, schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ render: @escaping () -> Output,
        onRender: @escaping (Output) -> Void = { _ in }
    ) {
        let effect = RenderEffect.make(render, schedule.isNotifyOnly ? nil : onRender)
        self.effect = effect
        reaction = .started(
            named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, following: effect)
    }

    /// Creates a scope that belongs to an object and does not keep it alive, and renders for the first time.
    ///
    /// Once the owner is gone, the scope does not render again, and ``output`` does not change.
    ///
    /// - Parameters:
    ///   - owner: The object that the closures receive. Held weakly.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - schedule: The schedule of due renders; by default they run immediately.
    ///   - isolation: The actor that the closures belong to; by default the caller's. Changes made outside that actor
    ///     arrive after one hop.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - render: Returns the output. Tracked; runs with the graph locked. Kept until the scope ends.
    ///   - onRender: Receives each output. Runs untracked and outside the library's lock; its writes are batched. Kept
    ///     until the scope ends.
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

    /// Creates a scope that belongs to an actor, renders on it, and does not keep it alive. Renders for the first time.
    ///
    /// Like the form for an object; the closures may use the actor like its own methods.
    ///
    /// - Parameters:
    ///   - owner: The actor that the closures receive and belong to. Held weakly.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - schedule: The schedule of due renders; by default they run immediately.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - render: Returns the output. Tracked; runs with the graph locked. Kept until the scope ends.
    ///   - onRender: Receives each output. Runs untracked and outside the library's lock; its writes are batched. Kept
    ///     until the scope ends.
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
        // An output may contain scopes, whose outputs contain scopes, recursively.
        if FreeingMark.begin() { FreeingMark.postpone(effect) }
    }

    /// The newest output, rendered now if it is stale. Reading it subscribes no observer.
    ///
    /// Read it in the isolation that created the scope.
    @inlinable
    public var output: Output {
        let graph = reaction.graph
        graph.enter()
        defer { graph.leave() }
        reaction.runIfStale()
        return effect.state.assumingMemoryBound(to: RenderEffect<Output>.self).pointee.output.unsafelyUnwrapped
    }

    /// The number of renders.
    public var renderCount: Int { reaction.runCount }

    /// Makes the scope render again although nothing has changed: now, or when the enclosing transaction ends.
    public func invalidate() { reaction.invalidate() }

    /// Cancels the scope: it does not render again. Cancelling again does nothing.
    public func cancel() { reaction.cancel() }
}

extension ObserverScope: Cancellable {}

extension ObserverScope: CustomStringConvertible {
    /// The scope's name and its number of renders.
    public var description: String { "ObserverScope(\(reaction.name), rendered \(renderCount) times)" }
}
