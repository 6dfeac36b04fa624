// State that records its observers.
//
// The class is a typed shell: a value, a comparison, and the node that the graph links. Its accessors are inlined into
// the user's module. A read has three cases:
//
// 1. The running evaluation makes the same read again. One compare with the thread's context finds that out.
// 2. Values that are plain bits are copied without the lock. The read then checks that no thread held the graph
//    meanwhile.
//
// A write takes the lock, compares, swaps, notifies the graph, and destroys the old value after unlocking.

import CReactive
#if canImport(SwiftUI)
import struct SwiftUI.Binding
#endif

/// State that records its observers and notifies them when it changes.
///
/// Use it as a property wrapper, in structs, classes, actors and function bodies:
///
/// ```swift
/// struct Counter { @Observable var count = 0 }
///
/// let counter = Counter()  // shared state: the struct needs no `var`
/// let observer = autorun { print("count:", counter.count) }  // prints "count: 0"
/// counter.count += 1  // prints "count: 1"
/// ```
///
/// or by itself: `let count = Observable(0)`, with ``value``.
///
/// - Reading it in an ``autorun(named:schedule:isolation:fileID:line:_:)``, a ``Computed``, a reaction or a render
///   subscribes that observer. A read anywhere else only returns the value.
/// - Copies of a struct share its observables: the wrapper is a class.
/// - A write counts as a change unless the new value equals the old one; see ``Equality``.
/// - Mutating in place (`state.items.append(x)`) copies nothing and notifies once. In an observer, an in-place mutation
///   subscribes only for plain values such as numbers, where `n += 1` means `n = n + 1`. Appending to an array is a
///   write and no read.
/// - Reading or writing an observable during an in-place mutation of it stops the program with a message that names it.
///   Holding the mutation across an `await` also stops the program.
/// - Any thread may read and write. A single write or mutation is atomic; use `inTransaction` for several.
///
/// ## In files that import Observation or SwiftUI
///
/// There, `@Observable` on a property means Apple's macro. The compiler reports
/// `'extension' macro cannot be attached to property ('title')`, and the same of `'memberAttribute'` and `'member'`.
/// Write ``Observed`` or `@Reactive.Observable`.
///
/// ## Types that are Equatable or Hashable
///
/// An observable is neither. If it compared by value, replacing it with a different one of equal value would be no
/// change, and observers would keep following the old one. So the compiler cannot synthesise the `==` of a type with
/// observable properties: `type 'T' does not conform to protocol 'Equatable'`. Write `==`:
///
/// ```swift
/// struct Person: Equatable {
///     @Observable var name: String
///
///     static func == (first: Person, second: Person) -> Bool { first.name == second.name }
/// }
/// ```
///
/// For `Hashable`, write `hash(into:)`, too. <doc:Questions> shows it, and how to compare by identity.
@propertyWrapper
@_fixed_layout
public final class Observable<Value>: _Node {
    // Unchecked: the lock excludes other threads, and the flag `modifying` stops overlapping accesses on this one.
    @exclusivity(unchecked) @usableFromInline final var stored: Value
    @usableFromInline final let areEqual: (Value, Value) -> Bool
    @usableFromInline final let freeing = FreeingMark()

    /// Creates state; all other initialisers call this one.
    ///
    /// - Parameter comparesBits: Whether comparing the bits of two values is what `areEqual` does.
    @inlinable
    init(
        stored: Value, areEqual: @escaping (Value, Value) -> Bool, comparesBits: Bool = false, named name: String?,
        fileID: StaticString, line: UInt
    ) {
        self.stored = stored
        self.areEqual = areEqual
        // No test sees this never hold: it only saves steps.
        let bits = comparesBits ? UInt64(REACTIVE_COMPARES_BITS) : 0
        // No test sees this never hold: it only saves steps.
        if name == nil, let origin = NodeName.packed(fileID, line) {
            super.init(flags: [], graph: .current, origin: origin | bits)
        } else {
            super.init(flags: [], graph: .current, name: name, fileID: fileID, line: line, originBits: bits)
        }
    }

    // In the class itself and not in an extension: only there does the compiler look for the initialiser with which
    // memberwise initialisers take plain values.

