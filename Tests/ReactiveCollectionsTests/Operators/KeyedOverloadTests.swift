// Comparison of results of views by key: the type of the result decides, or a rule.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private final class Cell {}

private final class Label: Equatable {
    let text: String
    init(_ text: String) { self.text = text }
    static func == (a: Label, b: Label) -> Bool { a.text == b.text }
}

extension ReactiveCollectionsTests {
    @Suite struct KeyedOverloadTests {
        /// Returns the number of runs of an observer of the key 1 while its value goes from 1 to 3.
        private func runs<Result>(
            _ view: (LiveDictionary<Int, Int>) -> LiveDictionary<Int, Result>
        ) -> Int {
            let numbers: ObservableDictionary = [1: 1]
            let view = view(numbers.live)
            let reaction = autorun(isolation: nil) { _ = view[1] }
            numbers[1] = 2
            numbers[1] = 3
            reaction.cancel()
            return reaction.runCount
        }

        @Test func resultsAreComparedAsTheirTypeSays() {
            let cell = Cell()
            #expect(runs { $0.mapValues { _ in cell } } == 1)
            #expect(runs { $0.mapValues { _ in Cell() } } == 3)
            #expect(runs { $0.mapValues { _ in Label("same") } } == 1)
            #expect(runs { $0.mapValues { Label("\($0 / 2)") } } == 2)
            #expect(runs { $0.mapValues { _ in Double.nan } } == 1)
            #expect(runs { $0.mapValues { $0 / 2 } } == 2)
            #expect(runs { $0.mapValues { ($0 / 2, 0) } } == 3)
        }

        @Test func nonnilResultsAreComparedAsTheirTypeSays() {
            let cell = Cell()
            #expect(runs { $0.compactMapValues { $0 == 0 ? nil : cell } } == 1)
            #expect(runs { $0.compactMapValues { $0 == 0 ? nil : Label("same") } } == 1)
            #expect(runs { $0.compactMapValues { $0 == 0 ? nil : Double.nan } } == 1)
            #expect(runs { $0.compactMapValues { $0 == 2 ? nil : Double.nan } } == 3)
        }

        @Test func mergedValuesAreComparedByARule() {
            let other: ObservableDictionary = [1: 10]
            #expect(runs { $0.merging(other.live) { $0 / 4 + $1 } } == 1)
            #expect(runs { $0.merging(other.live, equals: .never) { $0 / 4 + $1 } } == 3)
            #expect(runs { $0.merging(other.live, equals: Equality { $0 / 2 == $1 / 2 }) { a, _ in a } } == 2)
        }

        @Test func numbersByIDAreComparedWithNaN() {
            let numbers = Observable([Double.nan, 1])
            let view = numbers.live(id: { $0.isNaN ? 0 : Int($0) })
            let reaction = autorun(isolation: nil) { _ = view.elements }
            numbers.value = [.nan, 1.5]
            #expect(reaction.runCount == 2)
            numbers.value = [.nan, 1.5]
            #expect(reaction.runCount == 2)
            reaction.cancel()
        }

        @Test func capacityIsNoChange() {
            let array: ObservableArray = [1]
            let reaction = autorun(isolation: nil) { _ = array.elements }
            array.reserveCapacity(1_000)
            #expect(array.elements == [1] && reaction.runCount == 1)
            reaction.cancel()
        }
    }
}
