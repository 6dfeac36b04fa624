// When a renderer renders again.

/// When a ``HookRenderer`` takes the turn that a change has made due.
public struct HookScheduler {
    let isManual: Bool
    /// How many renders may follow one another because each asks for the next.
    let turnLimit: Int
    let schedule: (@escaping @Sendable () -> Void) -> Void
    /// Called when a turn is over and no other follows.
    var rested: () -> Void = {}

    /// As soon as the write or the outermost transaction is over. The default.
    public static var immediate: HookScheduler {
        HookScheduler(isManual: false, turnLimit: 25) { $0() }
    }

    /// When the host calls ``HookRenderer/render()``, and never by itself; effects run when the host calls ``HookRenderer/runEffects()``.
    ///
    /// For an event loop that draws once for each round of events, and for rendering once on a server.
    public static var manual: HookScheduler {
        HookScheduler(isManual: true, turnLimit: .max) { _ in }
    }

    /// When a scheduler of your own says so.
    ///
    /// - Parameter scheduler: Called outside the library's lock, once when a turn becomes due, on any thread if the renderer was made in no isolation.
    ///   It calls `render` once, at once or later, in the isolation that made the renderer.
    public static func custom(_ scheduler: @escaping (_ render: @escaping @Sendable () -> Void) -> Void)
        -> HookScheduler
    {
        HookScheduler(isManual: false, turnLimit: 25, schedule: scheduler)
    }
}