    /// Creates state that compares by the given rule. Without one, every write is a change, because values of this type
    /// cannot be compared.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - equals: The rule.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public convenience init(
        wrappedValue: Value, equals: Equality<Value> = .never, named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(stored: wrappedValue, areEqual: equals.areEqual, named: name, fileID: fileID, line: line)
    }

    @inlinable
    deinit {
        // No test sees this always hold: any value may be released later.
        if FreeingMark.begin(), !_isPOD(Value.self) { FreeingMark.postpone(stored) }
    }

    // MARK: - The value

    /// The value. Reading it in an observer subscribes that observer; writing it notifies its observers.
    @inlinable
    public final var value: Value {
        @inline(__always) get { read() }
        @inline(__always) set { write(newValue) }
        @inline(__always) _modify {
            let before = beginMutation()
            defer { endMutation(before: before) }
            yield &stored
        }
    }

    /// The value, for reads and writes of the wrapped property.
    @inlinable
    public final var wrappedValue: Value {
        @inline(__always) get { value }
        @inline(__always) set { value = newValue }
        @inline(__always) _modify { yield &value }
    }

    /// A binding that reads and writes this observable; `$name` returns it.
    public final var projectedValue: Binding<Value> {
        // SwiftUI's binding takes sendable closures. They are used only where the binding is, which is sendable only if
        // the value is.
        nonisolated(unsafe) let observable = self
        return Binding(get: { observable.value }, set: { observable.value = $0 })
    }

    // MARK: - Reading

    @inlinable @inline(__always)
    final func read() -> Value {
        let mode = reactive_read_mode(node, .notCurrent, [])
        // No test sees this never hold: it only saves the lock.
        if mode == REACTIVE_READ_KNOWN {
            node.advanceCursor()
            return stored
        }
        // No test sees this never hold: it only saves the lock.
        // No test sees this always hold: another thread would have to write within a few instructions.
        if _isPOD(Value.self), mode == REACTIVE_READ_FREE {
            let word = reactive_read_begin(graph)
            // No test sees this never hold: it only saves the lock.
            // No test sees this always hold: another thread would have to write within a few instructions.
            if reactive_may_read(word) {
                let value = stored
                // No test sees this never hold: it only saves the lock.
                // No test sees this always hold: another thread would have to write within a few instructions.
                if _withUnprotectedUnsafePointer(to: value, { reactive_read_is_valid(graph, word, $0) }) {
                    return value
                }
            }
        }
        return readUnderLock()
    }

    @inlinable @inline(never)
    final func readUnderLock() -> Value {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        graph.noteRead(of: node)
        return stored
    }

    // MARK: - Writing

    @inlinable @inline(__always)
    final func write(_ newValue: Value) {
        // No test sees this never hold: it only saves steps.
        if Observable.isWord, comparesBits {
            let node = node
            node.pointee.graph.writeWord(
                unsafeBitCast(newValue, to: UInt64.self), to: storage.assumingMemoryBound(to: UInt64.self), of: node)
        } else {
            writeCompared(newValue)
        }
    }

    /// Whether a value is one word of plain bits, and two values are the same exactly if their bits are. True of 64-bit
    /// integers.
    @inlinable @inline(__always)
    static var isWord: Bool {
        // No test sees this never hold: other values of a word take more steps.
        Value.self == Int.self || Value.self == UInt.self || Value.self == Int64.self || Value.self == UInt64.self
    }

    @inlinable @inline(never)
    final func writeCompared(_ newValue: Value) {
        let node = node
        let graph = node.pointee.graph
        graph.enter(for: node)
        graph.checkWrite(to: node)
        if isUnchanged(newValue) {
            graph.leave()
            return
        }
        var replaced = newValue
        swap(&stored, &replaced)
        // No test sees this always hold: `prepareLog` looks again.
        // No test sees this boundary: as above.
        if graph.pointee.logging > 0 { log(replaced) }
        // The old value is destroyed last, outside the lock: its deinitialiser may do anything.
        withExtendedLifetime(replaced) {
            graph.noteChangeAndLeave(of: node)
        }
    }

    /// Compares without tracking, because a user's `==` may read observables. A comparison of plain bits cannot.
    @inlinable @inline(__always)
    final func isUnchanged(_ newValue: Value) -> Bool {
        // No test sees this never hold: it only saves steps.
        if _isPOD(Value.self) { return areEqual(stored, newValue) }
        // Object references are compared without retaining the object. (This halves the time of a write.)
        // No test sees this never hold: it only saves that.
        // No test sees this always hold: what is compared by its bits has the size of a word.
        if MemoryLayout<Value>.size == MemoryLayout<UInt>.size, comparesBits {
            return storage.load(as: UInt.self) == unsafeBitCast(newValue, to: UInt.self)
        }
        return untracked { areEqual(stored, newValue) }
    }

    /// Whether values are the same exactly if their bits are: 64-bit integers and references without a custom
    /// comparison.
    @inlinable @inline(__always)
    final var comparesBits: Bool { node.pointee.origin & UInt64(REACTIVE_COMPARES_BITS) != 0 }

    /// The address of `stored`: the first property after the header.
    @inlinable @inline(__always)
    final var storage: UnsafeMutableRawPointer { UnsafeMutableRawPointer(node + 1) }

    /// Logs the value that the first write of a transaction replaced.
    @inlinable @inline(never)
    final func log(_ replaced: Value) {
        guard graph.prepareLog(for: node) else { return }
        if graph.isLogged(node) {
            graph.noteRewrite(of: node)
        } else {
            graph.appendLogEntry(
                for: node, size: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment,
                needsDestruction: !_isPOD(Value.self)
            ).value.initializeMemory(as: Value.self, to: replaced)
        }
    }

    // MARK: - Mutating in place

    /// Whether copying a value, and comparing it if it can be compared, costs almost nothing.
    @inlinable @inline(__always)
    // No test sees this boundary: values near it take little longer to compare.
    // No test sees this always hold: as above.
    static var isCheapToCompare: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= 64 }

    /// Begins an in-place mutation. Returns the value to compare with afterwards, if comparing is cheap.
    @inlinable @inline(__always)
    final func beginMutation() -> Value? {
        let graph = graph
        graph.beginMutation(of: node, countsAsRead: _isPOD(Value.self))
        // No test sees this always hold: it only saves steps.
        // No test sees this boundary: as above.
        if graph.pointee.logging > 0 {
            // A copy would cost the mutation its uniqueness, so the value is copied only where a rollback needs it.
            if _isPOD(Value.self) || graph.pointee.rollback_depth > 0 || graph.isLogged(node) {
                log(stored)
                // No test sees this always hold: it only saves steps.
            } else if graph.isRecorded {
                graph.recordWrite(of: node)
            }
        }
        return Observable.isCheapToCompare ? stored : nil
    }

    @inlinable @inline(__always)
    final func endMutation(before: Value?) {
        let graph = graph
        graph.checkMutationStayed(on: node)
        node.pointee.flags.remove(.modifying)
        if let before, areEqual(before, stored) {
            graph.leave()
            return
        }
        graph.noteChangeAndLeave(of: node)
    }

    // MARK: - The transaction log

    override final func exchangeValue(withLogged value: UnsafeMutableRawPointer) {
        swap(&stored, &value.assumingMemoryBound(to: Value.self).pointee)
    }

    override final func equalsValue(logged value: UnsafeMutableRawPointer) -> Bool {
        untracked { areEqual(stored, value.assumingMemoryBound(to: Value.self).pointee) }
    }

    override final func discardValue(logged value: UnsafeMutableRawPointer) {
        DeferredReleases.add(value: value.assumingMemoryBound(to: Value.self).move())
    }
}

extension Observable: @unchecked Sendable where Value: Sendable {
    // The graph's lock guards the value and the node; names are immutable.
}

// `Observable` has no unavailable conformance to `Equatable`, although its message could say what to do. With one,
// Swift 6.3 synthesises the `==` of a type with observable properties and reports no error. The program stops when it
// compares.

/// A second name of ``Observable``, for files that import `Observation` or `SwiftUI`.
///
/// In these files, `@Observable` on a property means Apple's macro. The compiler then reports these errors:
///
/// - `'extension' macro cannot be attached to property ('title')`
/// - `'memberAttribute' macro cannot be attached to property ('title')`
/// - `'member' macro cannot be attached to property ('title')`
///
/// Write `@Observed`, which is the same property wrapper:
///
/// ```swift
/// struct Settings {
///     @Observed var volume = 5
///     @Reactive.Observable var isMuted = false
/// }
/// ```
public typealias Observed = Observable
