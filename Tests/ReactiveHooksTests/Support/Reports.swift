// Recording of reported violations.

import ReactiveHooks
import TestSupport

/// Runs `body` and returns the violations of the rules that were reported meanwhile.
func violations(during body: () throws -> Void) rethrows -> [HooksRules.Violation] {
    let before = HooksRules.onViolation
    let caught = Shared<[HooksRules.Violation]>([])
    HooksRules.onViolation = { violation in caught.withLock { $0.append(violation) } }
    defer { HooksRules.onViolation = before }
    try body()
    return caught.value
}
