// A computed is sendable if its value is, whatever its closure has captured outside actors.

import Reactive

private final class Box {
    var count = 0
}

func shareAComputed() {
    let box = Box()
    let x = Observable(0)
    let total = Computed {
        box.count += 1
        return x.value
    }
    Task.detached { _ = total.value }
    box.count += 1
}
