// useState, useSetState, useReducer, useRef, useMemo, useCount.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct UseStateTests {
        @Test func theInitialValueIsUsedOnce() {
            let tester = HookTester(1) { useState($0) }
            tester.update(with: 2)
            #expect(tester.value.wrappedValue == 1)
            tester.dispose()
        }

        @Test func aClosureIsRunOnce() {
            var calls = 0
            let tester = HookTester {
                useState { () -> Int in
                    calls += 1
                    return calls
                }
            }
            tester.update()
            #expect(tester.value.wrappedValue == 1)
            #expect(calls == 1)
            tester.dispose()
        }

        @Test func settingStateRendersAlsoIfNoBodyReadsIt() {
            let tester = HookTester { useState(0) }
            tester.value.wrappedValue = 1
            #expect(tester.value.wrappedValue == 1)
            #expect(tester.valueHistory.count == 2)
            tester.dispose()
        }

        @Test func anEqualValueDoesNotRender() {
            let tester = HookTester { useState(0) }
            tester.value.wrappedValue = 0
            #expect(tester.valueHistory.count == 1)
            tester.dispose()
        }

        @Test func aTransactionThatThrowsRestoresIt() {
            struct Failed: Error {}
            let tester = HookTester { useState(["a"]) }
            let state = tester.value
            try? inTransaction {
                state.wrappedValue.append("b")
                state.wrappedValue = ["c"]
                throw Failed()
            }
            #expect(state.wrappedValue == ["a"])
            #expect(tester.valueHistory.count == 1)
            tester.dispose()
        }

        @Test func aTransactionThatRestoresItDoesNotRender() {
            let tester = HookTester { useState("a") }
            inTransaction {
                tester.value.wrappedValue = "b"
                tester.value.wrappedValue = "a"
            }
            #expect(tester.valueHistory.count == 1)
            tester.dispose()
        }

        @Test func aValueThatIsReplacedIsReleased() {
            let tracker = LifetimeTracker()
            let tester = HookTester { useSetState { tracker.token() }.1 }
            let set = tester.value
            inTransaction {
                set(tracker.token())
                set(tracker.token())
            }
            #expect(tracker.alive == 1)
            set { _ in tracker.token() }
            #expect((tracker.created, tracker.alive) == (4, 1))
            tester.dispose()
            set(tracker.token())
            #expect(tracker.alive == 1)
        }

        @Test func notANumberIsEqualToItself() {
            let tester = HookTester { useState(Double.nan) }
            tester.value.wrappedValue = .nan
            #expect(tester.valueHistory.count == 1)
            tester.dispose()
        }

        @Test func valuesThatCannotBeComparedAlwaysRender() {
            struct Opaque {}
            let tester = HookTester { useState(Opaque()) }
            tester.value.wrappedValue = Opaque()
            #expect(tester.valueHistory.count == 2)
            tester.dispose()
        }

        @Test func anOldBindingReadsAndWritesLiveState() {
            let tester = HookTester { useState(0) }
            let old = tester.value
            tester.value.wrappedValue = 5
            #expect(old.wrappedValue == 5)
            old.wrappedValue += 1
            #expect(tester.value.wrappedValue == 6)
            tester.dispose()
        }

        @Test func twoStatesAreIndependent() {
            let tester = HookTester { (useState(1), useState(2)) }
            tester.value.1.wrappedValue = 20
            #expect((tester.value.0.wrappedValue, tester.value.1.wrappedValue) == (1, 20))
            tester.dispose()
        }

        @Test func aPartOfTheStateCanBeBound() {
            struct Person { var name = "Ann" }
            let tester = HookTester { useState(Person()) }
            let name: Binding<String> = tester.value.name
            name.wrappedValue = "Bob"
            #expect(tester.value.wrappedValue.name == "Bob")
            tester.dispose()
        }

        @Test func useSetStateTakesAFunctionOfTheOldValue() {
            let tester = HookTester { useSetState(1) }
            let set = tester.value.1
            inTransaction {
                set { $0 + 1 }
                set { $0 * 10 }
            }
            #expect(tester.valueHistory.map(\.0) == [1, 20])
            onThreads(4) { _ in for _ in 0..<100 { set { $0 + 1 } } }
            #expect(tester.value.0 == 420)
            tester.dispose()
            set { _ in 7 }
            #expect(tester.value.0 == 420)
        }

        @Test func useSetStateIsAPair() {
            let tester = HookTester { useSetState(1) }
            tester.value.1(2)
            #expect(tester.value.0 == 2)
            #expect(tester.valueHistory.map(\.0) == [1, 2])
            let lazy = HookTester { useSetState { 3 } }
            #expect(lazy.value.0 == 3)
            lazy.dispose()
            tester.dispose()
        }
    }

    @Suite struct UseReducerTests {
        private enum Action { case add(Int), double }

        @Test func theInitialStateMayBeLazy() {
            var calls = 0
            let tester = HookTester {
                useReducer({ (state: Int, amount: Int) in state + amount }) {
                    calls += 1
                    return 40
                }
            }
            tester.value.dispatch(2)
            #expect(tester.value.state == 42)
            #expect(calls == 1)
            tester.dispose()
        }

        @Test func everyActionIsAppliedInOrder() {
            let tester = HookTester {
                useReducer(
                    { (state: Int, action: Action) in
                        switch action {
                        case .add(let amount): state + amount
                        case .double: state * 2
                        }
                    }, initialState: 1)
            }
            let dispatch = tester.value.dispatch
            inTransaction {
                dispatch(.add(2))
                dispatch(.double)
                dispatch(.add(1))
            }
            #expect(tester.valueHistory.map(\.state) == [1, 7])
            tester.value.dispatch(.double)
            #expect(tester.value.state == 14)
            tester.dispose()
            dispatch(.double)
            #expect(tester.value.state == 14)
        }

        @Test func theLatestReducerApplies() {
            let tester = HookTester(1) { step in
                useReducer({ (state: Int, _: Void) in state + step }, initialState: 0)
            }
            let dispatch = tester.value.dispatch
            dispatch(())
            tester.update(with: 10)
            dispatch(())
            #expect(tester.value.state == 11)
            tester.dispose()
        }

        @Test func anActionDispatchedByAReducerIsAppliedNext() {
            var dispatch: ((Int) -> Void)?
            let tester = HookTester {
                useReducer(
                    { (state: [Int], action: Int) in
                        if action == 1 { dispatch?(2) }
                        return state + [action]
                    }, initialState: [])
            }
            dispatch = tester.value.dispatch
            tester.value.dispatch(1)
            #expect(tester.value.state == [1, 2])
            tester.dispose()
        }

        @Test func anActionAfterTheEndIsIgnored() {
            var reduced = 0
            let tester = HookTester {
                useReducer(
                    { (state: Int, action: Int) in
                        reduced += 1
                        return state + action
                    }, initialState: 0)
            }
            tester.dispose()
            tester.value.dispatch(1)
            #expect(reduced == 0)
            #expect(tester.valueHistory.count == 1)
        }

        @Test func anEqualStateDoesNotRender() {
            let tester = HookTester { useReducer({ (state: Int, _: Void) in state }, initialState: 0) }
            tester.value.dispatch(())
            #expect(tester.valueHistory.count == 1)
            tester.dispose()
        }
    }

    @Suite struct UseRefTests {
        @Test func aRefNeverRendersAndIsKept() {
            let tester = HookTester { useRef(0) }
            let ref = tester.value
            ref.current = 5
            #expect(tester.valueHistory.count == 1)
            tester.update()
            #expect(tester.value === ref)
            #expect(tester.value.current == 5)
            tester.dispose()
        }
    }

    @Suite struct UseMemoTests {
        @Test func aMemoIsComputedAgainWhenItsDependencyChanges() {
            var created = 0
            let tester = HookTester(1) { value in
                useMemo(.preserved(by: value)) { () -> Int in
                    created += 1
                    return value * 10
                }
            }
            tester.update()
            tester.update(with: 2)
            #expect(tester.valueHistory == [10, 10, 20])
            #expect(created == 2)
            tester.dispose()
        }

        @Test func nilIsKeptToo() {
            var created = 0
            let tester = HookTester {
                useMemo(.once) { () -> Int? in
                    created += 1
                    return nil
                }
            }
            tester.update()
            #expect(tester.value == nil)
            #expect(created == 1)
            tester.dispose()
        }

        @Test func useCountIsOneAfterTheFirstRender() {
            let tester = HookTester("a") { ($0, useCount(), useCount(nil), useCount($0)) }
            #expect((tester.value.1, tester.value.2, tester.value.3) == (1, 1, 1))
            tester.update()
            tester.update(with: "b")
            #expect((tester.value.1, tester.value.2, tester.value.3) == (1, 3, 2))
            tester.dispose()
        }
    }
}
