// The library in twelve lines: the first sample of the README.

import Reactive

extension Chapter {
    static let overview = Chapter(
        "In twelve lines",
        [
            Sample("State, a value computed from it, and a reaction to that") {
                struct Cart { @Observable var prices = [5, 10] }
                let cart = Cart()
                let total = Computed { cart.prices.reduce(0, +) }
                let report = autorun { print("total:", total.value) }  // prints "total: 15"
                cart.prices.append(20)  // prints "total: 35"
                inTransaction {
                    cart.prices.append(1)
                    cart.prices.append(2)
                }  // prints "total: 38"
                report.cancel()
            }
        ])
}
