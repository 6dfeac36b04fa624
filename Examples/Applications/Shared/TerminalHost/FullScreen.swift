// A full-screen program with one component.

import CTerminal
import Foundation

/// Runs a component on the whole screen of the terminal.
///
/// The terminal is restored in every case: when a component quits, at Ctrl-C or SIGTERM, when the terminal is closed,
/// and in a crash. Ctrl-Z restores it until the program continues.
///
/// Colours are not used if the environment says `NO_COLOR`.
public final class FullScreen {
    /// The ending of a program.
    public enum Ending: Sendable, Hashable {
        /// With an exit code: 0 if a component has called `quit`.
        case exit(Int32)
        /// By a signal. SIGHUP also means that the terminal was closed.
        case signal(Int32)
    }

    private let terminal: Terminal
    private let loop = EventLoop()
    private let stage: Stage
    private let painter: Painter
    private var shown: Canvas?
    private var decoder = KeyDecoder()
    private var escapeTimer: ScheduledTimer?
    private var ending = Ending.exit(0)

    /// Runs a component until it ends.
    ///
    /// - Parameter body: Calls components. It runs on this thread, and so do their effects and actions.
    /// - Returns: The ending of the program.
    /// - Throws: ``NoTerminal`` if standard input or output is not a terminal. Then `body` has not run.
    public static func run(_ body: @escaping () -> View) throws(NoTerminal) -> Ending {
        let program = FullScreen(try Terminal(), body)
        return try program.run()
    }

    private init(_ terminal: Terminal, _ body: @escaping () -> View) {
        self.terminal = terminal
        let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
        painter = Painter(isColored: noColor.isEmpty)
        stage = Stage(loop: loop, size: terminal.size, body)
    }

    private func run() throws(NoTerminal) -> Ending {
        loop.input = (terminal.inputDescriptor, { [unowned self] in take($0) })
        loop.onWake = { [unowned self] in handleSignals() }
        loop.onIdle = { [unowned self] in draw() }
        terminal_install_handlers(loop.wakeDescriptor)
        defer { terminal_remove_handlers() }
        try terminal.enter()
        loop.run()
        stage.close()
        terminal.leave()
        return ending
    }

    private func end(by signal: Int32) {
        ending = .signal(signal)
        loop.stop()
    }

    // MARK: - Keys

    /// The maximum delay inside an escape sequence. Later bytes are a different key.
    private static let escapeDelay = 0.05

    private func take(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return end(by: SIGHUP) }
        escapeTimer?.cancel()
        decoder.decode(bytes).forEach { stage.press($0) }
        guard decoder.isWaiting else { return }
        escapeTimer = loop.after(Self.escapeDelay) { [unowned self] in
            decoder.flush().forEach { stage.press($0) }
        }
    }

    // MARK: - Drawing

    private func draw() {
        guard stage.isStale || shown == nil else { return }
        let frame = stage.frame()
        let update = painter.update(from: shown, to: frame)
        shown = frame
        if !update.bytes.isEmpty, !terminal.write(update.bytes) { end(by: SIGHUP) }
    }

    // MARK: - Signals

    private func handleSignals() {
        for signal in [SIGINT, SIGTERM, SIGHUP] where terminal_take_signal(signal) { end(by: signal) }
        if terminal_take_signal(SIGTSTP) {
            terminal.leave()
            terminal_suspend()
            resume()
        } else if terminal_take_signal(SIGCONT) {
            resume()
        }
        if terminal_take_signal(SIGWINCH) { measure() }
    }

    /// Takes over the terminal again; other programs may have used it.
    private func resume() {
        _ = terminal_take_signal(SIGCONT)
        do {
            try terminal.enter()
        } catch {
            return end(by: SIGHUP)
        }
        measure()
    }

    private func measure() {
        shown = nil
        if stage.size != terminal.size { stage.size = terminal.size }
    }
}

extension FullScreen.Ending {
    /// Ends the process in the same way, so that its parent sees the reason.
    public func exitProcess() -> Never {
        switch self {
        case .exit(let code): Foundation.exit(code)
        case .signal(let number): terminal_end_by_signal(number)
        }
    }
}

extension FullScreen {
    /// The size of a single printed frame: that of the terminal, or from `COLUMNS` and `LINES`, or 80 by 24.
    public static var sizeForPrinting: Size {
        if let size = Terminal.size { return size }
        let environment = ProcessInfo.processInfo.environment
        func number(_ name: String, _ fallback: Int) -> Int {
            environment[name].flatMap(Int.init).map { min(max($0, 1), 1000) } ?? fallback
        }
        return Size(columns: number("COLUMNS", 80), rows: number("LINES", 24))
    }
}
