// Scopes that run several times in one pass: alone, and then inside the bodies that take in a new output.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct RepeatedRunTests {
        let log = Log()

        @Test func theReactionsOfABodyThatTakesInAnOutputEndOnce() {
            let source = Observable(0)
            let number = Observable(0)
            let renderer = HookRenderer {
                let output = HookScope(id: 1) { number.value }
                autorun { log("page \(output) \(source.value)") }
                onCleanup { log("end \(output)") }
                return output
            }
            number.value = 1
            #expect(log.take() == ["page 0 0", "page 1 0", "end 0"])
            source.value = 1
            #expect(log.take() == ["page 1 1"])
            number.value = 2
            #expect(log.take() == ["page 2 1", "end 1"])
            renderer.unmount()
            #expect(log.take() == ["end 2"])
            source.value = 2
            #expect(log.take().isEmpty)
        }
    }
}
