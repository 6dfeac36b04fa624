// Catching what the library reports while a test provokes it.

import Reactive

/// Runs `body` and returns the issues that were reported meanwhile, instead of printing them.
package func issues(during body: () throws -> Void) rethrows -> [Diagnostics.Issue] {
    let caught = Shared<[Diagnostics.Issue]>([])
    let before = Diagnostics.onIssue
    Diagnostics.onIssue = { issue in caught.withLock { $0.append(issue) } }
    defer { Diagnostics.onIssue = before }
    try body()
    return caught.value
}
