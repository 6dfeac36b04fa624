// In the initial value of a property, Swift 6.3 does not know which actor the property belongs to
// (swiftlang/swift#79060).

import Reactive

@MainActor final class Screen {
    var width = 80
    private(set) lazy var half = Computed { [unowned self] in width / 2 }
}

@MainActor func readElsewhere(_ screen: Screen) {
    let half = screen.half
    Task.detached { _ = half.value }
    screen.width = 40
}
