// Views with parts, used by several threads at the same time.

import Reactive
import TestSupport
import Testing

private struct Refused: Error {}

extension ReactiveTests {
    @Suite struct PartThreadTests {
        @Test(arguments: seeds(4)) func threadsAgreeInTheEnd(seed: UInt64) {
            let flags = (0..<8).map { _ in Observable(0) }
            let list = Unchecked(ToyList(Array(0..<8)))
            let views = Unchecked(World.views(of: list.value, flags))
            onThreads(4) { thread in
                var random = SplitMix64(seed: seed &* 4 &+ UInt64(thread))
                var own: [ToyView] = []
                for _ in 0..<300 {
                    let (index, value) = (random.below(8), random.below(5))
                    switch random.below(8) {
                    case 0, 1: flags[index].value = value
                    case 2: list.value.set(UInt32(index), to: value == 4 ? nil : value)
                    case 3: _ = views.value[index % 2].sum
                    case 4:
                        let reader = autorun { _ = views.value[index % 2].sum }
                        flags[index].value = value
                        reader.cancel()
                    case 5:
                        try? inTransaction {
                            flags[index].value += 1
                            _ = views.value[1].sum
                            list.value.set(UInt32(value), to: index)
                            _ = views.value[index % 2].sum
                            if value > 1 { throw Refused() }
                        }
                    case 6:
                        own = World.views(of: list.value, flags)
                        _ = own[1].sum
                    default:
                        // The last references may be released in a transaction of another graph.
                        IndependentGraph().run { inTransaction { own = [] } }
                    }
                }
            }
            let rows = list.value.rows.values.mapValues { $0 + flags[$0 % 8].value }
            #expect(views.value[0].rows.values == rows, "seed \(seed)")
            #expect(views.value[1].rows.values == rows.mapValues { $0 * flags[$0 % 8].value }, "seed \(seed)")
            #expect(views.value[1].partCount == views.value[1].partsInState, "seed \(seed)")
        }
    }
}

private enum World {
    static func views(of list: ToyList, _ flags: [Observable<Int>]) -> [ToyView] {
        let first = ToyView(list) { _, value in value + flags[value % 8].value }
        return [first, ToyView(first) { _, value in value * flags[value % 8].value }]
    }
}
