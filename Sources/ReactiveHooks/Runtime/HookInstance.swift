// One rendered body: the slots of its hooks in the order of their calls, and the scopes inside it.
//
// A tree that is rendered once never looks anything up again. Its instances keep no slots: the tree keeps them, and
// disposes of them at the end. The scopes without an id inside an instance share one instance, which is set up anew for
// each of them.

import Reactive

#if canImport(SwiftUI)
import SwiftUI
#endif

/// The data that a scope keeps from one render to the next.
@usableFromInline
class HookInstance {
    /// The state that all scopes of the tree share.
    @usableFromInline final let state: TreeState
    /// The scope around this one, which lives at least as long; `nil` for the root.
    unowned(unsafe) final let parent: HookInstance?
    /// The number of scopes around this one.
    final let depth: Int
    /// Whether there will be no other render.
    @usableFromInline final let isRenderedOnce: Bool
    /// The position in the order in which instances were created.
    @exclusivity(unchecked) fileprivate final var number: Int
    /// For a scope without an id: its kind, and the number of scopes of that kind before it.
    @exclusivity(unchecked) private final var kind: ScopeKind
    @exclusivity(unchecked) private final var position: Int
    /// The unit that tracks the body: that of this instance, or of the nearest instance around it that has one. `nil`
    /// in a tree that is rendered once, which is not tracked.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) final var unit: RenderUnit?

    @exclusivity(unchecked) @usableFromInline final var environment: EnvironmentValues
    @exclusivity(unchecked) @usableFromInline final var slots: ContiguousArray<any HookSlot> = []
    @exclusivity(unchecked) @usableFromInline final var children = ScopeChildren()

    // MARK: The current render

    @exclusivity(unchecked) @usableFromInline final var cursor = 0
    /// The number of its latest render.
    @exclusivity(unchecked) @usableFromInline final var renderNumber = 0
    /// The number of hooks that the last complete render called; `nil` before it.
    @exclusivity(unchecked) private final var expectedCount: Int?
    @exclusivity(unchecked) private final var hasReported = false
    /// Slots of this instance whose update waits for the commit.
    @exclusivity(unchecked) private final var dueUpdates: [UpdatingSlot] = []

    // MARK: Among its siblings

