// The thread's context, for modules that host rendering.

import CReactive

/// The state of a thread that a module which hosts rendering may read and set.
@usableFromInline
package enum Hosting {
    /// The object that renders on this thread (unretained), or `nil`. It belongs to the module that sets it.
    @inlinable
    package static var rendering: UnsafeMutableRawPointer? {
        @inline(__always) get { reactive_current().pointee.rendering }
        @inline(__always) set { reactive_current().pointee.rendering = newValue }
    }

    /// Runs `body` as an effect: its reads subscribe no observer, and whatever it creates has no owner.
    @inlinable @inline(__always)
    package static func unobserved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        let tracking = thread.pointee.tracking
        thread.pointee.owner = nil
        thread.pointee.tracking = reactive_untracked()
        defer {
            thread.pointee.owner = owner
            thread.pointee.tracking = tracking
        }
        return try body()
    }

    /// Runs `body`. The caller follows its reads itself, so observers outside of the library do not register for them.
    /// Observers of the library do.
    package static func followedByCaller<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let thread = reactive_current()
        guard !reactive_is_tracking() else { return try body() }
        let tracking = thread.pointee.tracking
        thread.pointee.tracking = reactive_untracked()
        defer { thread.pointee.tracking = tracking }
        return try body()
    }
}
