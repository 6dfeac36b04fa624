// What the closure of an element creates: it belongs to the element, and ends when the element's state is released.
//
// Reactions and clean-ups need a reaction that owns them. A derivation has one for all of its elements, which never runs; it
// collects what one closure creates, and that is taken out right afterwards. The object that keeps it is a part of the
// derivation's state. So a roll-back brings it back, and a commit ends it, with no code for either.

import CReactive

/// What one run of an element's closure has created: reactions and clean-ups. They end when this is released.
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
    /// Does what ``run(row:part:_:)`` does. Reactions that `body` creates and clean-ups that it registers belong to the element.
    ///
    /// - Parameters:
    ///   - row: The row of the element.
    ///   - part: The part that the element has, or `nil`.
    ///   - body: The closure.
    /// - Returns: What `body` returns, the part that the element has from now on, and what `body` has created: `nil` if that is nothing. The
    ///   caller keeps it in the element's state, and releases it with that.
    @inlinable @inline(__always)
    package final func runOwning<Result>(
        row: UInt32, part: _DerivationPart?, _ body: () -> Result
    ) -> (Result, _DerivationPart?, ElementBelongings?) {
        var result: (Result, _DerivationPart?)?
        let belongings = owningElement { result = run(row: row, part: part, body) }
        let (value, newPart) = result.unsafelyUnwrapped
        return (value, newPart, belongings)
    }

    /// Runs `body` so that what it creates belongs to an element.
    @usableFromInline
    package final func owningElement(_ body: () -> Void) -> ElementBelongings? {
        owningElements(body)
        return takeBelongings()
    }

    /// Runs `body`, which runs closures of many elements. After each of them it calls ``takeBelongings()``.
    @usableFromInline
    package final func owningElements(_ body: () -> Void) { elementOwner.owning(.tracked, body) }

    /// What the closures have created since the last call; `nil` if that is nothing. In ``owningElements(_:)``.
    @usableFromInline
    package final func takeBelongings() -> ElementBelongings? {
        // Most closures create nothing. That is found out without a reference to the owner.
        let hasExtras = Unmanaged.passUnretained(ownerOfElements.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: Reaction.self).extras != nil
        }
        return hasExtras ? takeItems() : nil
    }

    @inline(never)
    private final func takeItems() -> ElementBelongings? {
        let items = elementOwner.extras?.tracked.exchangeItems(for: []) ?? []
        return items.isEmpty ? nil : ElementBelongings(items, in: graph)
    }

    private final var elementOwner: Reaction {
        if let owner = ownerOfElements { return unsafeDowncast(owner, to: Reaction.self) }
        let owner = Reaction(beside: self)
        ownerOfElements = owner
        return owner
    }
}
