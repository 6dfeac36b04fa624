// Reactions run in the order of their creation, however they became due.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct OrderTests {
        @Test(arguments: [2, 32, 33, 1_000, 5_000]) func reactionsRunInTheOrderOfCreation(count: Int) {
            var random = SplitMix64(seed: UInt64(count))
            let sources = (0..<count).map { Observable($0) }
            var runs: [Int] = []
            let reactions = sources.indices.map { index in
                autorun { runs.append(sources[index].value < 0 ? -1 : index) }
            }
            for share in [1, 2, 100] {
                runs = []
                let written = sources.indices.filter { _ in random.next() % UInt64(share) == 0 }
                inTransaction {
                    for index in written.shuffled(using: &random) { sources[index].value += 1 }
                }
                #expect(runs == written)
            }
            reactions.forEach { $0.cancel() }
        }

        @Test func numbersFarApartAreOrderedToo() {
            let source = Observable(0)
            var runs: [Int] = []
            // Each is created long after the one before, as far as the count of reactions is concerned, and observes
            // after all later ones.
            let go = Observable(-1)
            let reactions = (0..<64).map { index in
                for _ in 0..<200 { autorun {}.cancel() }
                return autorun {
                    if go.value <= index { _ = source.value }
                    runs.append(index)
                }
            }
            go.value = 64
            for index in (0..<64).reversed() { go.value = index }
            runs = []
            source.value += 1
            #expect(runs == Array(0..<64))
            reactions.forEach { $0.cancel() }
        }

        @Test func reactionsThatBecomeDueMeanwhileRunInOrder() {
            var random = SplitMix64(seed: 7)
            let sources = (0..<400).map { Observable($0) }
            var runs: [Int] = []
            let reactions = sources.indices.map { index in
                autorun {
                    runs.append(index)
                    // Later ones become due in any order while earlier ones are waiting.
                    if sources[index].value < 0, index % 40 == 0 {
                        for later in ((index + 1)..<400).shuffled(using: &random) where later % 3 == 0 {
                            sources[later].value -= 1
                        }
                    }
                }
            }
            runs = []
            inTransaction { for index in (0..<40).reversed() { sources[index].value = -1 } }
            #expect(runs == runs.sorted())
            #expect(Set(runs).isSuperset(of: stride(from: 42, to: 400, by: 3)))
            reactions.forEach { $0.cancel() }
        }
    }
}
