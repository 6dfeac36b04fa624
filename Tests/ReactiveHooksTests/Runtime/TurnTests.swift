// Turns: which are due, which are a loop, and what happens inside them.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct TurnTests {
        let log = Log()

        /// A host that shows the output before it runs effects, as SwiftUI does.
        private struct Host {
            let tree = HookTree(named: "page")
            let body: () -> Void

            /// Renders and ends the turn; calls `change` before that.
            func render(change: () -> Void = {}) -> HookTree.Sequel {
                #expect(tree.begin())
                tree.render(isForced: true, in: { EnvironmentValues() }, body)
                tree.endPass()
                change()
                return tree.end(limit: 25)
            }

            func runEffects() -> HookTree.Sequel {
                #expect(tree.beginIfIdle())
                tree.commit()
                return tree.end(limit: 25)
            }
        }

        /// Sets a state in each effect.
        private func useRestlessEffect() {
            let count = useState(0)
            useEffect {
                count.wrappedValue += 1
                return nil
            }
        }

        // MARK: - Loops

        @Test func aLoopByEffectsAfterTheOutputIsShownIsFound() {
            let host = Host { useRestlessEffect() }
            var sequels = [host.render()]
            while sequels.count < 100, sequels.last != .loop {
                sequels.append(host.runEffects())
                if sequels.last == .again { sequels.append(host.render()) }
            }
            #expect(sequels.filter { $0 == .again }.count == 24)
            #expect(sequels.filter { $0 == .rest }.count == 25)
            #expect(sequels.last == .loop)
            host.tree.unmount()
        }

        @Test func aPassOfSeveralTurnsCountsOnce() {
            var renders = 0
            let host = Host {
                let count = useState(0)
                count.wrappedValue += 1
                renders += 1
            }
            while renders < 100, host.render() != .loop { #expect(host.runEffects() == .again) }
            #expect(renders == 25)
            host.tree.unmount()
        }

        @Test func rendersOfTheHostThatCauseOneMoreAreNoLoop() {
            var external = 0
            let renderer = HookRenderer {
                let seen = useState(0)
                let current = external
                useEffect(.preserved(by: current)) {
                    seen.wrappedValue = current
                    return nil
                }
                return seen.wrappedValue
            }
            let reported = issues {
                for value in 1...100 {
                    external = value
                    #expect(renderer.render() == value)
                }
            }
            #expect(reported.isEmpty)
            renderer.unmount()
        }

        @Test func changesOfAnotherThreadBetweenATurnAndItsEffectsAreNoLoop() {
            let other = Observable(0)
            let host = Host {
                _ = other.value
                useRestlessEffect()
            }
            #expect(host.render() == .rest)
            for _ in 1...100 {
                #expect(host.runEffects() == .again)
                #expect(host.render { onThreads(1) { _ in other.value += 1 } } == .again)
                #expect(host.render() == .rest)
            }
            host.tree.unmount()
        }

        @Test func turnsAfterChangesOfAnotherThreadDoNotCount() {
            let count = Observable(0)
            var renderer: HookRenderer<Int>?
            let reported = issues {
                renderer = HookRenderer {
                    let seen = count.value
                    useEffect {
                        if seen < 24 {
                            onThreads(1) { _ in count.value = seen + 1 }
                        } else if seen < 40 {
                            count.value = seen + 1
                        }
                        return nil
                    }
                    return seen
                }
            }
            #expect(reported.isEmpty)
            #expect(renderer?.output == 40)
            renderer?.unmount()
        }

        @Test func theLimitHoldsAgainAfterALoop() {
            var renders = 0
            var renderer: HookRenderer<Void>?
            let reported = issues {
                renderer = HookRenderer {
                    useRestlessEffect()
                    renders += 1
                }
                renderer?.render()
            }
            #expect(renders == 50)
            #expect(reported.map(\.kind) == [.loop, .loop])
            renderer?.unmount()
        }

        /// Runs what a scheduler has queued, in the effect of a reaction: what an effect of a hook changes there is
        /// reported after the turn.
        private final class Pump {
            let queue = Shared<[@Sendable () -> Void]>([])
            let tick = Observable(0)
            private var reaction: Reaction?

            init() {
                let (queue, tick) = (queue, tick)
                reaction = Reactive.reaction {
                    tick.value
                } onChange: { _ in
                    queue.withLock { queue in
                        defer { queue = [] }
                        return queue
                    }.forEach { $0() }
                }
            }

            var scheduler: HookScheduler { .custom { [queue] run in queue.withLock { $0.append(run) } } }

            func end() { reaction?.cancel() }
        }

        @Test func aLoopWhoseChangesAreReportedLateIsFound() {
            let pump = Pump()
            var renders = 0
            var renderer: HookRenderer<Void>?
            let reported = issues {
                renderer = HookRenderer(scheduler: pump.scheduler) {
                    useRestlessEffect()
                    renders += 1
                }
                for _ in 0..<100 { pump.tick.value += 1 }
            }
            #expect(renders == 25)
            #expect(reported.map(\.kind) == [.loop])
            renderer?.unmount()
            pump.end()
        }

        @Test func eventsAfterALateReportAreNoLoop() {
            let pump = Pump()
            let event = Observable(0)
            let renderer = HookRenderer(scheduler: pump.scheduler) {
                _ = event.value
                useRestlessEffect()
            }
            let reported = issues {
                for _ in 0..<100 {
                    pump.tick.value += 1
                    event.value += 1
                }
            }
            #expect(reported.isEmpty)
            renderer.unmount()
            pump.end()
        }

        @Test func eventsAfterAReportInTheTurnAreNoLoop() {
            let queue = Shared<[@Sendable () -> Void]>([])
            let event = Observable(0)
            var renders = 0
            let renderer = HookRenderer(scheduler: .custom { run in queue.withLock { $0.append(run) } }) {
                _ = event.value
                useRestlessEffect()
                renders += 1
            }
            let reported = issues {
                for _ in 0..<100 {
                    event.value += 1
                    queue.withLock { $0.removeFirst() }()
                }
            }
            #expect(renders == 101)
            #expect(reported.isEmpty)
            renderer.unmount()
        }

        @Test func eventsAfterARenderThatIncludedAnUnreportedChangeAreNoLoop() {
            let (tick, event) = (Observable(0), Observable(0))
            let host = Host {
                _ = event.value
                useRestlessEffect()
            }
            #expect(host.render() == .rest)
            let pump = reaction {
                tick.value
            } onChange: { _ in
                // It includes the event.
                #expect(host.render() == .rest)
                #expect(host.runEffects() == .again)
                #expect(host.render() == .rest)
            }
            for _ in 0..<100 {
                tick.value += 1
                event.value += 1
                #expect(host.tree.isInvalidated)
            }
            pump.cancel()
            host.tree.unmount()
        }

        // MARK: - Turns that are due

        @Test func beginningATurnRequestsNoPass() {
            let tree = HookTree(named: "page")
            #expect(tree.begin())
            #expect(!tree.isInvalidated)
            #expect(tree.end() == .rest)
        }

        @Test func aScheduledTurnThatIsNoLongerDueDoesNothing() {
            let queue = Shared<[@Sendable () -> Void]>([])
            let count = Observable(0)
            let renderer = HookRenderer(scheduler: .custom { run in queue.withLock { $0.append(run) } }) {
                count.value
            } onRender: {
                log("\($0)")
            }
            count.value = 1
            renderer.render()
            #expect(log.take() == ["0", "1"])
            inTransaction {
                // Not reported yet, so the turn is not due.
                count.value = 2
                queue.value[0]()
            }
            #expect(log.take().isEmpty)
            #expect(queue.value.count == 2)
            queue.value[1]()
            #expect(log.take() == ["2"])
            renderer.unmount()
        }

        @Test func aScheduledTurnThatIsTakenInATurnDoesNothing() {
            let queue = Shared<[@Sendable () -> Void]>([])
            let count = Observable(0)
            let renderer = HookRenderer(scheduler: .custom { run in queue.withLock { $0.append(run) } }) {
                let seen = count.value
                log("render \(seen)")
                useEffect {
                    if seen == 1 {
                        count.value = 2
                        queue.value[0]()
                    }
                    log("effect \(seen)")
                    return nil
                }
            }
            _ = log.take()
            count.value = 1
            renderer.render()
            #expect(log.take() == ["render 1", "effect 1"])
            // A change in a turn schedules one more turn, when it is over.
            #expect(queue.value.count == 2)
            queue.value[1]()
            #expect(log.take() == ["render 2", "effect 2"])
            renderer.unmount()
        }

        @Test func aRenderThatIsRequestedInATurnRunsTheBodyOnce() {
            let state = RefObject<Binding<Int>?>(nil)
            var renderer: HookRenderer<Void>?
            renderer = HookRenderer {
                log("page")
                useEffect(.once) {
                    renderer?.render()
                    return nil
                }
                HookScope(id: 1) {
                    let count = useState(0)
                    state.current = count
                    log("row \(count.wrappedValue)")
                }
            }
            renderer?.unmount()
            _ = log.take()
            renderer?.render()
            #expect(log.take() == ["page", "row 0", "page", "row 0"])
            state.current?.wrappedValue = 1
            #expect(log.take() == ["row 1"])
            renderer?.unmount()
        }

        @Test func aScopeThatRendersAloneGivesTheHostNoOutput() {
            let count = Observable(0)
            let renderer = HookRenderer {
                HookScope(id: 1) { log("row \(count.value)") }
                return "page"
            } onRender: {
                log($0)
            }
            _ = log.take()
            count.value = 1
            #expect(log.take() == ["row 1"])
            renderer.unmount()
        }

        // MARK: - Effects

        @Test func aRenderThatAWaitingEffectRequestsIsDueAfterIt() {
            var renderer: HookRenderer<Void>?
            renderer = HookRenderer(scheduler: .manual) {
                log("render")
                useEffect(.once) {
                    renderer?.render()
                    log("effect")
                    return nil
                }
            }
            renderer?.render()
            #expect(renderer?.needsRender == false)
            renderer?.runEffects()
            #expect(log.take() == ["render", "effect"])
            #expect(renderer?.needsRender == true)
            renderer?.unmount()
        }

        @Test func runEffectsInAnEffectDoesNothing() {
            var renderer: HookRenderer<Int>?
            renderer = HookRenderer {
                let count = useState(0)
                log("render \(count.wrappedValue)")
                useEffect(.once) {
                    renderer?.runEffects()
                    count.wrappedValue += 1
                    log("effect")
                    return nil
                }
                return count.wrappedValue
            }
            renderer?.unmount()
            _ = log.take()
            #expect(renderer?.render() == 1)
            #expect(log.take() == ["render 0", "effect", "render 1"])
            renderer?.unmount()
        }

        @Test func theEffectOfARemovedHookIsReleased() {
            let tracker = LifetimeTracker()
            let isOpen = Observable(true)
            let renderer = HookRenderer {
                useEffect { nil }
                if isOpen.value {
                    let token = tracker.token()
                    useEffect {
                        _ = token
                        return nil
                    }
                }
            }.disableHooksRulesAssertion()
            renderer.render()
            #expect(tracker.alive == 1)
            isOpen.value = false
            #expect(tracker.alive == 0)
            renderer.unmount()
        }
    }
}
