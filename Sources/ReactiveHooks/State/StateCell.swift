// State that outlives a render: an observable that stops taking values when its hook ends.

import Reactive

/// A value that a render subscribes to, until its hook is disposed of.
final class StateCell<Value>: @unchecked Sendable {
    // Sendable because both members are touched under the graph's lock.
    private let observable: Observable<Value>
    private var isDisposed = false

    init(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) {
        observable = Observable(value, equals: .automatic, fileID: fileID, line: line)
    }

    /// The value now. Reading it in a render subscribes the render.
    var value: Value { observable.value }

    /// Changes the value, unless the hook has been disposed of. Nobody sees half of it.
    func update(_ change: (Value) -> Value) {
        Hosting.unobserved {
            locked {
                if !isDisposed { observable.value = change(observable.value) }
            }
        }
    }

    /// Runs `body` with the graph of the state locked.
    func locked<R>(_ body: () -> R) -> R { observable.inItsTransaction(body) }

    /// Ignores what is written from now on.
    func dispose() {
        locked { isDisposed = true }
    }

    /// A binding that reads and writes it.
    var binding: Binding<Value> {
        Binding(get: { self.value }, set: { new in self.update { _ in new } })
    }

    /// The value now, and how to set it.
    var pair: (Value, @Sendable (Value) -> Void) {
        (value, { new in self.update { _ in new } })
    }
}
