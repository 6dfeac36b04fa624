// `ObserverScope`: a render closure that runs again after changes to values that it read.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct ObserverScopeTests {
        @Test func rendersImmediatelyAndAfterEachChange() {
            let x = Observable(1)
            var log: [String] = []
            let scope = ObserverScope {
                "x = \(x.value)"
            } onRender: {
                log.append($0)
            }
            #expect(log == ["x = 1"])
            x.value = 2
            #expect(log == ["x = 1", "x = 2"])
            #expect(scope.output == "x = 2")
            #expect(scope.renderCount == 2)
        }

        @Test func worksWithoutOnRender() {
            let x = Observable(1)
            let scope = ObserverScope { x.value * 2 }
            x.value = 4
            #expect(scope.output == 8)
        }

        @Test func rendersOncePerTransaction() {
            let x = Observable(1), y = Observable(1)
            var log: [String] = []
            let scope = ObserverScope {
                "\(x.value) \(y.value)"
            } onRender: {
                log.append($0)
            }
            inTransaction {
                x.value = 2
                y.value = 2
            }
            #expect(log == ["1 1", "2 2"])
            #expect(scope.renderCount == 2)
        }

        @Test func rendersAgainAlsoIfTheOutputIsEqual() {
            let x = Observable(1)
            var log: [Int] = []
            let scope = ObserverScope {
                x.value / 10
            } onRender: {
                log.append($0)
            }
            x.value = 2
            #expect(log == [0, 0])
            scope.cancel()
        }

        @Test func outputIsNeverStale() {
            let x = Observable(1)
            var log: [Int] = []
            let scope = ObserverScope {
                x.value * 10
            } onRender: {
                log.append($0)
            }
            inTransaction {
                x.value = 2
                #expect(scope.output == 20)
                #expect(scope.output == 20)
                #expect(log == [10])
            }
            #expect(log == [10, 20])
            #expect(scope.renderCount == 2)
        }

        @Test func readingTheOutputSubscribesNobody() {
            let x = Observable(1)
            let scope = ObserverScope { x.value }
            let r = autorun { _ = scope.output }
            x.value = 2
            #expect(r.runCount == 1)
            r.cancel()
        }

        @Test func theOutputInARolledBackTransactionIsRenderedAgain() {
            let x = Observable(1)
            var log: [Int] = []
            let scope = ObserverScope {
                x.value
            } onRender: {
                log.append($0)
            }
            try? inTransaction {
                x.value = 2
                #expect(scope.output == 2)
                throw CancellationError()
            }
            #expect(scope.output == 1)
            #expect(log.last == 1)
            #expect(!log.contains(2))
        }

        @Test func onRenderIsUntrackedAndBatched() {
            let x = Observable(1), y = Observable(0), z = Observable(0)
            var log: [String] = []
            let observer = autorun { log.append("\(y.value) \(z.value)") }
            let scope = ObserverScope {
                x.value
            } onRender: {
                y.value = $0
                z.value = $0
            }
            y.value = 5
            #expect(scope.renderCount == 1)
            #expect(log == ["0 0", "1 1", "5 1"])
            observer.cancel()
        }

        @Test func invalidateRendersAlthoughNothingChanged() {
            var renders = 0
            let scope = ObserverScope { renders += 1 }
            scope.invalidate()
            #expect(renders == 2)
            inTransaction {
                scope.invalidate()
                scope.invalidate()
                #expect(renders == 2)
            }
            #expect(renders == 3)
        }

        @Test func aCancelledScopeKeepsItsOutputAndRendersNoMore() {
            let x = Observable(1)
            var log: [Int] = []
            let scope = ObserverScope {
                x.value
            } onRender: {
                log.append($0)
            }
            scope.cancel()
            scope.cancel()
            x.value = 2
            scope.invalidate()
            #expect(scope.output == 1)
            #expect(log == [1])
        }

        @Test func aScopeThatIsReleasedRendersNoMore() {
            let x = Observable(1)
            var log: [Int] = []
            var scope: ObserverScope<Int>? = ObserverScope {
                x.value
            } onRender: {
                log.append($0)
            }
            #expect(scope?.output == 1)
            scope = nil
            x.value = 2
            #expect(log == [1])
        }

        @Test func theFirstRenderInATransactionIsImmediateAndReportedAtItsEnd() {
            let x = Observable(1)
            var log: [Int] = []
            let scope = inTransaction {
                let scope = ObserverScope {
                    x.value
                } onRender: {
                    log.append($0)
                }
                #expect(scope.renderCount == 1)
                #expect(log == [])
                return scope
            }
            #expect(log == [1])
            scope.cancel()
        }

        @Test func cleanupsOfARenderRunBeforeTheNext() {
            let x = Observable(1)
            var log: [String] = []
            let scope = ObserverScope {
                let value = x.value
                log.append("render \(value)")
                onCleanup { log.append("clean \(value)") }
            }
            x.value = 2
            scope.cancel()
            #expect(log == ["render 1", "clean 1", "render 2", "clean 2"])
        }

        @Test func aScopeInABagEndsWithIt() {
            let x = Observable(1)
            var bag: Set<AnyCancellable> = []
            var renders = 0
            ObserverScope {
                renders += 1
                _ = x.value
            }.store(in: &bag)
            x.value = 2
            #expect(renders == 2)
            bag = []
            x.value = 3
            #expect(renders == 2)
        }

        @Test func invalidatingInTheOwnRenderRendersOnceMore() {
            var n = 0
            var scope: ObserverScope<Int>?
            let x = Observable(0)
            scope = ObserverScope {
                n += 1; if n == 2 { scope?.invalidate() }; return x.value
            }
            x.value = 1
            #expect(n == 3)
            scope?.cancel()
        }

        @Test func readingTheOutputInTheOwnRenderGivesTheLastOne() {
            let x = Observable(1)
            var scope: ObserverScope<Int>?
            scope = ObserverScope { (scope?.output ?? 0) + x.value }
            x.value = 2
            #expect(scope?.output == 3)
            scope = nil
        }

        @Test func onRenderMayReadTheOutput() {
            let x = Observable(1)
            var seen: [Int?] = []
            var scope: ObserverScope<Int>?
            scope = ObserverScope {
                x.value
            } onRender: { _ in
                seen.append(scope?.output)
            }
            x.value = 2
            #expect(seen == [nil, 2])
            scope?.cancel()
        }

        @Test func anOutputReadInOnRenderAfterAWriteIsNotStaleAndHandedOverNext() {
            let x = Observable(1)
            var seen: [Int] = []
            var scope: ObserverScope<Int>?
            scope = ObserverScope {
                x.value
            } onRender: { v in
                seen.append(v)
                if v < 4, v > 1 { x.value = v + 1; seen.append(scope!.output * 10) }
            }
            x.value = 2
            #expect(seen == [1, 2, 30, 3, 40, 4])
            scope?.cancel()
        }

        @Test func aScopeMayBeReleasedInItsOwnOnRender() {
            let x = Observable(0)
            var log: [Int] = []
            var scope: ObserverScope<Int>?
            scope = ObserverScope {
                x.value
            } onRender: { v in
                log.append(v); if v == 1 { scope = nil }
            }
            _ = scope
            x.value = 1
            x.value = 2
            #expect(log == [0, 1])
        }

        /// Reading the output in `onRender` renders while the scope is running. If that render ends the scope, the
        /// captures of `onRender` must live until it returns.
        @Test func aRenderInsideOnRenderMayEndTheScope() {
            let x = Observable(0)
            var log: [String] = []
            var scope: ObserverScope<String>?
            scope = ObserverScope {
                if x.value == 2 { scope?.cancel() }
                return "x = \(x.value)"
            } onRender: {
                log.append($0)
                guard x.value == 1 else { return }
                x.value = 2
                log.append("read " + (scope?.output ?? ""))
            }
            x.value = 1
            x.value = 3
            #expect(log == ["x = 0", "x = 1", "read x = 2"])
            #expect(scope?.output == "x = 2")
            scope = nil
        }
    }
}
