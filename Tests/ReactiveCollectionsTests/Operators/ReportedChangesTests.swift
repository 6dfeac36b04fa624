// What views report to their followers: only the rows that have changed, and why.

#if DEBUG
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct ReportedChangesTests {
        /// Returns the reasons of the changes that a view reports, in the order of its rows.
        private func reasons<Element>(of view: LiveArray<Element>, _ body: () -> Void) throws -> [RowChange.Reasons] {
            let changes = try changes(of: view, body)
            #expect(!changes.isReordered)
            return changes.map(\.reasons)
        }

        private func changes<Element>(of view: LiveArray<Element>, _ body: () -> Void) throws -> RowChanges {
            func read() -> RowLog {
                view.stage.withLock {
                    view.stage.refresh()
                    view.log.isFollowed = true
                    return view.log.log
                }
            }
            let cursor = read().end
            body()
            return try #require(read().changes(since: cursor))
        }

        // MARK: - Flattened views

        @Test func aFlattenedViewReportsOnlyTheChangeOfAnInnerArray() throws {
            let inner: ObservableArray = [1, 2, 3]
            let flat: LiveArray<Int> = ObservableArray([inner, ObservableArray([4])]).live.flatMap { $0 }
            #expect(flat.elements == [1, 2, 3, 4])
            #expect(try reasons(of: flat) { inner[0] = 7 } == [.updated])
            #expect(try reasons(of: flat) { inner.move(from: 0, to: 2) } == [.moved])
            #expect(try reasons(of: flat) { inner.append(5) } == [.renewed])
            #expect(try reasons(of: flat) { inner.remove(at: 0) } == [.gone])
            #expect(flat.elements == [3, 7, 5, 4])
        }

        @Test func followersOfAFlattenedViewForgetAnInnerArrayThatIsReplaced() {
            let inner: ObservableArray = [1, 2, 3]
            let flat: LiveArray<Int> = ObservableArray([0]).live.flatMap { _ in inner }
            let sorted = flat.sorted(by: { -$0 })
            #expect(sorted.elements == [3, 2, 1])
            inTransaction {
                inner.removeAll()
                inner.append(4)
            }
            #expect(sorted.elements == [4])
            for number in 5...9 {
                inner.append(number)
                #expect(flat.elements == Array(4...number) && sorted.elements == (4...number).reversed())
            }
        }

        @Test func aFlattenedViewUsesTheRowsOfFormerElementsAgain() throws {
            let array: ObservableArray = [0]
            let inner: ObservableArray = [0, 0]
            let flat: LiveArray<Int> = array.live.flatMap { $0 < 0 ? inner : ObservableArray([$0, $0]) }
            for number in 1..<50 {
                array[0] = number
                #expect(flat.elements == [number, number])
            }
            array[0] = -1
            for number in 1..<50 {
                inTransaction {
                    inner.removeAll()
                    inner += [number, number]
                }
                #expect(flat.elements == [number, number])
            }
            let view = try #require(flat.stage.view as? View<FlattenState<Int>>)
            #expect(view.state.flat.numbers.next <= 4)
        }

        // MARK: - Groups and indices

        @Test func aGroupReportsOnlyWhatHasChanged() throws {
            let flag = Observable(0)
            let array: ObservableArray = [0, 2, 4]
            let groups = array.live.grouped { $0 % 2 + 0 * flag.value }
            let even = try #require(groups[0])
            #expect(even.elements == [0, 2, 4])
            #expect(try reasons(of: even) { array[0] = 6 } == [.updated])
            #expect(try reasons(of: even) { flag.value = 1 } == [])
            let moved = try reasons(of: even) {
                inTransaction {
                    array.move(from: 0, to: 2)
                    flag.value = 2
                }
            }
            #expect(moved == [.moved] && even.elements == [2, 4, 6])
        }

        /// The view above reports only that the row is new.
        @Test func anIndexOfAViewFollowsARowThatIsUsedAgain() {
            let array = ObservableArray([(1, "a"), (2, "b")].map { KeyedName(key: $0.0, name: $0.1) })
            let index = array.live.sorted(by: \.name).indexed(by: \.key)
            var seen: [String?] = []
            let reaction = autorun { seen.append(index[1]?.name) }
            defer { reaction.cancel() }
            inTransaction {
                array.remove(at: 0)
                array.append(KeyedName(key: 1, name: "c"))
            }
            #expect(seen == ["a", "c"])
        }

        private struct KeyedName {
            var key: Int
            var name: String
        }

        @Test func allElementsOfAKeyMayLeaveTogether() {
            let array: ObservableArray = [1, 11, 2]
            let index = array.live.indexed { $0 % 10 }
            let found = issues { #expect(index[1] == 1) }
            #expect(found.map(\.kind) == [.misuse])
            array.removeSubrange(0..<2)
            #expect(index[1] == nil && index.count == 1 && index[2] == 2)
        }

        // MARK: - Elements that come and leave

        @Test func anElementThatLeavesBeforeItIsReadIsNotReported() throws {
            let array = ObservableArray<Int>()
            for view in [array.live.sorted(), array.live.uniqued()] {
                let found = try reasons(of: view) {
                    array.append(1)
                    array.removeLast()
                }
                #expect(found == [] && view.elements == [])
            }
        }

        // MARK: - Sorted views

        @Test func aSortedViewReportsMovesOnlyForElementsThatMove() throws {
            let keys = [90, 0, 10, 20, 30, 40, 50, 60]
            let array = ObservableArray(keys.map { KeyedName(key: $0, name: "") })
            let sorted = array.live.sorted(by: \.key)
            #expect(try reasons(of: sorted) { array[3].name = "a" } == [.updated])
            // The last, the first and a middle one stay.
            let found = try reasons(of: sorted) {
                inTransaction {
                    for index in [0, 1, 3] { array[index].name = "b" }
                    array[6].key = 5
                }
            }
            #expect(found == [.updated, .updated, .updated, [.updated, .moved]])
            #expect(sorted.elements.map(\.key) == [0, 5, 10, 20, 30, 40, 60, 90])
        }

        @Test func neighboursThatMoveTogetherAreBothReported() throws {
            let array = ObservableArray([5, 4, 0, 10].map { KeyedName(key: $0, name: "") })
            let sorted = array.live.sorted(by: \.key)
            let found = try reasons(of: sorted) {
                inTransaction {
                    array[0].key = 15
                    array[1].key = 14
                }
            }
            #expect(found == [[.updated, .moved], [.updated, .moved]])
            #expect(sorted.elements.map(\.key) == [0, 10, 14, 15])
        }

        @Test func aSortedViewReportsManyElementsThatHaveLeft() throws {
            let array = ObservableArray(0..<40)
            let sorted = array.live.sorted()
            let found = try reasons(of: sorted) { array.removeLast(20) }
            #expect(found == Array(repeating: .gone, count: 20))
        }

        @Test func aSortedViewReportsNothingIfOnlyItsSourceIsReordered() throws {
            let array = ObservableArray(0..<40)
            let sorted = array.live.sorted()
            let reaction = autorun { _ = sorted.elements }
            defer { reaction.cancel() }
            #expect(try reasons(of: sorted) { array.reverse() } == [])
            #expect(reaction.runCount == 1 && sorted.elements == Array(0..<40))
        }

        @Test func aRowOfASortedViewThatIsUsedAgainHasAResultOfItsOwn() {
            let array: ObservableArray = [1, 2, 3]
            let view = array.live.sorted(by: { _ in 0 }).map(equals: { _, _ in true }) { $0 * 10 }
            #expect(view.elements == [10, 20, 30])
            array.remove(at: 1)
            array.insert(4, at: 1)
            #expect(view.elements == [10, 40, 30])
        }

        // MARK: - Views of unique elements

        @Test func aViewOfUniqueElementsReportsTheChangesWhenAllElementsMayHaveMoved() throws {
            let array = ObservableArray(zip([1, 2, 3, 4, 2, 1], "abcdef").map { KeyedName(key: $0, name: "\($1)") })
            let flag = Observable(0)
            let view = array.live.uniqued { $0.key + 0 * flag.value }
            func names() -> String { view.elements.map(\.name).joined() }
            func arrange(_ order: String) {
                array.sort { order.firstIndex(of: $0.name.first!)! < order.firstIndex(of: $1.name.first!)! }
            }
            #expect(names() == "abcd")
            let nothing = try reasons(of: view) {
                inTransaction {
                    arrange("abcdfe")
                    array[5].key = 2
                    flag.value = 1
                }
            }
            #expect(nothing == [] && names() == "abcd")
            // A different element is the first one of its group; the others keep their order.
            #expect(try reasons(of: view) { arrange("fabcde") } == [.gone, .renewed])
            #expect(names() == "fbcd")
            // An element that was moved before is no longer the first one.
            let moved = try changes(of: view) {
                inTransaction {
                    array.move(from: 2, to: 3)
                    arrange("edcbaf")
                }
            }
            #expect(moved.isReordered && names() == "edca")
            let reasons = Dictionary(uniqueKeysWithValues: moved.map { ($0.row, $0.reasons) })
            #expect(reasons == [0: .renewed, 1: .gone, 4: .renewed, 5: .gone])
            #expect(try self.reasons(of: view) { array[0].key = 9 } == [.renewed, .updated])
            #expect(names() == "edcba")
            let flipped = try self.reasons(of: view) {
                inTransaction {
                    array.move(from: 0, to: 1)
                    flag.value = 2
                }
            }
            #expect(flipped == [.moved] && names() == "decba")
        }

        // MARK: - Two stages

        @Test func followersOfConcatenatedViewsForgetASideThatIsReplaced() {
            for isFirst in [true, false] {
                let (side, other): (ObservableArray, ObservableArray) = ([1, 2, 3], [10])
                let both =
                    isFirst
                    ? side.live.concatenated(with: other.live) : other.live.concatenated(with: side.live)
                let sorted = both.sorted()
                #expect(sorted.elements == [1, 2, 3, 10])
                side.append(4)
                #expect(sorted.elements == [1, 2, 3, 4, 10])
                inTransaction {
                    side.removeAll()
                    side.append(7)
                }
                #expect(sorted.elements == [7, 10])
            }
        }
    }
}
#endif
