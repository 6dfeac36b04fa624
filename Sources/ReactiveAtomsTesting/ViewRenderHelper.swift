// A simulated view: a body that runs again whenever what it used changes, until it shows what the test expects.

import Reactive
public import ReactiveAtoms

/// A simulated view.
///
/// ```swift
/// let view = ViewRenderHelper { recoil, sut in
///     sut.expect(recoil.useValue(title)).equalTo("Books")
/// }
/// try await view.waitForRender()
/// ```
///
/// The body renders again after each change of what it used. The wait is over when a render meets all that it expects.
public final class ViewRenderHelper {
    /// What renders.
    public typealias Body = (ScopedRecoilContext, RenderExpectations) -> Void

    private let body: Body
    private let scope: RecoilTestScope
    private var view: ScopedRecoilContext?
    /// Guarded, since a view that belongs to no actor renders on whatever thread has made a change.
    private let state = Guarded((renderCount: 0, unmet: [String]()))

    /// How often the body has run.
    public var renderCount: Int { state.withLock { $0.renderCount } }

    /// Creates a view that has not rendered yet.
    ///
    /// - Parameters:
    ///   - scope: Whose store it uses.
    ///   - body: Renders: uses nodes and says what it expects of them.
    public init(scope: RecoilTestScope = RecoilTestScope(), body: @escaping Body) {
        self.scope = scope
        self.body = body
    }

    /// Renders, again and again as nodes change, until a render meets all that it expects.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait at most.
    ///   - clock: Where time comes from.
    ///   - isolation: The actor that renders; by default the caller's.
    /// - Throws: ``RecoilTestTimeout`` with what was expected in vain; `CancellationError` if the task is cancelled.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func waitForRender<C: Clock>(
        timeout: Duration = .seconds(3), clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation
    ) async throws where C.Duration == Duration {
        let done = Promise<Bool>()
        let view = ScopedRecoilContext(store: scope.store, isolation: isolation)
        // Weakly: a body may keep its context, which refreshes as long as it is kept.
        view.onRefresh = { [weak self, weak view] in
            if let view { self?.render(in: view, done) }
        }
        self.view = view
        defer { self.view = nil }
        let timer = Task {
            if (try? await clock.sleep(for: timeout)) != nil { done.finish(.success(false)) }
        }
        defer { timer.cancel() }
        render(in: view, done)
        guard try await done.value() else {
            let (renderCount, unmet) = state.withLock { $0 }
            let wishes = unmet.isEmpty ? "The view said nothing that it expects." : unmet.joined(separator: "; ")
            throw RecoilTestTimeout("After \(renderCount) renders in \(timeout): \(wishes)")
        }
    }

    private func render(in view: ScopedRecoilContext, _ done: Promise<Bool>) {
        state.withLock { $0.renderCount += 1 }
        let expectations = RenderExpectations()
        body(view, expectations)
        let unmet = expectations.unmet
        state.withLock { $0.unmet = unmet }
        if unmet.isEmpty, expectations.count > 0 { done.finish(.success(true)) }
    }

    /// Gives the scope an empty store.
    public func reset() {
        scope.reset()
        state.withLock { $0.renderCount = 0 }
    }
}

/// What a render expects.
public final class RenderExpectations {
    fileprivate(set) var count = 0
    fileprivate(set) var unmet: [String] = []

    /// Begins to say what is expected of a value.
    ///
    /// - Parameter actual: The value.
    public func expect<Value: Equatable>(_ actual: Value) -> Expectation<Value> { Expectation(self, actual) }

    /// What is expected of a value.
    public struct Expectation<Value: Equatable> {
        private let expectations: RenderExpectations
        private let actual: Value

        fileprivate init(_ expectations: RenderExpectations, _ actual: Value) {
            self.expectations = expectations
            self.actual = actual
        }

        /// Expects it to equal another.
        ///
        /// - Parameter expected: The other.
        public func equalTo(_ expected: Value) {
            expectations.count += 1
            if actual != expected { expectations.unmet.append("expected \(expected), found \(actual)") }
        }
    }
}
