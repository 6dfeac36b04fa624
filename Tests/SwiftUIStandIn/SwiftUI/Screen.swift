// Shows views as lines of text, as SwiftUI would: it keeps a tree of nodes, one for each view, and runs the bodies of
// due views in an *update*.
//
// A view is due when one of its objects publishes, when its state changes, or when Observation reports a change of a
// value that its body has read. As in SwiftUI, Observation reports once for each body: on the main actor immediately
// and in the caller's transaction, and from elsewhere after a hop.
//
// It is stricter than SwiftUI where SwiftUI is free. It can run each body twice. It releases the objects of removed
// views inside the update. And everything that SwiftUI forbids is a fault, which stops the program: above all,
// publishing inside an update.

import Foundation
import Observation

/// The place where a view is shown. SwiftUI has no such type: it stands for the framework.
@MainActor
public final class Screen {
    /// The node whose properties are read or whose body runs.
    static var current: Node?
    /// The screen that is being updated.
    private static var updating: Screen?

    private let timesAsked: Int
    private let collectsFaults: Bool
    private var root: Node?
    private var dueNodes: [Node] = []
    /// Nodes that were removed in this update, and are released with it.
    private var removed: [Node] = []
    private var transactions = 0
    /// The actions of `onChange`, which run after the update.
    private var actions: [() -> Void] = []
    /// The animation of the change that the update follows.
    private var animation: Animation?

    /// Faults that SwiftUI would complain about, or that would make it fail: recorded if faults do not stop the
    /// program.
    public private(set) var faults: [String] = []
    /// The number of times that bodies ran, by the type of the view.
    public private(set) var bodyCounts: [String: Int] = [:]
    /// The number of times that bodies ran for an animated change, by the type of the view.
    public private(set) var animatedBodyCounts: [String: Int] = [:]
    /// The number of changes that Observation reported.
    public private(set) var observedChangeCount = 0
    /// The views that Observation made due inside an update: SwiftUI accepts that, and updates once more.
    public private(set) var lateChanges: [String] = []
    /// The insertions, moves and removals of lists by updates, by id.
    public private(set) var listChanges: [String] = []
    /// The number of updates.
    public private(set) var drawCount = 0
    /// Whether a view is due.
    public var isDue: Bool { !dueNodes.isEmpty }

    /// Shows views.
    ///
    /// - Parameters:
    ///   - asksTwice: Whether to run each body twice in each update.
    ///   - collectsFaults: Whether to record faults instead of stopping the program.
    ///   - content: Returns the views.
    public init(
        asksTwice: Bool = false, collectsFaults: Bool = false, @ViewBuilder _ content: () -> some View
    ) {
        timesAsked = asksTwice ? 2 : 1
        self.collectsFaults = collectsFaults
        let root = Node(on: self, key: "root", view: content(), in: EnvironmentValues(), depth: 0)
        self.root = root
        update([root])
    }

    /// The identities of the shown views.
    public var identities: [String] { root?.identities ?? [] }

    /// The shown lines.
    public var lines: [String] { root?.lines ?? [] }

    /// Presses the last button with a label: an event, in a transaction of its own.
    public func press(_ label: String) { transaction { root?.action(of: label)?() } }

    /// Enters text into the field with a title, or switches a toggle to "on" or "off".
    public func type(_ text: String, into title: String) { transaction { root?.field(of: title)?(text) } }

    /// Deletes rows of the last list that allows it.
    public func delete(_ offsets: IndexSet) { transaction { root?.action(\.delete)?(offsets) } }

    /// Moves rows of the last list that allows it.
    public func move(_ source: IndexSet, to destination: Int) {
        transaction { root?.action(\.move)?(source, destination) }
    }

    /// Runs `body` as one event: afterwards it updates the due views, before any other job of the main actor.
    public func transaction(_ body: () -> Void) {
        transactions += 1
        body()
        transactions -= 1
        if transactions == 0, isDue { updateNow() }
    }

