// A cancellable created on no actor is cancelled on the thread that releases it.

import Reactive

private final class Door: Cancellable {
    var isOpen = true
    func cancel() { isOpen = false }
}

func closeFromAnotherThread() {
    let door = Door()
    let cancellable = AnyCancellable(door)
    Task.detached { cancellable.cancel() }
    door.isOpen = true
}
