// A component, rendered on an event loop, without a terminal.

import ReactiveHooks

/// Renders a component and gives it keys, on an event loop. Frames are canvases: what becomes of them is the owner's business.
public final class Stage {
    /// The loop on which everything happens.
    public let loop: EventLoop
    private var screen: Screen
    private let renderer: HookRenderer<View>

    /// Whether something was rendered since the last frame was drawn.
    public private(set) var isStale = true

    /// Renders `body` for the first time.
    ///
    /// - Parameters:
    ///   - loop: Where it renders again: in one of the next turns after a change, whichever thread has made it.
    ///   - size: How large frames are.
    ///   - timers: Time; by default the loop's.
    ///   - quit: Called by a component that wants to end the program; by default it stops the loop.
    ///   - body: Calls components. Runs on the loop's thread.
    public init(
        loop: EventLoop, size: Size, timers: (any Timers)? = nil, quit: (() -> Void)? = nil,
        _ body: @escaping () -> View
    ) {
        self.loop = loop
        let screen = Screen(size: size, timers: timers ?? loop, quit: quit ?? { loop.stop() })
        self.screen = screen
        renderer = HookRenderer(
            scheduler: .custom { turn in loop.post(turn) }, named: "stage", body,
            environment: { $0[Context<Screen>.self] = screen })
        renderer.onRender = { [weak self] _ in self?.isStale = true }
    }

    deinit { close() }

    /// How large frames are. Setting it renders.
    public var size: Size {
        get { screen.size }
        set {
            screen.size = newValue
            renderer.environment[Context<Screen>.self] = screen
            settle()
        }
    }

    /// Gives a key to what is shown, and renders what it has changed: the next key meets that.
    ///
    /// - Returns: Whether something has taken the key.
    @discardableResult
    public func press(_ key: Key) -> Bool {
        let isTaken = renderer.output.handle(key)
        settle()
        return isTaken
    }

    /// Draws what was rendered last.
    public func frame() -> Canvas {
        isStale = false
        return renderer.output.canvas(size)
    }

    /// Ends the component: its effects are undone.
    public func close() { renderer.unmount() }

    /// Renders what is due, and what that makes due. What goes on and on does so in the next turns of the loop.
    ///
    /// If another thread makes the same turn due at this moment, it may not have posted that yet: the renderer knows.
    private func settle() {
        for _ in 0..<25 {
            if loop.runPosted() { continue }
            guard renderer.needsRender else { return }
            renderer.render()
        }
    }
}
