// What goes wrong with nodes themselves. Errors of the users' closures are passed on as they are.

import Reactive

/// Something is wrong with how nodes depend on one another.
public enum RecoilError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A node needs itself to compute its value.
    case circular(CircularInfo)

    /// The object that a `selector(of:)` belongs to is gone.
    case ownerGone(node: String)

    /// The way round a cycle.
    public struct CircularInfo: Hashable, Sendable, CustomStringConvertible {
        /// The names of the nodes in the order in which they read one another; the first is also the last.
        public let path: [String]

        /// Creates a way round a cycle.
        public init(path: [String]) { self.path = path }

        /// Creates a way round a cycle from the nodes on it.
        ///
        /// - Parameters:
        ///   - key: The node that is read once more.
        ///   - deps: The nodes on the way, that one first.
        public init(key: NodeKey, deps: [NodeKey]) { path = deps.map(\.name) + [key.name] }

        /// The path in one line: `A -> B -> A`.
        public var stackMessage: String { path.joined(separator: " -> ") }

        /// A sentence for people.
        public var description: String { "circular: \(stackMessage)" }
    }

    /// A sentence for people.
    public var description: String {
        switch self {
        case .circular(let info): "RecoilError.\(info)"
        case .ownerGone(let node): "RecoilError: the object that \(node) belongs to is gone"
        }
    }
}

extension RecoilError {
    init(_ cycle: CycleError) { self = .circular(CircularInfo(path: cycle.path)) }
}

/// Evaluates what may be part of a cycle; a cycle found by the core is thrown in the words of this module.
func naming<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw naming(error) }
}

/// A cycle found by the core in the words of this module; any other error as it is.
@usableFromInline
func naming(_ error: any Error) -> any Error { (error as? CycleError).map { RecoilError($0) } ?? error }

/// Whether two errors cannot be told apart: equal values, the same object, or the same description where there is nothing else to go by.
func isSameError(_ a: any Error, _ b: any Error) -> Bool {
    guard type(of: a) == type(of: b) else { return false }
    let (first, second): (Any, Any) = (a, b)
    if let first = first as? any Equatable { return isEqual(first, second) }
    if type(of: a) is AnyObject.Type { return (a as AnyObject) === (b as AnyObject) }
    return "\(a)" == "\(b)"
}

private func isEqual<A: Equatable>(_ a: A, _ b: Any) -> Bool { (b as? A) == a }
