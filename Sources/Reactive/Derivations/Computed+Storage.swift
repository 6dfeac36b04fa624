// The storage of a computed's value: one word in its node, which holds the value itself or the address of it.

import CReactive

extension Computed {
    /// Whether a value fits into the word in the node.
    @inlinable @inline(__always)
    static var isInline: Bool {
        // No type has an alignment that is larger than its size.
        // No test sees this boundary: a word that is stored elsewhere only costs memory.
        MemoryLayout<Value>.size <= MemoryLayout<InlineStorage>.size
    }

    /// The address of the value. Precondition: there is a value.
    @inlinable @inline(__always)
    final var storage: UnsafeMutablePointer<Value> { Computed.storage(in: observer) }

    @inlinable @inline(__always)
    static func storage(in observer: ObserverPointer) -> UnsafeMutablePointer<Value> {
        let inlineStorage = UnsafeMutableRawPointer(observer + 1)
        return isInline
            ? inlineStorage.assumingMemoryBound(to: Value.self)
            : inlineStorage.assumingMemoryBound(to: UnsafeMutablePointer<Value>.self).pointee
    }

    /// The address of the value as an optimistic read finds it, or `nil` if the graph was locked meanwhile.
    ///
    /// If the flags say that there is a value, the address need not be visible yet: the writes of another processor may
    /// arrive in any order, and the two loads may happen in any order. They belong together if the lock word is still
    /// the same afterwards. CReactive.h has the rule for all such reads.
    @inlinable @inline(__always)
    static func validStorage(
        in observer: ObserverPointer, of graph: GraphPointer, since word: UInt64
    ) -> UnsafeMutablePointer<Value>? {
        let inlineStorage = UnsafeMutableRawPointer(observer + 1)
        if isInline { return inlineStorage.assumingMemoryBound(to: Value.self) }
        let address = inlineStorage.load(as: UInt.self)
        // No test sees this: only a processor that reorders reads finds a wrong address. Without one, the caller takes
        // the lock.
        guard _withUnprotectedUnsafePointer(to: address, { reactive_read_is_valid(graph, word, $0) }) else {
            return nil
        }
        return UnsafeMutablePointer(bitPattern: address)
    }

    /// Stores the first value.
    @inlinable @inline(__always)
    final func initializeStorage(to value: Value) {
        let inlineStorage = UnsafeMutableRawPointer(observer + 1)
        if Computed.isInline {
            inlineStorage.initializeMemory(as: Value.self, to: value)
        } else {
            let storage = UnsafeMutablePointer<Value>.allocate(capacity: 1)
            storage.initialize(to: value)
            inlineStorage.initializeMemory(as: UnsafeMutablePointer<Value>.self, to: storage)
        }
        node.pointee.flags.insert(.hasValue)
    }

    /// Destroys the value, or adds it to the deferred releases, and frees its memory. Precondition: there is a value.
    @inlinable @inline(__always)
    final func deinitializeStorage(later: Bool) {
        // No test sees this never hold: it only saves steps.
        // No test sees this always hold: only a leak checker sees memory that stays.
        if _isPOD(Value.self), Computed.isInline { return }
        let storage = storage
        // No test sees this always hold: any value may be released later.
        if later, !_isPOD(Value.self) { FreeingMark.postpone(storage.pointee) }
        storage.deinitialize(count: 1)
        // No test sees this: only a leak checker sees memory that stays.
        if !Computed.isInline { storage.deallocate() }
    }
}
