// What views keep of keys and results is released with their elements, after the graph is unlocked.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

/// A key or a summand with an object.
private struct Tracked: Hashable, AdditiveArithmetic {
    var number: Int
    var token: LifetimeTracker.Token?

    static var zero: Tracked { Tracked(number: 0) }
    static func == (a: Tracked, b: Tracked) -> Bool { a.number == b.number }
    static func + (a: Tracked, b: Tracked) -> Tracked { Tracked(number: a.number + b.number) }
    static func - (a: Tracked, b: Tracked) -> Tracked { Tracked(number: a.number - b.number) }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ReactiveCollectionsTests {
    @Suite struct ReleaseTests {
        private let tracker = LifetimeTracker()
        /// Whether an object was released while a graph was locked.
        private let isLocked = Shared(false)

        private func tracked(_ number: Int) -> Tracked {
            let isLocked = isLocked
            return Tracked(
                number: number, token: tracker.token { if GraphHandle.held != nil { isLocked.value = true } })
        }

        @Test func keysOfGroupsAreReleasedWhenNothingIsLocked() {
            let array = ObservableArray(0..<8)
            let groups = array.live.grouped { tracked($0) }
            let index = array.live.indexed { tracked($0) }
            #expect(groups.count == 8 && index.count == 8 && tracker.alive == 16)
            array.removeLast(2)
            #expect(groups.count == 6 && index.count == 6 && tracker.alive == 12)
            array[0] = 20
            #expect(groups.count == 6 && index.count == 6 && tracker.alive == 12)
            inTransaction {
                array.removeAll()
                array += [1, 2]
            }
            #expect(groups.count == 2 && index.count == 2 && tracker.alive == 4)
            #expect(!isLocked.value)
        }

        @Test func keysOfPairsAreReleasedWhenNothingIsLocked() {
            let (left, right) = (ObservableArray(0..<4), ObservableArray(4..<7))
            let pairs = left.live.joined(with: right.live) {
                tracked($0)
            } equals: {
                tracked($0)
            }
            #expect(pairs.isEmpty && tracker.alive == 7)
            left.removeLast()
            #expect(pairs.isEmpty && tracker.alive == 6)
            right.remove(at: 1)
            #expect(pairs.isEmpty && tracker.alive == 5)
            left[0] = 10
            #expect(pairs.isEmpty && tracker.alive == 5)
            inTransaction {
                left.removeAll()
                right.removeAll()
                left += [1, 2]
            }
            #expect(pairs.isEmpty && tracker.alive == 2)
            #expect(!isLocked.value)
        }

        @Test func whatAClosureCreatedEndsWhenItRunsAgainAndCreatesNothing() {
            let array: ObservableArray = [1, 2, 3, 4]
            let log = Log()
            let view = array.live.map { number in
                if number < 10 { onCleanup { log(GraphHandle.held == nil ? "end \(number)" : "locked") } }
                return number
            }
            #expect(view.elements == [1, 2, 3, 4])
            array[1] = 20
            array.append(50)
            #expect(view.elements == [1, 20, 3, 4, 50] && log.take() == ["end 2"])
            array[1] = 5
            array[4] = 6
            #expect(view.elements == [1, 5, 3, 4, 6] && log.take() == [])
            array[1] = 30
            array[4] = 40
            #expect(view.elements == [1, 30, 3, 4, 40] && Set(log.take()) == ["end 5", "end 6"])
            inTransaction {
                array.removeAll()
                array += [7, 20]
            }
            #expect(view.elements == [7, 20] && Set(log.take()) == ["end 1", "end 3", "end 4"])
            inTransaction {
                array.removeAll()
                array.append(30)
            }
            #expect(view.elements == [30] && log.take() == ["end 7"])
        }

        @Test func whatATransactionReplacesIsReleasedWhenNothingIsLocked() {
            let array = ObservableArray(0..<4)
            let tokens = array.live.compactMap { tracked($0).token }
            let groups = array.live.grouped { tracked($0) }
            #expect(tokens.count == 4 && groups.count == 4)
            inTransaction {
                array[0] = 10
                array.removeLast()
                #expect(tokens.count == 3 && groups.count == 3)
            }
            #expect(tracker.alive == 6)
            try? inTransaction {
                array[0] = 20
                array.append(30)
                #expect(tokens.count == 4 && groups.count == 4)
                throw Refused.once
            }
            #expect(tracker.alive == 6 && tokens.count == 3 && groups.count == 3)
            #expect(!isLocked.value)
        }

        /// The view's closure has read an observable, whose graph cannot be locked then.
        @Test func aViewMayBeReleasedWhileADifferentGraphIsLocked() {
            let flag = Observable(0)
            let array = ObservableArray(0..<5)
            let view = Shared<LiveArray<Int>?>(array.live.filter(isolation: nil) { $0 > flag.value })
            #expect(view.value?.count == 4)
            IndependentGraph(named: "other").run {
                let computed = Computed(isolation: nil) {
                    view.value = nil
                    return 1
                }
                #expect(computed.value == 1)
            }
            flag.value = 2
            #expect(array.count == 5 && view.value == nil)
        }

        @Test func copiesOfElementsAreReleasedWhenNothingIsLocked() {
            let (array, other) = (ObservableArray([tracked(1), tracked(2)]), ObservableArray([tracked(1)]))
            let (live, index) = (array.live, other.live.indexed { $0.number })
            #expect(live.elements.map(\.number) == [1, 2] && Array(index.elements.keys) == [1])
            array[0] = tracked(3)
            other[0] = tracked(4)
            // The copies of the elements have the old ones.
            #expect(tracker.alive == 5)
            #expect(live.elements.map(\.number) == [3, 2] && tracker.alive == 4)
            #expect(Array(index.elements.keys) == [4] && tracker.alive == 3)
            #expect(!isLocked.value)
        }

        @Test func summandsAreReleasedWhenNothingIsLocked() {
            let array = ObservableArray(1..<9)
            let sum = array.live.sum { tracked($0) }
            #expect(sum.value.number == 36 && tracker.alive == 8)
            array[0] = 2
            array[3] = 40
            #expect(sum.value.number == 73 && tracker.alive == 8)
            array.remove(at: 3)
            #expect(sum.value.number == 33 && tracker.alive == 7)
            inTransaction {
                array.removeAll()
                array += [1, 2]
            }
            #expect(sum.value.number == 3 && tracker.alive == 2)
            #expect(!isLocked.value)
        }
    }
}
