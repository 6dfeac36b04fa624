// Reactions of two graphs run in parallel, and may have captured the same object.

import Reactive

private final class Box {
    var count = 0
}

func shareBetweenGraphs() {
    let box = Box()
    let (first, second) = (IndependentGraph(), IndependentGraph())
    let x = first.run { Observable(0) }
    let y = second.run { Observable(0) }
    first.run {
        autorun {
            _ = x.value
            box.count += 1
        }
    }
    second.run {
        autorun {
            _ = y.value
            box.count += 1
        }
    }
    Task.detached { x.value = 1 }
    y.value = 1
}
