// Shows views as lines of text, as SwiftUI would: it keeps a tree of nodes, one for each view, and in an *update* asks for the bodies of those
// that are due.
//
// It is stricter than SwiftUI where SwiftUI may do what it likes. It can ask for each body twice. It releases the objects of views that are gone
// inside the update. And it notes as a fault whatever SwiftUI forbids: publishing inside an update, above all.

/// Where a view is shown. There is none in SwiftUI: it stands for the framework.
@MainActor
public final class Screen {
    /// The node whose properties are read or whose body is asked for.
    static var current: Node?
    /// The screen that is being updated.
    private static var updating: Screen?

    private let timesAsked: Int
    private var root: Node?
    private var dueNodes: [Node] = []
    /// Nodes that have been taken out in this update, and go with it.
    private var removed: [Node] = []
    private var transactions = 0

    /// What SwiftUI would complain of, or do wrong after.
    public private(set) var faults: [String] = []
    /// How often bodies were asked for, by the type of the view.
    public private(set) var bodyCounts: [String: Int] = [:]
    /// What updates have put in, moved and taken out of lists, by id.
    public private(set) var listChanges: [String] = []
    /// How many updates there have been.
    public private(set) var drawCount = 0
    /// Whether something has changed since.
    public var isDue: Bool { !dueNodes.isEmpty }

    /// Shows views.
    ///
    /// - Parameters:
    ///   - asksTwice: Whether to ask for each body twice in each update.
    ///   - content: Returns the views.
    public init(asksTwice: Bool = false, @ViewBuilder _ content: () -> some View) {
        timesAsked = asksTwice ? 2 : 1
        let root = Node(on: self, key: "root", view: content(), in: EnvironmentValues(), depth: 0)
        self.root = root
        update([root])
    }

    /// What tells the views that are shown apart.
    public var identities: [String] { root?.identities ?? [] }

    /// What is shown.
    public var lines: [String] { root?.lines ?? [] }

    /// Presses the last button of that label: an event, in a transaction of its own.
    public func press(_ label: String) { transaction { root?.action(of: label)?() } }

    /// Runs `body` as one event does: what it makes due is updated when it is over, before any other job of the main actor.
    public func transaction(_ body: () -> Void) {
        transactions += 1
        body()
        transactions -= 1
        if transactions == 0, isDue { updateNow() }
    }

    /// Lets what was begun on the main actor happen, and updates as often as something is due.
    public func settle() async {
        for _ in 0..<3 {
            await Task { @MainActor in }.value
            while isDue {
                updateNow()
                await Task { @MainActor in }.value
            }
        }
    }

    /// Takes all views away, as at the end of a window.
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
            // A view around asks for what is inside it.
            for node in nodes.sorted(by: { $0.depth < $1.depth }) where node.isDue && !node.isRemoved { node.update() }
        }
    }

    private func inUpdate(_ body: () -> Void) {
        Screen.updating = self
        body()
        removed = []
        Screen.updating = nil
    }

    func keepUntilTheEndOfTheUpdate(_ node: Node) { removed.append(node) }

    func fault(_ text: String) { faults.append(text) }

    func noteListChange(_ text: String) { listChanges.append(text) }

    /// An object that the node keeps is about to change.
    func objectWillChange(of node: Node) {
        if let updating = Screen.updating {
            updating.fault("Publishing changes from within view updates is not allowed: \(node.key).")
        }
        guard !node.isDue, !node.isRemoved else { return }
        node.isDue = true
        dueNodes.append(node)
    }

    /// Asks for a body.
    func body<V: View>(of view: V) -> any View {
        var body = view.body
        for _ in 1..<timesAsked {
            // SwiftUI updates the properties each time.
            Node.updateProperties(of: view)
            body = view.body
        }
        bodyCounts["\(V.self)", default: 0] += timesAsked
        return body
    }
}

/// One view: its place in the tree, its objects, and the views inside it.
@MainActor
final class Node {
    private struct Kept {
        let object: AnyObject
        let subscription: AnyCancellable
    }

    private unowned let screen: Screen
    /// What tells it apart among those in its parent: its place or id there, and its type.
    let key: String
    let depth: Int
    private var view: any View
    private(set) var environment: EnvironmentValues
    private var children: [Node] = []
    private var objects: [ObjectIdentifier: Kept] = [:]
    private var contents = Contents()
    var isDue = true
    private(set) var isRemoved = false

    init(on screen: Screen, key: String, view: any View, in environment: EnvironmentValues, depth: Int) {
        self.screen = screen
        self.key = key
        self.view = view
        self.environment = environment
        self.depth = depth
    }

    /// Asks for the body, and brings what is inside in line with it.
    func update() {
        isDue = false
        let enclosing = Screen.current
        Screen.current = self
        Node.updateProperties(of: view)
        if let primitive = view as? any Primitive {
            contents = primitive.contents
        } else {
            contents = Contents(children: [("body", screen.body(of: view))])
        }
        Screen.current = enclosing
        reconcile()
    }

    static func updateProperties(of view: any View) {
        for child in Mirror(reflecting: view).children {
            // A copy will do: properties keep what is to last by reference.
            if var property = child.value as? any DynamicProperty { property.update() }
        }
    }

    /// Keeps the nodes of views that are still there, wherever they are now, makes those of new ones, and removes the rest.
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

    // MARK: - What is shown

    var identities: [String] { [key] + children.flatMap(\.identities) }

    var lines: [String] { (contents.line.map { [$0] } ?? []) + children.flatMap(\.lines) }

    func action(of label: String) -> (@MainActor () -> Void)? {
        if let action = contents.action, lines.first == label { return action }
        for child in children.reversed() {
            if let action = child.action(of: label) { return action }
        }
        return nil
    }
}
