// State that is set while rendering or in effects.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct RenderLoopTests {
        let log = Log()

        @Test func stateSetInARenderNeverReenters() {
            let renderer = HookRenderer {
                let count = useState(0)
                log("render \(count.wrappedValue)")
                useEffect {
                    log("effect \(count.wrappedValue)")
                    return nil
                }
                if count.wrappedValue < 2 { count.wrappedValue += 1 }
                log("end")
            } onRender: {
                log("shown")
            }
            #expect(
                log.take() == [
                    "render 0", "end", "shown", "effect 1", "render 1", "end", "shown", "effect 2", "render 2", "end",
                    "shown", "effect 2",
                ])
            renderer.unmount()
        }

        @Test func stateSetInEffectsRendersOnceAfterAllOfThem() {
            let renderer = HookRenderer {
                let a = useState(0)
                let b = useState(0)
                log("render \(a.wrappedValue) \(b.wrappedValue)")
                useEffect(.once) {
                    a.wrappedValue = 1
                    log("effect a")
                    return nil
                }
                useEffect(.once) {
                    b.wrappedValue = 1
                    log("effect b")
                    return nil
                }
            }
            #expect(log.take() == ["render 0 0", "effect a", "effect b", "render 1 1"])
            renderer.unmount()
        }

        @Test func renderCalledInAnEffectRendersOnceMore() {
            var renderer: HookRenderer<Void>?
            renderer = HookRenderer {
                log("render")
                useEffect(.preserved(by: renderer == nil)) {
                    renderer?.render()
                    log("effect")
                    return nil
                }
            }
            renderer?.render()
            #expect(log.take() == ["render", "effect", "render", "effect", "render"])
            renderer?.unmount()
        }

        @Test func after25RendersInARowAnIssueIsReported() {
            var renders = 0
            var renderer: HookRenderer<Int>?
            let trigger = Observable(0)
            let reported = issues {
                renderer = HookRenderer(named: "restless") {
                    let count = useState(0)
                    _ = trigger.value
                    count.wrappedValue += 1
                    renders += 1
                    return renders
                }
            }
            #expect(renders == 25)
            #expect(reported.map(\.kind) == [.loop])
            #expect(reported[0].message.contains("restless renders in a loop"))
            #expect(reported[0].message.contains("25 times in a row"))

            // The renderer waits for the next change from outside.
            let again = issues { trigger.value = 1 }
            #expect(renders == 50)
            #expect(again.count == 1)
            renderer?.unmount()
        }

        @Test func effectsThatSetStateEachTimeAreALoopToo() {
            var renders = 0
            var renderer: HookRenderer<Void>?
            let reported = issues {
                renderer = HookRenderer {
                    let count = useState(0)
                    renders += 1
                    useEffect {
                        count.wrappedValue += 1
                        return nil
                    }
                }
            }
            #expect(renders == 25)
            #expect(reported.map(\.kind) == [.loop])
            renderer?.unmount()
        }

        @Test func aCustomSchedulerHasTheSameLimit() {
            var renders = 0
            let reported = issues {
                let renderer = HookRenderer(scheduler: .custom { $0() }) {
                    let count = useState(0)
                    count.wrappedValue += 1
                    renders += 1
                }
                renderer.unmount()
            }
            #expect(renders == 25)
            #expect(reported.map(\.kind) == [.loop])
        }

        @Test func changesOfAnotherThreadDuringEachTurnAreNoLoop() {
            let count = Observable(0)
            var renderer: HookRenderer<Int>?
            let reported = issues {
                renderer = HookRenderer {
                    let seen = count.value
                    useEffect {
                        if seen < 100 { onThreads(1) { _ in count.value = seen + 1 } }
                        return nil
                    }
                    return seen
                }
            }
            #expect(renderer?.output == 100)
            #expect(reported.isEmpty)
            renderer?.unmount()
        }

        @Test func manyChangesFromOutsideAreNoLoop() {
            let count = Observable(0)
            let renderer = HookRenderer { count.value }
            let reported = issues { for value in 1...100 { count.value = value } }
            #expect(reported.isEmpty)
            #expect(renderer.output == 100)
            renderer.unmount()
        }

        @Test func aHundredPressesThatEachSetStateAreNoLoop() {
            let renderer = HookRenderer {
                let count = useState(0)
                let double = useState(0)
                useEffect(.preserved(by: count.wrappedValue)) {
                    double.wrappedValue = 2 * count.wrappedValue
                    return nil
                }
                return (count: count, double: double)
            }
            let reported = issues { for _ in 1...100 { renderer.output.count.wrappedValue += 1 } }
            #expect(reported.isEmpty)
            #expect(renderer.output.double.wrappedValue == 200)
            renderer.unmount()
        }

        @Test func pressesBetweenARenderAndItsEffectsAreNoLoop() {
            // A host that shows the output before it runs effects, as SwiftUI does: events happen in between.
            let tree = HookTree(named: "page")
            var count: Binding<Int>?
            var effects = 0
            func render() {
                #expect(tree.begin())
                tree.render(isForced: true, in: { EnvironmentValues() }) {
                    let state = useState(0)
                    useEffect {
                        effects += 1; return nil
                    }
                    count = state
                }
                #expect(tree.end(limit: 25) == .rest)
            }
            render()
            for press in 1...100 {
                count?.wrappedValue = press
                #expect(tree.isInvalidated)
                #expect(tree.beginIfIdle())
                tree.commit()
                // The press, not the effects, has made the tree due.
                #expect(tree.end(limit: 25) == .again)
                render()
            }
            #expect(effects == 100)
            tree.unmount()
        }

        @Test func aManualRendererRendersOnceForEachCall() {
            var renders = 0
            let renderer = HookRenderer(scheduler: .manual) {
                let count = useState(0)
                count.wrappedValue += 1
                renders += 1
            }
            renderer.render()
            #expect(renders == 1)
            #expect(renderer.needsRender)
            renderer.unmount()
        }
    }
}
