// The instances of nodes that one run of a stored property's initialiser has created: a list for each lifetime.
//
// A form has a few nodes for each of its instances, and a family that a property keeps has all of its members. So a
// list is linked through the instances, and adding and removing take the same time in both cases. Neighbours are not
// retained: an instance is in a list only while it is in the store's table, which retains it.

import Reactive

/// The instances of a store by the number of their lifetimes. Guarded by the graph's lock.
struct LifetimeLists {
    private final class List {
        let number: UInt64
        @exclusivity(unchecked) var first: Unmanaged<_AnyNodeInstance>?

        init(_ number: UInt64) { self.number = number }
    }

    private var lists: [UInt64: List] = [:]
    /// The list that was used last, which is also in `lists`. Members of a family are created and released together.
    private var last: Unmanaged<List>?

    private mutating func list(of number: UInt64) -> Unmanaged<List>? {
        if let last, last._withUnsafeGuaranteedRef({ $0.number }) == number { return last }
        guard let found = lists[number] else { return nil }
        last = .passUnretained(found)
        return last
    }

    /// Adds an instance that is in the table.
    ///
    /// - Returns: Whether it is the only one of its lifetime.
    mutating func insert(_ instance: _AnyNodeInstance, of number: UInt64) -> Bool {
        let list = list(of: number) ?? makeList(of: number)
        let next = list._withUnsafeGuaranteedRef { list in
            let next = list.first
            list.first = .passUnretained(instance)
            return next
        }
        instance.nextOfLifetime = next
        next?._withUnsafeGuaranteedRef { $0.previousOfLifetime = .passUnretained(instance) }
        return next == nil
    }

    private mutating func makeList(of number: UInt64) -> Unmanaged<List> {
        let list = List(number)
        lists[number] = list
        last = .passUnretained(list)
        return .passUnretained(list)
    }

    /// Removes an instance, if it is in a list.
    mutating func remove(_ instance: _AnyNodeInstance) {
        let (previous, next) = (instance.previousOfLifetime, instance.nextOfLifetime)
        instance.previousOfLifetime = nil
        instance.nextOfLifetime = nil
        next?._withUnsafeGuaranteedRef { $0.previousOfLifetime = previous }
        if let previous {
            previous._withUnsafeGuaranteedRef { $0.nextOfLifetime = next }
            return
        }
        let number = instance.key.origin.number
        guard let list = list(of: number),
            list._withUnsafeGuaranteedRef({ $0.first })?.toOpaque() == Unmanaged.passUnretained(instance).toOpaque()
        else { return }
        list._withUnsafeGuaranteedRef { $0.first = next }
        if next == nil {
            lists[number] = nil
            last = nil
        }
    }

    /// The instances of a lifetime.
    mutating func instances(of number: UInt64) -> [_AnyNodeInstance] {
        var instances: [_AnyNodeInstance] = []
        var next = list(of: number)?._withUnsafeGuaranteedRef { $0.first }
        while let instance = next?.takeUnretainedValue() {
            instances.append(instance)
            next = instance.nextOfLifetime
        }
        return instances
    }
}
