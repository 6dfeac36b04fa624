// The thread that releases the last reference cancels.

import Reactive

private final class Box {
    var count = 0
}

func cancelIntoACapture() {
    let box = Box()
    let cancellable = AnyCancellable { box.count += 1 }
    Task.detached { cancellable.cancel() }
    box.count += 1
}
