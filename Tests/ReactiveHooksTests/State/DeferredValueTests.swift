// useDeferredValue and useId.

import ReactiveHooks
import Testing

extension HooksTests {
    @Suite struct UseDeferredValueTests {
        @Test func aNewValueIsRenderedOnceLate() {
            let tester = HookTester("a") { query in (query, useDeferredValue(query)) }
            tester.update(with: "b")
            tester.update()
            #expect(tester.valueHistory.map { "\($0.0)\($0.1)" } == ["aa", "ba", "bb", "bb"])
            tester.dispose()
        }

        @Test func theFirstRenderMayGetADifferentValue() {
            let tester = HookTester { useDeferredValue(1, initialValue: 0) }
            #expect(tester.valueHistory == [0, 1])
            tester.dispose()
        }

        @Test func intermediateValuesAreSkipped() {
            let query = Observable(1)
            let renderer = HookRenderer(scheduler: .manual) { useDeferredValue(query.value) }
            renderer.render()
            renderer.runEffects()
            query.value = 2
            #expect(renderer.render() == 1)
            query.value = 3
            // The effects of the last render run first, and this one defers again.
            #expect(renderer.render() == 2)
            renderer.runEffects()
            #expect(renderer.render() == 3)
            renderer.unmount()
        }
    }

    @Suite struct UseIdTests {
        private func page(_ rows: [String]) -> [String] {
            [useId(), useId(), HookScope { useId() }, HookScope { useId() }]
                + rows.map { row in HookScope(id: row) { HookScope { useId() } } }
        }

        @Test func idsAreUniqueInATreeAndTheSameInEachRenderOfEachTree() {
            let tester = HookTester(["a", "b c"]) { page($0) }
            tester.update()
            let again = HookTester(["a", "b c"]) { page($0) }
            #expect(Set(tester.value).count == 6)
            #expect(tester.valueHistory[0] == tester.valueHistory[1])
            #expect(again.value == tester.value)
            #expect(tester.value == ["r-h1", "r-h2", "r-0-h1", "r-1-h1", "r-sa-0-h1", "r-sb_20_c-0-h1"])
            tester.dispose()
            again.dispose()
        }

        @Test func aScopeThatMovesKeepsItsId() {
            let tester = HookTester(["a", "b"]) { page($0) }
            let before = tester.value
            tester.update(with: ["b", "a"])
            #expect(tester.value == Array(before[..<4]) + [before[5], before[4]])
            tester.dispose()
        }

        @Test func idsOfDifferentTypesDiffer() {
            let tester = HookTester {
                [HookScope(id: 1) { useId() }, HookScope(id: "1") { useId() }, HookScope(id: 1.0) { useId() }]
            }
            #expect(Set(tester.value).count == 3)
            tester.dispose()
        }

        @Test func thePrefixDistinguishesTwoTreesOfOnePage() {
            let tester = HookTester {
                useId()
            } environment: {
                $0.idPrefix = "side"
            }
            #expect(tester.value == "side-h1")
            tester.dispose()
        }

        @Test func aServerRendersTheSameIds() {
            let body = { HTML(text: page(["a"]).joined(separator: " ")) }
            let renderer = HookRenderer { body() }
            #expect(renderToString(body) == renderer.output.markup)
            renderer.unmount()
        }
    }
}
