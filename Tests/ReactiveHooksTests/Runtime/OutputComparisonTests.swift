// The bodies around a scope run again if its output differs from the previous one.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct OutputComparisonTests {
        /// Returns whether a scope that returns `after` instead of `before` runs the body around it.
        private func differ<Output>(_ before: Output, _ after: Output) -> Bool {
            areNew([before, after]) == [true]
        }

        /// Returns for each output of a scope, except the first, whether it runs the body around the scope.
        private func areNew<Output>(_ outputs: [Output]) -> [Bool] {
            let index = Observable(0)
            var pages = 0
            let renderer = HookRenderer {
                pages += 1
                HookScope(id: 1) { outputs[index.value] }
            }
            let results = outputs.indices.dropFirst().map { next in
                let before = pages
                index.value = next
                return pages > before
            }
            renderer.unmount()
            return results
        }

        private struct Opaque {
            var number: Int
        }

        @Test func valuesThatCanBeComparedAreNewIfTheyDiffer() {
            func longText(_ end: String) -> String { String(repeating: "text ", count: 10) + end }
            #expect(!differ([1, 2], Array(1...2)))
            #expect(differ([1, 2], [1, 3]))
            #expect(!differ(longText("a"), longText("a")))
            #expect(differ(longText("a"), longText("b")))
        }

        @Test func valuesThatCannotBeComparedAreNewIfTheirBitsDiffer() {
            #expect(!differ(Opaque(number: 1), Opaque(number: 1)))
            #expect(differ(Opaque(number: 1), Opaque(number: 2)))
        }

        @Test func valuesWithoutBitsAreNeverNew() {
            struct Nothing {}
            #expect(!differ((), ()))
            #expect(!differ(Nothing(), Nothing()))
        }

        @Test func tuplesAreNewIfAnElementIs() {
            #expect(!differ((1, Array("ab")), (1, Array("ab"))))
            #expect(differ((1, Array("ab")), (1, Array("ac"))))
            #expect(!differ((Opaque(number: 1), Array("ab")), (Opaque(number: 1), Array("ab"))))
            #expect(differ((Opaque(number: 1), Array("ab")), (Opaque(number: 2), Array("ab"))))
        }

        @Test func elementsOfDifferentTypesAreNew() {
            let before: (Any, Int) = (1, 2)
            #expect(differ(before, ("1", 2)))
            #expect(differ(before, (1.0, 2)))
        }

        @Test func aValueOfAnyTypeIsNewIfItIsOrWasATuple() {
            let outputs: [Any] = [(1, 2), 5, 6, (1, 2), (1, 2, 3), (1, 2)]
            #expect(areNew(outputs) == [true, true, true, true, true])
        }
    }
}
