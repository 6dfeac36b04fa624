// The screen, as a context for components.

import ReactiveHooks

/// The services of the host for components.
public struct Screen {
    /// The size of the screen. It may change.
    public var size: Size
    /// The timers.
    public let timers: any Timers
    /// Ends the program.
    public let quit: () -> Void

    /// Creates the services of a host.
    public init(size: Size, timers: any Timers, quit: @escaping () -> Void) {
        self.size = size
        self.timers = timers
        self.quit = quit
    }
}

/// Returns the screen that shows this component. Takes no hook slot.
public func useScreen() -> Screen { useContext(Context<Screen>.self) }
