// Hooks as property wrappers.

import ReactiveHooks
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

extension HooksTests {
    @Suite struct WrapperTests {
        @Test func hStateIsUseState() {
            let tester = HookTester { () -> (Int, Binding<Int>, () -> Void) in
                @HState var count = 1
                return (count, $count, { count += 1 })
            }
            tester.value.2()
            tester.value.1.wrappedValue += 10
            #expect(tester.valueHistory.map(\.0) == [1, 2, 12])
            tester.dispose()
        }

        @Test func hStateTakesAClosure() {
            var calls = 0
            let tester = HookTester { () -> Int in
                @HState<Int> var count = {
                    calls += 1
                    return 5
                }
                return count
            }
            tester.update()
            #expect(tester.value == 5)
            #expect(calls == 1)
            tester.dispose()
        }

        @Test func hRefIsUseRef() {
            let tester = HookTester { () -> Int in
                @HRef var renders = 0
                renders += 1
                return $renders.current
            }
            tester.update()
            #expect(tester.valueHistory == [1, 2])
            tester.dispose()
        }

        @Test func hMemoIsUseMemoAndLazy() {
            var created = 0
            func make(_ value: Int) -> Int {
                created += 1
                return value * 10
            }
            let tester = HookTester(1) { (value: Int) -> Int in
                @HMemo(.preserved(by: value)) var memo = make(value)
                return memo + memo
            }
            tester.update()
            tester.update(with: 2)
            #expect(tester.valueHistory == [20, 20, 40])
            #expect(created == 2)
            tester.dispose()
        }

        @Test func hEnvironmentAndHContextRead() {
            let tester = HookTester { () -> String in
                @HEnvironment(\.accent) var accent
                @HContext(Context<Int>.self) var number
                return "\(accent) \(number)"
            } environment: {
                $0.accent = "red"
                $0[Context<Int>.self] = 7
            }
            #expect(tester.value == "red 7")
            tester.dispose()
        }
    }
}
