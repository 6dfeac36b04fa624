// Every Swift sample in the README, the articles and the doc comments is part of the tour, and so compiles and runs.
// Samples for SwiftUI and for shared models are part of the tests of these modules.

import Foundation
import ProgramSupport
import Testing
import TourCore

@Suite struct DocumentationTests {
    @Test func everyBlockOfSwiftInTheDocumentationIsInTheTour() throws {
        let blocks = try documents().flatMap { try CodeBlock.all(in: $0, below: root) }
        #expect(blocks.count > 30)
        let samples = try Tour.chapters.flatMap(\.samples).map(\.code) + declarations()
        for block in blocks where !samples.contains(where: block.isPart) {
            let code = block.code.joined(separator: "\n")
            Issue.record("\(block.place): no sample of Examples/Tour/Core contains this code:\n\(code)")
        }
    }

    @Test func everyFunctionOfTheLibraryIsInTheTour() throws {
        let samples = try Tour.chapters.flatMap(\.samples).map(\.code) + declarations()
        let code = samples.flatMap(\.lines).joined().filter { $0 != " " }
        let functions = """
            Observable( @Observable @Observed @Reactive.Observable .value $person Binding( .constant( Computed{
            ThrowingComputed{ computed( equals: .never Computed(of: ThrowingComputed(of: autorun(of: reaction(of:
            awaitwhen(of: deepObserve(state,of: autorun{ onError: reaction{ onChange: fireImmediately: when{ effect:
            untracked{ ObserverScope{ onRender: .output .renderCount .invalidate() Reaction .cancel() .isCancelled
            .runCount .lastCause .store(in: AnyCancellable onCleanup{ detached{ inTransaction{ onError:.commit
            awaitwhen{ timeout: WhenTimeoutError values(of: IndependentGraph( .run{ .cancelReactions() schedule:
            .immediate .debounced(for: .throttled(every: .custom{ Diagnostics.onIssue Diagnostics.liveReactions
            Diagnostics.graph() .mermaid .dot named: deepObserve( .pointer .oldValue .newValue .jsonPatch() JSONPatch(
            .applying(to: .inverse apply( JSONValue History( .undo() .redo() .canUndo .canRedo .undoCount .seal()
            mergeWindow: .log HistoryLog .replay(onto: autosave( .flush() load( LoadingError encodeOnChange(
            HookRenderer{ HookRenderer(scheduler: .unmount() .needsRender .runEffects() useState( useEffect( useMemo(
            useRef( useReducer( useSetState( useCount( useValueChanged( useEnvironment( withEnvironment(
            useContextIfPresent( .provide( .consume{ @HState @HMemo( @HRef @HEnvironment( @HContext( hookScope(id:
            hookScope{ HookView useComputed{ useObservable( useReaction{ useAsync( useAsyncPerform{ useAsyncRefresh{
            useAsyncSequence( useAsyncSequenceSubscribe{ HooksRules.onViolation useHook( HookTester{ .update(with:
            .valueHistory .dispose() HTML renderToString{ .preserved(by: .once useDeferredValue( useId() atom( atom{
            selector{ selector( atomFamily{ selectorFamily{ SyncAtomNode SyncSelectorNode RecoilError.circular
            RecoilStore() RecoilStore{ store.value( store.get( store.getOrNil( store.getUnsafe( store.set(
            store.update( store.reset( store.observe( store.transaction{ store.loadable( store.snapshot()
            store.restore( store.override( .removeOverride(of: store.release( store.purge() retention: .whileObserved
            effects: AtomEffect{ .setSelf( .onSet{ .persist(to: .generateDotGraph( .isLoading .data .errors .phase
            .containError(of: .load() noWait( waitForAll( waitForAny( waitForNone( waitForAllSettled(
            ScopedRecoilContext( .useValue( .useUpdate( .useBinding( .useLoadable( @RecoilScope RecoilUIScope
            @RecoilTestScope .stubState( .waitNextStateChange{ .viewRefreshCount ViewRenderHelper{ .waitForRender()
            recoilRoot( recoilRoot{ useRecoilState( useRecoilValue( useRecoilValueLoadable( useRecoilThrowingValue(
            useRecoilCallback{ useSetRecoilState( useResetRecoilState( useRecoilRefresher( HookTester(scope:
            ObservableArray ObservableDictionary ObservableSet .live .live(id: [id: .elements .filter{ .map{ .map(
            .compactMap{ .flatMap{ .sorted(by: .sorted{ .sorted() .grouped(by: .indexed(by: .uniqued() .uniqued(by:
            .prefix( .prefix{ .suffix( .slice(from: .reversed() .concatenated(with: .joined(with: .mapValues{
            .compactMapValues{ .keys .values .merging( .count{ .sum{ .sum() .reduce( .reduce(into: .min(by: .max{
            .first{ ObserverView{ @ReactiveBindable ReactiveBindable( .onReaction(of:
            ObservationBridge.isEnabledOnMainThread .contains{ .allSatisfy( .rendered{ reaction(to: .inserted .removed
            reaction(of:self,to: .apply(changes) .difference
            """
        for function in functions.split(whereSeparator: \.isWhitespace) {
            #expect(code.contains(function), "no sample shows \(function)")
        }
    }

    private var root: URL { examplesFolder.deletingLastPathComponent() }

    /// The Markdown files that readers see first, the DocC catalogues, and the sources of the library.
    private func documents() throws -> [URL] {
        let files = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Sync/README.md"].map {
            root.appendingPathComponent($0)
        }
        let catalogues = try ["ReactiveJSON", "ReactiveCodable"].flatMap {
            try self.files(in: "Sources/\($0)/Documentation.docc", endingIn: [".md"])
        }
        let guide = try self.files(in: "Documentation/Guide.docc", endingIn: [".md"])
        let modules = [
            "Reactive", "ReactiveCollections", "ReactiveInspector", "ReactiveHooks",
            "ReactiveCollectionsHooks", "ReactiveSwiftUI", "ReactiveAtoms", "ReactiveAtomsTesting",
            "ReactiveAtomsHooks", "ReactiveAtomsHooksTesting",
        ]
        let sync = try self.files(in: "Sync/Sources", endingIn: [".md", ".swift"])
        return try modules.reduce(files + catalogues + sync + guide) {
            try $0 + self.files(in: "Sources/\($1)", endingIn: [".md", ".swift"])
        }
    }

    /// The declarations that samples need outside functions, and those for SwiftUI.
    private func declarations() throws -> [SampleCode] {
        let files = [
            "Examples/Tour/Core/Hooks.swift", "Examples/Tour/Core/AtomsAtWork.swift",
            "Examples/Tests/TourTests/TestingSamples.swift", "Examples/Tour/Core/HandClock.swift",
            "Tests/SwiftUIStandIn/AdapterTests/DocumentationSamples.swift",
            "Tests/SwiftUIStandIn/AdapterTests/ListSamples.swift",
            "Sync/Tests/ReactivePostgresTests/DocumentationSamples.swift",
        ]
        return try files.map { try SampleCode(ofFile: root.appendingPathComponent($0).path) }
    }

    private func files(in folder: String, endingIn endings: [String]) throws -> [URL] {
        let folder = root.appendingPathComponent(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .filter { file in endings.contains { file.hasSuffix($0) } }
            .map { folder.appendingPathComponent($0) }
    }
}
