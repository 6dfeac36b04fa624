// What happens when a computed reads itself.

import CReactive

/// A computed depends on itself.
///
/// Thrown by ``ThrowingComputed/value`` at the read that closes the cycle. A plain ``Computed`` stops the program with the same path.
public struct CycleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the computeds on the cycle, in the order in which they read one another; the first is also the last.
    public let path: [String]

    /// The path in one line: `A1 → B1 → A1`, after a word of explanation.
    public var description: String { "cycle: " + path.joined(separator: " → ") }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The names on the cycle that reading `node`, which is running, closes. Takes the lock.
    func namesOfCycle(through node: NodePointer) -> [String] {
        enter()
        defer { leave() }
        return cyclePath(to: node)
    }

    @usableFromInline @inline(never)
    func stopForCycle(through node: NodePointer) -> Never {
        fatalError(
            """
            Reactive: a computed reads itself: \(abbreviated(namesOfCycle(through: node))). Break the cycle, or use \
            ThrowingComputed, which throws CycleError there.
            """)
    }
}
