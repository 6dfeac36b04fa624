// A simulated view: a body that runs again whenever a node that it used changes, until its expectations are met.

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
/// The body renders again after each change of a node that it used. The wait ends when a render meets all expectations.
public final class ViewRenderHelper {
    /// The type of the body.
    public typealias Body = (ScopedRecoilContext, RenderExpectations) -> Void

    private let body: Body
    private let scope: RecoilTestScope
    private var view: ScopedRecoilContext?
    /// Guarded, because a view that belongs to no actor renders on any thread that makes a change.
    private let state = Guarded((renderCount: 0, unmet: [String]()))

    /// The number of runs of the body.
    public var renderCount: Int { state.withLock { $0.renderCount } }

    /// Creates a view that has not rendered yet.
    ///
    /// - Parameters:
    ///   - scope: The scope whose store the view uses.
    ///   - body: Renders: uses nodes and states its expectations.
    public init(scope: RecoilTestScope = RecoilTestScope(), body: @escaping Body) {
        self.scope = scope
        self.body = body
    }

    /// Renders, and renders again when nodes change, until a render meets all expectations.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait.
    ///   - clock: The clock that measures the time.
    ///   - isolation: The actor that renders; by default the caller's.
    /// - Throws: ``RecoilTestTimeout`` with the unmet expectations; `CancellationError` if the task is cancelled.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func waitForRender<C: Clock>(
        timeout: Duration = .seconds(3), clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation
    ) async throws where C.Duration == Duration {
        let done = Promise<Bool>()
        let view = ScopedRecoilContext(store: scope.store, isolation: isolation)
        // Weak, because a body may retain its context, and the context refreshes as long as it exists.
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
            let wishes = unmet.isEmpty ? "The view stated no expectations." : unmet.joined(separator: "; ")
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

    /// Replaces the store of the scope with an empty one.
    public func reset() {
        scope.reset()
        state.withLock { $0.renderCount = 0 }
    }
}

/// The expectations of a render.
public final class RenderExpectations {
    fileprivate(set) var count = 0
    fileprivate(set) var unmet: [String] = []

    /// Returns an expectation of a value; call a function of it to state the condition.
    ///
    /// - Parameter actual: The value.
    public func expect<Value: Equatable>(_ actual: Value) -> Expectation<Value> { Expectation(self, actual) }

    /// An expectation of a value.
    public struct Expectation<Value: Equatable> {
        private let expectations: RenderExpectations
        private let actual: Value

        fileprivate init(_ expectations: RenderExpectations, _ actual: Value) {
            self.expectations = expectations
            self.actual = actual
        }

        /// Expects the value to equal `expected`.
        ///
        /// - Parameter expected: The expected value.
        public func equalTo(_ expected: Value) {
            expectations.count += 1
            if actual != expected { expectations.unmet.append("expected \(expected), found \(actual)") }
        }
    }
}
