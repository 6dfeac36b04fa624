// Reactions that live as long as a view and do not update it.

#if canImport(SwiftUI)
import Reactive
public import SwiftUI

extension View {
    /// Calls `action` when a value that is computed from state changes, without updating this view.
    ///
    /// ```swift
    /// CartList(cart: cart)
    ///     .onReaction(of: { cart.total }) { old, new in log.append("\(old) -> \(new)") }
    /// ```
    ///
    /// SwiftUI's `onChange(of:)` compares the values of two bodies. So the view has to read the value, and each change
    /// updates the view. A reaction follows the reads of `value` itself. It ends with the view.
    ///
    /// - Values are compared with `==`. Equal values do not call `action`.
    /// - A transaction is one change. A transaction that is rolled back is no change.
    /// - `action` runs on the main actor, inside the write that changed the value, and so inside the caller's
    ///   `withAnimation`. After a change in a view update or on another thread, it runs as a later job.
    /// - `action` holds no lock and is not tracked. Its writes are batched.
    ///
    /// - Parameters:
    ///   - value: Returns the value to follow. Tracked; called on the main actor with the graph locked. Also called
    ///     each time SwiftUI updates the view around it, so that it may use the view's properties.
    ///   - initial: Whether to call `action` for the first value too, with that value twice, after the update that
    ///     shows the view.
    ///   - action: Receives the previous value and the new one. The newest closures are kept until the view ends.
    /// - Returns: A view that looks like this one.
    nonisolated public func onReaction<Value: Equatable>(
        of value: @escaping @MainActor () -> Value, initial: Bool = false,
        _ action: @escaping @MainActor (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> some View {
        ReactionView(content: self, initial: initial, value: value, action: action)
    }

    /// Calls `action` when a value that is computed from state changes, without updating this view; see
    /// `onReaction(of:initial:_:)` with an action that receives both values.
    ///
    /// - Parameters:
    ///   - value: Returns the value to follow. Tracked, on the main actor.
    ///   - initial: Whether to call `action` for the first value too, after the update that shows the view.
    ///   - action: Runs on the main actor, outside view updates.
    /// - Returns: A view that looks like this one.
    nonisolated public func onReaction<Value: Equatable>(
        of value: @escaping @MainActor () -> Value, initial: Bool = false, _ action: @escaping @MainActor () -> Void
    ) -> some View {
        ReactionView(content: self, initial: initial, value: value, action: { _, _ in action() })
    }
}

/// Shows the content, and keeps the reaction.
private struct ReactionView<Content: View, Value: Equatable>: View {
    // Unsafe only for an initializer that runs off the main actor, and then hands the content over with the view.
    nonisolated(unsafe) private let content: Content
    private let initial: Bool
    private let value: @MainActor () -> Value
    private let action: @MainActor (Value, Value) -> Void
    @StateObject private var host = ReactionHost<Value>()

    nonisolated init(
        content: Content, initial: Bool, value: @escaping @MainActor () -> Value,
        action: @escaping @MainActor (Value, Value) -> Void
    ) {
        self.content = content
        self.initial = initial
        self.value = value
        self.action = action
    }

    var body: Content {
        host.update(initial: initial, value, action)
        return content
    }
}

/// Keeps the reaction of one view, which ends after the update that has removed the view.
@MainActor
private final class ReactionHost<Value: Equatable>: ObservableObject {
    private var value: (@MainActor () -> Value)?
    private var action: (@MainActor (Value, Value) -> Void)?
    /// Changes that were made in an update. Their action runs in the next job.
    private var waiting: [(old: Value, new: Value)] = []
    // Nothing is ever published: the reaction updates no view.
    private lazy var changes = ViewChanges(of: "onReaction") {}
    // Guarded because of `deinit`, which is not isolated.
    private let kept = Guarded<Reaction?>(nil)

    nonisolated init() {}

    deinit { ViewChanges.afterUpdate { [kept] in kept.exchange(for: nil)?.cancel() } }

    /// Sets the closures of the newest body. They may have captured different values, so the value is compared again.
    func update(
        initial: Bool, _ value: @escaping @MainActor () -> Value, _ action: @escaping @MainActor (Value, Value) -> Void
    ) {
        self.value = value
        self.action = action
        changes.body {
            if let reaction = kept.withLock({ $0 }) {
                reaction.invalidate()
            } else {
                _ = kept.exchange(for: makeReaction(initial))
            }
        }
    }

    private func makeReaction(_ initial: Bool) -> Reaction {
        reaction(named: "onReaction", fireImmediately: initial, isolation: MainActor.shared) { [weak self] in
            MainActor.assumeIsolated { Carried(self?.value?()) }.value
        } onChange: { [weak self] new, old in
            let (old, new) = (Carried(old), Carried(new))
            MainActor.assumeIsolated { self?.note(old.value, new.value) }
        }
    }

    private func note(_ old: Value?, _ new: Value?) {
        guard let old, let new else { return }
        guard ViewChanges.isInUpdate || !waiting.isEmpty else {
            action?(old, new)
            return
        }
        waiting.append((old, new))
        guard waiting.count == 1 else { return }
        ViewChanges.afterUpdate { [weak self] in self?.actOnWaiting() }
    }

    private func actOnWaiting() {
        let waiting = waiting
        self.waiting = []
        for (old, new) in waiting { action?(old, new) }
    }
}

/// A value that is passed from the main actor to the main actor.
private struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
#endif
