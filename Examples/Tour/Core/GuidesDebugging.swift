// The samples of the guide Debugging: why a reaction ran, why it did not, and what keeps it alive.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better as one.
// swift-format-ignore-file

import Reactive

extension Chapter {
    static let debugging = Chapter(
        "Debugging",
        [
            Sample("The cause of a run has only the writes that changed something") {
                let price = Observable(5, named: "price")
                let count = Observable(2, named: "count")
                let total = Computed(named: "total") { price.value * count.value }
                let report = autorun(named: "report") { print("total:", total.value) }  // prints "total: 10"
                inTransaction {
                    price.value = 6
                    count.value = 2
                }  // prints "total: 12"
                print(report.lastCause?.description ?? "created")  // prints "price → total"
                debugPrint(report)  // prints "Reaction(report, ran 2 times) because of price → total"
                report.cancel()
            },
            Sample("The dependencies of the last run") {
                let isOn = Observable(false, named: "isOn")
                let level = Observable(3, named: "level")
                let lamp = autorun(named: "lamp") {
                    print(isOn.value && level.value > 2 ? "bright" : "dark")
                }  // prints "dark"
                level.value = 5
                print(Diagnostics.graph())
                // prints:
                // reaction lamp reads isOn
                // observable isOn
                lamp.cancel()
            },
            Sample("A read outside of the tracked closure") {
                let volume = Observable(5)
                let start = volume.value
                let wrong = autorun { print("volume at the start:", start) }  // prints "volume at the start: 5"
                let right = autorun { print("volume:", volume.value) }  // prints "volume: 5"
                volume.value = 6  // prints "volume: 6"
                wrong.cancel()
                right.cancel()
            },
            Sample("A read in the effect") {
                let query = Observable("swift")
                let limit = Observable(10)
                let wrong = reaction { query.value } onChange: { print("wrong:", $0, limit.value) }
                let right = reaction { (query.value, limit.value) } onChange: { print("right:", $0.0, $0.1) }
                limit.value = 20  // prints "right: swift 20"
                wrong.cancel()
                right.cancel()
            },
            Sample(awaiting: "A read in a task") {
                func upload(_ text: String) async {}
                let title = Observable("Draft")
                let wrong = autorun { Task { await upload(title.value) } }
                let right = autorun {
                    let text = title.value
                    Task { await upload(text) }
                }
                title.value = "Final"
                print(wrong.runCount, right.runCount)  // prints "1 2"
                wrong.cancel()
                right.cancel()
            },
            Sample("A value that is not observable") {
                final class Player {
                    var name = "Ann"
                    @Observable var score = 0
                }
                let player = Player()
                let board = autorun { print(player.name, player.score) }  // prints "Ann 0"
                player.name = "Bob"
                player.score = 1  // prints "Bob 1"
                board.cancel()
            },
            Sample("A write of an equal value") {
                let refresh = Observable(true)
                let everyRefresh = Observable(true, equals: .never)
                let wrong = autorun { _ = refresh.value }
                let right = autorun { _ = everyRefresh.value }
                refresh.value = true
                everyRefresh.value = true
                print(wrong.runCount, right.runCount)  // prints "1 2"
                wrong.cancel()
                right.cancel()
            },
            Sample("A reaction that has ended") {
                final class Screen {
                    init(_ title: Observable<String>) {
                        autorun(of: self) { _ in print(title.value) }
                    }
                }
                let title = Observable("Inbox")
                _ = Screen(title)  // prints "Inbox"
                title.value = "Drafts"
                print(Diagnostics.liveReactions.count)  // prints "0"
            },
            Sample("Two writes without a transaction") {
                let width = Observable(1)
                let height = Observable(1)
                let area = autorun { _ = width.value * height.value }
                width.value = 2
                height.value = 2
                print(area.runCount)  // prints "3"
                inTransaction {
                    width.value = 3
                    height.value = 3
                }
                print(area.runCount)  // prints "4"
                area.cancel()
            },
            Sample("Results that are never equal") {
                final class ThemeObject {
                    let isDark: Bool
                    init(isDark: Bool) { self.isDark = isDark }
                }
                struct Theme: Equatable { let isDark: Bool }
                let hour = Observable(9)
                let object = Computed { ThemeObject(isDark: hour.value > 18) }
                let value = Computed { Theme(isDark: hour.value > 18) }
                let often = autorun { _ = object.value }
                let seldom = autorun { _ = value.value }
                hour.value = 10
                print(often.runCount, seldom.runCount)  // prints "2 1"
                often.cancel()
                seldom.cancel()
            },
            Sample("A loop, and its fix") {
                Diagnostics.onIssue = { print("\($0.kind):", $0.message.prefix { $0 != "." }) }
                let text = Observable("", named: "text")
                let edits = Observable(0, named: "edits")
                let counter = autorun(named: "counter") {
                    _ = text.value
                    edits.value += 1  // reads and writes `edits`
                }
                // prints:
                // loop: counter runs in a loop: counter → edits → counter
                counter.cancel()
                edits.value = 0
                let fixed = reaction { text.value } onChange: { _ in edits.value += 1 }
                text.value = "a"
                text.value = "ab"
                print(edits.value)  // prints "2"
                fixed.cancel()
                Diagnostics.onIssue = nil
            },
            Sample("Two values that follow from each other") {
                struct Thermometer {
                    @Observable var celsius = 20.0
                    var fahrenheit: Double {
                        get { celsius * 9 / 5 + 32 }
                        nonmutating set { celsius = (newValue - 32) * 5 / 9 }
                    }
                }
                let thermometer = Thermometer()
                let display = autorun { print(thermometer.celsius, thermometer.fahrenheit) }  // prints "20.0 68.0"
                thermometer.fahrenheit = 212  // prints "100.0 212.0"
                display.cancel()
            },
            Sample("A value that needs its own previous value") {
                let level = Observable(3)

                let highest = Observable(0)
                let peak = reaction(fireImmediately: true) {
                    level.value
                } onChange: {
                    highest.value = max(highest.value, $0)
                }
                let label = autorun { print("highest:", highest.value) }  // prints "highest: 3"
                level.value = 8  // prints "highest: 8"
                level.value = 5
                peak.cancel()
                label.cancel()
            },
            Sample("A reaction that keeps its owner alive") {
                final class Leaking {
                    private(set) var reaction: Reaction?
                    init(_ title: Observable<String>) {
                        reaction = autorun(named: "leaking") { self.show(title.value) }
                    }
                    deinit { reaction?.cancel() }  // is never called
                    func show(_ title: String) {}
                }
                final class Fixed {
                    init(_ title: Observable<String>) {
                        autorun(of: self, named: "fixed") { $0.show(title.value) }
                    }
                    func show(_ title: String) {}
                }
                let title = Observable("Inbox")
                let reaction = Leaking(title).reaction
                _ = Fixed(title)
                print(Diagnostics.liveReactions.map(\.name))
                // prints:
                // ["leaking"]
                reaction?.cancel()
            },
        ])
}
