// Actions that SwiftUI forbids inside a view update, and the faults that the stand-in reports for them.

import ReactiveAtomsHooks
import ReactiveSwiftUI
import SwiftUI
import Testing

private let total = atom(0, named: "total")
private let loaded = atom(
    5, named: "loaded",
    effects: [AtomEffect { _ in effectStore.set(total, 1) }])
private let effectStore = RecoilStore()

@MainActor private final class Model: ObservableObject {
    var count = 0
}

/// Publishes in its body, which no view may do.
private struct Careless: View {
    @StateObject private var model = Model()
    var body: some View {
        let _ = { if model.count == 0 { model.count += 1; model.objectWillChange.send() } }()
        Text("careless \(model.count)")
    }
}

private struct TotalView: View {
    @RecoilScope var recoil
    var body: some View { Text("total \(recoil.useValue(total) ?? -1)") }
}

private struct LoadedView: View {
    @RecoilScope var recoil
    var body: some View { Text("loaded \(recoil.useValue(loaded) ?? -1)") }
}

private struct RestlessView: View {
    @RecoilScope var recoil
    var body: some View {
        let value = recoil.useValue(total) ?? 0
        let _ = recoil.useUpdate(total)(value + 1)
        Text("\(value)")
    }
}

nonisolated private func makeViewsAnywhere() -> [String] {
    let scope = HookScope { Text("scope") }
    let keyed = HookScope(id: 1) { Text("keyed") }
    let observer = ObserverView { Text("observer") }
    let root = RecoilRoot(store: RecoilStore()) { Text("root") }
    let provider = Context<Int>.Provider(value: 1) { Text("provider") }
    let consumer = Context<Int>.Consumer { Text("\($0)") }
    return [scope, keyed, observer, root, provider, consumer].map { "\(type(of: $0 as Any))" }
}

extension StandInTests {
    @MainActor @Suite struct UpdateTests {
        // MARK: The stand-in

        @Test func theStandInRecordsPublishingInABody() {
            let screen = Screen(collectsFaults: true) { Careless() }
            #expect(screen.faults.count == 1)
            #expect(screen.faults[0].contains("Publishing changes from within view updates"))
        }

        @Test func theStandInStopsTheProgramAtAFaultByDefault() async {
            let outcome = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                await MainActor.run { _ = Screen { Careless() } }
            }
            let output = String(decoding: outcome?.standardErrorContent ?? [], as: UTF8.self)
            #expect(output.contains("Publishing changes from within view updates"))
        }

        @Test func theStandInRecordsEqualIdsAndDiffsLists() async {
            let rows = Reactive.Observable([1, 2, 3])
            let screen = Screen(collectsFaults: true) {
                ObserverView { ForEach(rows.value, id: \.self) { Text("\($0)") } }
            }
            rows.value = [3, 1, 4]
            await screen.finishUpdates()
            #expect(screen.listChanges == ["+1", "+2", "+3", "+4", "moved", "-2"])
            #expect(screen.faults.isEmpty)
            rows.value = [1, 1]
            await screen.finishUpdates()
            #expect(screen.faults.count == 1)
        }