    /// Lets pending jobs of the main actor run, and updates until no view is due.
    public func finishUpdates() async {
        for _ in 0..<3 {
            await Task { @MainActor in }.value
            var updates = 0
            while isDue {
                updates += 1
                if updates == 200 {
                    fault("The views update forever.")
                    return
                }
                updateNow()
                await Task { @MainActor in }.value
            }
        }
    }

    /// Removes all views, as at the end of a window.
    public func close() {
        inUpdate {
            root?.remove()
            root = nil
        }
    }

    // MARK: - Updates

    private func updateNow() {
        let due = dueNodes
        dueNodes = []
        update(due)
    }

    private func update(_ nodes: [Node]) {
        drawCount += 1
        inUpdate {
            // The body of an enclosing view runs the inner ones.
            for node in nodes.sorted(by: { $0.depth < $1.depth }) where node.isDue && !node.isRemoved {
                animation = node.animation
                node.update()
            }
            animation = nil
        }
        let actions = actions
        self.actions = []
        for action in actions { action() }
    }

    func afterTheUpdate(_ action: @escaping () -> Void) { actions.append(action) }

    private func inUpdate(_ body: () -> Void) {
        Screen.updating = self
        body()
        removed = []
        Screen.updating = nil
    }

    func keepUntilTheEndOfTheUpdate(_ node: Node) { removed.append(node) }

    func fault(_ text: String) {
        guard collectsFaults else { fatalError("SwiftUI: \(text)") }
        faults.append(text)
    }

    func noteListChange(_ text: String) { listChanges.append(text) }

    /// An object that the node keeps is about to change.
    func objectWillChange(of node: Node) {
        if let updating = Screen.updating {
            updating.fault("Publishing changes from within view updates is not allowed: \(node.key).")
        }
        makeDue(node)
    }

    /// Observation reports a change of a value that the node's body has read.
    func observedChange(of node: Node) {
        observedChangeCount += 1
        if Screen.updating != nil { lateChanges.append(node.key) }
        makeDue(node)
    }

    func makeDue(_ node: Node) {
        guard !node.isRemoved else { return }
        if let animation = Transaction.currentAnimation { node.animation = animation }
        guard !node.isDue else { return }
        node.isDue = true
        dueNodes.append(node)
    }

    /// Runs a body.
    func body<V: View>(of view: V, at node: Node) -> any View {
        var body = node.observed { view.body }
        for _ in 1..<timesAsked {
            // SwiftUI updates the properties each time.
            node.updateProperties()
            body = node.observed { view.body }
        }
        bodyCounts["\(V.self)", default: 0] += timesAsked
        if animation != nil { animatedBodyCounts["\(V.self)", default: 0] += timesAsked }
        return body
    }
}

/// A view: its position in the tree, its objects, and the views inside it.
@MainActor
final class Node {
    private struct Kept {
        let object: AnyObject
        let subscription: AnyCancellable
    }

    private unowned let screen: Screen
    /// The identity among the children of its parent: position or id, and type.
    let key: String
    let depth: Int
    private var view: any View
    private(set) var environment: EnvironmentValues
    private var children: [Node] = []
    private var objects: [ObjectIdentifier: Kept] = [:]
    private var state: [Int: AnyObject] = [:]
    private var contents = Contents()
    /// The last value of an `onChange`.
    private var watched: Any?
    /// The identity of the last body's reads. Changes of earlier reads are ignored.
    private var tracking: Tracking?
    var isDue = true
    /// The animation of the change that has made it due.
    var animation: Animation?
    private(set) var isRemoved = false

    private final class Tracking: Sendable {}

    init(on screen: Screen, key: String, view: any View, in environment: EnvironmentValues, depth: Int) {
        self.screen = screen
        self.key = key
        self.view = view
        self.environment = environment
        self.depth = depth
    }

    /// Runs the body, and updates the inner nodes.
    func update() {
        isDue = false
        animation = nil
        let enclosing = Screen.current
        Screen.current = self
        updateProperties()
        if let primitive = view as? any Primitive {
            contents = observed { primitive.contents }
        } else {
            contents = Contents(children: [("body", screen.body(of: view, at: self))])
        }
        Screen.current = enclosing
        if let watch = contents.watch {
            let (value, action) = watch(watched)
            watched = value
            if let action { screen.afterTheUpdate(action) }
        }
        reconcile()
    }

