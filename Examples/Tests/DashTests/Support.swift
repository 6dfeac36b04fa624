// Support for the tests of the terminal and of the dash.

import DashCore
import Foundation
import ProgramSupport
import TerminalHost
import Testing

// MARK: - Without a terminal

/// Timers whose time advances only when a test advances it.
final class HandTimers: Timers {
    private(set) var now = 100.0
    private var timers: [Int: (due: Double, interval: Double, action: () -> Void)] = [:]
    private var count = 0

    var timerCount: Int { timers.count }

    func every(_ seconds: Double, _ action: @escaping () -> Void) -> ScheduledTimer {
        count += 1
        let number = count
        timers[number] = (now + seconds, seconds, action)
        return ScheduledTimer { [weak self] in self?.timers[number] = nil }
    }

    /// Advances the time, and calls each timer as often as it is due, in order.
    func pass(_ seconds: Double) {
        let end = now + seconds
        while let (number, timer) = timers.min(by: { $0.value.due < $1.value.due }), timer.due <= end + 1e-9 {
            now = timer.due
            timers[number]?.due += timer.interval
            timer.action()
        }
        now = end
    }
}

/// A component that is rendered on a loop of its own into lines of text.
final class Show {
    let timers = HandTimers()
    let loop = EventLoop()
    let stage: Stage
    private let quits = Counter()

    private final class Counter { var count = 0 }

    init(columns: Int = 80, rows: Int = 24, _ body: @escaping () -> View) {
        let quits = quits
        stage = Stage(
            loop: loop, size: Size(columns: columns, rows: rows), timers: timers, quit: { quits.count += 1 }, body)
    }

    var quitCount: Int { quits.count }
    var lines: [String] { stage.frame().lines }
    var text: String { lines.joined(separator: "\n") }

    /// Presses keys in order.
    func press(_ keys: Key...) { keys.forEach { stage.press($0) } }

    /// Presses a key for each character.
    func type(_ text: String) { text.forEach { stage.press(.character($0)) } }

    /// Renders due components.
    func runTurn() { loop.turn(waiting: 0) }

    /// Runs the loop until a text is shown. Tasks may run between its turns, also if they have only one thread.
    func wait(for text: String) async throws {
        let end = loop.now + PseudoTerminal.limit
        while !self.text.contains(text) {
            try #require(loop.now < end, "No \"\(text)\" on the screen:\n\(self.text)")
            loop.turn(waiting: 0.01)
            await Task.yield()
        }
    }
}

/// Lets an asynchronous function continue in increments.
actor Gate {
    private var permits = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits until the test allows the next increment.
    func pass() async {
        if permits > 0 {
            permits -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Allows this many increments.
    func open(_ count: Int = 1) {
        for _ in 0..<count {
            if waiting.isEmpty { permits += 1 } else { waiting.removeFirst().resume() }
        }
    }
}

// MARK: - With the program

let dashExecutable = executable("Dash")

/// Whether the programs run under a sanitizer, which handles crash signals and delays other signals.
let isUnderSanitizer = ["__tsan_init", "__asan_init"].contains { (name: String) in
    dlsym(dlopen(nil, RTLD_NOW), name) != nil
}
