// The test support for users.

import Reactive
import ReactiveAtomsTesting
import Testing

@testable import ReactiveAtoms
import TestSupport

private struct Quantity: SyncAtomNode {
    let item: String
    func getValue() -> Int { 1 }
}

private enum MultipleTen {
    static var upstreamState: Atom<Int> { atom { 0 } }
    static var state: Selector<Int> { selector { context in try context.get(upstreamState) * 10 } }
    static var asyncUpstreamState: AsyncAtom<Int> { atom { () async -> Int in 0 } }
    static var asyncState: AsyncSelector<Int> {
        selector { context in try await context.get(asyncUpstreamState) * 10 }
    }
}

@Suite(.ownGraph, .timeLimit) final class TestScopeTests {
    @RecoilTestScope(isolation: nil) var recoil
    var accessor: StateAccessor { _recoil.accessor(deps: []) }

    @Test func aStubWinsAndDependentsSeeIt() throws {
        #expect(try accessor.get(MultipleTen.state) == 0)
        _recoil.stubState(node: MultipleTen.upstreamState, value: 20)
        #expect(try accessor.get(MultipleTen.state) == 200)
        _recoil.stubState(node: MultipleTen.state, error: Refused.once)
        #expect(throws: Refused.once) { try accessor.get(MultipleTen.state) }
    }

    @Test func aStubOfAnAsyncNodeWins() async throws {
        _recoil.stubState(node: MultipleTen.asyncUpstreamState, error: Refused.once)
        await #expect(throws: Refused.once) { try await accessor.get(MultipleTen.asyncState) }
        _recoil.stubState(node: MultipleTen.asyncUpstreamState, value: 20)
        #expect(try await accessor.get(MultipleTen.asyncState) == 200)
    }

    @Test func aStubOfANodeBeatsOneOfItsTypeAndTheLastWins() throws {
        _recoil.stubState(node: Quantity(item: "pen"), value: 5)
        _recoil.stubState(type: Quantity.self, value: 7)
        _recoil.stubState(type: Quantity.self, value: 8)
        #expect(try accessor.get(Quantity(item: "pen")) == 5)
        #expect(try accessor.get(Quantity(item: "book")) == 8)
        _recoil.stubState(type: Quantity.self, error: Refused.once)
        #expect(throws: Refused.once) { try accessor.get(Quantity(item: "book")) }
        _recoil.stubState(node: Quantity(item: "pen"), value: 6)
        #expect(try accessor.get(Quantity(item: "pen")) == 6)
    }

    @Test func aContextKeptByABodyOutlivesItsView() async throws {
        let kept = Shared<ScopedRecoilContext?>(nil)
        do {
            let view = ViewRenderHelper(scope: _recoil) { context, sut in
                kept.value = context
                sut.expect(context.useValue(MultipleTen.state)).equalTo(0)
            }
            try await view.waitForRender(isolation: nil)
        }
        recoil.useBinding(MultipleTen.upstreamState).wrappedValue = 3
        #expect(kept.value?.useValue(MultipleTen.state) == 30)
    }

    @Test func refreshesAreCountedUntilTheyAreReset() throws {
        let binding = recoil.useBinding(MultipleTen.upstreamState)
        binding.wrappedValue = 3
        #expect(recoil.useValue(MultipleTen.state) == 30)
        #expect(_recoil.viewRefreshCount == 1)
        _recoil.stubState(node: MultipleTen.state, value: 1)
        #expect(_recoil.viewRefreshCount == 2)
        _recoil.reset()
        #expect(_recoil.viewRefreshCount == 0)
        #expect(recoil.useValue(MultipleTen.state) == 0)
        recoil.useUpdate(MultipleTen.upstreamState)(4)
        #expect(_recoil.viewRefreshCount == 1)
        _recoil.purge()
        #expect(recoil.useValue(MultipleTen.state) == 0)
    }

    @Test func aTestCanWaitForTheNextChange() async throws {
        let clock = ManualClock()
        _ = recoil.useValue(MultipleTen.state)
        let recoil = recoil
        let changed = try await _recoil.waitNextStateChange(clock: clock) {
            recoil.useUpdate(MultipleTen.upstreamState)(4)
        }
        #expect(changed == [MultipleTen.state.key])
    }

    @Test func waitingForAChangeThatDoesNotComeTimesOut() async throws {
        let clock = ManualClock()
        let scope = Unchecked(_recoil)
        let waiting = Task { try await scope.value.waitNextStateChange(timeout: .seconds(5), clock: clock) }
        await clock.hasSleepers(1)
        clock.advance(by: .seconds(5))
        await #expect(throws: RecoilTestTimeout.self) { try await waiting.value }
    }

    @Test func aSimulatedViewRendersUntilItShowsTheExpectedValue() async throws {
        let loads = Loads<[String]>()
        let names = selector { _ in try await loads() }
        let view = ViewRenderHelper(scope: _recoil) { recoil, sut in
            let loadable = recoil.useLoadable(names)
            sut.expect(loadable.data).equalTo(["Ella", "Chris"])
            sut.expect(loadable.isLoading).equalTo(false)
        }
        let ending = Task {
            try await loads.waitForStart()
            loads.finish(0, ["Ella", "Chris"])
        }
        try await view.waitForRender(clock: ManualClock(), isolation: nil)
        try await ending.value
        #expect(view.renderCount == 2)
    }

    @Test func aViewThatNeverShowsTheExpectedValueTimesOutWithAReason() async throws {
        let clock = ManualClock()
        let view = Unchecked(
            ViewRenderHelper(scope: _recoil) { recoil, sut in
                sut.expect(recoil.useValue(MultipleTen.upstreamState)).equalTo(5)
            })
        let waiting = Task { try await view.value.waitForRender(timeout: .seconds(1), clock: clock, isolation: nil) }
        await clock.hasSleepers(1)
        clock.advance(by: .seconds(1))
        do {
            try await waiting.value
            Issue.record("it should have timed out")
        } catch let timeout as RecoilTestTimeout {
            #expect(timeout.description.contains("expected Optional(5), found Optional(0)"))
        }
    }
}
