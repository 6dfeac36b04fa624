// The state of hooks takes part in Apple's Observation, without additional code.

import Observation
import ReactiveHooks
import TestSupport
import Testing

extension HooksTests {
    @Suite struct ObservationBridgeTests {
        init() { ObservationBridge.isEnabled = true }

        @Test func stateOfARendererIsObservableOutsideIt() {
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

        @Test func readsOfARenderDoNotRegister() {
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
