// Where a computed keeps its value: in the slot of its node, or behind an address there.

import CReactive

extension Computed {
    /// Whether a value fits into the slot itself.
    @inlinable @inline(__always)
    static var isInPlace: Bool {
        MemoryLayout<Value>.size <= MemoryLayout<Slot>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<Slot>.alignment
    }

    /// The place of the value. Precondition: there is one.
    @inlinable @inline(__always)
    final var place: UnsafeMutablePointer<Value> { Computed.place(in: observer) }

    @inlinable @inline(__always)
    static func place(in observer: ObserverPointer) -> UnsafeMutablePointer<Value> {
        let slot = UnsafeMutableRawPointer(observer + 1)
        return isInPlace
            ? slot.assumingMemoryBound(to: Value.self)
            : slot.assumingMemoryBound(to: UnsafeMutablePointer<Value>.self).pointee
    }

    /// The place of the value as an optimistic read finds it, or `nil` if the graph was locked meanwhile.
    ///
    /// Flags that say "there is a value" do not mean that the address is there: another processor's writes may arrive
    /// in any order, and the two loads may be done in any order. They belong together if the word is still the same
    /// afterwards. The rule for all such reads is in CReactive.h.
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

    /// Puts the first value in.
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

    /// Destroys the value, or keeps it in the trash; gives back its memory. Precondition: there is one.
    @inlinable @inline(__always)
    final func deinitializePlace(later: Bool) {
        if _isPOD(Value.self), Computed.isInPlace { return }
        let place = place
        if later, !_isPOD(Value.self) { FreeingMark.postpone(place.pointee) }
        place.deinitialize(count: 1)
        if !Computed.isInPlace { place.deallocate() }
    }
}
