// A binding of a sendable value is sendable, so the captures of its closures must be, too.

import Reactive

private final class Box {
    var count = 0
}

func bindToACapture() {
    let box = Box()
    let binding = Binding(get: { box.count }, set: { box.count = $0 })
    Task.detached { binding.wrappedValue = 1 }
    binding.wrappedValue = 2
}
