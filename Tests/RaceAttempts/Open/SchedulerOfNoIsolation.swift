// A scheduler created on no actor is called on the writing thread.

import Reactive

private final class Box {
    var count = 0
}

func scheduleFromTwoThreads() {
    let box = Box()
    let x = Observable(0)
    let schedule = Schedule.custom { run in
        box.count += 1
        run()
    }
    autorun(schedule: schedule) { _ = x.value }
    Task.detached { x.value = 1 }
    box.count += 1
}
