// Calls of dictionaries and sets that the oracles do not use.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct KeyedMutationTests {
        /// Returns the number of runs of a reaction during `body`.
        private func runs(of tracked: @escaping () -> Void, during body: () -> Void) -> Int {
            let reaction = autorun(tracked)
            body()
            reaction.cancel()
            return reaction.runCount - 1
        }

        // MARK: - Dictionaries

        @Test func positionsDependOnTheKeys() {
            let d = ObservableDictionary(uniqueKeysWithValues: [("a", 1), ("b", 2)])
            let (first, second) = (d.startIndex, d.index(after: d.startIndex))
            #expect(runs(of: { _ = d.index(forKey: "c") }) { d["c"] = 3 } == 1)
            #expect(runs(of: { _ = d.index(forKey: "c") }) { d["c"] = 4 } == 0)
            #expect(runs(of: { _ = d.index(after: first) }) { d["d"] = 5 } == 1)
            #expect(runs(of: { _ = d.index(after: first) }) { d["d"] = 6 } == 0)
            #expect(runs(of: { _ = d[second] }) { d["b"] = 7 } == 1)
            #expect(d[second].value == 7)
        }

        @Test func positionsOfASetDependOnItsElements() {
            let set: ObservableSet = [1, 2]
            let first = set.startIndex
            #expect(runs(of: { _ = set.firstIndex(of: 3) }) { set.insert(3) } == 1)
            #expect(runs(of: { _ = set.index(after: first) }) { set.insert(4) } == 1)
            #expect(runs(of: { _ = set[first] }) { set.insert(5) } == 1)
            #expect(GraphHandle.held == nil)
        }

        @Test func dictionariesDiffer() {
            let d: ObservableDictionary = ["a": 1]
            #expect(d != ["b": 1] as ObservableDictionary && d != ["a": 2] as ObservableDictionary)
            #expect(!(d != ["a": 1] as ObservableDictionary))
        }

        @Test func reservingCapacityChangesNothing() {
            let (d, set) = (ObservableDictionary(["a": 1]), ObservableSet([1]))
            let count = runs(of: { _ = (d.elements, d.count, set.elements) }) {
                d.reserveCapacity(100)
                set.reserveCapacity(100)
            }
            #expect(count == 0 && d.elements == ["a": 1] && set.elements == [1])
            #expect(GraphHandle.held == nil)
        }

        @Test func collectionsOfALockedOutGraphPrintTheirNames() {
            let graph = IndependentGraph(named: "other")
            let (d, set) = graph.run {
                (ObservableDictionary(["a": 1], named: "ages"), ObservableSet([1], named: "numbers"))
            }
            inTransaction {
                #expect("\(d)" == "ages of graph other" && "\(set)" == "numbers of graph other")
                #expect(Mirror(reflecting: d).children.map { "\($0.value)" } == ["ages of graph other"])
                #expect(Mirror(reflecting: set).children.map { "\($0.value)" } == ["numbers of graph other"])
            }
            #expect(Mirror(reflecting: set).children.map { "\($0.value)" } == ["1"])
        }

        // MARK: - Sets

        @Test func theFirstOfEqualElementsCounts() {
            let set = ObservableSet([Named(1, "a"), Named(1, "b"), Named(2, "c")])
            #expect(set.count == 2 && set.map(\.name).sorted() == ["a", "c"])
            #expect(!set.snapshot.isEmpty && ObservableSet<Int>().snapshot.isEmpty)
        }

        @Test func aSetRestoresReplacedElements() {
            let set: ObservableSet = [Named(1, "a")]
            #expect(throws: Refused.once) {
                try inTransaction {
                    set.update(with: Named(1, "b"))
                    #expect(set.first?.name == "b")
                    throw Refused.once
                }
            }
            #expect(set.first?.name == "a")
        }

        @Test func replacingAnElementByAnEqualOneCostsViewsNothing() {
            let set: ObservableSet = [Named(1, "a")]
            var evaluated: [String] = []
            let names = set.live.filter {
                evaluated.append($0.name)
                return true
            }
            let reaction = autorun { _ = names.count }
            defer { reaction.cancel() }
            set.update(with: Named(1, "b"))
            set.insert(Named(2, "c"))
            #expect(evaluated == ["a", "c"])
        }

        @Test func recordersFindReplacedElements() throws {
            let set: ObservableSet = [Named(1, "a"), Named(2, "b")]
            let before = set.value
            set.update(with: Named(1, "c"))
            let difference = try #require(set.value.difference(from: before))
            #expect(difference.removed == difference.inserted && difference.removed.count == 1)
        }

        // MARK: - Misuse

        #if DEBUG
        @Test func eachMutationInAComputedIsReported() {
            func expect(_ location: SourceLocation = #_sourceLocation, _ body: @escaping () -> Void) {
                let found = issues {
                    let computed = Computed {
                        body()
                        return 0
                    }
                    _ = computed.value
                }
                #expect(found.map(\.kind) == [.writeInComputed], sourceLocation: location)
            }
            func dictionary() -> ObservableDictionary<Int, Int> { [1: 1] }
            func set() -> ObservableSet<Int> { [1] }
            let (d, s) = ((0..<2).map { _ in dictionary() }, (0..<6).map { _ in set() })
            expect { d[0].reserveCapacity(9) }
            expect { d[1].merge([2: 2]) { $1 } }
            expect { s[0].insert(2) }
            expect { s[1].update(with: 1) }
            expect { s[2].reserveCapacity(9) }
            expect { s[3].formUnion([2]) }
            expect { s[4].subtract([1]) }
            expect { s[5].formSymmetricDifference([2]) }
        }
        #endif

        @Test func anIndexWhoseEntryIsGoneHasNoSuccessor() async {
            var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: 1], named: "stock")
                let index = d.startIndex
                d[1] = nil
                _ = d.index(after: index)
            }
            expectMessage(result, "an index of stock is out of bounds")
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let set = ObservableSet([1], named: "stock")
                let index = set.startIndex
                set.remove(1)
                _ = set.index(after: index)
            }
            expectMessage(result, "an index of stock is out of bounds")
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let set = ObservableSet([1], named: "stock")
                let index = set.startIndex
                set.remove(1)
                _ = set[index]
            }
            expectMessage(result, "an index of stock is out of bounds")
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let set: ObservableSet = [1]
                let index = set.startIndex
                set.remove(1)
                _ = set.snapshot[index]
            }
            expectMessage(result, "the snapshot has no entry at the index")
        }
    }
}
