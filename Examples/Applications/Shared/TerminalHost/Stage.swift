// A component, rendered on an event loop, without a terminal.

import ReactiveHooks

/// Renders a component on an event loop and passes keys to it. Its frames are canvases for the owner to show.
public final class Stage {
    /// The loop that runs all work.
    public let loop: EventLoop
    private var screen: Screen
    private let renderer: HookRenderer<View>

    /// Whether something was rendered since the last frame was drawn.
    public private(set) var isStale = true

    /// Renders `body` for the first time.
    ///
    /// - Parameters:
    ///   - loop: The loop that renders again, in one of the next turns after a change on any thread.
    ///   - size: The size of frames.
    ///   - timers: The timers; by default the loop's.
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

    /// The size of frames. Setting it renders.
    public var size: Size {
        get { screen.size }
        set {
            screen.size = newValue
            renderer.environment[Context<Screen>.self] = screen
            settle()
        }
    }

    /// Passes a key to the current view and renders the changes, so that the next key goes to the new view.
    ///
    /// - Returns: Whether a view has handled the key.
    @discardableResult
    public func press(_ key: Key) -> Bool {
        let isTaken = renderer.output.handle(key)
        settle()
        return isTaken
    }

    /// Draws the last rendered view.
    public func frame() -> Canvas {
        isStale = false
        return renderer.output.canvas(size)
    }

    /// Unmounts the component: the clean-ups of its effects run.
    public func close() { renderer.unmount() }

    /// Renders all due changes, and changes that these cause. Endless changes continue in the next turns of the loop.
    ///
    /// Another thread may have made a render due without having posted it yet, so this uses the state of the renderer.
    private func settle() {
        for _ in 0..<25 {
            if loop.runPosted() { continue }
            guard renderer.needsRender else { return }
            renderer.render()
        }
    }
}
