// An observable, a computed and an autorun.

import Reactive

let price = Observable(3)
let total = Computed { price.value * 2 }
let printing = autorun { print("total:", total.value) }
price.value = 4
printing.cancel()
