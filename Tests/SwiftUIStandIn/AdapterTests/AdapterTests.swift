// The adapters for SwiftUI, tested with the stand-in.

import ReactiveHooks
import ReactiveSwiftUI
import SwiftUI
import Testing

private enum AccentKey: EnvironmentKey {
    static var defaultValue: String { "blue" }
}

extension EnvironmentValues {
    fileprivate var accent: String {
        get { self[AccentKey.self] }
        set { self[AccentKey.self] = newValue }
    }
}

private typealias UserContext = Context<Binding<String>>

private struct TitledCounter: HookView {
    let title: String

    var hookBody: some View {
        let count = useState(0)
        Text("\(title): \(count.wrappedValue)")
        Button("\(title) +") { count.wrappedValue += 1 }
    }
}

extension StandInTests {
    @MainActor @Suite struct AdapterTests {
        @Test func aHookViewKeepsStateAndIsUpdated() async {
            let screen = Screen {
                TitledCounter(title: "a")
                TitledCounter(title: "b")
            }
            #expect(screen.lines == ["a: 0", "a +", "b: 0", "b +"])
            screen.transaction {
                screen.press("b +")
                screen.press("b +")
                #expect(screen.isDue)
            }
            #expect(screen.lines == ["a: 0", "a +", "b: 2", "b +"])
            #expect(screen.drawCount == 2)
        }

        @Test func effectsRunAfterTheUpdateAndStateSetInThemRenders() async {
            var log: [String] = []
            let screen = Screen {
                HookScope {
                    let count = useState(0)
                    let _ = useEffect(.preserved(by: count.wrappedValue)) {
                        log.append("effect \(count.wrappedValue)")
                        if count.wrappedValue == 1 { count.wrappedValue = 2 }
                        return { log.append("undo") }
                    }
                    Text("\(count.wrappedValue)")
                    Button("+") { count.wrappedValue += 1 }
                }
            }
            #expect(log.isEmpty)
            await screen.finishUpdates()
            #expect(log == ["effect 0"])
            screen.press("+")
            await screen.finishUpdates()
            #expect(log == ["effect 0", "undo", "effect 1", "undo", "effect 2"])
            #expect(screen.lines == ["2", "+"])
        }

        @Test func stateSetInABodyRendersAfterTheUpdate() async {
            let screen = Screen {
                HookScope {
                    let count = useState(0)
                    let _ = { if count.wrappedValue < 3 { count.wrappedValue += 1 } }()
                    Text("\(count.wrappedValue)")
                }
            }
            await screen.finishUpdates()
            #expect(screen.lines == ["3"])
        }

        @Test func aViewThatUpdatesForeverIsReported() async {
            let before = Diagnostics.onIssue
            nonisolated(unsafe) var issues: [Diagnostics.Issue] = []
            Diagnostics.onIssue = { issues.append($0) }
            defer { Diagnostics.onIssue = before }
            let screen = Screen {
                HookScope {
                    let count = useState(0)
                    let _ = useEffect {
                        count.wrappedValue += 1
                        return nil
                    }
                    Text("\(count.wrappedValue)")
                }
            }
            while issues.isEmpty { await screen.finishUpdates() }
            await screen.finishUpdates()
            #expect(screen.drawCount == 25)
            #expect(screen.faults.isEmpty)
            #expect(issues.map(\.kind) == [.loop])
        }

        @Test func aChangeFromAnotherThreadUpdatesOnTheMainActor() async {
            let count = Reactive.Observable(0)
            let screen = Screen { HookScope { Text("\(count.value)") } }
            await Task.detached { count.value = 1 }.value
            while screen.lines != ["1"] { await screen.finishUpdates() }
            #expect(screen.drawCount == 2)
        }

        @Test func hooksEndWithTheView() async {
            let isShown = Reactive.Observable(true)
            var log: [String] = []
            let screen = Screen {
                ObserverView {
                    if isShown.value {
                        HookScope {
                            let _ = useEffect(.once) { { log.append("end") } }
                            Text("shown")
                        }
                    }
                }
            }
            await screen.finishUpdates()
            isShown.value = false
            await screen.finishUpdates()
            #expect(screen.lines.isEmpty)
            #expect(log == ["end"])
        }