    /// The last render of the parent that called this scope, and the number of children that it had called before.
    @exclusivity(unchecked) @usableFromInline final var visitedIn = 0
    @exclusivity(unchecked) @usableFromInline final var order = 0
    /// The neighbours in the list of the scopes with ids of one type.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) final var previous: HookInstance?
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) final var next: HookInstance?

    /// Creates the root, which `unit` tracks.
    init(in state: TreeState, unit: RenderUnit?) {
        self.state = state
        parent = nil
        depth = 0
        isRenderedOnce = state.isRenderedOnce
        number = state.nextInstanceNumber()
        kind = .scope
        position = 0
        environment = EnvironmentValues()
        self.unit = unit
        unit?.instance = self
    }

    /// Creates a scope. One with an id gets a unit of its own when it is tracked.
    @usableFromInline
    init(in parent: HookInstance, kind: ScopeKind, position: Int, unit: RenderUnit?) {
        state = parent.state
        self.parent = parent
        depth = parent.depth + 1
        isRenderedOnce = parent.isRenderedOnce
        number = parent.state.nextInstanceNumber()
        self.kind = kind
        self.position = position
        environment = parent.environment
        self.unit = unit
    }

    // MARK: - The scope of this thread

    /// The scope whose body runs on this thread.
    @inlinable static var current: HookInstance? { unretainedCurrent?.takeUnretainedValue() }

    /// The same, not retained: the enclosing scope keeps it until its body has returned.
    @inlinable static var unretainedCurrent: Unmanaged<HookInstance>? {
        @inline(__always) get { Hosting.rendering.map { Unmanaged.fromOpaque($0) } }
    }

    /// Runs `body` as if no scope were being rendered.
    @inlinable @inline(__always)
    static func outsideScopes<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let enclosing = Hosting.rendering
        Hosting.rendering = nil
        defer { Hosting.rendering = enclosing }
        return try body()
    }

    /// Reports that a hook was called outside of scopes, and calls it in a scope that ends immediately.
    @usableFromInline
    static func useOutside<Result>(_ name: String, _ hook: () -> Result) -> Result {
        HooksRules.reportOutside(name)
        return HookTree().renderOnly { hook() }
    }

    /// Runs `body` in this scope. If it throws, the slots that it has used so far and those that it has not reached are
    /// kept, and its effects do not run.
    @inlinable
    final func render<Output, E: Error>(
        in environment: EnvironmentValues, _ body: () throws(E) -> Output
    ) throws(E) -> Output {
        self.environment = environment
        return try withExtendedLifetime(self) { () throws(E) in
            try HookInstance.render(Unmanaged.passUnretained(self), body)
        }
    }

    /// Runs `body` in a scope, with the scope's environment. Unretained: the scope around it keeps it meanwhile.
    @inlinable
    static func render<Output, E: Error>(
        _ scope: Unmanaged<HookInstance>, _ body: () throws(E) -> Output
    ) throws(E) -> Output {
        let dueBefore = scope._withUnsafeGuaranteedRef { $0.begin() }
        let enclosing = Hosting.rendering
        Hosting.rendering = scope.toOpaque()
        defer { Hosting.rendering = enclosing }
        do throws(E) {
            let output = try body()
            // No test sees this always hold: without slots, it would only release scopes that were not called.
            scope._withUnsafeGuaranteedRef { if !$0.isRenderedOnce { $0.complete() } }
            return output
        } catch {
            scope._withUnsafeGuaranteedRef { $0.abandon(dueBefore) }
            throw error
        }
    }

    /// Begins a render. Returns the number of updates that wait for the commit.
    @usableFromInline
    final func begin() -> Int {
        cursor = 0
        children.begin()
        renderNumber = state.nextRenderNumber()
        hasReported = false
        return state.dueUpdates.count
    }

    /// Removes the slots and scopes that the body has not reached. The scope's effects follow those of its children.
    /// Not called if there is no other render.
    @usableFromInline
    final func complete() {
        if let expectedCount, cursor < expectedCount, cursor < slots.count {
            report(.missing, previous: type(of: slots[cursor]).name, current: nil)
        }
        removeSlots(from: cursor)
        expectedCount = cursor
        // No test sees this always hold: it only saves a look at all scopes.
        if children.areIncomplete { Self.removeAll(children.removeUnvisited(in: renderNumber)) }
        // No test sees this always hold: it only saves to append nothing.
        guard !dueUpdates.isEmpty else { return }
        state.dueUpdates += dueUpdates
        // No test sees this: the kept memory only saves allocations.
        dueUpdates.removeAll(keepingCapacity: true)
    }

    /// Ends a render whose body threw: the updates that it has added do not wait any more.
    @usableFromInline
    final func abandon(_ dueBefore: Int) {
        for slot in dueUpdates + state.dueUpdates[dueBefore...] { slot.isDue = false }
        dueUpdates = []
        state.dueUpdates.removeSubrange(dueBefore...)
    }

    // MARK: - Slots

    /// Returns the slot of the next hook, if it has that type. Otherwise the caller creates one, with `makeRoom` and
    /// `keep`.
    @inlinable @inline(__always)
    final func nextSlot<Slot: HookSlot>(_ type: Slot.Type) -> Slot? {
        let index = cursor
        cursor = index &+ 1
        guard index < slots.count else { return nil }
        let slot = slots[index] as AnyObject
        guard Swift.type(of: slot) == Slot.self else { return nil }
        return unsafeDowncast(slot, to: Slot.self)
    }

    /// Removes the slots from the current hook on, because that hook differs from the last render's.
    @usableFromInline
    final func makeRoom(for slot: any HookSlot.Type) {
        let index = cursor - 1
        if index < slots.count {
            report(.changed, previous: type(of: slots[index]).name, current: slot.name)
            let before = state.removed.count
            removeSlots(from: index)
            let misplaced = state.removed[before...]
            state.removed.removeSubrange(before...)
            HookInstance.outsideScopes { Hosting.unobserved { misplaced.forEach { $0.dispose() } } }
        } else if let expectedCount, index >= expectedCount {
            report(.additional, previous: nil, current: slot.name)
        }
    }

    /// Keeps the slot of the current hook.
    @usableFromInline
    final func keep(_ slot: any HookSlot) {
        if isRenderedOnce { state.onlySlots.append(slot) } else { slots.append(slot) }
    }

    /// Leaves the update of a slot to the commit. There is no commit if there is no other render.
    @usableFromInline
    final func deferToCommit(_ slot: UpdatingSlot) {
        // No test sees this always hold: `complete`, which uses the list, is not called then.
        if !isRenderedOnce { dueUpdates.append(slot) }
    }

    /// Counts an effect, and returns true, if the current scope is rendered only once: its effects do not run.
    static func skipsEffect() -> Bool {
        guard let scope = current, scope.isRenderedOnce else { return false }
        scope.cursor += 1
        return true
    }

    /// The number of hooks that this render has called.
    final var hookCount: Int { cursor }

    private final func removeSlots(from index: Int) {
        // No test sees this always hold: it only saves the removal of nothing.
        // No test sees this boundary: it only saves the removal of nothing.
        guard index < slots.count else { return }
        for slot in slots[index...].reversed() {
            slot.end()
            state.removed.append(slot)
        }
        slots.removeSubrange(index...)
    }

    private final func report(_ kind: HooksRules.Violation.Kind, previous: String?, current: String?) {
        guard !hasReported, !environment.hooksRulesAssertionDisabled else { return }
        hasReported = true
        state.violations.append(
            .init(kind: kind, previous: previous, current: current, index: cursor - (current == nil ? 0 : 1)))
    }

    // MARK: - Scopes inside

    /// Returns the child for the next scope of that kind without an id.
    @usableFromInline
    final func child(_ kind: ScopeKind) -> HookInstance {
        // No test sees this never hold: it only saves instances.
        if isRenderedOnce { return onlyChild(kind).takeUnretainedValue() }
        let (position, known) = children.next(of: kind)
        let child = known ?? HookInstance(in: self, kind: kind, position: position, unit: unit)
        if known == nil { children.append(child, of: kind) }
        children.visit(child, in: renderNumber)
        return child
    }

    /// Returns the child for the next scope without an id and with the environment of this scope.
    @usableFromInline
    final func plainChild() -> Unmanaged<HookInstance> {
        // No test sees this never hold: `child` calls the same function, and retains the result.
        let child = isRenderedOnce ? onlyChild(.scope) : .passUnretained(child(.scope))
        child._withUnsafeGuaranteedRef { child in
            // In a tree that is rendered once, the child may have had a different environment, as a scope of a
            // different kind.
            // No test sees this always hold: it only saves an assignment of the same storage.
            if !child.environment.isCopy(of: environment) { child.environment = environment }
        }
        return child
    }

    /// Sets up the instance that all scopes without an id share in a tree that is rendered once.
    private final func onlyChild(_ kind: ScopeKind) -> Unmanaged<HookInstance> {
        // No test sees this never hold: it only saves instances.
        guard let child = children.unretainedOnly else {
            let child = HookInstance(in: self, kind: kind, position: children.next(of: kind).position, unit: nil)
            // No test sees this left out: the second scope would be counted as the first one is.
            child.visitedIn = renderNumber
            return children.setOnly(child)
        }
        child._withUnsafeGuaranteedRef { child in
            let isFirst = child.visitedIn != renderNumber
            // No test sees this never hold: it only saves look-ups.
            if !isFirst, child.kind == kind {
                // The child alone counts them, up to the next one of a different kind.
                child.position &+= 1
            } else {
                if !isFirst { children.setVisitsOfLatestKind(child.position + 1) }
                child.kind = kind
                child.position = children.next(of: kind).position
                // No test sees this left out: it only saves look-ups.
                child.visitedIn = renderNumber
            }
        }
        return child
    }

    /// Returns the child for the next scope with that id.
    @inlinable
    final func child<ID: Hashable>(id: ID) -> KeyedInstance<ID> {
        let group: KeyedChildren<ID>
        // No test sees this never hold: it only saves a look-up.
        if let latest = children.latestGroup, type(of: latest) == KeyedChildren<ID>.self {
            group = unsafeDowncast(latest, to: KeyedChildren<ID>.self)
        } else {
            group = children.group(of: ID.self)
        }
        // The group's list only saves look-ups: `find` does without it.
        // No test sees this always hold: the list would only be in a different order.
        if group.renderNumber != renderNumber { group.begin(renderNumber) }
        // No test sees this never hold: it only saves a look-up.
        if let expected = group.expected {
            let child = unsafeDowncast(expected, to: KeyedInstance<ID>.self)
            // No test sees this never hold: it only saves a look-up.
            if child.id == id, child.visitedIn != renderNumber {
                // No test sees this left out: it only saves look-ups.
                group.expected = child.next
                // No test sees this left out: the list would only be in a different order.
                group.latest = child
                children.visit(child, in: renderNumber)
                return child
            }
        }
        return group.find(id, in: self)
    }

    // MARK: - Units

    /// The unit around this instance's unit.
    final var enclosingUnit: RenderUnit? { parent?.unit }

    /// Renders the scope with that id as a unit, or returns its last output if nothing can have changed that.
    @inlinable
    final func renderKeyed<ID: Hashable, Output, E: Error>(
        id: ID, at site: ScopeSite, _ body: @escaping () throws(E) -> Output
    ) throws(E) -> Output {
        let child = child(id: id)
        // A tree that is rendered once is not tracked.
        guard let around = unit else { return try child.render(in: environment, body) }
        let inner = child.unit ?? child.makeUnit()
        let known = TypedContent<Output, E>.of(inner.content)
        if around.isTakingIn {
            if let known, around.keepsOutputs(at: site) {
                if inner.renderedPass == around.renderedPass { around.noteNewOutput(at: site) }
                return try known.pointee.result.unsafelyUnwrapped.get()
            }
            around.noteNewOutput(at: site)
        }
        let content: UnsafeMutablePointer<TypedContent<Output, E>>
        // No test sees this never hold: it only saves memory.
        if let known {
            content = known
            content.pointee.body = body
        } else {
            content = inner.replaceContent(by: TypedContent.created(body))
        }
        inner.track { TypedContent.render(content, inner, child, in: environment) }
        return try content.pointee.result.unsafelyUnwrapped.get()
    }

    /// Makes a scope with an id a unit.
    @usableFromInline
    final func makeUnit() -> RenderUnit {
        let unit = state.units.make(for: self)
        self.unit = unit
        return unit
    }

    /// Removes the objects that the last runs of this unit, and of those inside it, have created, and adds them to
    /// `all`.
    final func takeBelongings(into all: inout [Belongings]) {
        // No test sees this always hold: it only saves a walk.
        // No test sees this boundary: it only saves a walk.
        guard state.owningUnits > 0 else { return }
        // The unit around this instance has none any more.
        if let belongings = unit?.takeBelongings(in: state) { all.append(belongings) }
        children.forEach { $0.takeBelongings(into: &all) }
    }

    /// The path from the root: the orders of the scopes on it. The path of a parent is a prefix of its children's
    /// paths.
    final var path: [Int] { (parent?.path ?? []) + [order] }

    // MARK: - Ids

    /// The unique name of this instance in the tree: the kinds, positions and ids on the path from the root.
    final var name: String { parent.map { "\($0.name)-\(ownName)" } ?? environment.idPrefix }

    /// The unique name of this instance among its siblings.
    var ownName: String { "\(kind.name)\(position)" }

    // MARK: - The end

    /// Leaves the disposal of all slots of this scope and of those inside it to the tree: the newest first. Under the
    /// lock.
    final func removeAll() {
        Self.removeAll(children.removeAll())
        removeSlots(from: 0)
        if let unit, unit.instance === self {
            if let belongings = unit.takeBelongings(in: state) { state.abandoned.append(belongings) }
            if let content = unit.content { state.discarded.append(content) }
            unit.content = nil
            // The root's unit belongs to the tree.
            if parent != nil { state.units.end(unit) }
        }
    }

    /// Removes scopes, the newest first.
    private static func removeAll(_ scopes: [HookInstance]) {
        // No test sees this never hold: it only saves sorting nothing.
        if scopes.isEmpty { return }
        // No test sees this boundary: all numbers differ.
        for scope in scopes.sorted(by: { $0.number > $1.number }) { scope.removeAll() }
    }
}
