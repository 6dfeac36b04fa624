// Custom hooks.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct OwnHookTests {
        let log = Log()

        private struct LifeHook: Hook {
            let updateStrategy: HookUpdateStrategy?
            let shouldDeferredUpdate: Bool
            let log: Log

            func makeState() -> RefObject<Int> {
                log("make")
                return RefObject(0)
            }
            func updateState(coordinator: Coordinator) {
                log("update")
                coordinator.state.current += 1
            }
            func value(coordinator: Coordinator) -> (count: Int, coordinator: Coordinator) {
                log("value")
                return (coordinator.state.current, coordinator)
            }
            func dispose(state: RefObject<Int>) { log("dispose \(state.current)") }
        }

        private func tester(
            _ strategy: HookUpdateStrategy?, deferred: Bool = false
        ) -> HookTester<Void, (count: Int, coordinator: HookCoordinator<LifeHook>)> {
            HookTester {
                useHook(LifeHook(updateStrategy: strategy, shouldDeferredUpdate: deferred, log: log))
            }
        }

        @Test func aHookIsCreatedUpdatedAndReadInOrder() {
            let tester = tester(nil)
            #expect(tester.value.count == 1)
            #expect(log.take() == ["make", "update", "value"])
            tester.update()
            #expect(tester.value.count == 2)
            #expect(log.take() == ["update", "value"])
            tester.dispose()
            #expect(log.take() == ["dispose 2"])
        }

        @Test func onceUpdatesOnce() {
            let tester = tester(.once)
            tester.update()
            #expect(tester.valueHistory.map(\.count) == [1, 1])
            tester.dispose()
        }

        @Test func aDeferredUpdateRunsAfterTheRender() {
            let tester = tester(nil, deferred: true)
            #expect(log.take() == ["make", "value", "update"])
            tester.update()
            #expect(tester.valueHistory.map(\.count) == [0, 1])
            tester.dispose()
        }

        @Test func updateViewRendersAgain() {
            let tester = tester(nil)
            let coordinator = tester.value.coordinator
            coordinator.updateView()
            #expect(tester.valueHistory.map(\.count) == [1, 2])
            inTransaction {
                coordinator.updateView()
                coordinator.updateView()
            }
            #expect(tester.valueHistory.map(\.count) == [1, 2, 3])
            tester.dispose()
            coordinator.updateView()
            #expect(tester.valueHistory.count == 3)
        }

        @Test func updateViewOfARemovedHookDoesNothing() {
            let isOpen = Observable(true)
            var coordinator: HookCoordinator<LifeHook>?
            let renderer = HookRenderer {
                guard isOpen.value else { return }
                let hook = LifeHook(updateStrategy: .once, shouldDeferredUpdate: false, log: log)
                HookScope { coordinator = useHook(hook).coordinator }
            } onRender: {
                log("shown")
            }
            isOpen.value = false
            _ = log.take()
            coordinator?.updateView()
            #expect(log.take().isEmpty)
            renderer.unmount()
        }

        @Test func updateViewOfAnUnmountedTreeDoesNothing() {
            var coordinator: HookCoordinator<LifeHook>?
            do {
                let tester = tester(nil)
                coordinator = tester.value.coordinator
            }
            coordinator?.updateView()
            #expect(log.take().last == "dispose 1")
        }

        @Test func updateViewOfAReplacedHookDoesNothing() {
            let hasOther = Observable(false)
            var coordinators: [HookCoordinator<LifeHook>] = []
            var renders = 0
            let hook = LifeHook(updateStrategy: .once, shouldDeferredUpdate: false, log: log)
            _ = issues {
                let renderer = HookRenderer {
                    renders += 1
                    if hasOther.value { _ = useState(0) }
                    coordinators.append(useHook(hook).coordinator)
                }
                hasOther.value = true
                renders = 0
                coordinators[0].updateView()
                #expect(renders == 0)
                coordinators[1].updateView()
                #expect(renders == 1)
                renderer.unmount()
            }
        }

        @Test func aHookWithoutStateAndValueNeedsNoFunctions() {
            struct NothingHook: Hook {
                var updateStrategy: HookUpdateStrategy? { nil }
            }
            let tester = HookTester { useHook(NothingHook()) }
            tester.update()
            #expect(tester.valueHistory.count == 2)
            tester.dispose()
        }

        @Test func hooksAreComposedOfHooks() {
            func useCounter() -> (count: Int, increment: () -> Void) {
                let count = useState(0)
                return (count.wrappedValue, { count.wrappedValue += 1 })
            }
            let tester = HookTester { (useCounter(), useCounter()) }
            tester.value.1.increment()
            #expect((tester.value.0.count, tester.value.1.count) == (0, 1))
            tester.dispose()
        }
    }

    @Suite struct HookUpdateStrategyTests {
        private func updates(_ strategies: [HookUpdateStrategy?]) -> Int {
            let tester = HookTester(strategies[0]) { useCount($0) }
            for strategy in strategies.dropFirst() { tester.update(with: strategy) }
            defer { tester.dispose() }
            return tester.value
        }

        @Test func onceUpdatesTheHookOnce() { #expect(updates([.once, .once, .once]) == 1) }

        @Test func noStrategyUpdatesTheHookInEveryRender() { #expect(updates([nil, nil, nil]) == 3) }

        @Test func preservedUpdatesTheHookWhenAValueChanges() {
            #expect(updates([.preserved(by: 1), .preserved(by: 1), .preserved(by: 2), .preserved(by: 1)]) == 3)
        }

        @Test func preservedUpdatesTheHookWhenOneOfSeveralValuesChanges() {
            #expect(
                updates([
                    .preserved(by: 1, "a", true), .preserved(by: 1, "a", true), .preserved(by: 1, "b", true),
                    .preserved(by: 1, "b", false),
                ]) == 3)
        }

        @Test func theNumberAndTheOrderOfDependenciesCount() {
            #expect(updates([.preserved(by: 1), .preserved(by: 1, 1), .preserved(by: 1)]) == 3)
            #expect(updates([.preserved(by: 1, 2, 3), .preserved(by: 3, 2, 1), .preserved(by: 3, 2, 1)]) == 2)
        }

        @Test func aDependencyIsComparedByTheValueItHolds() {
            let dependency = HookUpdateStrategy.Dependency("a")
            #expect(dependency == .init(HookUpdateStrategy.Dependency("a")))
            #expect(dependency != .init("b"))
            #expect(updates([.preserved(by: dependency), .preserved(by: "a"), .init(dependency: "a")]) == 1)
        }

        @Test func theTypeOfADependencyCounts() {
            #expect(updates([.preserved(by: 1), .preserved(by: 1.0), .preserved(by: Optional("a")), .once]) == 4)
        }

        @Test func notANumberDoesNotDifferFromItself() {
            #expect(updates([.preserved(by: Double.nan), .preserved(by: Double.nan)]) == 1)
        }
    }
}
