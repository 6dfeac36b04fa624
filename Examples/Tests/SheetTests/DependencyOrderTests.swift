// The order in which formulas are computed for the first time.

import ProgramSupport
import SheetCore
import Testing

@Suite struct DependencyOrderTests {
    //  3 → 2 → 0
    //  └→ 1 →──┘
    @Test func dependenciesComeFirst() {
        let result = DependencyOrder(of: Array(0..<4)) { [[], [0], [0], [2, 1]][$0] }
        #expect(result.order == [0, 1, 2, 3])
        #expect(result.loopClosers.isEmpty)
    }

    //  0 → 1 → 2 → 0,  3 → 3,  4 → 1
    @Test func aLoopIsBrokenAtOneFormula() {
        let result = DependencyOrder(of: Array(0..<5)) { [[1], [2], [0], [3], [1]][$0] }
        #expect(result.order == [2, 1, 4])
        #expect(result.loopClosers == [0, 3])
    }

    //  [0] → 1 → 2 → [3] → 1,  2 → 4 → 2,  new: 0 and 3
    @Test func aLoopIsBrokenAtANewFormulaOrNotAtAll() {
        let result = DependencyOrder(of: [0, 3]) { [[1], [2], [3, 4], [1], [2]][$0] }
        #expect(result.order == [4, 2, 1, 0])
        #expect(result.loopClosers == [3])
    }

    @Test func longChainsNeedNoStack() {
        let count = 100_000
        let result = DependencyOrder(of: Array(0..<count)) { $0 + 1 < count ? [$0 + 1] : [] }
        #expect(result.order == Array((0..<count).reversed()))
    }

    @Test(arguments: UInt64(1)...20)
    func everyOrderIsValidOnceTheLoopsAreBroken(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let count = 40
        let edges = (0..<count).map { _ in
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in Int.random(in: 0..<count, using: &generator) }
        }
        let result = DependencyOrder(of: Array(0..<count)) { edges[$0] }
        #expect((result.order + result.loopClosers).sorted() == Array(0..<count))
        var seen = Set(result.loopClosers)
        for formula in result.order {
            #expect(seen.isSuperset(of: edges[formula]), "seed \(seed)")
            seen.insert(formula)
        }
    }
}
