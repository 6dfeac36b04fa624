// Reactions and scopes, each compared with an `autorun` of the same body.

import Harness
import Reactive

extension Workload {
    static var reactions: [Workload] {
        [
            Workload("write with one reaction", repetitions: 100_000) {
                autorunOfANumber()
            } ours: {
                let (number, seen) = (Observable(0), Counter())
                let observer = reaction {
                    number.value
                } onChange: {
                    seen.count = $0
                }
                return keeping(observer) { write($0, to: number, seen) }
            },
            Workload("write with one scope", repetitions: 100_000) {
                autorunOfANumber()
            } ours: {
                let (number, seen) = (Observable(0), Counter())
                let scope = ObserverScope {
                    number.value
                } onRender: {
                    seen.count = $0
                }
                return keeping(scope) { write($0, to: number, seen) }
            },
            Workload("create and free a reaction", repetitions: 10_000) {
                creatingAutoruns()
            } ours: {
                let (number, seen) = (Observable(1), Counter())
                return { count in
                    for _ in 0..<count {
                        reaction(fireImmediately: true) {
                            number.value
                        } onChange: {
                            seen.count += $0
                        }.cancel()
                    }
                    check(seen.count % count, 0)
                }
            },
            Workload("create and free a scope", repetitions: 10_000) {
                creatingAutoruns()
            } ours: {
                let (number, seen) = (Observable(1), Counter())
                return { count in
                    for _ in 0..<count {
                        ObserverScope {
                            number.value
                        } onRender: {
                            seen.count += $0
                        }.cancel()
                    }
                    check(seen.count % count, 0)
                }
            },
        ]
    }
}

private func autorunOfANumber() -> Workload.Program {
    let (number, seen) = (Observable(0), Counter())
    let observer = autorun { seen.count = number.value }
    return keeping(observer) { write($0, to: number, seen) }
}

private func creatingAutoruns() -> Workload.Program {
    let (number, seen) = (Observable(1), Counter())
    return { count in
        for _ in 0..<count { autorun { seen.count += number.value }.cancel() }
        check(seen.count % count, 0)
    }
}

/// Writes different numbers and checks that an observer sees the last one.
private func write(_ count: Int, to number: Observable<Int>, _ seen: Counter) {
    for i in 1...count { number.value = -i }
    check(seen.count, -count)
}
