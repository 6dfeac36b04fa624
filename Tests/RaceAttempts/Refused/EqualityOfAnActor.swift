// A comparison may not use an actor: it cannot wait for it.

import Reactive

@MainActor final class Store {
    var tolerance = 1
    func level() -> Observable<Int> { Observable(0, equals: { abs($0 - $1) <= self.tolerance }) }
}
