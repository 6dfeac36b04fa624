// The closures of nodes: the code, the actor that it belongs to, and its definition.
//
// A node's closure belongs to the actor that it was created on. An asynchronous closure runs there by itself. A
// synchronous closure is evaluated where its value is needed, with the graph locked: on its actor, or the program
// stops. A closure that was created on no actor remembers none.

import Reactive

/// The actor and the definition of a node's closure.
@frozen @usableFromInline
struct ClosureOrigin {
    /// The actor that it was created on, if any.
    @usableFromInline let isolation: ClosureIsolation?
    /// The definition, which distinguishes it from the closures of other nodes of the same source location.
    @usableFromInline let definition: _NodeDefinition

    /// Creates the origin of a node without a closure to compare, which runs anywhere.
    @inlinable @inline(__always)
    init() {
        isolation = nil
        definition = .none
    }

    /// Creates the origin of a closure.
    ///
    /// - Parameters:
    ///   - closure: A structure that contains only the closure. The node keeps this very value, whose context must live
    ///     as long as the node.
    ///   - actor: The actor that the closure was created on.
    ///   - isDefaultValue: Whether the closure returns a default that was passed as a value.
    @inlinable @inline(__always)
    init<Closure>(of closure: Closure, on actor: (any Actor)? = nil, isDefaultValue: Bool = false) {
        isolation = actor == nil ? nil : .of(actor)
        definition = _NodeDefinition(closure: closure, isDefaultValue: isDefaultValue)
    }

    /// Stops the program unless the calling code runs on the closure's actor.
    ///
    /// - Parameters:
    ///   - role: The role of the closure in the node, as in "selector".
    ///   - key: The node.
    @inlinable @inline(__always)
    func require(_ role: StaticString, of key: @autoclosure () -> NodeKey) {
        if let isolation { isolation.require(role, of: key()) }
    }
}

extension ClosureIsolation {
    private static let main = ClosureIsolation(MainActor.shared)

    /// Returns the isolation of objects that are created on an actor; `nil` without an actor.
    @usableFromInline
    static func of(_ actor: (any Actor)?) -> ClosureIsolation? {
        guard let actor else { return nil }
        return actor === MainActor.shared ? main : ClosureIsolation(actor)
    }

    /// Stops the program unless the calling code runs on the actor.
    ///
    /// - Parameters:
    ///   - role: The role of the closure in the node, as in "selector".
    ///   - key: The node.
    @usableFromInline
    func require(_ role: StaticString, of key: NodeKey) { require("\(role) \(key.name)") }

    /// Stops the program unless the calling code runs on the actor.
    ///
    /// - Parameter thing: The name of the object that the closure belongs to.
    func require(_ thing: @autoclosure () -> String) {
        if !isCurrent { Isolation.stopForEvaluation(of: thing(), belongingTo: self) }
    }
}

/// The closure of a default.
@frozen @usableFromInline
struct DefaultClosure<T> {
    @usableFromInline let call: () throws -> T

    @inlinable @inline(__always)
    init(call: @escaping () throws -> T) { self.call = call }
}

/// The closure of an asynchronous default.
struct AsyncDefaultClosure<T> { let call: () async throws -> T }

/// The closure of a selector.
@frozen @usableFromInline
struct SelectorClosure<T> {
    @usableFromInline let call: (StateGetter) throws -> T

    @inlinable @inline(__always)
    init(call: @escaping (StateGetter) throws -> T) { self.call = call }
}

/// The default of an atom of a family. The family creates it once, and each access to a member gets the parameter from
/// the member's key: a closure for each access would be allocated.
@frozen @usableFromInline
struct MemberDefaultClosure<T> {
    @usableFromInline let call: (NodeParameter) throws -> T

    @inlinable @inline(__always)
    init(call: @escaping (NodeParameter) throws -> T) { self.call = call }
}

/// The closure of a selector of a family, which all members share, too.
@frozen @usableFromInline
struct MemberSelectorClosure<T> {
    @usableFromInline let call: (NodeParameter, StateGetter) throws -> T

    @inlinable @inline(__always)
    init(call: @escaping (NodeParameter, StateGetter) throws -> T) { self.call = call }
}

/// The closure that computes a selector's value.
@frozen @usableFromInline
enum SelectorBody<T> {
    case single(SelectorClosure<T>)
    case member(MemberSelectorClosure<T>)

    /// Computes the value of the selector with a key.
    @inlinable @inline(__always)
    func call(_ accessor: StateGetter, for key: NodeKey) throws -> T {
        switch self {
        case .single(let closure): try closure.call(accessor)
        case .member(let closure): try closure.call(key.parameter, accessor)
        }
    }
}

/// The closure of an asynchronous selector.
struct AsyncSelectorClosure<T> { let call: (StateGetter) async throws -> T }
