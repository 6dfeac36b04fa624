// An effect created on no actor runs on the writing thread.

import Reactive

private final class Box {
    var count = 0
}

func reactFromTwoThreads() {
    let box = Box()
    let x = Observable(0)
    reaction {
        x.value
    } onChange: { _ in
        box.count += 1
    }
    Task.detached { x.value = 1 }
    box.count += 1
}
