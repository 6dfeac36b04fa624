// State that views keep, with SwiftUI's documented signatures.

/// A property whose value is kept by the node of its view.
@MainActor
protocol KeptProperty {
    /// Finds the storage that the node keeps for its property with that number.
    func install(on node: Node, number: Int)
}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    /// The storage that a node keeps.
    private final class Storage {
        var value: Value
        weak var node: Node?

        init(_ value: Value, _ node: Node) {
            self.value = value
            self.node = node
        }
    }

    /// Shared by the copies of one view.
    private final class Link {
        var storage: Storage?
    }

    private let initial: Value
    private let link = Link()

    public init(wrappedValue value: Value) { initial = value }
    public init(initialValue value: Value) { initial = value }

    public var wrappedValue: Value {
        get { link.storage?.value ?? initial }
        nonmutating set {
            link.storage?.value = newValue
            let node = link.storage?.node
            MainActor.assumeIsolated { node?.stateHasChanged() }
        }
    }

    public var projectedValue: Binding<Value> {
        nonisolated(unsafe) let state = self
        return Binding(get: { state.wrappedValue }, set: { state.wrappedValue = $0 })
    }
}

extension State: KeptProperty {
    func install(on node: Node, number: Int) {
        link.storage = node.kept(number) { Storage(initial, node) }
    }
}
