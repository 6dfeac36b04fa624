// A cleanup that was created on no actor runs on the thread that cancels.

import Reactive

private final class Box {
    var count = 0
}

func cancelFromAnotherThread() {
    let box = Box()
    let reaction = autorun { onCleanup { box.count += 1 } }
    Task.detached { reaction.cancel() }
    box.count += 1
}
