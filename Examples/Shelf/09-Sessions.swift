// A graph for each session: sessions without common state run in parallel and do not wait for one another.
//
//     swift run --package-path Examples Sessions

import Dispatch
import Reactive

/// A visitor of a server.
final class Session: Sendable {
    let graph = IndependentGraph(named: "session")
    let clicks: Observable<Int>
    let best: Observable<Int>

    init() {
        // State that is created in the scope of a graph belongs to it.
        (clicks, best) = graph.run { (Observable(0), Observable(0)) }
        graph.run {
            _ = autorun { [clicks, best] in best.value = max(best.value, clicks.value) }
        }
    }

    /// Any thread may read and write the state. A transaction is one change for all threads.
    func click() { graph.run { inTransaction { clicks.value += 1 } } }
}

func serve(_ sessions: [Session]) {
    DispatchQueue.concurrentPerform(iterations: sessions.count * 4) { number in
        for _ in 0..<250 { sessions[number % sessions.count].click() }
    }
}

let sessions = [Session(), Session(), Session()]
serve(sessions)
print(sessions.map(\.clicks.value))
// prints:
// [1000, 1000, 1000]
print(sessions.map(\.best.value))
// prints:
// [1000, 1000, 1000]

// When a visitor leaves, all reactions of the session end together.
sessions[0].graph.cancelReactions()
serve(sessions)
print(sessions.map(\.best.value))
// prints:
// [1000, 2000, 2000]