    func updateProperties() {
        for (number, child) in Mirror(reflecting: view).children.enumerated() {
            if let property = child.value as? any KeptProperty { property.install(on: self, number: number) }
            // A copy is sufficient: properties keep persistent state by reference.
            if var property = child.value as? any DynamicProperty { property.update() }
        }
    }

    /// Runs `body`, and makes the view due once when a value changes that it has read through Observation.
    func observed<Result>(_ body: () -> Result) -> Result {
        let tracking = Tracking()
        self.tracking = tracking
        return withObservationTracking(body) { [weak self] in
            if isOnMainActor {
                MainActor.assumeIsolated { self?.observedChange(tracking) }
            } else {
                Task { @MainActor in self?.observedChange(tracking) }
            }
        }
    }

    private func observedChange(_ tracking: Tracking) {
        guard self.tracking === tracking, !isRemoved else { return }
        self.tracking = nil
        screen.observedChange(of: self)
    }

    /// State of the view was written.
    func stateHasChanged() { screen.objectWillChange(of: self) }

    /// The storage that the node keeps for the view's property with that number.
    func kept<Storage: AnyObject>(_ number: Int, _ make: () -> Storage) -> Storage {
        if let storage = state[number] as? Storage { return storage }
        let storage = make()
        state[number] = storage
        return storage
    }

    /// Keeps the nodes of views that are still present at any position, creates those of new views, and removes the
    /// others.
    private func reconcile() {
        var inside = environment
        contents.changeEnvironment(&inside)
        var old: [String: Node] = [:]
        for child in children { old[child.key] = child }
        let before = children.map(\.key)
        var after: [String] = []
        children = contents.children.map { name, view in
            var key = "\(name):\(type(of: view))"
            if after.contains(key) {
                screen.fault("\(self.key) shows two views with the id \(name).")
                key += " again"
            }
            after.append(key)
            if let child = old.removeValue(forKey: key) {
                child.view = view
                child.environment = inside
                return child
            }
            if contents.isList { screen.noteListChange("+\(name)") }
            return Node(on: screen, key: key, view: view, in: inside, depth: depth + 1)
        }
        if contents.isList {
            let kept = after.filter(before.contains)
            if kept != before.filter(after.contains) { screen.noteListChange("moved") }
            for child in old.values.map(\.name).sorted() { screen.noteListChange("-\(child)") }
        }
        for child in children { child.update() }
        for child in before.compactMap({ old[$0] }) { child.remove() }
    }

    private var name: String { String(key.prefix { $0 != ":" }) }

    func remove() {
        isRemoved = true
        screen.keepUntilTheEndOfTheUpdate(self)
        for child in children { child.remove() }
        children = []
    }

    func object<Object: ObservableObject>(_ make: () -> Object) -> Object {
        let type = ObjectIdentifier(Object.self)
        if let object = objects[type]?.object as? Object { return object }
        let object = make()
        objects[type] = Kept(
            object: object,
            subscription: object.objectWillChange.sink { [weak self] _ in
                if let self { screen.objectWillChange(of: self) }
            })
        return object
    }

    // MARK: - Shown lines

    var identities: [String] { [key] + children.flatMap(\.identities) }

    var lines: [String] { (contents.line.map { [$0] } ?? []) + children.flatMap(\.lines) }

    func action<Action>(_ kind: KeyPath<Contents, Action?>) -> Action? {
        contents[keyPath: kind] ?? children.lazy.reversed().compactMap { $0.action(kind) }.first
    }

    func field(of title: String) -> (@MainActor (String) -> Void)? {
        if contents.isDisabled { return nil }
        if let field = contents.field, field.title == title { return field.set }
        for child in children.reversed() {
            if let set = child.field(of: title) { return set }
        }
        return nil
    }

    func action(of label: String) -> (@MainActor () -> Void)? {
        if contents.isDisabled { return nil }
        if let action = contents.action, lines.first == label { return action }
        for child in children.reversed() {
            if let action = child.action(of: label) { return action }
        }
        return nil
    }
}
