// State that outlives a render: an observable that stops taking values when its hook ends.

import Reactive

/// A value that a render subscribes to, until its hook is disposed of.
final class StateCell<Value>: @unchecked Sendable {
    // Sendable because all members are touched under the graph's lock.
    private let observable: Observable<Value>
    private var isDisposed = false
    /// Keeps the cell, and goes at the hook's end.
    private var keptBinding: Binding<Value>?

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
    func locked<R>(_ body: () -> R) -> R { GraphHandle(of: observable).inTransaction(body) }

    /// Ignores what is written from now on.
    func dispose() {
        locked {
            isDisposed = true
            keptBinding = nil
        }
    }

    /// A binding that reads and writes it: the same in each render, so that outputs with bindings can be compared.
    var binding: Binding<Value> {
        if let keptBinding { return keptBinding }
        let binding = Binding(get: { self.value }, set: { new in self.update { _ in new } })
        if !isDisposed { keptBinding = binding }
        return binding
    }
}
