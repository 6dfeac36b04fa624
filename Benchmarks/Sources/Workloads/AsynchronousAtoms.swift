// An asynchronous selector. The version by hand is a task that computes the same value.
//
// It runs on several threads, so the time is real time.

import Harness
import Reactive
import ReactiveAtoms

private let number = atom(0)
private let next = selector { accessor async throws -> Int in try accessor.get(number) + 1 }

extension Workload {
    static var asynchronousAtoms: [Workload] {
        [
            Workload(
                "run of an async selector, awaited by a task", time: .real, budget: .allocations, repetitions: 2_000
            ) {
                { count in
                    waiting { for i in 1...count { check(await Task { i + 1 }.value, i + 1) } }
                }
            } ours: {
                let store = RecoilStore()
                return { count in
                    waiting {
                        for i in 1...count {
                            store.set(number, i)
                            check(try? await store.get(next), i + 1)
                        }
                    }
                }
            },
            Workload("run of an async selector, by the main actor", time: .real, budget: .none, repetitions: 200) {
                { count in
                    waitingOnMainActor { for i in 1...count { check(await Task.detached { i + 1 }.value, i + 1) } }
                }
            } ours: {
                let store = RecoilStore()
                return { count in
                    waitingOnMainActor {
                        for i in 1...count {
                            store.set(number, i)
                            check(try? await store.get(next), i + 1)
                        }
                    }
                }
            },
        ]
    }
}
