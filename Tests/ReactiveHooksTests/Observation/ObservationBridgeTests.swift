// The state of hooks takes part in Apple's Observation, with no code of its own.

import Observation
import ReactiveHooks
import TestSupport
import Testing

extension HooksTests {
    @Suite struct ObservationBridgeTests {
        init() { ObservationBridge.isEnabled = true }

        @Test func stateOfARendererIsFollowedOutsideOfIt() {
            let (renderer, log) = (HookRenderer { useState(1) }, Log())
            withObservationTracking {
                log("\(renderer.output.wrappedValue)")
            } onChange: {
                log("changed")
            }
            renderer.output.wrappedValue = 2
            renderer.output.wrappedValue = 3
            #expect(log.take() == ["1", "changed"])
            renderer.unmount()
        }

        @Test func whatARenderReadsDoesNotRegister() {
            let (number, log) = (Observed(1), Log())
            var renderer: HookRenderer<Int>?
            withObservationTracking {
                renderer = HookRenderer { useState(0).wrappedValue + number.value }
            } onChange: {
                log("changed")
            }
            number.value = 2
            #expect(renderer?.output == 2)
            #expect(log.take() == [])
            renderer?.unmount()
        }
    }
}
