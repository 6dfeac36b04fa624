// Single operations on values other than numbers, on parts of values, and in a transaction; in nanoseconds.

import CLimit
import Harness
import Reactive

private let many = 1_000_000
private let length = 100_000

/// The state of a test. The texts are too long for inline storage.
private struct State {
    @Observable var number = 0
    @Observable var text = texts[0]
    @Observable var object = objects[0]
    @Observable var elements = Array(0..<length)
}

private final class Object: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

private let texts = (0..<2).map { "a text that takes an allocation of its own, number \($0)" }
private let objects = [Object(1), Object(2)]

private func write<Value>(_ first: Value, _ second: Value, to observable: Observable<Value>) {
    for _ in 0..<many / 2 {
        observable.value = first
        observable.value = second
    }
}

extension Row {
    static var values: [Row] {
        [
            operation("us untracked String read", many) { _ in
                let state = State()
                return { for _ in 0..<many { measure_sink(Int64(state.text.utf8.count)) } }
            },
            operation("us untracked class read", many) { _ in
                let state = State()
                return { for _ in 0..<many { measure_sink(Int64(state.object.number)) } }
            },
            operation("wr write String", many) { _ in
                let text = Observable(texts[0])
                return { write(texts[1], texts[0], to: text) }
            },
            operation("wr write class", many) { _ in
                let object = Observable(objects[0])
                return { write(objects[1], objects[0], to: object) }
            },
            operation("wr increment", many) { _ in
                let state = State()
                return { for _ in 0..<many { state.number += 1 } }
            },
            operation("wr append to 100,000 elements", length * 10) { _ in
                let state = State()
                return {
                    for _ in 0..<10 {
                        for i in 0..<length { state.elements.append(i) }
                        state.elements.removeLast(length)
                    }
                }
            },
            operation("wr write in a transaction", many) { _ in
                let state = State()
                let next = Counter()
                return {
                    inTransaction {
                        for _ in 0..<many {
                            next.count += 1
                            state.number = next.count
                        }
                    }
                }
            },
        ]
    }
}