        @Test func keyedScopesKeepTheirState() async {
            let names = Reactive.Observable(["a", "b"])
            var made = 0
            let screen = Screen {
                ObserverView {
                    ForEach(names.value, id: \.self) { name in
                        HookScope(id: name) {
                            let number = useState {
                                made += 1
                                return made
                            }
                            Text("\(name)\(number.wrappedValue)")
                        }
                    }
                }
            }
            names.value = ["c", "b", "a"]
            await screen.finishUpdates()
            #expect(screen.lines == ["c3", "b2", "a1"])
        }

        @Test func theEnvironmentIsThatOfSwiftUI() async {
            let screen = Screen {
                HookScope { Text(useEnvironment(\.accent)) }
                HookScope { Text(useEnvironment(\.accent)) }.environment(\.accent, "red")
                HookScope { Text("\(useEnvironment(\.hooksRulesAssertionDisabled))") }.disableHooksRulesAssertion(true)
            }
            #expect(screen.lines == ["blue", "red", "true"])
        }

        @Test func aContextGoesThroughTheEnvironment() async {
            let screen = Screen {
                HookScope {
                    let name = useState("Ann")
                    UserContext.Provider(value: name) {
                        UserContext.Consumer { name in
                            Text("Hello, \(name.wrappedValue)")
                            Button("rename") { name.wrappedValue = "Bob" }
                        }
                    }
                    Text(useContextIfPresent(UserContext.self) == nil ? "nobody" : "somebody")
                }
            }
            #expect(screen.lines == ["Hello, Ann", "rename", "nobody"])
            screen.press("rename")
            await screen.finishUpdates()
            #expect(screen.lines == ["Hello, Bob", "rename", "nobody"])
        }

        @Test func anObserverViewIsUpdatedByItsReads() async {
            let (name, other) = (Reactive.Observable("Ann"), Reactive.Observable(0))
            let screen = Screen { ObserverView { Text("Hello, \(name.value)") } }
            name.value = "Bob"
            #expect(screen.isDue)
            await screen.finishUpdates()
            #expect(screen.lines == ["Hello, Bob"])
            other.value = 1
            #expect(!screen.isDue)
        }

        @Test func writesInTheContentOfAnObserverViewAreShownAfterTheUpdate() async {
            let count = Reactive.Observable(0)
            let screen = Screen {
                ObserverView {
                    let _ = { if count.value < 2 { count.value += 1 } }()
                    Text("\(count.value)")
                }
            }
            await screen.finishUpdates()
            #expect(screen.lines == ["2"])
        }

        @Test func bindingsAreThoseOfSwiftUI() {
            let name = Reactive.Observable("Ann")
            let binding: SwiftUI.Binding<String> = name.projectedValue
            binding.wrappedValue = "Bob"
            #expect(name.value == "Bob")
            let tester = HookTester { useState((x: 1, y: 2)) }
            let part: SwiftUI.Binding<Int> = tester.value.x
            part.wrappedValue = 3
            #expect(tester.value.wrappedValue.x == 3)
            tester.dispose()
        }

        @Test func usePublisherFollowsCombine() {
            let subject = PassthroughSubject<Int, Never>()
            let tester = HookTester {
                (phase: usePublisher(.once) { subject }, other: usePublisherSubscribe { subject })
            }
            #expect(tester.value.phase == .running)
            #expect(tester.value.other.phase == .pending)
            tester.value.other.subscribe()
            subject.send(1)
            #expect(tester.value.phase == .success(1))
            #expect(tester.value.other.phase == .success(1))
            tester.dispose()
            subject.send(2)
            #expect(tester.value.phase == .success(1))
        }

        @Test func cancellablesAreThoseOfCombine() {
            let count = Reactive.Observable(0)
            var seen: [Int] = []
            var bag: Set<Combine.AnyCancellable> = []
            autorun { seen.append(count.value) }.store(in: &bag)
            count.value = 1
            bag = []
            count.value = 2
            #expect(seen == [0, 1])
        }
    }
}
