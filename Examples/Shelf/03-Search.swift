// When to react: once typing has paused, once a condition holds, with a closure or with `await`.
//
//     swift run --package-path Examples Search

import Reactive

struct Search {
    @Observable var query = ""
    @Observable var results: [String] = []
}

let books = ["Emma", "Dracula", "Middlemarch"]
let search = Search()

// `reaction` tracks its first closure and acts in the second. This one waits until nothing has changed for 300 ms.
let searching = reaction(schedule: .debounced(for: .milliseconds(300))) {
    search.query
} onChange: { query in
    print("searching:", query)
    search.results = books.filter { $0.lowercased().contains(query) }
}

// `when` waits for a condition, and then runs its effect once.
when {
    search.results.count == 1
} effect: {
    print("found:", search.results[0])
}

for text in ["d", "dr", "dra"] { search.query = text }  // prints "searching: dra", "found: Dracula"

// The same condition with `await`.
try await when { search.results.count == 1 }

search.query = "mm"  // prints "searching: mm"
try await when { search.results != ["Dracula"] }
print("found:", search.results[0])  // prints "found: Emma"
searching.cancel()
