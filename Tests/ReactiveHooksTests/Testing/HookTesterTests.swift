// Testing a hook by itself.

import ReactiveHooks
import Testing

extension HooksTests {
    @Suite struct HookTesterTests {
        @Test func theHistoryHasEachValue() {
            let tester = HookTester(0) { value in useMemo(.preserved(by: value)) { value } }
            for value in 1...3 { tester.update(with: value) }
            #expect(tester.valueHistory == [0, 1, 2, 3])
            #expect(tester.value == 3)
            tester.dispose()
        }

        @Test func updateKeepsTheParameter() {
            var external = 0
            let tester = HookTester(1) { parameter in parameter + external }
            tester.update(with: 10)
            external = 5
            tester.update()
            #expect(tester.valueHistory == [1, 10, 15])
            tester.dispose()
        }

        @Test func disposeCleansUpOnceAndAnUpdateStartsAnew() {
            var cleanUps = 0
            let tester = HookTester { useEffect(.once) { { cleanUps += 1 } } }
            tester.dispose()
            tester.dispose()
            #expect(cleanUps == 1)
            tester.update()
            tester.dispose()
            #expect(cleanUps == 2)
        }
    }
}
