// Scopes that run several times in one pass: alone, and then inside the bodies that take in a new output.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct RepeatedRunTests {
        let log = Log()

        private func useLogged(_ name: String, _ strategy: HookUpdateStrategy? = nil) {
            useEffect(strategy) {
                log(name)
                return { log("undo \(name)") }
            }
        }

        @Test func aScopeThatThrewAndRunsAgainRunsItsEffectInTheOrderOfTheLastRun() {
            struct Outdated: Error {}
            let source = Observable(0)
            let renderer = HookRenderer {
                let first = HookScope(id: "first") { source.value }
                HookScope {
                    useEffect {
                        log("between"); return nil
                    }
                }
                try? HookScope(id: "last") {
                    let seen = source.value
                    HookScope {
                        useEffect(.preserved(by: seen)) {
                            log("last \(seen)"); return nil
                        }
                    }
                    // The first run has the old output.
                    if seen != first { throw Outdated() }
                }
            }
            #expect(log.take() == ["between", "last 0"])
            source.value = 1
            #expect(log.take() == ["between", "last 1"])
            renderer.unmount()
        }

        @Test func anEffectThatIsDueInTheSecondRunOnlyRunsInTheOrderOfThatRun() {
            let source = Observable(0)
            let renderer = HookRenderer {
                let first = HookScope(id: "first") { source.value }
                HookScope {
                    useEffect {
                        log("between"); return nil
                    }
                }
                HookScope(id: "last") {
                    _ = source.value
                    useEffect(.preserved(by: first)) {
                        log("last \(first)"); return nil
                    }
                }
            }
            _ = log.take()
            source.value = 1
            #expect(log.take() == ["between", "last 1"])
            renderer.unmount()
        }

        @Test func anEffectThatIsDueInTheFirstRunOnlyStays() {
            let source = Observable(0)
            let renderer = HookRenderer {
                let first = HookScope(id: "first") { source.value }
                HookScope(id: "last") {
                    // Different in the first run, which has the old output.
                    let difference = source.value - first
                    useLogged("difference \(difference)", .preserved(by: difference))
                }
            }
            _ = log.take()
            source.value = 1
            #expect(log.take().isEmpty)
            renderer.unmount()
            #expect(log.take() == ["undo difference 0"])
        }

        @Test func anEffectThatIsDueInTheFirstAndTheThirdRunRunsOnce() {
            let source = Observable(0)
            let renderer = HookRenderer {
                let outer = HookScope(id: "outer") { source.value }
                return HookScope(id: "list") {
                    let inner = HookScope(id: "inner") { source.value }
                    HookScope(id: "last") {
                        // The first run has two old outputs, the second one has one.
                        let key = source.value == inner ? outer : -1
                        log("run \(key)")
                        useLogged("effect \(key)", .preserved(by: key))
                    }
                    return inner
                }
            }
            _ = log.take()
            source.value = 1
            #expect(log.take() == ["run -1", "run 0", "run 1", "undo effect 0", "effect 1"])
            renderer.unmount()
        }

        @Test func theEffectOfAScopeThatIsRemovedAfterItsRunDoesNotRun() {
            let source = Observable(0)
            let renderer = HookRenderer {
                let isOpen = HookScope(id: "switch") { source.value == 0 }
                if isOpen {
                    HookScope(id: "details") {
                        let seen = source.value
                        log("run \(seen)")
                        useLogged("effect \(seen)", .preserved(by: seen))
                    }
                }
            }
            #expect(log.take() == ["run 0", "effect 0"])
            source.value = 1
            #expect(log.take() == ["run 1", "undo effect 0"])
            renderer.unmount()
            #expect(log.take().isEmpty)
        }

        @Test func theOutputsOfAllRunsAreReleasedOutsideTheLock() {
            let tracker = LifetimeTracker()
            let source = Observable(0)
            var wereFree: [Bool] = []
            func token() -> LifetimeTracker.Token { tracker.token { wereFree.append(GraphHandle.held == nil) } }
            let renderer = HookRenderer {
                let first = HookScope(id: "first") { source.value }
                HookScope(id: "last") {
                    _ = (source.value, first)
                    return token()
                }
            }
            for value in 1...3 {
                source.value = value
                #expect(tracker.created == 1 + 2 * value)
                #expect(tracker.alive == 1)
            }
            renderer.unmount()
            #expect(tracker.alive == 0)
            #expect(wereFree.count == 7 && wereFree.allSatisfy { $0 })
        }

        @Test func theOutputOfADifferentTypeIsReleasedOutsideTheLock() {
            let tracker = LifetimeTracker()
            let isText = Observable(false)
            var wereFree: [Bool] = []
            let renderer = HookRenderer {
                if isText.value {
                    HookScope(id: 1) { "text" }
                } else {
                    HookScope(id: 1) { tracker.token { wereFree.append(GraphHandle.held == nil) } }
                }
            }
            isText.value = true
            #expect(wereFree == [true])
            renderer.unmount()
        }

        @Test func twoNewOutputsRunTheEnclosingBodyOnce() {
            let sources = (0..<3).map { _ in Observable(0) }
            let renderer = HookRenderer {
                log("page")
                let rows = HookScope(id: "list") {
                    log("list")
                    return sources.indices.map { row in HookScope(id: row) { sources[row].value } }
                }
                return rows
            }
            _ = log.take()
            inTransaction { for source in sources { source.value = 1 } }
            #expect(log.take() == ["list", "page"])
            inTransaction { for source in sources { source.value = 2 } }
            #expect(log.take() == ["list", "page"])
            #expect(renderer.output == [2, 2, 2])
            renderer.unmount()
        }

        @Test func onlyScopesAfterANewOutputAndAtOtherSitesRunAgain() {
            let (a, b, c) = (Observable(0), Observable(0), Observable(0))
            let rows = (0..<3).map { _ in Observable(0) }
            let renderer = HookRenderer {
                log("page")
                func read(_ name: String, _ source: Observable<Int>) -> Int {
                    log(name)
                    return source.value
                }
                var outputs = [HookScope(id: "a") { read("a", a) }]
                outputs.append(HookScope(id: "b") { read("b", b) })
                outputs.append(HookScope(id: "c") { read("c", c) })
                return outputs + rows.indices.map { row in HookScope(id: row) { read("row \(row)", rows[row]) } }
            }
            _ = log.take()
            a.value = 1
            #expect(log.take() == ["a", "page", "b", "c", "row 0", "row 1", "row 2"])
            b.value = 1
            #expect(log.take() == ["b", "page", "c", "row 0", "row 1", "row 2"])
            rows[0].value = 1
            #expect(log.take() == ["row 0", "page"])
            #expect(renderer.output == [1, 1, 0, 1, 0, 0])
            renderer.unmount()
        }

        @Test func aScopeThatUsesAnOutputByWayOfADifferentSiteIsNotStale() {
            let source = Observable(0)
            let renderer = HookRenderer {
                func scope(_ id: Int, _ body: @escaping () -> Int) -> Int { HookScope(id: id, body) }
                let first = scope(1) { source.value }
                let middle = HookScope(id: 2) { 10 * first }
                return scope(3) { middle + 1 }
            }
            source.value = 1
            #expect(renderer.output == 11)
            source.value = 2
            #expect(renderer.output == 21)
            renderer.unmount()
        }

        @Test func aScopeThatTheOneAroundItRemovesRunsNoMore() {
            let shared = Observable(0)
            let isOpen = Observable(true)
            let renderer = HookRenderer {
                log("page")
                HookScope(id: "outer") {
                    log("outer")
                    if isOpen.value { HookScope(id: "inner") { log("inner \(shared.value)") } }
                }
            }
            #expect(log.take() == ["page", "outer", "inner 0"])
            inTransaction {
                shared.value = 1
                isOpen.value = false
            }
            #expect(log.take() == ["outer"])
            renderer.unmount()
        }

        @Test func twoScopesInsideScopesWithoutAnIdRunInTheOrderOfTheTree() {
            let shared = Observable(0)
            let areEnabled = [Observable(false), Observable(false)]
            let renderer = HookRenderer {
                for row in 0..<2 {
                    HookScope {
                        HookScope(id: row) {
                            if areEnabled[row].value { log("\(row): \(shared.value)") }
                        }
                    }
                }
            }
            // The second one subscribes first.
            areEnabled[1].value = true
            areEnabled[0].value = true
            #expect(log.take() == ["1: 0", "0: 0"])
            shared.value = 1
            #expect(log.take() == ["0: 1", "1: 1"])
            renderer.unmount()
        }

        // MARK: - Reactions in bodies

        @Test func theReactionsOfABodyAndOfTheScopesInsideEndBeforeItsNextRun() {
            let source = Observable(0)
            let trigger = Observable(0)
            let renderer = HookRenderer {
                _ = trigger.value
                autorun { log("page \(source.value)") }
                onCleanup { log("end page") }
                HookScope {
                    HookScope(id: 1) {
                        autorun { log("row \(source.value)") }
                        onCleanup { log("end row") }
                    }
                }
            }
            #expect(log.take() == ["page 0", "row 0"])
            trigger.value = 1
            #expect(log.take() == ["end page", "end row", "page 0", "row 0"])
            source.value = 1
            #expect(log.take() == ["page 1", "row 1"])
            renderer.unmount()
            #expect(Set(log.take()) == ["end page", "end row"])
        }

        @Test func theReactionsOfABodyThatTakesInAnOutputEndOnce() {
            let source = Observable(0)
            let number = Observable(0)
            let renderer = HookRenderer {
                let output = HookScope(id: 1) { number.value }
                autorun { log("page \(output) \(source.value)") }
                onCleanup { log("end \(output)") }
                return output
            }
            number.value = 1
            #expect(log.take() == ["page 0 0", "page 1 0", "end 0"])
            source.value = 1
            #expect(log.take() == ["page 1 1"])
            number.value = 2
            #expect(log.take() == ["page 2 1", "end 1"])
            renderer.unmount()
            #expect(log.take() == ["end 2"])
            source.value = 2
            #expect(log.take().isEmpty)
        }

        @Test func theReactionsOfARemovedScopeEndOnce() {
            let isOpen = Observable(true)
            let renderer = HookRenderer {
                if isOpen.value { HookScope(id: 1) { onCleanup { log("end") } } }
            }
            isOpen.value = false
            #expect(log.take() == ["end"])
            renderer.render()
            #expect(log.take().isEmpty)
            renderer.unmount()
        }
    }
}
