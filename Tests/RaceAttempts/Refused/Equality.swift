// Comparisons run on the thread that writes or evaluates, so their captures must be sendable.

import Reactive

private final class Box {
    var count = 0
}

func compareWithACapture() {
    let box = Box()
    let x = Observable(
        0,
        equals: {
            box.count += 1
            return $0 == $1
        })
    Task.detached { x.value = 1 }
    x.value = 2
}
