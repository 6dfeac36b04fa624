// Catching what is reported while a test provokes it.

import ReactiveHooks

/// Runs `body` and returns the violations of the rules that were reported meanwhile.
func violations(during body: () throws -> Void) rethrows -> [HooksRules.Violation] {
    let before = HooksRules.onViolation
    let caught = Shared<[HooksRules.Violation]>([])
    HooksRules.onViolation = { violation in caught.withLock { $0.append(violation) } }
    defer { HooksRules.onViolation = before }
    try body()
    return caught.value
}

/// Runs `body` and returns the issues that were reported meanwhile, instead of printing them.
func issues(during body: () throws -> Void) rethrows -> [Diagnostics.Issue] {
    let before = Diagnostics.onIssue
    let caught = Shared<[Diagnostics.Issue]>([])
    Diagnostics.onIssue = { issue in caught.withLock { $0.append(issue) } }
    defer { Diagnostics.onIssue = before }
    try body()
    return caught.value
}
