// Single operations, in nanoseconds: untracked reads (us), tracked reads (tr), writes (wr), creating and freeing (cr).

import CLimit
import Harness
import Reactive

private let many = 10_000_000

/// The state of a test.
private struct State {
    @Observable var source = 1
    @Observable var trigger = 0
}

extension Row {
    static var operations: [Row] {
        [
            operation("us untracked read", many) { _ in
                let state = State()
                return {
                    var sum = 0
                    for _ in 0..<many {
                        sum += state.source
                        measure_sink(Int64(sum))
                    }
                }
            },
            operation("us untracked computed read", many) { reactions in
                let state = State()
                let copy = Computed { state.source }
                reactions.autorun { _ = copy.value }
                return {
                    var sum = 0
                    for _ in 0..<many {
                        sum += copy.value
                        measure_sink(Int64(sum))
                    }
                }
            },
            operation("tr tracked read same", many) { reactions in
                let state = State()
                reactions.autorun {
                    _ = state.trigger
                    for _ in 0..<many { measure_sink(Int64(state.source)) }
                }
                return { state.trigger += 1 }
            },
            operation("tr tracked read 1000 deps", 10_000 * 1000) { reactions in
                let state = State()
                let sources = (0..<1000).map { _ in Observable(1) }
                reactions.autorun {
                    _ = state.trigger
                    var sum = 0
                    for source in sources { sum += source.value }
                    measure_sink(Int64(sum))
                }
                return { for _ in 0..<10_000 { state.trigger += 1 } }
            },
            operation("wr write no observers", many) { _ in
                let state = State()
                let next = Counter()
                return { write(state, next, times: many) }
            },
            operation("wr write 1 effect", many / 10) { reactions in
                let state = State()
                let next = Counter()
                reactions.autorun { measure_sink(Int64(state.source)) }
                return { write(state, next, times: many / 10) }
            },
            operation("wr write 1 computed 1 effect", many / 10) { reactions in
                let state = State()
                let next = Counter()
                let successor = Computed { state.source + 1 }
                reactions.autorun { measure_sink(Int64(successor.value)) }
                return { write(state, next, times: many / 10) }
            },
            operation("cr create+free observable", 1_000_000) { _ in
                {
                    var observables: [Observable<Int>] = []
                    for i in 0..<1_000_000 { observables.append(Observable(i)) }
                    observables = []
                }
            },
            operation("cr create+free computed(1 dep)", 200_000) { _ in
                {
                    let source = Observable(0)
                    var computeds: [Computed<Int>] = []
                    for _ in 0..<200_000 {
                        let computed = Computed { source.value + 1 }
                        _ = computed.value
                        computeds.append(computed)
                    }
                    computeds = []
                }
            },
            operation("cr create+free effect(1 dep)", 200_000) { reactions in
                {
                    let source = Observable(0)
                    for _ in 0..<200_000 { reactions.autorun { measure_sink(Int64(source.value)) } }
                    reactions.cancel()
                }
            },
        ]
    }

    /// Returns a row that repeats the closure from `make`, which runs `count` operations.
    static func operation(_ name: String, _ count: Int, _ make: @escaping (Reactions) -> () -> Void) -> Row {
        Row.operation(name, count) {
            let reactions = Reactions()
            let run = make(reactions)
            return { withExtendedLifetime(reactions) { run() } }
        }
    }
}

private func write(_ state: State, _ next: Counter, times: Int) {
    var value = next.count
    for _ in 0..<times {
        value += 1
        state.source = value
    }
    next.count = value
}
