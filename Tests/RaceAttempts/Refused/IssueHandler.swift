// Issues arise on any thread.

import Reactive

private final class Box {
    var count = 0
}

func countIssuesInACapture() {
    let box = Box()
    Diagnostics.onIssue = { _ in box.count += 1 }
}
