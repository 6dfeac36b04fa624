// Recipes, part three: requests, slow functions and time. The page `Recipes` of the guide explains them.
//
// The formatter would spread short closures over several lines; in a recipe they read better as one.
// swift-format-ignore-file

import Foundation
import Reactive
import ReactiveAtoms
import ReactiveCodable
import ReactiveHooks

/// Knows two users and their orders.
private struct ShopServer: Sendable {
    func user(_ id: Int) async throws -> String {
        print("request: user", id)
        await Task.yield()
        return id == 1 ? "Ann" : "Bob"
    }

    func orders(of name: String) async throws -> [String] {
        print("request: orders of", name)
        await Task.yield()
        return name == "Ann" ? ["tea", "rice"] : ["milk"]
    }
}

/// Fails twice.
private actor NewsServer {
    private var failuresLeft = 2

    func headline() throws -> String {
        struct Offline: Error {}
        guard failuresLeft == 0 else {
            failuresLeft -= 1
            throw Offline()
        }
        return "Nothing new"
    }
}

/// Posts a notification whenever its level has changed.
private final class Battery {
    static let levelDidChange = Notification.Name("Battery.levelDidChange")
    var level = 80 { didSet { NotificationCenter.default.post(name: Battery.levelDidChange, object: self) } }
}

private func countWords(in text: String) async -> Int {
    await Task.yield()
    return text.split(separator: " ").count
}

extension Chapter {
    /// The recipes on loading and time.
    static let loadingRecipes: [Sample] = [
        Sample(awaiting: "Load once, and share the result") {
            let server = ShopServer()
            let userID = atom(1)
            let user = selector { accessor in try await server.user(accessor.get(userID)) }
            let orders = selector { accessor in
                let name = try await accessor.get(user)
                return try await server.orders(of: name)
            }
            let store = RecoilStore()
            async let name = store.get(user)
            async let list = store.get(orders)
            print(try await name, "ordered", try await list)
            // prints:
            // request: user 1
            // request: orders of Ann
            // Ann ordered ["tea", "rice"]
            store.set(userID, 2)
            print(try await store.get(orders))
            // prints:
            // request: user 2
            // request: orders of Bob
            // ["milk"]
        },
        Sample(awaiting: "Retry a failed request with growing pauses") {
            let server = NewsServer()
            let clock = HandClock()
            let status = Observable("loading")
            let taps = Observable(0)  // of the button "Try again"
            func headline() async throws -> String {
                var pause = Duration.seconds(1)
                while true {
                    let tapCount = taps.value
                    do { return try await server.headline() } catch { status.value = "next try in \(pause)" }
                    do {
                        try await when(timeout: pause, clock: clock) { taps.value > tapCount }
                    } catch is WhenTimeoutError {}
                    pause = min(pause * 2, .seconds(60))
                }
            }
            let label = reaction { status.value } onChange: { print($0) }
            async let loading = headline()
            await clock.advance(by: .seconds(1))  // prints "next try in 1.0 seconds"
            try await when { status.value.contains("2.0") }  // prints "next try in 2.0 seconds"
            taps.value += 1
            print(try await loading)  // prints "Nothing new"
            label.cancel()
        },
        Sample(awaiting: "Compute a value with a slow function") {
            let text = Observable("to be or not to be")
            let shown = Observable("")
            let label = HookRenderer {
                let text = text.value
                let count = useAsync(.preserved(by: text)) { await countWords(in: text) }
                return count.value.map { "\($0) words" } ?? "counting"
            } onRender: { label in
                print(label)
                shown.value = label
            }  // prints "counting"
            try await when { shown.value == "6 words" }  // prints "6 words"
            text.value = "not to be"  // prints "counting"
            try await when { shown.value == "3 words" }  // prints "3 words"
            label.unmount()
        },
        Sample(awaiting: "Run a timer only while it is shown") { @MainActor in
            let clock = HandClock()
            @MainActor final class Stopwatch {
                private let clock: any Clock<Duration>
                private var ticking: Task<Void, Never>?
                private(set) lazy var seconds = Observable(
                    0, onObserved: { @MainActor [weak self] in self?.start() },
                    onUnobserved: { @MainActor [weak self] in self?.ticking?.cancel() })
                init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }
                private func start() {
                    ticking = Task { [clock, seconds] in
                        while (try? await clock.sleep(for: .seconds(1))) != nil { seconds.value += 1 }
                    }
                }
            }
            let stopwatch = Stopwatch(clock: clock)
            let display = autorun { print(stopwatch.seconds.value, "s") }  // prints "0 s"
            await clock.advance(by: .seconds(1))
            try await when { stopwatch.seconds.value == 1 }  // prints "1 s"
            display.cancel()  // The timer stops.
        },
        Sample("Derive values from the date") {
            struct Habit: Codable { @Observable var doneDays: Set<Int> = [] }
            let habit = Habit()
            let history = History(habit)
            let today = Observable(20)  // a number for each day
            let streak = Computed {
                let today = today.value
                var day = today
                while habit.doneDays.contains(day) { day -= 1 }
                return today - day
            }
            let label = autorun { print("streak:", streak.value) }  // prints "streak: 0"
            habit.doneDays = [19, 20]  // prints "streak: 2"
            today.value = 21  // prints "streak: 0"
            habit.doneDays.insert(21)  // prints "streak: 3"
            try history.undo()  // prints "streak: 0"
            print(today.value)  // prints "21"
            label.cancel()
        },
        Sample(awaiting: "Count down to a point in time") { @MainActor in
            let clock = HandClock()
            @MainActor final class Countdown {
                @Observable private(set) var secondsLeft: Int
                private var task: Task<Void, Never>?
                init<C: Clock>(from seconds: Int, clock: C = ContinuousClock()) where C.Duration == Duration {
                    secondsLeft = seconds
                    let end = clock.now.advanced(by: .seconds(seconds))
                    task = Task { [_secondsLeft] in
                        while _secondsLeft.value > 0 {
                            let next = end.advanced(by: .seconds(1 - _secondsLeft.value))
                            guard (try? await clock.sleep(until: next, tolerance: nil)) != nil else { return }
                            let timeLeft = clock.now.duration(to: end)
                            _secondsLeft.value = max(0, Int((timeLeft / .seconds(1)).rounded(.up)))
                        }
                    }
                }
                deinit { task?.cancel() }
            }
            let countdown = Countdown(from: 3, clock: clock)
            let label = autorun { print(countdown.secondsLeft, "s") }  // prints "3 s"
            await clock.advance(by: .seconds(1))
            try await when { countdown.secondsLeft == 2 }  // prints "2 s"
            await clock.advance(by: .seconds(5))
            try await when { countdown.secondsLeft == 0 }  // prints "0 s"
            label.cancel()
        },
        Sample("Turn notifications into state") {
            final class BatteryState {
                private let battery: Battery
                private let source = Source(named: "battery")
                private let listener: any NSObjectProtocol
                init(_ battery: Battery) {
                    self.battery = battery
                    listener = NotificationCenter.default.addObserver(
                        forName: Battery.levelDidChange, object: battery, queue: nil
                    ) { [source] _ in source.changed() }
                }
                deinit { NotificationCenter.default.removeObserver(listener) }
                var level: Int {
                    source.track()
                    return battery.level
                }
            }
            let battery = Battery()
            let state = BatteryState(battery)
            let label = autorun { print("battery:", state.level) }  // prints "battery: 80"
            battery.level = 79  // prints "battery: 79"
            label.cancel()
        },
    ]
}
