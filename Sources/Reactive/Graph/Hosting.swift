// What the other modules of this package need from the engine, and users do not.

import CReactive

/// The engine's doors for a module that hosts rendering.
package enum Hosting {
    /// What renders on this thread (unretained), or `nil`. It belongs to the module that sets it.
    package static var rendering: UnsafeMutableRawPointer? {
        get { reactive_current().pointee.rendering }
        set { reactive_current().pointee.rendering = newValue }
    }

    /// The reaction that owns what is made on this thread now (unretained), or `nil`.
    package static var owner: UnsafeMutableRawPointer? {
        get { reactive_current().pointee.owner }
        set { reactive_current().pointee.owner = newValue }
    }

    /// Reports an issue, as the engine reports its own.
    ///
    /// - Parameters:
    ///   - kind: What sort of thing happened.
    ///   - message: What happened, to which thing, and how to mend it.
    ///   - site: Where; the default handler prints one line for each.
    package static func report(_ kind: Diagnostics.Issue.Kind, _ message: String, site: String) {
        Diagnostics.report(.init(kind: kind, message: message, site: site), in: .current)
    }

    /// Runs `body` as an effect does: nothing is subscribed to what it reads, and what it makes belongs to nobody.
    package static func unobserved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        let expected = thread.pointee.expected
        let active = thread.pointee.active
        thread.pointee.owner = nil
        thread.pointee.expected = nil
        thread.pointee.active = nil
        defer {
            thread.pointee.owner = owner
            thread.pointee.expected = expected
            thread.pointee.active = active
        }
        return try body()
    }
}

extension Equality {
    /// Whether two values count as the same.
    package func callAsFunction(_ old: Value, _ new: Value) -> Bool { areEqual(old, new) }
}
