// Each hook alone, in a tester with the store of a test scope.

import ReactiveAtomsHooks
import ReactiveAtomsHooksTesting
import ReactiveAtomsTesting
import Testing
import TestSupport

private let count = atom(1, named: "count")
private let double = selector(named: "double") { accessor in try accessor.get(count) * 2 }
private let failing = selector(named: "failing") { accessor -> Int in
    let count = try accessor.get(count)
    if count < 10 { throw Refused.code(count) }
    return count
}
private let celsius = selector(
    named: "celsius", get: { accessor in (try accessor.get(fahrenheit) - 32) * 5 / 9 },
    set: { context, newValue in context.accessor.set(fahrenheit, newValue * 9 / 5 + 32) })
private let fahrenheit = atom(32, named: "fahrenheit")

@Suite(.ownGraph, .timeLimit) struct HookTests {
    @RecoilTestScope(isolation: nil) var recoil

    private func add(context: RecoilCallbackContext, number: Int) -> Int {
        context.accessor.set(count, context.accessor.getUnsafe(count) + number)
        return context.accessor.getUnsafe(count)
    }

    // MARK: - Values

    @Test func aValueRendersWhenItChanges() {
        let tester = HookTester(scope: _recoil) { useRecoilValue(double) }
        recoil.store.set(count, 5)
        #expect(tester.valueHistory == [2, 10])
        tester.dispose()
    }

    @Test func anEqualValueAndADifferentNodeRenderNothing() {
        let tester = HookTester(scope: _recoil) { useRecoilValue(double) }
        recoil.store.set(count, 1)
        recoil.store.set(fahrenheit, 50)
        #expect(tester.valueHistory == [2])
        tester.dispose()
    }

    @Test func severalChangesInATransactionRenderOnce() {
        let tester = HookTester(scope: _recoil) { useRecoilValue(double) + useRecoilValue(fahrenheit) }
        recoil.store.transaction {
            recoil.store.set(count, 2)
            recoil.store.set(fahrenheit, 50)
        }
        #expect(tester.valueHistory == [34, 54])
        tester.dispose()
    }

    @Test func aFamilyFollowsItsParameter() {
        let times = selectorFamily { (factor: Int, accessor: StateGetter) in try accessor.get(count) * factor }
        let tester = HookTester(scope: _recoil, 10) { factor in useRecoilValue(times(factor)) }
        tester.update(with: 100)
        recoil.store.set(count, 3)
        #expect(tester.valueHistory == [10, 100, 300])
        tester.dispose()
    }

    @Test func aHookThatOnlyReadsUsesNoHookSlotAndMayBeConditional() {
        let tester = HookTester(scope: _recoil) {
            let isBig = useRecoilValue(count) > 1
            let seen = isBig ? useRecoilValue(double) : 0
            let state = useState(7)
            return seen + state.wrappedValue
        }
        #expect(issues { recoil.store.set(count, 2) }.isEmpty)
        #expect(tester.valueHistory == [7, 11])
        tester.dispose()
    }

    @Test func aNodeThatIsNoLongerReadRendersNothing() {
        let tester = HookTester(scope: _recoil, true) { reads in reads ? useRecoilValue(count) : 0 }
        tester.update(with: false)
        recoil.store.set(count, 2)
        #expect(tester.valueHistory == [1, 0])
        tester.dispose()
    }

    @Test func aSelectorIsKeptAsLongAsItIsRendered() {
        let tester = HookTester(scope: _recoil) { useRecoilValue(double) }
        #expect(recoil.store.instanceCount == 2)
        tester.update()
        #expect(recoil.store.instanceCount == 2)
        tester.dispose()
        #expect(recoil.store.instanceCount == 1)
    }

    @Test func aThrowingValueIsCaughtAndRendersWhenItRecovers() {
        let tester = HookTester(scope: _recoil) {
            do { return "\(try useRecoilThrowingValue(failing))" } catch { return "\(error)" }
        }
        recoil.store.set(count, 2)
        recoil.store.set(count, 10)
        #expect(tester.valueHistory == ["code(1)", "code(2)", "10"])
        tester.dispose()
    }