        @Test func onlyDueViewsRunTheirBodies() async {
            let count = Reactive.Observable(0)
            let screen = Screen {
                HookScope { Text("other") }
                ObserverView { Text("\(count.value)") }
            }
            let before = screen.bodyCounts
            count.value = 1
            await screen.finishUpdates()
            #expect(
                screen.bodyCounts.filter { before[$0.key] != $0.value }.keys.map { $0.prefix(12) } == ["ObserverView"])
        }

        // MARK: Removed views

        /// Shows a view that changes `total` when it is removed, beside one that shows `total`.
        private func screen(
            asksTwice: Bool = false, _ isShown: Reactive.Observable<Bool>,
            @ViewBuilder _ content: @escaping @MainActor () -> some View,
            @ViewBuilder _ beside: @escaping @MainActor () -> some View
        ) -> Screen {
            Screen(asksTwice: asksTwice) {
                beside()
                ObserverView { if isShown.value { content() } }
            }
        }

        @Test(arguments: [false, true]) func aCleanUpOfARemovedViewPublishesAfterTheUpdate(asksTwice: Bool) async {
            let isShown = Reactive.Observable(true)
            let ends = Reactive.Observable(0)
            let screen = screen(asksTwice: asksTwice, isShown) {
                HookScope {
                    let _ = useEffect(.once) { { ends.value += 1 } }
                    Text("shown")
                }
            } _: {
                ObserverView { Text("ends \(ends.value)") }
                HookScope { Text("ended \(ends.value)") }
            }
            await screen.finishUpdates()
            isShown.value = false
            await screen.finishUpdates()
            #expect(screen.lines == ["ends 1", "ended 1"])
            #expect(screen.faults.isEmpty)
        }

        @Test func aCleanUpOfARemovedObserverViewPublishesAfterTheUpdate() async {
            let isShown = Reactive.Observable(true)
            let ends = Reactive.Observable(0)
            let screen = screen(isShown) {
                ObserverView {
                    let _ = onCleanup { ends.value += 1 }
                    Text("shown")
                }
            } _: {
                ObserverView { Text("ends \(ends.value)") }
            }
            isShown.value = false
            await screen.finishUpdates()
            #expect(screen.lines == ["ends 1"])
            #expect(screen.faults.isEmpty)
        }

        @Test func cancellablesOfAScopeEndAfterTheUpdate() async {
            struct Keeping: View {
                @RecoilScope var recoil
                let end: () -> Void
                var body: some View {
                    let keep = recoil.useCallback { context in AnyCancellable(end).store(in: context) }
                    let _ = keep()
                    Text("shown")
                }
            }
            let isShown = Reactive.Observable(true)
            let ends = Reactive.Observable(0)
            let screen = screen(isShown) {
                RecoilRoot { _ in
                } content: {
                    Keeping { ends.value += 1 }
                }
            } _: {
                ObserverView { Text("ends \(ends.value)") }
            }
            isShown.value = false
            await screen.finishUpdates()
            #expect(screen.lines == ["ends 1"])
            #expect(screen.faults.isEmpty)
        }

        @Test func aScreenThatClosesEndsItsHooks() async {
            var log: [String] = []
            let screen = Screen {
                HookScope {
                    let _ = useEffect(.once) { { log.append("end") } }; Text("shown")
                }
            }
            await screen.finishUpdates()
            screen.close()
            #expect(log.isEmpty)
            await screen.finishUpdates()
            #expect(log == ["end"])
        }

        @Test func aRemovedRowEndsItsHooksAndOtherRowsKeepTheirs() async {
            let rows = Reactive.Observable(["a", "b", "c"])
            let ended = Reactive.Observable<[String]>([])
            let screen = Screen {
                ObserverView {
                    ForEach(rows.value, id: \.self) { row in
                        HookScope {
                            let name = useState(row + "!")
                            let _ = useEffect(.once) { { ended.value.append(row) } }
                            Text(name.wrappedValue)
                        }
                    }
                }
                ObserverView { Text(ended.value.joined()) }
            }
            await screen.finishUpdates()
            rows.value = ["c", "a"]
            await screen.finishUpdates()
            #expect(screen.lines == ["c!", "a!", "b"])
            #expect(screen.faults.isEmpty)
        }

        // MARK: Bodies that run twice

        @Test func effectsOfABodyThatRunsTwiceRunOnceAfterTheUpdate() async {
            let shown = Reactive.Observable(0)
            var log: [String] = []
            let screen = Screen(asksTwice: true) {
                HookScope {
                    let count = useState(1)
                    let _ = useEffect(.preserved(by: count.wrappedValue)) {
                        shown.value = count.wrappedValue
                        log.append("effect \(count.wrappedValue)")
                        return { log.append("undo") }
                    }
                    let _ = useEffect {
                        log.append("each")
                        return nil
                    }
                    Button("+") { count.wrappedValue += 1 }
                }
                ObserverView { Text("shown \(shown.value)") }
            }
            #expect(log.isEmpty)
            await screen.finishUpdates()
            #expect(screen.lines == ["+", "shown 1"])
            screen.press("+")
            await screen.finishUpdates()
            #expect(screen.lines == ["+", "shown 2"])
            #expect(log == ["effect 1", "each", "undo", "effect 2", "each"])
            #expect(screen.faults.isEmpty)
        }

        @Test(arguments: [false, true]) func aHundredPressesBeforeTheEffectsRunAreNoLoop(asksTwice: Bool) async {
            let issues = await issues { @MainActor in
                var effects = 0
                let screen = Screen(asksTwice: asksTwice) {
                    HookScope {
                        let count = useState(0)
                        let double = useState(0)
                        let _ = useEffect(.preserved(by: count.wrappedValue)) {
                            effects += 1
                            double.wrappedValue = 2 * count.wrappedValue
                            return nil
                        }
                        Text("\(double.wrappedValue)")
                        Button("+") { count.wrappedValue += 1 }
                    }
                }
                for _ in 1...100 { screen.press("+") }
                await screen.finishUpdates()
                #expect(screen.lines == ["200", "+"])
                for _ in 1...100 {
                    screen.press("+")
                    await Task { @MainActor in }.value
                }
                await screen.finishUpdates()
                #expect(screen.lines == ["400", "+"])
                #expect(screen.faults.isEmpty)
            }
            #expect(issues.isEmpty)
        }

        // MARK: Bodies that change shown state

        @Test func aBodysWriteToTheStateOfAnotherViewIsPublishedAfterTheUpdate() async {
            let count = Reactive.Observable(0)
            let trigger = Reactive.Observable(0)
            let screen = Screen(asksTwice: true) {
                ObserverView { Text("observer \(count.value)") }
                HookScope { Text("hooks \(count.value)") }
                HookScope {
                    let _ = { count.value = trigger.value }()
                    Text("writer")
                }
            }
            trigger.value = 7
            await screen.finishUpdates()
            #expect(screen.lines == ["observer 7", "hooks 7", "writer"])
            #expect(screen.faults.isEmpty)
        }

        @Test func anEffectOfAnAtomThatABodyUsesFirstIsPublishedAfterTheUpdate() async {
            let screen = Screen {
                RecoilRoot(store: effectStore) {
                    TotalView(); LoadedView()
                }
            }
            await screen.finishUpdates()
            #expect(screen.lines == ["total 1", "loaded 5"])
            #expect(screen.faults.isEmpty)
        }

        @Test func anObserverViewThatUpdatesForeverIsReported() async {
            var screen: Screen?
            let count = Reactive.Observable(0)
            let issues = await issues { @MainActor in
                screen = Screen {
                    ObserverView {
                        let _ = { count.value += 1 }(); Text("\(count.value)")
                    }
                }
                for _ in 0..<20 { await screen?.finishUpdates() }
            }
            #expect(issues.map(\.kind) == [.loop])
            #expect(screen?.drawCount == 25)
            #expect(screen?.faults.isEmpty == true)
            // The view waits for the next change.
            let again = await self.issues { @MainActor in
                count.value = 0
                await screen?.finishUpdates()
            }
            #expect(again.count <= 1)
            #expect((screen?.drawCount ?? 0) > 25)
        }

        @Test func aViewWithAScopeThatUpdatesForeverIsReported() async {
            let issues = await issues { @MainActor in
                let screen = Screen { RecoilRoot(store: RecoilStore()) { RestlessView() } }
                for _ in 0..<20 { await screen.finishUpdates() }
                #expect(screen.faults.isEmpty)
            }
            #expect(issues.map(\.kind) == [.loop])
        }

        // MARK: Views as values

        @Test func viewsMayBeCreatedInNoIsolation() { #expect(makeViewsAnywhere().count == 6) }

        @Test func aScopeWithoutAnIdGivesItsViewNoId() {
            let screen = Screen { HookScope { Text("a") } }
            #expect(!screen.bodyCounts.keys.contains { $0.contains("Identified") })
            #expect(!screen.identities.contains { $0.contains("nil") })
        }

        @Test func theIdsOfTwoViewsDiffer() {
            let screen = Screen {
                HookScope { Text(useId()) }
                HookScope { Text(useId()) }
            }
            #expect(Set(screen.lines).count == 2)
        }

        @Test func aViewWithAScopeAllocatesNothing() {
            func objects(in value: Any) -> [Any] {
                let mirror = Mirror(reflecting: value)
                return mirror.displayStyle == .class ? [value] : mirror.children.flatMap { objects(in: $0.value) }
            }
            // A key path would be equal for all values.
            #expect(objects(in: TotalView()).allSatisfy { $0 is AnyKeyPath })
        }

        /// Runs `body` and returns the issues that were reported meanwhile.
        private func issues(_ body: @MainActor () async -> Void) async -> [Diagnostics.Issue] {
            let before = Diagnostics.onIssue
            nonisolated(unsafe) var issues: [Diagnostics.Issue] = []
            Diagnostics.onIssue = { issues.append($0) }
            await body()
            Diagnostics.onIssue = before
            return issues
        }
    }
}
