// The time at which a renderer renders again.

/// The time at which a ``HookRenderer`` takes a turn that a change has made due.
public struct HookScheduler {
    let isManual: Bool
    /// The maximum number of renders in a row, each caused by the one before.
    let turnLimit: Int
    let schedule: (@escaping @Sendable () -> Void) -> Void
    /// Called when a turn is over and no other turn follows.
    var rested: () -> Void = {}

    /// As soon as the write or the outermost transaction ends. The default.
    public static var immediate: HookScheduler {
        HookScheduler(isManual: false, turnLimit: 25) { $0() }
    }

    /// When the host calls ``HookRenderer/render()``, and never by itself. Effects run when the host calls
    /// ``HookRenderer/runEffects()``.
    ///
    /// For an event loop that draws once for each round of events, and for rendering once on a server.
    public static var manual: HookScheduler {
        HookScheduler(isManual: true, turnLimit: .max) { _ in }
    }

    /// When a scheduler of your own calls `render`.
    ///
    /// - Parameter scheduler: Called once when a turn becomes due, outside the library's lock. If the renderer was
    ///   created in no isolation, it may be called on any thread. It calls `render` once, immediately or later, in the
    ///   isolation that created the renderer.
    public static func custom(_ scheduler: @escaping (_ render: @escaping @Sendable () -> Void) -> Void)
        -> HookScheduler
    {
        HookScheduler(isManual: false, turnLimit: 25, schedule: scheduler)
    }
}
