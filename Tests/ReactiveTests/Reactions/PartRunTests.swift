// Reactions that consist of parts: a change runs the parts that it affects, on the reaction's actor.

import Reactive
import Testing
import TestSupport

private actor Stage {
    /// Changes `x` elsewhere and then here, before the hop to this actor arrives.
    func change(_ x: Observable<Int>, readThrough computed: Computed<Int>) {
        let parts = ToyParts([{ _ = computed.value }])
        let reaction = parts.start(isolation: self)
        onOtherThread { x.value = 1 }
        #expect(parts.updates == 0)
        x.value = 2
        #expect(parts.updates == 1)
        reaction.cancel()
    }
}

extension ReactiveTests {
    @Suite struct PartRunTests {
        @Test func aChangeRunsTheAffectedPartAlone() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let parts = ToyParts([{ log.append("x \(x.value)") }, { log.append("y \(y.value)") }])
            let reaction = parts.start()
            y.value = 1
            x.value = 1
            #expect(log == ["x 0", "y 0", "y 1", "x 1"])
            #expect(parts.updates == 2)
            reaction.cancel()
            x.value = 2
            #expect(log.count == 4)
        }

        @Test(.inDefaultGraph) func aChangeOnTheActorRunsAPartForWhichAHopIsInProgress() async {
            let x = Observable(0)
            let double = Computed(isolation: nil) { x.value * 2 }
            await Stage().change(x, readThrough: double)
        }
    }
}
