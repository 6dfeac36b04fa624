// Ownership by elements: whatever the closure of an element creates belongs to the element, and ends when the element's
// state is released.
//
// Reactions and cleanups need a reaction that owns them. A derivation has one such reaction for all of its elements,
// which never runs. It collects the items that one closure creates, and they are taken out right afterwards. The object
// that then keeps them is a part of the derivation's state. So a rollback restores it and a commit ends it, without
// extra code.

import CReactive

/// The reactions and cleanups that one run of an element's closure has created. They end when this object is released.
@usableFromInline
package final class ElementBelongings {
    private let items: [OwnedScope.Item]
    private let graph: GraphPointer

    fileprivate init(_ items: [OwnedScope.Item], in graph: GraphPointer) {
        self.items = items
        self.graph = graph
        graph.retain()
    }

    deinit {
        let (items, graph) = (items, graph)
        func end() {
            graph.runUnlocked { OwnedScope.dispose(items) }
            graph.release()
        }
        if let held = reactive_current().pointee.graph { held.deferAction(end) } else { end() }
    }
}

extension _PartedDerivation {
    /// Does what ``run(row:part:_:)`` does. Reactions that `body` creates and cleanups that it registers belong to the
    /// element.
    ///
    /// - Parameters:
    ///   - row: The row of the element.
    ///   - part: The part that the element has, or `nil`.
    ///   - body: The closure.
    /// - Returns: The value that `body` returns, the part that the element has from now on, and the items that `body`
    ///   has created (`nil` if there are none). The caller keeps the items in the element's state, and releases them
    ///   with that state.
    @inlinable @inline(__always)
    package final func runOwning<Result>(
        row: UInt32, part: _DerivationPart?, _ body: () -> Result
    ) -> (Result, _DerivationPart?, ElementBelongings?) {
        var result: (Result, _DerivationPart?)?
        let belongings = owningElement { result = run(row: row, part: part, body) }
        let (value, newPart) = result.unsafelyUnwrapped
        return (value, newPart, belongings)
    }

    /// Runs `body` so that whatever it creates belongs to an element.
    @usableFromInline
    package final func owningElement(_ body: () -> Void) -> ElementBelongings? {
        owningElements(body)
        return takeBelongings()
    }

    /// Runs `body`, which runs closures of many elements, and calls ``takeBelongings()`` after each of them.
    @usableFromInline
    package final func owningElements(_ body: () -> Void) { elementOwner.owning(.tracked, body) }

    /// The items that closures have created since the last call; `nil` if there are none. Called in
    /// ``owningElements(_:)``.
    @usableFromInline
    package final func takeBelongings() -> ElementBelongings? {
        // Most closures create nothing. The check for that takes no reference to the owner.
        let hasOptions = Unmanaged.passUnretained(ownerOfElements.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: Reaction.self).options != nil
        }
        // No test sees this always hold: it only saves a reference.
        return hasOptions ? takeItems() : nil
    }

    @inline(never)
    private final func takeItems() -> ElementBelongings? {
        let items = elementOwner.options?.tracked.exchangeItems(for: []) ?? []
        // No test sees this never hold: it only saves an object.
        return items.isEmpty ? nil : ElementBelongings(items, in: graph)
    }

    /// Makes the flush end what belongs to elements that are gone before it runs reactions, which may be theirs. Called
    /// under the lock, when such belongings are dropped.
    @usableFromInline
    package final func endDroppedElementsFirst() {
        // No test sees this always hold: it only saves an action.
        guard !graph.pointee.due.work.contains(.deferredActions) else { return }
        // Each action runs with the lock released, and what was dropped is released first.
        graph.deferAction {}
    }

    private final var elementOwner: Reaction {
        if let owner = ownerOfElements { return unsafeDowncast(owner, to: Reaction.self) }
        let owner = Reaction(beside: self)
        ownerOfElements = owner
        return owner
    }
}
