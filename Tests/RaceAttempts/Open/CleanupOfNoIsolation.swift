// A cleanup created on no actor runs on the cancelling thread.

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
