// Errors of the nodes themselves. Errors of user closures are passed on unchanged.

import Reactive

/// An error in the dependencies of nodes.
public enum RecoilError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A node needs itself to compute its value.
    case circular(CircularInfo)

    /// The object that a `selector(of:)` belongs to has been released.
    case ownerGone(node: String)

    /// The path of a cycle.
    public struct CircularInfo: Hashable, Sendable, CustomStringConvertible {
        /// The names of the nodes in the order in which they read one another; the first is also the last.
        public let path: [String]

        /// Creates a path.
        public init(path: [String]) { self.path = path }

        /// Creates a path from the nodes on it.
        ///
        /// - Parameters:
        ///   - key: The node that is read once more.
        ///   - deps: The nodes on the path, that node first.
        public init(key: NodeKey, deps: [NodeKey]) { path = deps.map(\.name) + [key.name] }

        /// The path in one line: `A -> B -> A`.
        public var stackMessage: String { path.joined(separator: " -> ") }

        /// A readable description.
        public var description: String { "circular: \(stackMessage)" }
    }

    /// A readable description.
    public var description: String {
        switch self {
        case .circular(let info): "RecoilError.\(info)"
        case .ownerGone(let node): "RecoilError: the owner of \(node) was released"
        }
    }
}

extension RecoilError {
    init(_ cycle: CycleError) { self = .circular(CircularInfo(path: cycle.path)) }
}

/// Runs `body`, and converts the core's error for a cycle to an error of this module.
func naming<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw naming(error) }
}

/// Returns the core's error for a cycle as an error of this module, and any other error unchanged.
@usableFromInline
func naming(_ error: any Error) -> any Error { (error as? CycleError).map { RecoilError($0) } ?? error }

/// Returns whether two errors count as the same: equal values, the same object, or otherwise the same type and
/// description.
func isSameError(_ a: any Error, _ b: any Error) -> Bool {
    guard type(of: a) == type(of: b) else { return false }
    let (first, second): (Any, Any) = (a, b)
    if let first = first as? any Equatable { return isEqual(first, second) }
    if type(of: a) is AnyObject.Type { return (a as AnyObject) === (b as AnyObject) }
    return "\(a)" == "\(b)"
}

private func isEqual<A: Equatable>(_ a: A, _ b: Any) -> Bool { (b as? A) == a }
