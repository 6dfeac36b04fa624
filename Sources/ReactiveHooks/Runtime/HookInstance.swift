// One rendered body: the slots of its hooks in the order of their calls, and the scopes inside it.
//
// A *unit* is an instance that is tracked by itself: the root, and each scope with an id. It has a part of the tree's reaction, and what
// its body reads makes that part due. Instances without a part belong to the unit around them.

import Reactive

/// What a scope keeps from one render to the next.
final class HookInstance {
    /// What tells the children of a scope apart.
    enum Key: Hashable {
        /// The kind of the scope, and how many scopes of that kind without an id came before it.
        case position(ScopeKind, Int)
        /// The id, its type (since 1 and 1.0 are equal as `AnyHashable`), and how many scopes with an equal one came before it.
        case id(AnyHashable, ObjectIdentifier, Int)
    }

    /// The tree, which lives longer.
    unowned(unsafe) let tree: HookTree
    /// The scope around this one; `nil` for the root. It lives at least as long.
    private unowned(unsafe) let parent: HookInstance?
    /// How many scopes are around this one.
    let depth: Int
    private let key: Key
    private(set) var environment = EnvironmentValues()
    private var slots: [HookSlot] = []
    private var children: [Key: HookInstance] = [:]
    /// The place in the order in which instances were created.
    private let number: Int

    // MARK: The current render

    private var cursor = 0
    /// How many scopes without an id there have been, by their kinds, which are few.
    private var positions: [(kind: ScopeKind, count: Int)] = []
    private var visits = 0
    /// The number of its latest render.
    private var renderNumber = 0
    /// The render of the parent that came to it last, and how many children that had come to before.
    private var visitedIn = 0
    private var order = 0
    /// How many hooks the last complete render called; `nil` before it.
    private var expectedCount: Int?
    private var hasReported = false
    /// Slots of this instance whose update waits for the commit.
    private var dueUpdates: [HookSlot] = []

    // MARK: A unit

    /// What tracks it; `nil` if the unit around it does.
    private(set) var part: RenderPart?
    /// How to run its body again, and what that returned last; `nil` for the root.
    private(set) var content: ScopeContent?
    /// What its last run has created.
    private var belongings: Belongings?
    /// The pass that ran it last.
    private(set) var renderedPass = 0
    /// The pass in which it was last asked to take in a new output.
    private var takingInPass = 0
    /// It runs again only because scopes with an id in it have new outputs.
    private var isTakingIn = false
    /// Where the scopes were called that had new outputs so far in that run.
    private var newOutputs: [ScopeSite] = []

    /// Creates the root, which `part` tracks.
    init(in tree: HookTree, part: RenderPart) {
        self.tree = tree
        parent = nil
        depth = 0
        key = .position(.root, 0)
        tree.instanceCount += 1
        number = tree.instanceCount
        self.part = part
        part.instance = self
    }

    private init(in parent: HookInstance, _ key: Key) {
        tree = parent.tree
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
        tree.instanceCount += 1
        number = tree.instanceCount
    }

    // MARK: - The scope of this thread

