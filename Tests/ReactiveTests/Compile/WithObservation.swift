// A file that also imports `Observation`, whose `@Observable` macro takes the bare name: both libraries work together.

import Observation
import Reactive
import Testing

@Observable final class ApplesModel {
    var title = "apple"
}

final class OurModel {
    @Reactive.Observable var title = "ours"
    @Observed var count = 0
    let standalone = Observed(1)
}

extension ReactiveTests {
    @Suite struct WithObservationTests {
        @Test func bothSpellingsWorkBesideApplesMacro() {
            let (apples, ours) = (ApplesModel(), OurModel())
            var log: [String] = []
            let reaction = autorun { log.append("\(ours.title) \(ours.count + ours.standalone.value) \(apples.title)") }
            ours.title = "mine"
            ours.count += 1
            ours.standalone.value = 5
            apples.title = "pear"  // Observed by Apple's macro.
            #expect(log == ["ours 1 apple", "mine 1 apple", "mine 2 apple", "mine 6 apple"])
            reaction.cancel()
        }
    }
}
