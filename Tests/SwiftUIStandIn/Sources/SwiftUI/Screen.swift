// Draws views as lines of text, keeps their objects from one drawing to the next, and draws again when one of these has changed.

/// Where a view is shown. There is none in SwiftUI: it stands for the framework.
@MainActor
public final class Screen {
    /// The screen that is being drawn.
    static var drawing: Screen?

    private struct Kept {
        let object: AnyObject
        let subscription: AnyCancellable
        var isUsed = true
    }

    private let view: any View
    private var path: [String] = []
    private var kept: [String: Kept] = [:]
    private var actions: [@MainActor () -> Void] = []
    private var buttons: [String: @MainActor () -> Void] = [:]
    var environment = EnvironmentValues()

    /// What is shown.
    public private(set) var lines: [String] = []
    /// How often it was drawn.
    public private(set) var drawCount = 0
    /// Whether something has changed since.
    public private(set) var isDue = false

    public init(@ViewBuilder _ content: () -> some View) {
        view = content()
        draw()
    }

    /// Presses the button of that label.
    public func press(_ label: String) { buttons[label]?() }

    /// Lets what was begun on the main actor happen, and draws as often as it is due.
    public func settle() async {
        for _ in 0..<3 {
            await Task { @MainActor in }.value
            while isDue {
                draw()
                await Task { @MainActor in }.value
            }
        }
    }

    private func draw() {
        Screen.drawing = self
        defer { Screen.drawing = nil }
        drawCount += 1
        isDue = false
        lines = []
        buttons = [:]
        for key in kept.keys { kept[key]?.isUsed = false }
        draw(view, as: "root")
        kept = kept.filter(\.value.isUsed)
    }

    func draw<V: View>(_ view: V, as name: String) {
        path.append("\(name):\(V.self)")
        defer { path.removeLast() }
        for child in Mirror(reflecting: view).children {
            // A copy will do: properties keep what is to last by reference.
            if var property = child.value as? any DynamicProperty { property.update() }
        }
        if let primitive = view as? any Primitive { primitive.draw(on: self) } else { draw(view.body, as: "body") }
    }

    func print(_ line: String) {
        lines.append(line)
        if let action = actions.popLast() { buttons[line] = action }
    }

    func button(_ action: @escaping @MainActor () -> Void) { actions.append(action) }

    func object<Object: ObservableObject>(_ make: () -> Object) -> Object {
        let key = path.joined(separator: "/") + " \(Object.self)"
        kept[key]?.isUsed = true
        if let object = kept[key]?.object as? Object { return object }
        let object = make()
        let subscription = object.objectWillChange.sink { [weak self] _ in
            precondition(Screen.drawing == nil, "Publishing changes from within view updates is not allowed.")
            self?.isDue = true
        }
        kept[key] = Kept(object: object, subscription: subscription)
        return object
    }
}
