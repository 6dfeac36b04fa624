// What components find around them.

import ReactiveHooks

/// What the host offers to the components.
public struct Screen {
    /// How large the screen is. It may change.
    public var size: Size
    /// Time.
    public let timers: any Timers
    /// Ends the program.
    public let quit: () -> Void

    /// Creates what a host offers.
    public init(size: Size, timers: any Timers, quit: @escaping () -> Void) {
        self.size = size
        self.timers = timers
        self.quit = quit
    }
}

/// Finds the screen that this component is shown on. Takes no slot.
public func useScreen() -> Screen { useContext(Context<Screen>.self) }
