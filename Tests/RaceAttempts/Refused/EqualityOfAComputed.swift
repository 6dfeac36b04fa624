// The comparison of a computed runs on the reading thread.

import Reactive

private final class Box {
    var count = 0
}

func compareResultsWithACapture() {
    let box = Box()
    let x = Observable(0)
    let double = Computed(
        equals: {
            box.count += 1
            return $0 == $1
        }) { x.value * 2 }
    Task.detached { _ = double.value }
    _ = double.value
}
