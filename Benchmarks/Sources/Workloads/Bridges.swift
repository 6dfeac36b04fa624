// Apple's Observation as an observer of the core, compared with an observer of its own objects.
//
// The bridge is on only while a program of these rows runs. The other budgets check that the bridge costs nothing while
// it is off.

import Harness
import Observation
import Reactive

@Observation.Observable
private final class Model {
    var number = 0
    /// Not cached.
    var next: Int { number + 1 }
}

extension Workload {
    static var bridges: [Workload] {
        [
            Workload("read outside, with the bridge", budget: .none, repetitions: 100_000) {
                let model = Model()
                return { count in
                    var sum = 0
                    for _ in 0..<count { sum &+= readOpaquely(model) }
                    check(sum, 0)
                }
            } ours: {
                let number = Observed(0)
                return withBridge { count in
                    var sum = 0
                    for _ in 0..<count { sum &+= readOpaquely(number) }
                    check(sum, 0)
                }
            },
            Workload("track outside, and a change", budget: .none, repetitions: 10_000) {
                let (model, seen) = (Model(), Changes())
                return { count in
                    for i in 1...count {
                        withObservationTracking {
                            check(model.number, 1 - i)
                        } onChange: {
                            seen.count += 1
                        }
                        model.number = -i
                    }
                    model.number = 0
                    check(seen.count % count, 0)
                }
            } ours: {
                let (number, seen) = (Observed(0), Changes())
                return withBridge { count in
                    for i in 1...count {
                        withObservationTracking {
                            check(number.value, 1 - i)
                        } onChange: {
                            seen.count += 1
                        }
                        number.value = -i
                    }
                    number.value = 0
                    check(seen.count % count, 0)
                }
            },
            Workload("track a computed outside, and a change", budget: .none, repetitions: 10_000) {
                let (model, seen) = (Model(), Changes())
                return { count in
                    for i in 1...count {
                        withObservationTracking {
                            check(model.next, 2 - i)
                        } onChange: {
                            seen.count += 1
                        }
                        model.number = -i
                    }
                    model.number = 0
                    check(seen.count % count, 0)
                }
            } ours: {
                let (number, seen) = (Observed(0), Changes())
                let next = Computed { number.value + 1 }
                return withBridge { count in
                    for i in 1...count {
                        withObservationTracking {
                            check(next.value, 2 - i)
                        } onChange: {
                            seen.count += 1
                        }
                        number.value = -i
                    }
                    number.value = 0
                    check(seen.count % count, 0)
                }
            },
        ]
    }
}

/// A counter on the measuring thread.
private final class Changes: @unchecked Sendable {
    // `Sendable` because one thread writes the tracked state.
    var count = 0
}

@inline(never)
private func readOpaquely(_ model: Model) -> Int { model.number }

@inline(never)
private func readOpaquely(_ number: Observed<Int>) -> Int { number.value }

private func withBridge(_ program: @escaping Workload.Program) -> Workload.Program {
    { count in
        ObservationBridge.isEnabled = true
        defer { ObservationBridge.isEnabled = false }
        program(count)
    }
}
