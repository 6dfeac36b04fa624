// External state: how to observe values that are not observables.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better on one line.
// swift-format-ignore-file

import Observation
import Reactive

/// A ticker that runs while it is observed.
final class Ticker: @unchecked Sendable {
    // `Sendable` because the samples use it on one thread.
    private(set) var isRunning = false { didSet { print(isRunning ? "start" : "stop") } }
    var count = 0
    func start() { isRunning = true }
    func stop() { isRunning = false }
}

@MainActor @Observation.Observable
final class Profile {
    var name = "Ann"
}

extension Chapter {
    static let foreign = Chapter(
        "State from elsewhere",
        [
            Sample("A source stands for something that is not ours") {
                let ticks = Ticker()
                final class Clock: Sendable {
                    private let ticks: Ticker
                    private let source: Source

                    init(_ ticks: Ticker) {
                        self.ticks = ticks
                        source = Source(named: "clock", onObserved: { ticks.start() }, onUnobserved: { ticks.stop() })
                    }

                    var seconds: Int {
                        source.track()
                        return ticks.count
                    }

                    func tick() {
                        ticks.count += 1
                        source.changed()
                    }
                }
                let clock = Clock(ticks)
                let display = autorun { print("seconds:", clock.seconds) }  // prints "seconds: 0", "start"
                clock.tick()  // prints "seconds: 1"
                display.cancel()  // prints "stop"
                clock.tick()
                print(clock.seconds)  // prints "2"
            },
            Sample("An observable may know whether it is observed") {
                let sensor = Ticker()
                let temperature = Observable(20.0, onObserved: { sensor.start() }, onUnobserved: { sensor.stop() })
                let display = autorun { print(temperature.value) }  // prints "20.0", "start"
                temperature.value = 21  // prints "21.0"
                display.cancel()  // prints "stop"
            },
            Sample(awaiting: "observing: objects of Apple's Observation") {
                try await Task { @MainActor in
                    let profile = Profile()
                    let greeting = Computed { "Hello, \(observing { profile.name })!" }
                    let shown = Observable("")
                    let observer = autorun { shown.value = greeting.value }
                    profile.name = "Bob"
                    try await when { shown.value == "Hello, Bob!" }
                    print(shown.value)  // prints "Hello, Bob!"
                    observer.cancel()
                }.value
            },
            Sample("The bridge: Apple's Observation follows our state") {
                let price = Observable(5)
                ObservationBridge.isEnabled = true
                withObservationTracking {
                    print("price:", price.value)  // prints "price: 5"
                } onChange: {
                    print("changed to", price.value)
                }
                price.value = 6  // prints "changed to 6"
                ObservationBridge.isEnabled = false
            },
        ])
}
