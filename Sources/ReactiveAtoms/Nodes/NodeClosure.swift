// The closures of nodes: what is called, where it may run, and what it was defined by.
//
// A node's closure belongs to the actor that it was created on. An asynchronous one goes there by itself. A synchronous
// one is evaluated where somebody needs the value, with the graph locked: on its actor, or the program stops. What was
// created on no actor remembers none.

import Reactive

/// What a node knows of its closure besides the closure.
@frozen @usableFromInline
struct ClosureOrigin {
    /// The actor that it was created on, if any.
    @usableFromInline let isolation: ClosureIsolation?
    /// What tells it from the closures of other nodes of the same source location.
    @usableFromInline let definition: _NodeDefinition

    /// Of what has no closure to compare, and runs anywhere.
    @inlinable @inline(__always)
    init() {
        isolation = nil
        definition = .none
    }

    /// - Parameters:
    ///   - closure: A structure of the closure alone. The node keeps this very value, whose context must not end before
    ///     it.
    ///   - actor: The actor that it was created on.
    ///   - isDefaultValue: Whether it returns a default value that was given as one.
    @inlinable @inline(__always)
    init<Closure>(of closure: Closure, on actor: (any Actor)? = nil, isDefaultValue: Bool = false) {
        isolation = actor == nil ? nil : .of(actor)
        definition = _NodeDefinition(closure: closure, isDefaultValue: isDefaultValue)
    }

    /// Stops the program unless the calling code runs on the closure's actor.
    ///
    /// - Parameters:
    ///   - role: What the closure is to the node, as in "selector".
    ///   - key: The node.
    @inlinable @inline(__always)
    func require(_ role: StaticString, of key: @autoclosure () -> NodeKey) {
        if let isolation { isolation.require(role, of: key()) }
    }
}

extension ClosureIsolation {
    private static let main = ClosureIsolation(MainActor.shared)

    /// The isolation of what is created on an actor; `nil` of what is created on none.
    @usableFromInline
    static func of(_ actor: (any Actor)?) -> ClosureIsolation? {
        guard let actor else { return nil }
        return actor === MainActor.shared ? main : ClosureIsolation(actor)
    }

    /// Stops the program unless the calling code runs on the actor.
    ///
    /// - Parameters:
    ///   - role: What the closure is to the node, as in "selector".
    ///   - key: The node.
    @usableFromInline
    func require(_ role: StaticString, of key: NodeKey) { require("\(role) \(key.name)") }

    /// Stops the program unless the calling code runs on the actor.
    ///
    /// - Parameter thing: Names what the closure belongs to.
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

/// The closure of a default that takes its time.
struct AsyncDefaultClosure<T> { let call: () async throws -> T }

/// The closure of a selector.
@frozen @usableFromInline
struct SelectorClosure<T> {
    @usableFromInline let call: (StateGetter) throws -> T

    @inlinable @inline(__always)
    init(call: @escaping (StateGetter) throws -> T) { self.call = call }
}

/// The default of an atom of a family. The family creates it once, and each access to a member takes the parameter from
/// the member's key: a closure for each access would be allocated.
@frozen @usableFromInline
struct MemberDefaultClosure<T> {
    @usableFromInline let call: (NodeParameter) throws -> T

    @inlinable @inline(__always)
    init(call: @escaping (NodeParameter) throws -> T) { self.call = call }
}

/// The closure of a selector of a family, which all members share as well.
@frozen @usableFromInline
struct MemberSelectorClosure<T> {
    @usableFromInline let call: (NodeParameter, StateGetter) throws -> T

    @inlinable @inline(__always)
    init(call: @escaping (NodeParameter, StateGetter) throws -> T) { self.call = call }
}

/// How a selector computes its value.
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
