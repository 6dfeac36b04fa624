// Scopes inside a scope.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct HookScopeTests {
        let log = Log()

        /// A row that remembers when it was created, and logs its end.
        private func row(_ name: String, _ next: RefObject<Int>) -> String {
            let number = useState {
                next.current += 1
                return next.current
            }
            useEffect(.once) { { log("end \(name)") } }
            return "\(name)\(number.wrappedValue)"
        }

        @Test func keyedChildrenKeepTheirStateAcrossReordering() {
            let names = Observable(["a", "b", "c"])
            let next = RefObject(0)
            let renderer = HookRenderer {
                names.value.map { name in HookScope(id: name) { row(name, next) } }
            }
            #expect(renderer.output == ["a1", "b2", "c3"])
            names.value = ["c", "a", "d", "b"]
            #expect(renderer.output == ["c3", "a1", "d4", "b2"])
            #expect(log.take().isEmpty)
            renderer.unmount()
        }

        @Test func removedChildrenAreDisposedOfNewestFirst() {
            let names = Observable(["a", "b", "c"])
            let next = RefObject(0)
            let renderer = HookRenderer {
                names.value.map { name in HookScope(id: name) { row(name, next) } }
            }
            names.value = ["b"]
            #expect(log.take() == ["end c", "end a"])
            names.value = ["b", "a"]
            #expect(renderer.output == ["b2", "a4"])
            renderer.unmount()
            #expect(log.take() == ["end a", "end b"])
            renderer.unmount()
            #expect(log.take().isEmpty)
        }

        @Test func childrenWithoutAnIdAreIdentifiedByPosition() {
            let names = Observable(["a", "b"])
            let next = RefObject(0)
            let renderer = HookRenderer {
                names.value.map { name in HookScope { row(name, next) } }
            }
            names.value = ["b", "a"]
            #expect(renderer.output == ["b1", "a2"])
            names.value = ["b"]
            #expect(renderer.output == ["b1"])
            #expect(log.take() == ["end b"])
            renderer.unmount()
        }

        @Test func removedChildrenWithoutAnIdAreDisposedOfNewestFirst() {
            let names = Observable(["a", "b", "c"])
            let next = RefObject(0)
            let renderer = HookRenderer {
                names.value.map { name in HookScope { row(name, next) } }
            }
            names.value = ["a"]
            #expect(log.take() == ["end c", "end b"])
            renderer.unmount()
        }

        @Test(.alone) func hooksInALoopAndInAConditionNeedNoOrder() {
            let isOpen = Observable(true)
            let reported = violations {
                let renderer = HookRenderer {
                    if isOpen.value {
                        HookScope(id: "details") { _ = useState(0) }
                    }
                    return useState("kept")
                }
                renderer.output.wrappedValue = "changed"
                isOpen.value = false
                isOpen.value = true
                #expect(renderer.output.wrappedValue == "changed")
                renderer.unmount()
            }
            #expect(reported.isEmpty)
        }

        @Test func twoEqualIdsAreReportedAndKeepSeparateState() {
            var outputs: [[String]] = []
            let reported = issues {
                let next = RefObject(0)
                let renderer = HookRenderer {
                    ["a", "a"].map { name in HookScope(id: name) { row(name, next) } }
                } onRender: {
                    outputs.append($0)
                }
                renderer.render()
                renderer.unmount()
            }
            #expect(outputs == [["a1", "a2"], ["a1", "a2"]])
            #expect(reported.allSatisfy { $0.message.contains("Two scopes in the same scope have the id a") })
            #expect(!reported.isEmpty)
        }

        @Test(.alone) func aThrowingBodyRestoresTheEnclosingScopeAndKeepsEarlierState() {
            struct Failed: Error {}
            let fails = Observable(false)
            let reported = violations {
                let renderer = HookRenderer {
                    let before = useState(1)
                    let inner = Result {
                        try HookScope {
                            let first = useState("first")
                            useEffect {
                                log("effect \(fails.value)"); return { log("undo") }
                            }
                            if fails.value { throw Failed() }
                            return [first, useState("second")]
                        }
                    }
                    let after = useState(2)
                    return (before: before, inner: inner, after: after)
                }
                renderer.output.before.wrappedValue = 10
                renderer.output.after.wrappedValue = 20
                try! renderer.output.inner.get()[0].wrappedValue = "1st"
                try! renderer.output.inner.get()[1].wrappedValue = "2nd"
                _ = log.take()
                fails.value = true
                #expect(log.take().isEmpty)
                #expect((renderer.output.before.wrappedValue, renderer.output.after.wrappedValue) == (10, 20))
                fails.value = false
                #expect(log.take() == ["undo", "effect false"])
                #expect(try! renderer.output.inner.get().map(\.wrappedValue) == ["1st", "2nd"])
                renderer.unmount()
            }
            #expect(reported.isEmpty)
        }

        @Test func effectsOfScopesInsideABodyThatThrowsDoNotRun() {
            struct Failed: Error {}
            let fails = Observable(true)
            let renderer = HookRenderer {
                let fails = fails.value
                try? HookScope {
                    HookScope {
                        useEffect {
                            log("inner"); return nil
                        }
                    }
                    if fails { throw Failed() }
                }
                useEffect {
                    log("page"); return nil
                }
            }
            #expect(log.take() == ["page"])
            fails.value = false
            #expect(log.take() == ["inner", "page"])
            renderer.unmount()
        }

        @Test func effectsAfterABodyThatThrewRunInHookOrder() {
            struct Failed: Error {}
            var (a, b, fails) = (0, 0, false)
            let tester = HookTester {
                try? HookScope {
                    useEffect(.preserved(by: a)) {
                        log("a"); return nil
                    }
                    useEffect(.preserved(by: b)) {
                        log("b"); return nil
                    }
                    if fails { throw Failed() }
                }
            }
            _ = log.take()
            (b, fails) = (1, true)
            tester.update()
            #expect(log.take().isEmpty)
            (a, fails) = (1, false)
            tester.update()
            #expect(log.take() == ["a", "b"])
            tester.dispose()
        }

        @Test func threeEqualIdsAreReportedOnce() {
            let reported = issues {
                let renderer = HookRenderer { for _ in 0..<4 { HookScope(id: "a") {} } }
                renderer.unmount()
            }
            #expect(reported.count == 1)
        }

        @Test func aScopeOutsideARenderIsMisuseAndOnlyRunsItsBody() {
            let reported = issues { #expect(HookScope { 5 } == 5) }
            #expect(reported.first?.message.contains("HookScope is called outside a HookScope") == true)
        }
    }
}
