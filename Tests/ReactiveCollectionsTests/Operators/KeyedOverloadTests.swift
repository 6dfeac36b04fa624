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

        /// Returns whether a view takes a result for a different one than the result before.
        private func isChange<Value, Result>(
            _ before: Value, _ after: Value, _ view: (LiveDictionary<Int, [Value]>) -> LiveDictionary<Int, Result>
        ) -> Bool {
            let values = ObservableDictionary([1: [before]], equals: .never)
            let view = view(values.live)
            let reaction = autorun(isolation: nil) { _ = view[1] }
            values[1] = [after]
            reaction.cancel()
            return reaction.runCount == 2
        }

        @Test func equalResultsAreNoChangeAndOthersAre() {
            for number in [1.5, .nan] {
                #expect(!isChange(number, number) { $0.mapValues { $0[0] } })
                #expect(!isChange(number, number) { $0.compactMapValues { $0.first } })
            }
            for (a, b) in [(1.5, 2), (1.5, .nan), (.nan, 1.5)] {
                #expect(isChange(a, b) { $0.mapValues { $0[0] } })
                #expect(isChange(a, b) { $0.compactMapValues { $0.first } })
            }
            let cell = Cell()
            for (other, expected) in [(cell, false), (Cell(), true)] {
                #expect(isChange(cell, other) { $0.mapValues { $0[0] } } == expected)
                #expect(isChange(cell, other) { $0.compactMapValues { $0.first } } == expected)
            }
            for (text, expected) in [("a", false), ("b", true)] {
                #expect(isChange(Label("a"), Label(text)) { $0.mapValues { $0[0] } } == expected)
                #expect(isChange(Label("a"), Label(text)) { $0.compactMapValues { $0.first } } == expected)
                #expect(isChange("a", text) { $0.mapValues { $0[0] } } == expected)
                #expect(isChange("a", text) { $0.compactMapValues { $0.first } } == expected)
            }
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
