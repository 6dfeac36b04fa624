// An atom and a selector in a store.

import ReactiveAtoms

let counter = atom(1)
let doubled = selector { accessor in try accessor.get(counter) * 2 }
let store = RecoilStore()
store.set(counter, 5)
print(store.getUnsafe(doubled))
