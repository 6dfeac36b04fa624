// The list of items that one run owns: it loses none that are live, does not accumulate ended ones, and looks for those
// only when that takes no longer than the changes before.

#if DEBUG
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct OwnedScopeTests {
        private func makeLive() -> Reaction { autorun {} }

        private func makeEnded() -> Reaction {
            let reaction = autorun {}
            reaction.cancel()
            return reaction
        }

        private func reactions(_ items: [OwnedScope.Item]) -> [Reaction] {
            items.compactMap { if case .reaction(let reaction) = $0 { reaction } else { nil } }
        }

        private func areSame(_ some: [Reaction], _ others: [Reaction]) -> Bool { some.elementsEqual(others, by: ===) }

        private func areSameLive(_ some: [Reaction], _ others: [Reaction]) -> Bool {
            areSame(some.filter { !$0.isCancelled }, others.filter { !$0.isCancelled })
        }

        /// The reactions of a scope, without taking them out.
        private func content(of scope: OwnedScope) -> [Reaction] {
            var copy = scope
            return reactions(copy.takeItems())
        }

        @Test func noLiveItemIsLostAndTheOrderStays() {
            for seed in seeds(20) {
                var random = SplitMix64(seed: seed)
                var scope = OwnedScope()
                var added: [Reaction] = []
                for _ in 0..<400 {
                    switch random.below(100) {
                    case 0..<50:
                        added.append(random.oneIn(3) ? makeLive() : makeEnded())
                        scope.add(.reaction(added.last!))
                    case 50..<97:
                        guard let reaction = added.randomElement(using: &random) else { continue }
                        reaction.cancel()
                        scope.noteChange()
                    case 97..<99:
                        let next = (0..<random.below(3) * 50).map { _ in makeLive() }
                        let before = reactions(scope.exchangeItems(for: next.map { .reaction($0) }))
                        #expect(areSameLive(before, added), "seed \(seed)")
                        before.forEach { $0.cancel() }
                        added = next
                    default:
                        let items = reactions(scope.takeItems())
                        #expect(areSameLive(items, added), "seed \(seed)")
                        #expect(scope.isEmpty)
                        items.forEach { $0.cancel() }
                        added = []
                    }
                }
                #expect(areSameLive(content(of: scope), added), "seed \(seed)")
                added.forEach { $0.cancel() }
            }
        }

        @Test(arguments: [0, 1_000]) func endedItemsDoNotAccumulate(live count: Int) {
            var scope = OwnedScope()
            let live = (0..<count).map { _ in makeLive() }
            for reaction in live { scope.add(.reaction(reaction)) }
            for _ in 0..<100 {
                for _ in 0..<50 { scope.add(.reaction(makeEnded())) }
                #expect(content(of: scope).count <= 2 * max(64, count))
            }
            live.forEach { $0.cancel() }
        }

        @Test func itemsThatEndTogetherAreRemoved() {
            var scope = OwnedScope()
            let live = (0..<1_000).map { _ in makeLive() }
            for reaction in live { scope.add(.reaction(reaction)) }
            for reaction in live {
                reaction.cancel()
                scope.noteChange()
            }
            #expect(content(of: scope).count < 128)
        }

        /// Otherwise the next run would have the number of this one.
        @Test func theLastOfManyEndedItemsStays() {
            var scope = OwnedScope()
            for _ in 0..<64 { scope.add(.reaction(makeEnded())) }
            #expect(content(of: scope).count == 1)
        }

        /// Otherwise a scope with many live items would visit all of them for each new one.
        @Test(arguments: [false, true]) func asManyItemsChangeAsTheNextSearchVisits(afterAnExchange: Bool) {
            var scope = OwnedScope()
            let live = (0..<1_024).map { _ in makeLive() }
            if afterAnExchange {
                _ = scope.exchangeItems(for: live.map { .reaction($0) })
            } else {
                for reaction in live { scope.add(.reaction(reaction)) }
            }
            for _ in 0..<1_023 { scope.add(.reaction(makeEnded())) }
            #expect(content(of: scope).count == 2_047)
            scope.add(.reaction(makeEnded()))
            #expect(content(of: scope).count == 1_024)
            live.forEach { $0.cancel() }
        }

        @Test(arguments: [false, true]) func aRunWithManyItemsLeavesNoRoomForEndedOnesOfTheNext(byExchanging: Bool) {
            var scope = OwnedScope()
            let live = (0..<1_024).map { _ in makeLive() }
            for reaction in live { scope.add(.reaction(reaction)) }
            let items = byExchanging ? scope.exchangeItems(for: []) : scope.takeItems()
            #expect(areSame(reactions(items), live))
            for _ in 0..<500 { scope.add(.reaction(makeEnded())) }
            #expect(content(of: scope).count < 64)
            live.forEach { $0.cancel() }
        }

        @Test func itemsExchangedIntoAnEmptyScopeAreKept() {
            var scope = OwnedScope()
            let (first, second) = (makeLive(), makeLive())
            #expect(scope.exchangeItems(for: [.reaction(first)]).isEmpty)
            #expect(areSame(reactions(scope.exchangeItems(for: [.reaction(second)])), [first]))
            #expect(areSame(reactions(scope.takeItems()), [second]))
            #expect(scope.exchangeItems(for: []).isEmpty)
            first.cancel()
            second.cancel()
        }

        @Test func eachRunHasItsOwnNumber() {
            var scope = OwnedScope()
            var numbers: [UInt32] = [scope.run]
            let reaction = makeLive()
            scope.endEmptyRun()
            numbers.append(scope.run)
            scope.add(.reaction(reaction))
            _ = scope.takeItems()
            numbers.append(scope.run)
            #expect(Set(numbers).count == 3)
            // The items of a part of a run belong to the same run.
            _ = scope.exchangeItems(for: [.reaction(reaction)])
            #expect(scope.run == numbers.last)
            reaction.cancel()
        }
    }
}
#endif
