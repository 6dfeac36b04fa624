// State that outlives a render: a source that ignores writes after its hook has ended.
//
// A cell is three things in one object: the node that renders subscribe to, the location of the bindings, and the slot
// of `useState`.

import Reactive
#if canImport(SwiftUI)
import struct SwiftUI.Binding
#endif

/// A value that a render subscribes to, until its hook is disposed of.
@_fixed_layout @usableFromInline
final class StateCell<Value>: _StoredSource, HookSlot, @unchecked Sendable {
    // Sendable because all members are used under the graph's lock; exclusivity is unchecked for the same reason.
    @exclusivity(unchecked) @usableFromInline var stored: Value
    /// The rule of equality, found by the first write: finding it takes longer than creating the cell.
    @exclusivity(unchecked) @usableFromInline var areEqual: ((Value, Value) -> Bool)?
    @exclusivity(unchecked) @usableFromInline var hasEnded = false
    /// The tree, if it is rendered once. The hook ends with it, because such a tree keeps no slots.
    private let onlyTree: TreeState?
    #if canImport(SwiftUI)
    /// Retains the cell; released at the hook's end.
    private var keptBinding: Binding<Value>?
    #endif
    @usableFromInline let freeing = FreeingMark()

    @usableFromInline
    init(
        _ value: Value, in tree: TreeState? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        stored = value
        onlyTree = tree
        super.init(named: nil, fileID: fileID, line: line)
    }

    @inlinable
    deinit {
        if FreeingMark.begin(), !_isPOD(Value.self) { FreeingMark.postpone(stored) }
    }

    /// Returns a cell for a tree that is rendered once: the spare cell, if it has no other owner.
    @inlinable
    static func only(_ value: Value, in tree: TreeState, _ fileID: StaticString, _ line: UInt) -> StateCell {
        if tree.typeOfSpareCell == ObjectIdentifier(StateCell.self), isKnownUniquelyReferenced(&tree.spareCell) {
            let spare = unsafeDowncast(tree.spareCell.unsafelyUnwrapped, to: StateCell.self)
            if spare.becomeNew(fileID: fileID, line: line) {
                spare.stored = value
                return spare
            }
        }
        let cell = StateCell(value, in: tree, fileID: fileID, line: line)
        tree.spareCell = cell
        tree.typeOfSpareCell = ObjectIdentifier(StateCell.self)
        return cell
    }

    /// Whether the hook has been disposed of.
    @usableFromInline var isDisposed: Bool { hasEnded || onlyTree?.hasEnded == true }

    // MARK: - The value

    /// The current value. Reading it in a render subscribes the render.
    @inlinable var value: Value { read { stored } }

    /// Sets the value, unless the hook has been disposed of.
    @inlinable
    func set(_ newValue: Value) {
        Hosting.unobserved {
            enter()
            store(newValue)
        }
    }

    /// Changes the value in one change, unless the hook has been disposed of.
    @inlinable
    func update(_ change: (Value) -> Value) {
        Hosting.unobserved {
            enter()
            if isDisposed { leave() } else { store(change(stored)) }
        }
    }

    /// Sets the value, and ends one `enter()`.
    @inlinable
    func store(_ newValue: Value) {
        checkWrite()
        if isDisposed || equality(stored, newValue) { return leave() }
        var replaced = newValue
        swap(&stored, &replaced)
        if needsLogEntry() { log(replaced) }
        // The old value is destroyed last, outside the lock: its deinitialiser may run any code.
        withExtendedLifetime(replaced) { noteChangeAndLeave() }
    }

    @inlinable var equality: (Value, Value) -> Bool {
        if let areEqual { return areEqual }
        let rule = Equality<Value>.automatic.comparison
        areEqual = rule
        return rule
    }

    /// Runs `body` with the graph of the state locked.
    func locked<R>(_ body: () -> R) -> R { graphHandle.inTransaction(body) }

    // MARK: - The binding

    /// A binding that reads and writes the value: the same in each render, so that outputs with bindings can be
    /// compared.
    #if canImport(SwiftUI)
    @usableFromInline var binding: Binding<Value> {
        if let keptBinding { return keptBinding }
        let binding = Binding(get: { self.value }, set: { self.set($0) })
        if !isDisposed { keptBinding = binding }
        return binding
    }
    #else
    @inlinable var binding: Binding<Value> { Binding(location: self) }
    #endif

    // MARK: - The slot

    @usableFromInline static var name: String { "StateHook<\(Value.self)>" }

    @usableFromInline
    func end() {
        hasEnded = true
        #if canImport(SwiftUI)
        keptBinding = nil
        #endif
    }

    /// Does nothing: the value stays for the owners of bindings.
    @usableFromInline
    func dispose() {}

    // MARK: - The transaction log

    @usableFromInline
    override func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        swap(&stored, &state.assumingMemoryBound(to: Value.self).pointee)
    }

    @usableFromInline
    override func equalsState(logged state: UnsafeMutableRawPointer) -> Bool {
        equality(stored, state.assumingMemoryBound(to: Value.self).pointee)
    }

    @usableFromInline
    override func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: Value.self).move())
    }
}

#if !canImport(SwiftUI)
extension StateCell: BindingLocation {
    @inlinable
    func read() -> Value { value }

    @inlinable
    func write(_ newValue: Value) { set(newValue) }
}
#endif

/// Returns the cell in the next slot of the current scope, and subscribes the render to it.
@inlinable
func useCell<Value>(_ fileID: StaticString, _ line: UInt, _ initialValue: () -> Value) -> StateCell<Value> {
    guard let current = HookInstance.unretainedCurrent else {
        return HookInstance.useOutside("StateHook<\(Value.self)>") { useCell(fileID, line, initialValue) }
    }
    if current._withUnsafeGuaranteedRef({ $0.isRenderedOnce }) {
        let value = HookInstance.outsideScopes { Hosting.unobserved { initialValue() } }
        return current._withUnsafeGuaranteedRef {
            $0.cursor &+= 1
            return StateCell.only(value, in: $0.state, fileID, line)
        }
    }
    let scope = current.takeUnretainedValue()
    if let cell = scope.nextSlot(StateCell<Value>.self) {
        // The render depends on the state, even if it does not read the binding.
        cell.read {}
        return cell
    }
    scope.makeRoom(for: StateCell<Value>.self)
    let value = HookInstance.outsideScopes { Hosting.unobserved { initialValue() } }
    let cell = StateCell(value, fileID: fileID, line: line)
    scope.keep(cell)
    cell.read {}
    return cell
}
