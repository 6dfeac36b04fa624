// Effects that pass on values.
//
// One closure without captures performs everything that such an effect does with its values. It is created where their
// type is known, which is the user's module if the compiler inlines that far. It works on a state in separately
// allocated memory. The object around both is not generic, so the untyped part is compiled once.
//
// (A generic subclass with overridden methods is not specialised. It asks the runtime for the metadata of optionals and
// tuples in each run, which took 6,600 of the 6,950 instructions of a reaction.)

import CReactive

/// An effect with a state of a type that the library does not know.
@usableFromInline
final class TypedEffect: ReactionEffect {
    /// The operations of an effect: `follow` below, and the methods of `ReactionEffect`.
    @frozen @usableFromInline enum Operation { case follow, take, run, startOver, end, free }

    @usableFromInline let state: UnsafeMutableRawPointer
    private let perform: (Operation, UnsafeMutableRawPointer) -> Bool

    /// - Parameter perform: A closure without captures. For `follow` it returns whether the effect is then due.
    @usableFromInline
    init(state: UnsafeMutableRawPointer, perform: @escaping (Operation, UnsafeMutableRawPointer) -> Bool) {
        self.state = state
        self.perform = perform
    }

    deinit {
        _ = perform(.free, state)
    }

    /// Runs the tracked closure in the state, and records its result. Under the lock, as the tracked part of the
    /// reaction.
    func follow() { isDue = perform(.follow, state) }

    override func take(for reaction: Reaction) {
        isDue = false
        _ = perform(.take, state)
    }

    override func run() { _ = perform(.run, state) }

    /// The next run decides whether the effect is due.
    override func startOver() { _ = perform(.startOver, state) }

    override func end() { _ = perform(.end, state) }

    // Closures are stored in structs and enums, because a bare generic closure gets a different calling convention each
    // time. A closure is moved out of its storage while it runs, so that it need not be retained (two atomic
    // operations). Its storage is not read meanwhile, since the runs of a reaction never overlap.

    /// Releases the captures of a closure once the graph is unlocked, and stores `nil` instead.
    ///
    /// - Precondition: `Closure` is a struct with a closure, and nothing else.
    @inlinable @inline(__always)
    static func end<Closure>(_ stored: inout Closure?) {
        if stored == nil { return }
        let captures = withUnsafeMutablePointer(to: &stored) { stored in
            // The second word of a closure. The reference moves with it: `nil` replaces the closure without releasing
            // it.
            let captures = UnsafeRawPointer(stored)
                .load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafeMutableRawPointer?.self)
            stored.initialize(to: nil)
            return captures
        }
        if let captures { FreeingMark.postpone(captures: captures) }
    }

    /// Releases a value once the graph is unlocked, if there is anything to release.
    @inlinable @inline(__always)
    static func release<Value>(_ value: consuming Value) {
        // No test sees this always hold: it only saves an object for plain values.
        if !_isPOD(Value.self) { FreeingMark.postpone(value) }
    }
}

extension UnsafeMutablePointer {
    /// Returns memory that contains a value, for the state of an effect.
    ///
    /// Allocated by C where its alignment suffices: `allocate` passes an alignment, which takes longer.
    @inlinable @inline(__always)
    static func allocated(with value: consuming Pointee) -> UnsafeMutablePointer {
        let pointer =
            // No test sees this: it only saves time. (Memory of C happens to suit all types on 64-bit systems.)
            MemoryLayout<Pointee>.alignment <= MemoryLayout<Int>.alignment
            ? reactive_reallocate(nil, MemoryLayout<Pointee>.size).assumingMemoryBound(to: Pointee.self)
            : UnsafeMutablePointer.allocate(capacity: 1)
        pointer.initialize(to: value)
        return pointer
    }

    /// Destroys the value and frees memory that `allocated` returned.
    @inlinable @inline(__always)
    func endAllocated() {
        deinitialize(count: 1)
        // No test sees this: on most systems, both return memory to the same allocator.
        if MemoryLayout<Pointee>.alignment <= MemoryLayout<Int>.alignment {
            // No test sees this: only a leak checker sees memory that stays.
            reactive_free(self)
        } else {
            // No test sees this: only a leak checker sees memory that stays.
            deallocate()
        }
    }
}
