// Recording of issues that a test provokes.

import Reactive

/// Runs `body` and returns the issues that this test's threads reported meanwhile, instead of printing them.
package func issues(during body: () throws -> Void) rethrows -> [Diagnostics.Issue] {
    let caught = Shared<[Diagnostics.Issue]>([])
    try IssueHandlers.shared.withHandler({ issue in caught.withLock { $0.append(issue) } }, body)
    return caught.value
}

/// The handlers of the tests that record issues at the same time: the process has only one.
private final class IssueHandlers: Sendable {
    typealias Handler = @Sendable (Diagnostics.Issue) -> Void

    static let shared = IssueHandlers()

    private struct State {
        var handlers: [ObjectIdentifier?: [Handler]] = [:]
        var before: Handler?
    }

    private let state = Shared(State())

    /// The test that this thread works for, or `nil` outside tests that have a trait of `TestNeed`.
    private var test: ObjectIdentifier? { TestRun.current.map { ObjectIdentifier($0) } }

    func withHandler(_ handler: @escaping Handler, _ body: () throws -> Void) rethrows {
        let test = test
        state.withLock {
            if $0.handlers.isEmpty {
                $0.before = Diagnostics.onIssue
                Diagnostics.onIssue = { [self] issue in report(issue) }
            }
            $0.handlers[test, default: []].append(handler)
        }
        defer {
            state.withLock {
                $0.handlers[test]?.removeLast()
                if $0.handlers[test]?.isEmpty == true { $0.handlers[test] = nil }
                if $0.handlers.isEmpty { Diagnostics.onIssue = $0.before }
            }
        }
        try body()
    }

    private func report(_ issue: Diagnostics.Issue) { state.withLock { $0.handlers[test]?.last }?(issue) }
}
