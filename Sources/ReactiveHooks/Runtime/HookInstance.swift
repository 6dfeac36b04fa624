// One rendered body: the slots of its hooks in the order of their calls, and the scopes inside it.

import Reactive

/// What a scope keeps from one render to the next.
final class HookInstance {
    /// What tells the children of a scope apart.
    enum Key: Hashable {
        /// The how manieth scope without an id it is.
        case position(Int)
        /// The id, and how many scopes with an equal one came before it.
        case id(AnyHashable, Int)
    }

    private unowned let tree: HookTree
    private(set) var environment = EnvironmentValues()
    private var slots: [HookSlot] = []
    private var children: [Key: HookInstance] = [:]
    /// The place in the order in which instances were made.
    private let number: Int

    // MARK: The current render

    private var cursor = 0
    private var childCount = 0
    private var lastPass = 0
    /// How many hooks the last complete render called; `nil` before it.
    private var expectedCount: Int?
    private var hasReported = false

    init(in tree: HookTree) {
        self.tree = tree
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
        cursor = 0
        childCount = 0
        lastPass = tree.passNumber
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
            for slot in tree.dueUpdates[dueBefore...] { slot.isDue = false }
            tree.dueUpdates.removeSubrange(dueBefore...)
            throw error
        }
    }

    /// Removes what the body has not come to.
    private func complete() {
        if let expectedCount, cursor < expectedCount, cursor < slots.count {
            report(.missing, previous: slots[cursor].name, current: nil)
        }
        removeSlots(from: cursor)
        expectedCount = cursor
        let gone = children.filter { $0.value.lastPass != lastPass }
        for (key, _) in gone { children[key] = nil }
        gone.values.sorted { $0.number > $1.number }.forEach { $0.removeAll() }
    }

    // MARK: - Slots

    /// Meets the slot of the next hook.
    func use<H: Hook>(_ hook: H) -> H.Value {
        let index = cursor
        cursor += 1
        if index < slots.count {
            if let slot = slots[index] as? HookSlotOf<H> { return slot.use(hook, in: tree, environment) }
            report(.changed, previous: slots[index].name, current: "\(H.self)")
            let before = tree.removed.count
            removeSlots(from: index)
            let misplaced = tree.removed[before...]
            tree.removed.removeSubrange(before...)
            HookInstance.outsideScopes { Hosting.unobserved { misplaced.forEach { $0.disposeOnce(in: tree) } } }
        } else if let expectedCount, index >= expectedCount {
            report(.additional, previous: nil, current: "\(H.self)")
        }
        let slot = HookSlotOf(hook, environment)
        slots.append(slot)
        return slot.use(hook, in: tree, environment)
    }

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

    /// The child that the next scope in this one stands for.
    func child(id: AnyHashable?) -> HookInstance {
        var key = Key.position(childCount)
        if let id {
            key = .id(id, 0)
            var repetitions = 0
            while let twin = children[key], twin.lastPass == lastPass {
                repetitions += 1
                key = .id(id, repetitions)
            }
            if repetitions == 1 { reportTwin(id) }
        } else {
            childCount += 1
        }
        if let child = children[key] { return child }
        let child = HookInstance(in: tree)
        children[key] = child
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

    // MARK: - The end

    /// Hands all slots, of this scope and those inside it, to the tree to dispose of: the newest first.
    func removeAll() {
        children.values.sorted { $0.number > $1.number }.forEach { $0.removeAll() }
        children = [:]
        removeSlots(from: 0)
    }
}