    @Test func aFailedValueStopsTheProgramWithAMessage() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = HookRenderer { recoilRoot(RecoilStore()) { useRecoilValue(failing) } }
        }
        expectMessage(result, "useRecoilValue(failing) failed: code(1)", "useRecoilThrowingValue")
    }

    // MARK: - Loading

    @Test func anAsyncValueIsNilUntilItIsLoaded() async throws {
        let loads = Loads<String>()
        let user = selector { _ in try await loads() }
        let tester = HookTester(scope: _recoil, isolation: nil) { useRecoilValue(user) }
        try await loads.waitForStart()
        #expect(tester.value == nil)
        loads.finish(0, "Ann")
        #expect(await tester.value { $0 != nil } == "Ann")
        #expect(tester.valueHistory == [nil, "Ann"])
        tester.dispose()
    }

    @Test func aLoadableRendersWhenItLoadsFailsAndRecovers() async throws {
        let loads = Loads<Int>()
        let price = selector { _ in try await loads() }
        let tester = HookTester(scope: _recoil, isolation: nil) {
            let loadable = useRecoilValueLoadable(price)
            if loadable.isLoading { return ("loading", loadable) }
            if let error = loadable.errors.first { return ("\(error)", loadable) }
            return (loadable.data.map { "\($0)" } ?? "nothing", loadable)
        }
        try await loads.waitForStart()
        loads.finish(0, .failure(Refused.once))
        #expect(await tester.value { $0.0 != "loading" }.0 == "once")
        tester.value.1.load()
        try await loads.waitForStart(2)
        loads.finish(1, 5)
        #expect(await tester.value { $0.0 == "5" }.1.isAsynchronous)
        #expect(tester.valueHistory.map(\.0) == ["loading", "once", "loading", "5"])
        tester.dispose()
    }

    @Test func aRefresherLoadsAgainWithoutReading() async throws {
        let loads = Loads<Int>()
        let price = selector { _ in try await loads() }
        let tester = HookTester(scope: _recoil, isolation: nil) { useRecoilRefresher(price) }
        tester.value()
        try await loads.waitForStart()
        loads.finish(0, 5)
        #expect(tester.valueHistory.count == 1)
        tester.dispose()
    }

    // MARK: - State

    @Test func aBindingReadsAndWritesAndRenders() {
        let tester = HookTester(scope: _recoil) { useRecoilState(celsius) }
        let first = tester.value
        first.wrappedValue = 40
        #expect(recoil.useValue(fahrenheit) == 104)
        #expect(tester.valueHistory.count == 2)
        // A binding of an earlier render, too.
        #expect(first.wrappedValue == 40)
        tester.dispose()
    }

    @Test func aBindingOfAnAsyncNodeIsNilUntilItIsLoaded() async throws {
        let loads = Loads<String>()
        let user = atom { try await loads() }
        let tester = HookTester(scope: _recoil, isolation: nil) {
            (optional: useRecoilState(user), filled: useRecoilState(user, default: "nobody"))
        }
        try await loads.waitForStart()
        #expect(tester.value.optional.wrappedValue == nil)
        #expect(tester.value.filled.wrappedValue == "nobody")
        tester.value.optional.wrappedValue = nil
        #expect(tester.value.optional.wrappedValue == nil)
        tester.value.optional.wrappedValue = "Ann"
        #expect(tester.value.filled.wrappedValue == "Ann")
        tester.value.filled.wrappedValue = "Bob"
        #expect(tester.valueHistory.count == 3)
        loads.finish(0, "late")
        tester.dispose()
    }

    @Test func settingAndResettingWithoutReadingRenderNothing() {
        let tester = HookTester(scope: _recoil) { (set: useSetRecoilState(count), reset: useResetRecoilState(count)) }
        tester.value.set(5)
        #expect(recoil.useValue(count) == 5)
        tester.value.reset()
        #expect(recoil.useValue(count) == 1)
        #expect(tester.valueHistory.count == 1)
        tester.dispose()
    }

    @Test func stateSetInARenderRendersOnceMore() {
        let tester = HookTester(scope: _recoil) {
            let count = useRecoilState(count)
            if count.wrappedValue < 3 { count.wrappedValue += 1 }
            return count.wrappedValue
        }
        #expect(tester.value == 3)
        tester.dispose()
    }

    // MARK: - Callbacks

    @Test func aCallbackReadsAndWritesWithoutRendering() {
        let tester = HookTester(scope: _recoil) { useRecoilCallback(add(context:number:)) }
        #expect(tester.value(10) == 11)
        #expect(recoil.useValue(count) == 11)
        #expect(tester.valueHistory.count == 1)
        tester.dispose()
    }

    @Test func callbacksTakeAnyNumberOfParameters() async throws {
        let tester = HookTester(scope: _recoil) {
            let none = useRecoilCallback { context in context.set(count, 3) }
            let two = useRecoilCallback { (context, factor: Int, term: Int) in
                context.set(count, context.accessor.getUnsafe(count) * factor + term)
            }
            let late = useRecoilCallback { (context, number: Int) async throws in
                await Task.yield()
                return try context.get(count) + number
            }
            return (none: none, two: two, late: late)
        }
        tester.value.none()
        tester.value.two(5, 6)
        #expect(try await tester.value.late(100) == 121)
        tester.dispose()
    }

    @Test func aCallbackThatIsCalledInARenderSubscribesToNothing() {
        let tester = HookTester(scope: _recoil) {
            useRecoilCallback { context in context.accessor.getUnsafe(count) }()
        }
        recoil.store.set(count, 2)
        #expect(tester.valueHistory == [1])
        tester.dispose()
    }

    @Test func reactionsKeptByACallbackEndWithTheScope() {
        let source = Observable(0)
        let tester = HookTester(scope: _recoil) {
            useRecoilCallback { context in
                autorun { context.set(count, source.value) }.store(in: context)
            }
        }
        let callback = tester.value
        callback()
        tester.update()
        source.value = 5
        #expect(recoil.useValue(count) == 5)
        tester.dispose()
        source.value = 6
        #expect(recoil.useValue(count) == 5)
        // It may not keep reactions any more.
        callback()
        source.value = 7
        #expect(recoil.useValue(count) == 6)
    }

    // MARK: - The tester

    @Test func hooksReadStubs() {
        _recoil.stubState(node: count, value: 20)
        let tester = HookTester(scope: _recoil) { useRecoilValue(double) }
        #expect(tester.value == 40)
        _recoil.stubState(node: double, value: 7)
        #expect(tester.value == 7)
        tester.dispose()
    }

    @Test func theTesterTakesAnEnvironmentBesideTheScope() {
        let tester = HookTester(scope: _recoil) {
            useRecoilValue(count) + (useContextIfPresent(Context<Int>.self) ?? 0)
        } environment: {
            $0[Context<Int>.self] = 5
        }
        #expect(tester.value == 6)
        tester.dispose()
    }
}
