// Effects that hand over values.
//
// What such an effect does with its values is one closure without captures. It is created where their type is known,
// which is the user's module if the compiler inlines that far, and works on a state in memory of its own. The object
// around both is not generic, and what is not typed is compiled once.
//
// (A generic subclass that overrides methods is not specialised. It asks the runtime for the metadata of optionals and
// pairs in each run: that was 6,600 of the 6,950 instructions of a reaction.)

/// An effect whose state the library does not know the type of.
@usableFromInline
final class TypedEffect: ReactionEffect {
    /// What an effect is asked for; see the methods of `ReactionEffect`.
    @frozen @usableFromInline enum Step { case take, run, startOver, end, free }

    @usableFromInline let state: UnsafeMutableRawPointer
    private let perform: (Step, UnsafeMutableRawPointer) -> Void

    /// - Parameter perform: A closure without captures.
    @usableFromInline
    init(state: UnsafeMutableRawPointer, perform: @escaping (Step, UnsafeMutableRawPointer) -> Void) {
        self.state = state
        self.perform = perform
    }

    deinit {
        perform(.free, state)
        state.deallocate()
    }

    override func take(for reaction: Reaction) {
        isDue = false
        perform(.take, state)
    }

    override func run() { perform(.run, state) }

    override func startOver() {
        isDue = false
        perform(.startOver, state)
    }

    override func end() { perform(.end, state) }

    /// Lends out what is stored somewhere. Moved out meanwhile, it need not be retained: two atomic operations.
    ///
    /// Closures are lent out in a struct: by itself, a generic closure gets a different calling convention each time.
    /// Precondition: nobody looks at it until this returns.
    @inlinable @inline(__always)
    static func withMoved<Value, Result>(_ stored: inout Value, _ body: (borrowing Value) -> Result) -> Result {
        withUnsafeMutablePointer(to: &stored) { stored in
            let value = stored.move()
            let result = body(value)
            stored.initialize(to: value)
            return result
        }
    }

    /// Releases a value once the graph is unlocked, unless that is nothing to do.
    @inlinable @inline(__always)
    static func release<Value>(_ value: consuming Value) {
        if !_isPOD(Value.self) { FreeingMark.postpone(value) }
    }
}

extension UnsafeMutablePointer {
    /// Memory with a value, for the state of an effect.
    @inlinable @inline(__always)
    static func allocated(with value: consuming Pointee) -> UnsafeMutablePointer {
        let pointer = UnsafeMutablePointer.allocate(capacity: 1)
        pointer.initialize(to: value)
        return pointer
    }
}
