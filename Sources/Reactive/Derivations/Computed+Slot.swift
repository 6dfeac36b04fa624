// The storage of a computed's value: one word in its node, which holds the value itself or the address of it.

import CReactive

extension Computed {
    /// Whether a value fits into the word in the node.
    @inlinable @inline(__always)
    static var isInPlace: Bool {
        MemoryLayout<Value>.size <= MemoryLayout<Slot>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<Slot>.alignment
    }

    /// The address of the value. Precondition: there is a value.
    @inlinable @inline(__always)
    final var place: UnsafeMutablePointer<Value> { Computed.place(in: observer) }

    @inlinable @inline(__always)
    static func place(in observer: ObserverPointer) -> UnsafeMutablePointer<Value> {
        let slot = UnsafeMutableRawPointer(observer + 1)
        return isInPlace
            ? slot.assumingMemoryBound(to: Value.self)
            : slot.assumingMemoryBound(to: UnsafeMutablePointer<Value>.self).pointee
    }

    /// The address of the value as an optimistic read finds it, or `nil` if the graph was locked meanwhile.
    ///
    /// If the flags say that there is a value, the address need not be visible yet: the writes of another processor may
    /// arrive in any order, and the two loads may happen in any order. They belong together if the lock word is still
    /// the same afterwards. CReactive.h has the rule for all such reads.
    @inlinable @inline(__always)
    static func validPlace(
        in observer: ObserverPointer, of graph: GraphPointer, since word: UInt64
    ) -> UnsafeMutablePointer<Value>? {
        let slot = UnsafeMutableRawPointer(observer + 1)
        if isInPlace { return slot.assumingMemoryBound(to: Value.self) }
        let address = slot.load(as: UInt.self)
        guard _withUnprotectedUnsafePointer(to: address, { reactive_read_is_valid(graph, word, $0) }) else {
            return nil
        }
        return UnsafeMutablePointer(bitPattern: address)
    }

    /// Stores the first value.
    @inlinable @inline(__always)
    final func initializePlace(to value: Value) {
        let slot = UnsafeMutableRawPointer(observer + 1)
        if Computed.isInPlace {
            slot.initializeMemory(as: Value.self, to: value)
        } else {
            let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
            place.initialize(to: value)
            slot.initializeMemory(as: UnsafeMutablePointer<Value>.self, to: place)
        }
        node.pointee.flags.insert(.hasValue)
    }

    /// Destroys the value, or adds it to the deferred releases, and frees its memory. Precondition: there is a value.
    @inlinable @inline(__always)
    final func deinitializePlace(later: Bool) {
        if _isPOD(Value.self), Computed.isInPlace { return }
        let place = place
        if later, !_isPOD(Value.self) { FreeingMark.postpone(place.pointee) }
        place.deinitialize(count: 1)
        if !Computed.isInPlace { place.deallocate() }
    }
}
