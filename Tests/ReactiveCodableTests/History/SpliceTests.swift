// How entries of arrays move when changes that are not recorded come before, behind and between their elements.

import Foundation
import Reactive
import Testing
import TestSupport

#if DEBUG
@testable import ReactiveCodable

extension ReactiveCodableTests {
    @Suite struct SpliceTests {
        /// Moves a splice and returns its start and the numbers of the change before it.
        private func moved(_ splice: Splice, by change: Splice) -> [Int] {
            var splice = splice
            let rest = splice.makeRoom(for: change)
            return [splice.start, rest.start, rest.removed, rest.inserted]
        }

        @Test func aSpliceMovesBehindAChangeBeforeIt() {
            let splice = Splice(start: 5, removed: 1, inserted: 3)
            #expect(moved(splice, by: Splice(start: 1, removed: 2, inserted: 7)) == [10, 1, 2, 7])
            #expect(moved(splice, by: Splice(start: 3, removed: 2, inserted: 0)) == [3, 3, 2, 0])
        }

        @Test func aChangeBehindASpliceMovesAndTheSpliceStays() {
            let splice = Splice(start: 5, removed: 1, inserted: 3)
            #expect(moved(splice, by: Splice(start: 8, removed: 1, inserted: 2)) == [5, 6, 1, 2])
            #expect(moved(splice, by: Splice(start: 9, removed: 1, inserted: 2)) == [5, 7, 1, 2])
        }

        @Test func aChangeInsideASpliceIsNoneBeforeIt() {
            let splice = Splice(start: 5, removed: 1, inserted: 3)
            #expect(moved(splice, by: Splice(start: 7, removed: 2, inserted: 4)) == [5, 5, 0, 0])
            #expect(moved(splice, by: Splice(start: 4, removed: 2, inserted: 4)) == [5, 4, 0, 0])
        }
    }
}
#endif
