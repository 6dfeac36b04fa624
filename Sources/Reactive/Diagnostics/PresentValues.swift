// Values of nodes for tools: what a node has now, without evaluating anything, and as text that a program may redact.

import CReactive

extension Diagnostics {
    /// Describes a value for the inspector; `String(describing:)` by default.
    ///
    /// Set it to hide secrets:
    ///
    /// ```swift
    /// let shown: Set = ["title", "count"]
    /// Diagnostics.describe = { value, name in
    ///     shown.contains(name) ? String(describing: value) : "hidden"
    /// }
    /// ```
    ///
    /// A list of the names to hide is not enough: a value contains the values inside it, and `String(describing:)`
    /// shows those of an array of structs, whatever the names of their observables.
    ///
    /// It is called when a page asks for a value, outside of the library's lock, on any thread, with a copy of the
    /// value and the name of its node. If a value refers to an object that belongs to an actor, do not read the object
    /// here. May be set from any thread.
    public static var describe: @Sendable (_ value: Any, _ name: String) -> String {
        get { description.withLock { $0.describe } }
        set { description.withLock { $0.describe = newValue } }
    }

    /// An object, so that the closure is stored as it is.
    private final class Description {
        var describe: @Sendable (Any, String) -> String = { value, _ in String(describing: value) }
    }

    private static let description = Guarded(Description())
}

/// A node that can tell its value without evaluating anything.
package protocol PresentingValue {
    /// The value; `nil` if it has never had one. Under the lock.
    var presentValue: Any? { get }
}

extension Observable: PresentingValue {
    package var presentValue: Any? { stored }
}

extension Computed: PresentingValue {
    package var presentValue: Any? { node.pointee.flags.contains(.hasValue) ? storage.pointee : nil }
}
