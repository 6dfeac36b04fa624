// The parts of a tree's reaction: each tracks the body of one scope with an id, so that this scope can render by itself.

import Reactive

/// Tracks the body of one unit.
final class RenderPart: _ReactionPart {
    /// The unit; `nil` between the end of one root and the beginning of the next.
    var instance: HookInstance?
    /// The place in the list of all parts.
    fileprivate var index = 0

    override init(of reaction: Reaction) { super.init(of: reaction) }
}

/// All parts of a tree's reaction, and those of which something has changed. Guarded by the graph's lock.
final class RenderParts: PartedContent {
    private(set) var root: RenderPart?
    private var parts: [RenderPart] = []
    /// Something that the root's body has read has changed.
    var hasRootChanged = false
    /// The other parts of which something has changed.
    private(set) var changed: [RenderPart] = []

    func begin(in reaction: Reaction) { root = make(in: reaction) }
    func update(_ part: _ReactionPart) {
        if part === root {
            hasRootChanged = true
        } else {
            changed.append(unsafeDowncast(part, to: RenderPart.self))
        }
    }
    func finishUpdate() -> Bool { false }
    func discardUpdate() {}
    func deliver() {}
    func forEachPart(_ body: (_ReactionPart) -> Void) { parts.forEach(body) }

    func end() {
        for part in parts {
            part.end()
            part.instance = nil
        }
        parts = []
        root = nil
    }

    func make(in reaction: Reaction) -> RenderPart {
        let part = RenderPart(of: reaction)
        part.index = parts.count
        parts.append(part)
        return part
    }

    func end(_ part: RenderPart) {
        part.end()
        part.instance = nil
        guard part.index < parts.count, parts[part.index] === part else { return }
        let last = parts.removeLast()
        guard last !== part else { return }
        last.index = part.index
        parts[part.index] = last
    }

    /// Forgets what has changed.
    func forgetChanged() {
        hasRootChanged = false
        if !changed.isEmpty { changed.removeAll(keepingCapacity: true) }
    }
}
