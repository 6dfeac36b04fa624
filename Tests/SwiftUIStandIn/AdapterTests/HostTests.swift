// The app in Examples/SwiftUIHost, as far as the stand-in supports it.

import HostViews
import SwiftUI
import Testing

extension StandInTests {
    @MainActor @Suite struct HostTests {
        @Test(arguments: [false, true]) func theViewsOfTheHostAppShowTheExpectedValues(asksTwice: Bool) async {
            followInPlainViews()
            let model = HostModel()
            let screen = Screen(asksTwice: asksTwice) { HostView(model) }
            for step in HostStep.all(for: model) {
                step.act()
                var rounds = 0
                while !step.expected.allSatisfy({ model.shown[$0.key] == $0.value }), rounds < 1000 {
                    await screen.finishUpdates()
                    rounds += 1
                }
                let shown = model.shown.filter { step.expected[$0.key] != nil }
                #expect(shown == step.expected, "\(step.name)")
            }
            screen.close()
            await screen.finishUpdates()
            #expect(screen.faults.isEmpty)
        }
    }
}
