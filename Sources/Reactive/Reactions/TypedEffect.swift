// Effects that hand over values.
//
// What such an effect does with its values is one closure without captures. It is created where their type is known,
// which is the user's module if the compiler inlines that far, and works on a state in memory of its own. The object
// around both is not generic, and what is not typed is compiled once.
//
// (A generic subclass that overrides methods is not specialised. It asks the runtime for the metadata of optionals and
// pairs in each run: that was 6,600 of the 6,950 instructions of a reaction.)

import CReactive

/// An effect whose state the library does not know the type of.
@usableFromInline
final class TypedEffect: ReactionEffect {
    /// What an effect is asked for: `follow` below, and the methods of `ReactionEffect`.
    @frozen @usableFromInline enum Step { case follow, take, run, startOver, end, free }

    @usableFromInline let state: UnsafeMutableRawPointer
    private let perform: (Step, UnsafeMutableRawPointer) -> Bool

    /// - Parameter perform: A closure without captures. For `follow` it returns whether the effect is due then.
    @usableFromInline
    init(state: UnsafeMutableRawPointer, perform: @escaping (Step, UnsafeMutableRawPointer) -> Bool) {
        self.state = state
        self.perform = perform
    }

    deinit {
        _ = perform(.free, state)
    }

    /// Runs the tracked closure that the state has, and takes note of what that returns. Under the lock, as the tracked
    /// part of the reaction.
    func follow() { isDue = perform(.follow, state) }

    override func take(for reaction: Reaction) {
        isDue = false
        _ = perform(.take, state)
    }

    override func run() { _ = perform(.run, state) }

    override func startOver() {
        isDue = false
        _ = perform(.startOver, state)
    }

    override func end() { _ = perform(.end, state) }

    // Closures are stored in structs and enums: by itself, a generic closure gets a different calling convention each
    // time. A closure is moved out of its storage while it runs, so that it need not be retained (two atomic
    // operations); nobody looks at it meanwhile, since a reaction never overlaps with itself.

    /// Releases the captures of a closure once the graph is unlocked, and leaves `nil` in its place.
    ///
    /// - Precondition: `Closure` is a struct with a closure, and nothing else.
    @inlinable @inline(__always)
    static func end<Closure>(_ stored: inout Closure?) {
        if stored == nil { return }
        let captures = withUnsafeMutablePointer(to: &stored) { stored in
            // The second word of a closure. The reference moves with it: `nil` takes the place of the closure without
            // releasing it.
            let captures = UnsafeRawPointer(stored)
                .load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafeMutableRawPointer?.self)
            stored.initialize(to: nil)
            return captures
        }
        if let captures { FreeingMark.postpone(captures: captures) }
    }

    /// Releases a value once the graph is unlocked, unless that is nothing to do.
    @inlinable @inline(__always)
    static func release<Value>(_ value: consuming Value) {
        if !_isPOD(Value.self) { FreeingMark.postpone(value) }
    }
}

extension UnsafeMutablePointer {
    /// Memory with a value, for the state of an effect.
    ///
    /// By C, where that serves: `allocate` asks for an alignment, which takes longer.
    @inlinable @inline(__always)
    static func allocated(with value: consuming Pointee) -> UnsafeMutablePointer {
        let pointer =
            MemoryLayout<Pointee>.alignment <= MemoryLayout<Int>.alignment
            ? reactive_reallocate(nil, MemoryLayout<Pointee>.size).assumingMemoryBound(to: Pointee.self)
            : UnsafeMutablePointer.allocate(capacity: 1)
        pointer.initialize(to: value)
        return pointer
    }

    /// Ends what `allocated` began.
    @inlinable @inline(__always)
    func endAllocated() {
        deinitialize(count: 1)
        if MemoryLayout<Pointee>.alignment <= MemoryLayout<Int>.alignment {
            reactive_free(self)
        } else {
            deallocate()
        }
    }
}
