// The closures of nodes: what is called, where it may run, and what it was defined by.
//
// A node's closure belongs to the actor that it was created on. An asynchronous one goes there by itself. A synchronous
// one is evaluated where somebody needs the value, with the graph locked: on its actor, or the program stops. What was
// created on no actor remembers none.

import Reactive

/// What a node knows of its closure besides the closure.
struct ClosureOrigin {
    /// The actor that it was created on, if any.
    let isolation: ClosureIsolation?
    /// What tells it from the closures of other nodes of the same source location.
    let definition: _NodeDefinition

    /// - Parameters:
    ///   - closure: A structure of the closure alone. The node keeps this very value, whose context must not end before
    ///     it.
    ///   - actor: The actor that it was created on.
    ///   - isDefaultValue: Whether it returns a default value that was given as one.
    init<Closure>(of closure: Closure, on actor: (any Actor)? = nil, isDefaultValue: Bool = false) {
        isolation = .of(actor)
        definition = _NodeDefinition(closure: closure, isDefaultValue: isDefaultValue)
    }

    /// Stops the program unless the calling code runs on the closure's actor.
    ///
    /// - Parameters:
    ///   - role: What the closure is to the node, as in "selector".
    ///   - key: The node.
    @inline(__always)
    func require(_ role: @autoclosure () -> String, of key: NodeKey) {
        isolation?.require("\(role()) \(key.name)")
    }
}

extension ClosureIsolation {
    private static let main = ClosureIsolation(MainActor.shared)

    /// The isolation of what is created on an actor; `nil` of what is created on none.
    static func of(_ actor: (any Actor)?) -> ClosureIsolation? {
        guard let actor else { return nil }
        return actor is MainActor ? main : ClosureIsolation(actor)
    }

    /// Stops the program unless the calling code runs on the actor.
    ///
    /// - Parameter thing: Names what the closure belongs to.
    func require(_ thing: @autoclosure () -> String) {
        if !isCurrent { Isolation.stopForEvaluation(of: thing(), belongingTo: self) }
    }
}

/// The closure of a default.
struct DefaultClosure<T> { let call: () throws -> T }
/// The closure of a default that takes its time.
struct AsyncDefaultClosure<T> { let call: () async throws -> T }
/// The closure of a selector.
struct SelectorClosure<T> { let call: (StateGetter) throws -> T }
/// The closure of an asynchronous selector.
struct AsyncSelectorClosure<T> { let call: (StateGetter) async throws -> T }
