// A tree that is rendered once keeps less state and gives the same output.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct RenderOnceTests {
        let log = Log()

        private struct LifeHook: Hook {
            let name: String
            let isDeferred: Bool
            let log: Log
            var updateStrategy: HookUpdateStrategy? { .once }
            var shouldDeferredUpdate: Bool { isDeferred }

            func makeState() -> String {
                log("make \(name)")
                return name
            }
            func updateState(coordinator: Coordinator) { log("update \(name)") }
            func value(coordinator: Coordinator) -> Coordinator { coordinator }
            func dispose(state: String) { log("dispose \(state)") }
        }

        @Test func hooksAreCreatedUpdatedAndDisposedOfInReverseOrder() {
            _ = renderToString {
                _ = useHook(LifeHook(name: "a", isDeferred: false, log: log))
                HookScope { _ = useHook(LifeHook(name: "b", isDeferred: true, log: log)) }
                HookScope(id: 1) { _ = useHook(LifeHook(name: "c", isDeferred: false, log: log)) }
                return "page"
            }
            #expect(
                log.take() == [
                    "make a", "update a", "make b", "make c", "update c", "dispose c", "dispose b", "dispose a",
                ])
        }

        @Test func stateThatIsSetInTheRenderIsLiveAndLaterWritesAreIgnored() {
            var states: [Binding<Int>] = []
            let page = renderToString {
                for number in 0..<3 {
                    HookScope {
                        let state = useState(number)
                        state.wrappedValue += 10
                        states.append(state)
                    }
                }
                return "\(states.map(\.wrappedValue))"
            }
            #expect(page == "[10, 11, 12]")
            states[1].wrappedValue = 5
            #expect(states.map(\.wrappedValue) == [10, 11, 12])
        }

        @Test func stateThatABodyKeepsIsNotReused() {
            var kept: [Binding<Int>] = []
            let readers = (0..<2).map { _ in Observable(0) }
            var computeds: [Computed<Int>] = []
            let page = renderToString {
                let texts = (0..<12).map { row in
                    HookScope {
                        let (number, text) = (useState(row), useState("\(row)"))
                        if row % 3 == 0 { kept.append(number) }
                        if row % 4 == 1 {
                            number.wrappedValue += 100
                            text.wrappedValue += "!"
                        }
                        if row % 6 == 2 {
                            computeds.append(Computed { readers[0].value + number.wrappedValue })
                            return "\(computeds.last?.value ?? -1)"
                        }
                        return "\(number.wrappedValue)\(text.wrappedValue)"
                    }
                }
                return "\(texts.joined(separator: " "))"
            }
            #expect(page == "00 1011! 2 33 44 1055! 66 77 8 1099! 1010 1111")
            #expect(kept.map(\.wrappedValue) == [0, 3, 6, 109])
            readers[0].value = 1
            #expect(computeds.map(\.value) == [3, 9])
        }

        @Test func scopesOfKindsThatAlternateAreCountedByKind() {
            func ids() -> [String] {
                (0..<3).flatMap { _ in
                    [
                        HookScope { useId() }, HookScope { useId() },
                        withEnvironment(\.idPrefix, "q") { useId() },
                        Context<Int>.provide(1) { useId() + (HookScope { useId() }) },
                        HookScope { HookScope { useId() } + HookScope { useId() } },
                    ]
                }
            }
            var onServer: [String] = []
            _ = renderToString {
                onServer = ids()
                return ""
            }
            let renderer = HookRenderer { ids() }
            #expect(renderer.output == onServer)
            #expect(Set(onServer).count == onServer.count)
            renderer.unmount()
        }

        @Test func aScopeHasTheEnvironmentOfItsEnclosingScope() {
            let page = renderToString {
                let inside = withEnvironment(\.idPrefix, "q") { HookScope { useEnvironment(\.idPrefix) } }
                let after = HookScope { HookScope { useEnvironment(\.idPrefix) } }
                return "\(inside) \(after == useEnvironment(\.idPrefix))"
            }
            #expect(page == "q true")
        }

        @Test func updateViewDoesNothing() {
            var coordinator: HookCoordinator<LifeHook>?
            var renders = 0
            _ = renderToString {
                renders += 1
                coordinator = useHook(LifeHook(name: "a", isDeferred: false, log: log))
                coordinator?.updateView()
                return "page"
            }
            coordinator?.updateView()
            #expect(renders == 1)
        }

        /// A hook that calls `updateView` at its end, and logs how many changes that causes.
        private struct LateHook: Hook {
            final class State {
                var coordinator: Coordinator?
            }

            let log: Log
            var updateStrategy: HookUpdateStrategy? { .once }

            func makeState() -> State { State() }
            func updateState(coordinator: Coordinator) { coordinator.state.coordinator = coordinator }
            func value(coordinator: Coordinator) {}
            func dispose(state: State) {
                let before = Diagnostics.graph().changes
                state.coordinator?.updateView()
                state.coordinator = nil
                log("\(Diagnostics.graph().changes - before) changes")
            }
        }

        @Test func updateViewAtTheEndDoesNothing() {
            _ = renderToString {
                useHook(LateHook(log: log))
                return "page"
            }
            #expect(log.take() == ["0 changes"])
        }

        @Test func idsAreThoseOfARenderer() {
            struct Part: HookView {
                var hookBody: [String] {
                    useEffect { nil }
                    return [useId(), HookScope { useId() }, HookScope(id: "x") { useId() }]
                }
            }
            func ids() -> [String] {
                let first = [useId()] + Part().body
                let rows = [3, 1, 3].flatMap { row in HookScope(id: row) { HookScope { [useId()] } + Part().body } }
                let provided = Context<Int>.provide(1) { withEnvironment(\.idPrefix, "q") { [useId()] } }
                return first + rows + Part().body + provided + HookScope { [useId()] }
            }
            var onServer: [String] = []
            _ = issues {
                _ = renderToString {
                    onServer = ids()
                    return ""
                }
                let renderer = HookRenderer { ids() }
                #expect(renderer.output == onServer)
                #expect(renderer.render() == onServer)
                renderer.unmount()
            }
            #expect(Set(onServer).count == onServer.count)
        }

        @Test func contextsAndEnvironmentsReachTheScopesInsideOnly() {
            typealias Name = Context<String>
            let page = renderToString {
                let names = ["a", "b"].map { name in
                    Name.provide(name) {
                        HookScope { useContext(Name.self) + Name.provide("c") { useContext(Name.self) } }
                    }
                }
                return "\(names.joined(separator: ",")),\(HookScope { useContextIfPresent(Name.self) ?? "-" })"
            }
            #expect(page == "ac,bc,-")
        }

        @Test func aThrowingBodyLeavesTheEnclosingScopesUnchanged() {
            struct Failed: Error {}
            let page = renderToString {
                let results = (0..<3).map { number in
                    do {
                        return try HookScope {
                            let state = useState(number)
                            if number == 1 { throw Failed() }
                            return "\(state.wrappedValue)"
                        }
                    } catch {
                        return "failed"
                    }
                }
                return "\(results.joined(separator: " ")) \(useState("end").wrappedValue)"
            }
            #expect(page == "0 failed 2 end")
        }

        @Test func reactionsCreatedInABodyEndWithTheRender() {
            let source = Observable(0)
            _ = renderToString {
                HookScope { autorun { log("\(source.value)") } }
                onCleanup { log("end") }
                return "page"
            }
            #expect(log.take() == ["0", "end"])
            source.value = 1
            #expect(log.take().isEmpty)
        }

        @Test func aRenderLeavesNothingBehind() {
            let tracker = LifetimeTracker()
            let source = Observable(0)
            _ = renderToString {
                for row in 0..<4 {
                    HookScope { _ = (useState(tracker.token()), source.value) }
                    HookScope(id: row) { _ = useRef(tracker.token()) }
                }
                return "page"
            }
            #expect((tracker.created, tracker.alive) == (8, 0))
        }
    }
}