    /// The scope whose body runs on this thread.
    static var current: HookInstance? {
        Hosting.rendering.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` as if no scope were being rendered.
    static func outsideScopes<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let enclosing = Hosting.rendering
        Hosting.rendering = nil
        defer { Hosting.rendering = enclosing }
        return try body()
    }

    /// Runs `body` in this scope. If it throws, what it has done so far stays, its effects do not run, and what it did not come to is kept.
    func render<Output, E: Error>(
        in environment: EnvironmentValues, _ body: () throws(E) -> Output
    ) throws(E) -> Output {
        self.environment = environment
        if parent == nil { tree.isRenderedOnce = environment.isRenderedOnce }
        cursor = 0
        if !positions.isEmpty { positions.removeAll(keepingCapacity: true) }
        visits = 0
        tree.renderCount += 1
        renderNumber = tree.renderCount
        hasReported = false
        let dueBefore = tree.dueUpdates.count

        let enclosing = Hosting.rendering
        Hosting.rendering = Unmanaged.passUnretained(self).toOpaque()
        defer { Hosting.rendering = enclosing }
        do throws(E) {
            let output = try body()
            complete()
            return output
        } catch {
            for slot in dueUpdates + tree.dueUpdates[dueBefore...] { slot.isDue = false }
            dueUpdates = []
            tree.dueUpdates.removeSubrange(dueBefore...)
            throw error
        }
    }

    /// Removes what the body has not come to. Its effects follow those of its children.
    private func complete() {
        if let expectedCount, cursor < expectedCount, cursor < slots.count {
            report(.missing, previous: slots[cursor].name, current: nil)
        }
        removeSlots(from: cursor)
        expectedCount = cursor
        if visits < children.count {
            let gone = children.filter { $0.value.visitedIn != renderNumber }
            for (key, _) in gone { children[key] = nil }
            Self.removeAll(Array(gone.values))
        }
        guard !dueUpdates.isEmpty else { return }
        tree.dueUpdates += dueUpdates
        dueUpdates.removeAll(keepingCapacity: true)
    }

    // MARK: - Slots

    /// Meets the slot of the next hook.
    func use<H: Hook>(_ hook: H) -> H.Value {
        let index = cursor
        cursor += 1
        if index < slots.count {
            if let slot = slots[index] as? HookSlotOf<H> { return slot.use(hook, in: self) }
            report(.changed, previous: slots[index].name, current: "\(H.self)")
            let before = tree.removed.count
            removeSlots(from: index)
            let misplaced = tree.removed[before...]
            tree.removed.removeSubrange(before...)
            HookInstance.outsideScopes { Hosting.unobserved { misplaced.forEach { $0.disposeOnce(in: tree) } } }
        } else if let expectedCount, index >= expectedCount {
            report(.additional, previous: nil, current: "\(H.self)")
        }
        let slot = HookSlotOf(hook, in: self)
        slots.append(slot)
        return slot.use(hook, in: self)
    }

    /// Leaves the update of a slot to the commit.
    func leaveToCommit(_ slot: HookSlot) { dueUpdates.append(slot) }

    /// How many hooks have been called in this render.
    var hookCount: Int { cursor }

    private func removeSlots(from index: Int) {
        guard index < slots.count else { return }
        tree.removed += slots[index...].reversed()
        slots.removeSubrange(index...)
    }

    private func report(_ kind: HooksRules.Violation.Kind, previous: String?, current: String?) {
        guard !hasReported, !environment.hooksRulesAssertionDisabled else { return }
        hasReported = true
        tree.violations.append(
            .init(kind: kind, previous: previous, current: current, index: cursor - (current == nil ? 0 : 1)))
    }

    // MARK: - Children

    /// The child that the next scope of that kind without an id stands for.
    func child(_ kind: ScopeKind) -> HookInstance {
        let place: Int
        if let known = positions.firstIndex(where: { $0.kind == kind }) {
            place = known
        } else {
            place = positions.count
            positions.append((kind, 0))
        }
        let index = positions[place].count
        positions[place].count += 1
        let key = Key.position(kind, index)
        return visit(children[key], key)
    }

    /// The child that the next scope with that id stands for.
    private func child<ID: Hashable>(id: ID) -> HookInstance {
        let (id, type) = (AnyHashable(id), ObjectIdentifier(ID.self))
        var key = Key.id(id, type, 0)
        var child = children[key]
        var repetitions = 0
        while let twin = child, twin.visitedIn == renderNumber {
            repetitions += 1
            key = .id(id, type, repetitions)
            child = children[key]
        }
        if repetitions == 1 { reportTwin(id) }
        return visit(child, key)
    }

    /// Notes that the render has come to a child, which is created if there is none of that key.
    private func visit(_ known: HookInstance?, _ key: Key) -> HookInstance {
        let child = known ?? HookInstance(in: self, key)
        if known == nil { children[key] = child }
        child.visitedIn = renderNumber
        child.order = visits
        visits += 1
        return child
    }

    private func reportTwin(_ id: AnyHashable) {
        Hosting.report(
            .misuse,
            """
            Two scopes inside one scope have the id \(id): the second one is told apart by its position, and does not keep its state \
            when they change places. Give each HookScope(id:) of a list an id of its own.
            """, site: "HookScope(id: \(id))")
    }

    // MARK: - Units

    /// The unit that this instance is, or belongs to.
    private var unit: HookInstance {
        var instance = self
        while instance.part == nil, let parent = instance.parent { instance = parent }
        return instance
    }

    /// The unit around this one.
    var enclosingUnit: HookInstance? { parent?.unit }

    /// Renders the scope with that id as a unit, or returns what it returned last where nothing can have changed that.
    func renderKeyed<ID: Hashable, Output, E: Error>(
        id: ID, at site: ScopeSite, _ body: @escaping () throws(E) -> Output
    ) throws(E) -> Output {
        let child = child(id: id)
        // What is rendered only once need not be tracked apart.
        if tree.isRenderedOnce { return try child.render(in: environment, body) }
        let known = child.content as? ScopeContentOf<Output, E>
        let unit = unit
        if unit.isTakingIn {
            if let known, unit.newOutputs.allSatisfy({ $0 == site }) {
                if child.renderedPass == tree.passNumber { unit.newOutputs.append(site) }
                return try known.output.get()
            }
            unit.newOutputs.append(site)
        }
        let content: ScopeContentOf<Output, E>
        if let known {
            content = known
            content.body = body
        } else {
            content = ScopeContentOf(body)
            if let old = child.content { tree.discarded.append(old) }
            child.content = content
        }
        if child.part == nil { child.part = tree.makePart(of: child) }
        child.evaluate { content.render(child, in: environment) }
        return try content.output.get()
    }

    /// Runs the body of a scope with an id again, because something has changed that it alone has read.
    ///
    /// - Returns: Whether the output differs from the one before.
    func renderAlone() -> Bool {
        guard let content else { return true }
        var isNew = false
        evaluate { isNew = content.renderAgain(self, in: environment) }
        return isNew
    }

    /// Notes that it has to take in a new output. Returns whether that is new in this pass.
    func asksToTakeIn(in pass: Int) -> Bool {
        defer { takingInPass = pass }
        return takingInPass != pass
    }

    /// Runs the body of a scope with an id again, because scopes in it have new outputs.
    ///
    /// - Returns: Whether the output differs from the one before.
    func takeInAlone() -> Bool {
        guard let content else { return true }
        var isNew = false
        takeIn { isNew = content.renderAgain(self, in: environment) }
        return isNew
    }

    /// Runs `body`, which renders this unit, tracked by its part.
    func evaluate(_ body: () -> Void) {
        guard let part else { return }
        renderedPass = tree.passNumber
        let belongings = part.evaluateCollecting(body)
        guard !belongings.isEmpty else { return }
        self.belongings = belongings
        tree.owningUnits += 1
    }

    /// Runs `body`, which renders this unit, because scopes with an id in it have new outputs: the others keep theirs.
    func takeIn(_ body: () -> Void) {
        isTakingIn = true
        newOutputs = []
        defer { isTakingIn = false }
        evaluate(body)
    }

    /// Takes what the last runs of this unit, and of those inside it, have created.
    func takeBelongings(into all: inout [Belongings]) {
        guard tree.owningUnits > 0 else { return }
        if let belongings {
            all.append(belongings)
            self.belongings = nil
            tree.owningUnits -= 1
        }
        for child in children.values { child.takeBelongings(into: &all) }
    }

    /// Where it stands in the tree: the places on the way from the root. The way to a parent is the beginning of those to its children.
    var path: [Int] { (parent?.path ?? []) + [order] }

    // MARK: - Ids

    /// Names this instance among all of the tree, by the kinds, positions and ids on the way from the root.
    var name: String {
        guard let parent else { return environment.idPrefix }
        switch key {
        case .position(let kind, let index): return "\(parent.name)-\(kind.name)\(index)"
        case .id(let id, _, let repetition):
            let text =
                switch id.base {
                case let text as String: "s" + HookInstance.encoded(text)
                case let number as any BinaryInteger: "k" + HookInstance.encoded("\(number)")
                default: "k" + HookInstance.encoded("\(type(of: id.base)):\(id)")
                }
            return "\(parent.name)-\(text)" + (repetition == 0 ? "" : "__\(repetition)")
        }
    }

    /// A text in the characters that an id of HTML and a selector of CSS may have. Different texts stay different.
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "_" + String(byte, radix: 16) + "_"
            }
        }
        return encoded
    }

    // MARK: - The end

    /// Hands all slots, of this scope and those inside it, to the tree to dispose of: the newest first. Under the lock.
    func removeAll() {
        Self.removeAll(Array(children.values))
        children = [:]
        removeSlots(from: 0)
        if let belongings {
            tree.abandoned.append(belongings)
            self.belongings = nil
            tree.owningUnits -= 1
        }
        if let content { tree.discarded.append(content) }
        content = nil
        // The root's part is the tree's.
        if parent != nil, let part { tree.end(part) }
        part = nil
    }

    /// Removes scopes, the newest first.
    private static func removeAll(_ scopes: [HookInstance]) {
        for scope in scopes.sorted(by: { $0.number > $1.number }) { scope.removeAll() }
    }

    /// Whether it is no part of the tree any more.
    var isGone: Bool { part == nil }
}
