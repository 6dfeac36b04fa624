// State, a value computed from it, and code that runs again when, and only when, something it read has changed.
//
//     swift run --package-path Examples Counter

import Reactive

struct Model {
    @Observable var count = 0
}

let model = Model()
let isEven = Computed { model.count.isMultiple(of: 2) }

// Nobody subscribes by hand: what a closure reads is what it depends on.
let numbers = autorun { print("count:", model.count) }  // prints "count: 0"
let parity = autorun { print(isEven.value ? "even" : "odd") }  // prints "even"

model.count = 1  // prints "count: 1", "odd"

// 3 is as odd as 1: the computed has an equal result, so the second reaction does not run.
model.count = 3  // prints "count: 3"

// A reaction runs until it is cancelled.
numbers.cancel()
model.count = 4  // prints "even"
parity.cancel()
