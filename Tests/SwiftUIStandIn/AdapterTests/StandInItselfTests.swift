// The stand-in without the library: state, fields, `onChange`, and Observation.

import Observation
import SwiftUI
import Testing

@Observation.Observable
private final class AppleModel {
    var count = 0
    var other = 0
}

private struct CountView: View {
    let model: AppleModel
    var body: some View { Text("\(model.count)") }
}

private struct EagerView: View {
    let model: AppleModel
    var body: some View {
        let _ = { model.count += 1 }()
        Text("eager")
    }
}

private struct StatefulView: View {
    @State private var isShown = true
    @State private var name = "Ann"
    let model: AppleModel
    var body: some View {
        TextField("Name", text: $name)
        Button("toggle") { isShown.toggle() }
        if isShown { CountView(model: model) }
    }
}

private struct ChangeView: View {
    let model: AppleModel
    let note: (Int, Int) -> Void
    var body: some View { Text("\(model.count)").onChange(of: model.count, initial: true, note) }
}

extension StandInTests {
    @MainActor @Suite struct StandInItselfTests {
        @Test func aBodyFollowsItsReadsAndReportsOnce() async {
            let model = AppleModel()
            let screen = Screen { CountView(model: model) }
            model.other = 1
            #expect(!screen.isDue)
            model.count = 1
            model.count = 2
            #expect(screen.observedChangeCount == 1)
            await screen.finishUpdates()
            #expect(screen.lines == ["2"])
            model.count = 3
            #expect(screen.observedChangeCount == 2)
            await screen.finishUpdates()
            #expect(screen.lines == ["3"])
            #expect(screen.drawCount == 3)
        }

        @Test func theTrackingsOfARemovedViewAreIgnored() async {
            let model = AppleModel()
            let screen = Screen { StatefulView(model: model) }
            #expect(screen.lines == ["Name: Ann", "toggle", "0"])
            screen.press("toggle")
            #expect(screen.lines == ["Name: Ann", "toggle"])
            model.count = 1
            #expect(screen.observedChangeCount == 0)
            #expect(!screen.isDue)
        }

        @Test func stateIsKeptByTheView() {
            let model = AppleModel()
            let screen = Screen { StatefulView(model: model) }
            screen.type("Bob", into: "Name")
            screen.press("toggle")
            screen.press("toggle")
            #expect(screen.lines == ["Name: Bob", "toggle", "0"])
        }

        @Test func aChangeInABodyIsAcceptedAndUpdatesOnceMore() async {
            let model = AppleModel()
            let screen = Screen {
                CountView(model: model)
                EagerView(model: model)
            }
            #expect(screen.faults.isEmpty)
            #expect(screen.lateChanges.count == 1)
            await screen.finishUpdates()
            #expect(screen.lines == ["1", "eager"])
            #expect(screen.drawCount == 2)
        }

        @Test func aChangeOnAnotherThreadHopsToTheMainActor() async {
            let model = AppleModel()
            let screen = Screen { CountView(model: model) }
            nonisolated(unsafe) let shared = model
            await Task.detached { shared.count = 1 }.value
            while screen.lines != ["1"] { await screen.finishUpdates() }
            #expect(screen.drawCount == 2)
        }

        @Test func changesInWithAnimationAreRecorded() async {
            let model = AppleModel()
            let screen = Screen { CountView(model: model) }
            withAnimation(.easeIn) { model.count = 1 }
            await screen.finishUpdates()
            #expect(screen.animatedBodyCounts == ["CountView": 1])
            withTransaction(Transaction()) { model.count = 2 }
            withAnimation(nil) { model.count = 3 }
            await screen.finishUpdates()
            #expect(screen.animatedBodyCounts == ["CountView": 1])
        }

        @Test func onChangeComparesTheValuesOfTwoBodies() async {
            let model = AppleModel()
            var log: [String] = []
            let screen = Screen { ChangeView(model: model) { old, new in log.append("\(old) -> \(new)") } }
            #expect(log == ["0 -> 0"])
            model.count = 1
            model.count = 2
            await screen.finishUpdates()
            #expect(log == ["0 -> 0", "0 -> 2"])
        }
    }
}
