// What an unmounted renderer leaves, and turns around the end.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct UnmountTests {
        let log = Log()

        /// An observable that logs when it is observed, and when it no longer is.
        private func watched(_ name: String) -> Observable<Int> {
            Observable(
                0, onObserved: { [log] in log("observed \(name)") }, onUnobserved: { [log] in log("free \(name)") })
        }

        @Test func anUnmountedRendererObservesNothing() {
            let (page, row) = (watched("page"), watched("row"))
            let renderer = HookRenderer {
                _ = page.value
                HookScope(id: 1) { _ = row.value }
            }
            #expect(Set(log.take()) == ["observed page", "observed row"])
            renderer.unmount()
            #expect(Set(log.take()) == ["free page", "free row"])
            page.value = 1
            #expect(!renderer.needsRender)
        }

        @Test func aTreeThatIsReleasedObservesNothing() {
            let (page, row) = (watched("page"), watched("row"))
            var tree: HookTree? = HookTree(named: "page")
            #expect(tree?.begin() == true)
            tree?.render(isForced: true, in: { EnvironmentValues() }) {
                _ = page.value
                HookScope(id: 1) { _ = row.value }
            }
            #expect(tree?.end() == .rest)
            #expect(Set(log.take()) == ["observed page", "observed row"])
            tree = nil
            #expect(Set(log.take()) == ["free page", "free row"])
        }

        @Test func aRenderOnAServerObservesNothing() {
            let (page, row) = (watched("page"), watched("row"))
            let text = renderToString { "\(page.value) \(HookScope(id: 1) { row.value })" }
            #expect(text == "0 0")
            #expect(log.take().isEmpty)
        }

        @Test func aScopeOfARendererThatWasUnmountedRendersAloneAgain() {
            let count = Observable(0)
            let renderer = HookRenderer {
                log("page")
                HookScope(id: 1) { log("row \(count.value)") }
            }
            renderer.unmount()
            renderer.render()
            _ = log.take()
            count.value = 1
            #expect(log.take() == ["row 1"])
            renderer.unmount()
        }

        @Test(.alone) func aRendererThatWasUnmountedMayCallOtherHooks() {
            var isLong = false
            let renderer = HookRenderer { [useState(1)] + (isLong ? [useState(2)] : []) }
            renderer.unmount()
            isLong = true
            #expect(violations { renderer.render() }.isEmpty)
            renderer.unmount()
        }

        @Test func unmountingARendererThatHasRenderedNothingDoesNothing() {
            var isFirst = true
            let renderer = HookRenderer(scheduler: .manual) { log("render") }
            renderer.onRender = { _ in
                log("shown")
                // In the turn, so that it does not render.
                if isFirst {
                    isFirst = false
                    renderer.render()
                }
                log("end")
            }
            inTransaction {
                renderer.unmount()
                renderer.render()
            }
            #expect(log.take() == ["render", "shown", "end"])
            renderer.unmount()
        }

        @Test func aTreeThatIsUnmountedBeforeItsFirstPassEndsAfterIt() {
            let tree = HookTree(named: "page")
            #expect(tree.begin())
            tree.unmount()
            tree.render(isForced: true, in: { EnvironmentValues() }) { onCleanup { log("end") } }
            #expect(tree.isMounted)
            #expect(tree.end() == .rest)
            #expect(log.take() == ["end"])
            #expect(!tree.isMounted)
        }

        @Test func aCleanUpThatRendersOrUnmountsDoesNothing() {
            var renderer: HookRenderer<Void>?
            renderer = HookRenderer {
                log("render")
                useEffect(.once) {
                    {
                        renderer?.unmount()
                        renderer?.render()
                        log("end")
                    }
                }
            }
            renderer?.unmount()
            #expect(log.take() == ["render", "end"])
            renderer?.unmount()
            #expect(log.take().isEmpty)
        }

        @Test func aRendererThatIsUnmountedBeforeItsChangeIsReportedSchedulesNothing() {
            let tracker = LifetimeTracker()
            var renderer: HookRenderer<Void>?
            let source = Observable(tracker.token { renderer?.unmount() }, equals: .never)
            renderer = HookRenderer(scheduler: .custom { _ in log("scheduled") }) { _ = source.value }
            inTransaction {
                // The old value is released after the transaction, before the report.
                source.value = tracker.token()
            }
            #expect(log.take().isEmpty)
            #expect(renderer != nil)
        }

        @Test func removedScopesReleaseTheirOutputsInAnyOrder() {
            let tracker = LifetimeTracker()
            let ids = Observable<[Int]>([])
            let renderer = HookRenderer {
                for id in ids.value { HookScope(id: id) { tracker.token() } }
            }
            var random = SplitMix64(seed: 0)
            for _ in 0..<100 {
                ids.value = (0..<8).filter { _ in random.below(2) == 0 }
                #expect(tracker.alive == ids.value.count)
            }
            renderer.unmount()
            #expect(tracker.alive == 0)
        }

        @Test func theOutputOfARemovedScopeIsReleasedAlthoughWhatItReadHasChanged() {
            let tracker = LifetimeTracker()
            let isOpen = Observable(true)
            let (first, second) = (Observable(0), Observable(0))
            let renderer = HookRenderer(scheduler: .manual) {
                _ = first.value
                if isOpen.value {
                    HookScope(id: 1) {
                        _ = second.value
                        return tracker.token()
                    }
                } else {
                    first.value += 1
                    second.value += 1
                }
            }
            renderer.render()
            #expect(tracker.alive == 1)
            isOpen.value = false
            renderer.render()
            #expect(tracker.alive == 0)
            renderer.unmount()
        }

        @Test func picturesOfTheGraphShowWhatBodiesAndScopesHaveRead() throws {
            let page = Observable(0, named: "source of the page")
            let rows = (0..<3).map { Observable(0, named: "source of row \($0)") }
            let shown = Observable([0, 1, 2])
            let renderer = HookRenderer(named: "page") {
                _ = page.value
                for row in shown.value { HookScope(id: row) { _ = rows[row].value } }
            }
            func sources() throws -> Set<String> {
                let graph = Diagnostics.graph()
                let node = try #require(graph.nodes.first { $0.kind == .reaction && $0.name == "page" })
                let ids = Set(graph.edges.filter { $0.observer == node.id }.map(\.source))
                return Set(graph.nodes.filter { ids.contains($0.id) && $0.name.hasPrefix("source") }.map(\.name))
            }
            #expect(try sources() == ["source of the page", "source of row 0", "source of row 1", "source of row 2"])
            shown.value = [1, 2]
            #expect(try sources() == ["source of the page", "source of row 1", "source of row 2"])
            shown.value = [1]
            #expect(try sources() == ["source of the page", "source of row 1"])
            renderer.unmount()
        }
    }
}
