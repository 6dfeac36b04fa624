// Contexts and the environment.

import Foundation
import ReactiveHooks
import Testing
import TestSupport

private enum LevelKey: EnvironmentKey {
    static var defaultValue: Int { 0 }
}

extension EnvironmentValues {
    fileprivate var level: Int {
        get { self[LevelKey.self] }
        set { self[LevelKey.self] = newValue }
    }
}

private typealias NameContext = Context<String>

extension HooksTests {
    @Suite struct ContextTests {
        @Test func theEnvironmentHasADefaultAndCanBeSet() {
            let plain = HookTester { useEnvironment(\.level) }
            let set = HookTester {
                useEnvironment(\.level)
            } environment: {
                $0.level = 3
            }
            #expect((plain.value, set.value) == (0, 3))
            plain.dispose()
            set.dispose()
        }

        @Test func anInnerScopeMayHaveADifferentEnvironment() {
            let tester = HookTester {
                [
                    useEnvironment(\.level),
                    withEnvironment(\.level, 1) { HookScope { useEnvironment(\.level) } },
                    useEnvironment(\.level),
                ]
            }
            #expect(tester.value == [0, 1, 0])
            tester.dispose()
        }

        @Test func theNearestProviderWins() {
            let tester = HookTester {
                NameContext.Provider(value: "outer") {
                    [
                        useContext(NameContext.self),
                        NameContext.Provider(value: "inner") { NameContext.Consumer { $0 } },
                        HookScope { useContext(NameContext.self) },
                    ]
                }
            }
            #expect(tester.value == ["outer", "inner", "outer"])
            tester.dispose()
        }

        @Test func aChangedContextReachesItsConsumers() {
            let tester = HookTester {
                let name = useState("Ann")
                return Context<Binding<String>>.provide(name) {
                    HookScope { useContext(Context<Binding<String>>.self) }
                }
            }
            tester.value.wrappedValue = "Bob"
            #expect(tester.value.wrappedValue == "Bob")
            tester.dispose()
        }

        @Test func aContextCanBeSetInTheEnvironment() {
            let tester = HookTester {
                useContext(NameContext.self)
            } environment: {
                $0[NameContext.self] = "Ann"
            }
            #expect(tester.value == "Ann")
            tester.dispose()
        }

        @Test func aMissingContextIsNilForUseContextIfPresent() {
            let tester = HookTester { useContextIfPresent(NameContext.self) }
            #expect(tester.value == nil)
            tester.dispose()
        }

        @Test(.alone) func readingAContextOrTheEnvironmentMayBeConditional() {
            var isAsked = false
            let tester = HookTester {
                if isAsked { _ = (useContextIfPresent(NameContext.self), useEnvironment(\.level)) }
                return useState(1)
            }
            tester.value.wrappedValue = 2
            isAsked = true
            #expect(violations { tester.update() }.isEmpty)
            #expect(tester.value.wrappedValue == 2)
            tester.dispose()
        }

        @Test func readingAContextOrTheEnvironmentOutsideAScopeIsMisuse() {
            let reported = issues {
                #expect(useEnvironment(\.level) == 0)
                #expect(useContextIfPresent(NameContext.self) == nil)
            }
            #expect(reported.map(\.kind) == [.misuse, .misuse])
        }

        #if os(Linux) || os(macOS)
        @Test func aMissingContextStopsTheProgramForUseContext() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = HookRenderer { useContext(Context<String>.self) }
            }
            expectMessage(result, "useContext finds no value of Context<String>", "useContextIfPresent")
        }
        #endif
    }
}
