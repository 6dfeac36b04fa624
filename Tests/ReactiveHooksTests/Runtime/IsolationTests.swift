// Renderers that belong to an actor.

import Foundation
import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite(.inDefaultGraph) struct IsolationTests {
        @MainActor private static func makeRenderer(_ log: Log) -> Unchecked<RefObject<HookRenderer<Void>?>> {
            let renderer = HookRenderer {
                useEffect(.once) {
                    {
                        MainActor.assertIsolated()
                        log("effect's end")
                    }
                }
                HookScope(id: 1) {
                    useLayoutEffect(.once) {
                        {
                            MainActor.assertIsolated()
                            log("inner end")
                        }
                    }
                }
                onCleanup {
                    MainActor.assertIsolated()
                    log("clean-up")
                }
            }
            return Unchecked(RefObject(renderer))
        }

        @MainActor @Test func cleanUpsRunOnTheMainActorWhereverTheRendererIsReleased() async {
            let log = Log()
            let box = Self.makeRenderer(log)
            await Task.detached { box.value.current = nil }.value
            var entries: [String] = []
            await eventually {
                entries += log.take()
                return entries.count == 3
            }
            #expect(entries == ["inner end", "effect's end", "clean-up"])
        }

        @MainActor @Test func unmountOnAnotherThreadHops() async {
            let log = Log()
            let box = Self.makeRenderer(log)
            await Task.detached { box.value.current?.unmount() }.value
            await eventually { !log.take().isEmpty }
        }

        @MainActor @Test func unmountOnTheActorEndsSynchronously() {
            let log = Log()
            let box = Self.makeRenderer(log)
            box.value.current?.unmount()
            #expect(log.take() == ["inner end", "effect's end", "clean-up"])
        }

        private actor Session {
            let log: Log
            init(_ log: Log) { self.log = log }

            func make() -> Unchecked<RefObject<HookRenderer<Void>?>> {
                let log = log
                let renderer = HookRenderer {
                    useEffect(.once) {
                        {
                            self.assertIsolated()
                            log("end")
                        }
                    }
                }
                return Unchecked(RefObject(renderer))
            }
        }

        @Test func cleanUpsRunOnACustomActor() async {
            let log = Log()
            let session = Session(log)
            let box = await session.make()
            await Task.detached { box.value.current = nil }.value
            await eventually { log.take() == ["end"] }
            withExtendedLifetime(session) {}
        }

        @Test func aRendererOfNoIsolationEndsSynchronously() {
            let log = Log()
            let renderer = HookRenderer { useEffect(.once) { { log("end \(Thread.isMainThread)") } } }
            let box = Unchecked(RefObject<HookRenderer<Void>?>(renderer))
            _ = consume renderer
            onOtherThread {
                box.value.current = nil
                #expect(log.take() == ["end false"])
            }
        }

        @MainActor @Test func aSchedulerThatCallsOnAnotherThreadHops() async {
            let count = Observable(0)
            let renders = Shared<[@Sendable () -> Void]>([])
            let renderer = HookRenderer(scheduler: .custom { render in renders.withLock { $0.append(render) } }) {
                MainActor.assertIsolated()
                return count.value
            }
            count.value = 1
            let render = renders.value[0]
            await Task.detached { render() }.value
            await eventually { renderer.output == 1 }
            renderer.unmount()
        }

        #if os(Linux) || os(macOS)
        @Test func aBodyThatWouldRunOutsideItsIsolationStopsTheProgram() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let box = await MainActor.run {
                    Unchecked(HookRenderer(scheduler: .manual, named: "page") { 1 })
                }
                await Task.detached { _ = box.value.render() }.value
            }
            expectMessage(result, "renderer page was created on the main actor")
        }

        private actor Owner {
            func makeRenderer() -> Unchecked<HookRenderer<Int>> {
                Unchecked(HookRenderer(scheduler: .manual, named: "page") { 1 })
            }
        }

        @Test func aBodyOfAReleasedActorIsRunNowhereElse() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let box = await Owner().makeRenderer()
                _ = box.value.render()
            }
            expectMessage(result, "renderer page was created on an actor that was released")
        }
        #endif
    }
}
