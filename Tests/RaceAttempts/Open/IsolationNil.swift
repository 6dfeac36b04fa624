// `isolation: nil` is a promise of the author. Swift does not check it, like `nonisolated(unsafe)`.

import Reactive

@MainActor final class Panel {
    var width = 80
    func half() -> Computed<Int> { Computed(isolation: nil) { self.width / 2 } }
}

@MainActor func readAnywhere(_ panel: Panel) {
    let half = panel.half()
    Task.detached { _ = half.value }
    panel.width = 40
}
