// State, a value computed from it, and code that runs again when, and only when, something it read has changed.
//
//     swift run --package-path Examples Counter

import Reactive

struct Model {
    @Observable var count = 0
}

let model = Model()
let isEven = Computed { model.count.isMultiple(of: 2) }

// There are no manual subscriptions: a closure depends on the values that it reads.
let numbers = autorun { print("count:", model.count) }  // prints "count: 0"
let parity = autorun { print(isEven.value ? "even" : "odd") }  // prints "even"

model.count = 1  // prints "count: 1", "odd"

// 3 is odd, like 1: the new result equals the previous one, so the second reaction does not run.
model.count = 3  // prints "count: 3"

// A reaction runs until it is cancelled.
numbers.cancel()
model.count = 4  // prints "even"
parity.cancel()
