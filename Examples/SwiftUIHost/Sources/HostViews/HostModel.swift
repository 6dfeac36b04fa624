// The state of the views. The views also record the texts that they show, because these cannot be read back from
// SwiftUI.

#if canImport(SwiftUI)
import Reactive
import ReactiveAtomsHooks
import SwiftUI

let total = atom(0, named: "total")

/// The state of the app, and the last texts of its views.
@MainActor
public final class HostModel {
    @Observed var count = 0
    @Observed var title = "draft"
    @Observed var rows = ["a", "b", "c"]
    /// The rows whose clean-ups have run.
    @Observed var ended: [String] = []
    /// A title that other threads write.
    let sharedTitle = Reactive.Observable("")
    let store = RecoilStore()

    /// The last text of each view, by the view's name.
    public private(set) var shown: [String: String] = [:]
    /// The actions of the buttons by their labels, because a test cannot press them.
    private var actions: [String: @MainActor () -> Void] = [:]
    /// The bindings of the text fields, by their labels.
    private var fields: [String: SwiftUI.Binding<String>] = [:]

    /// Creates the state of a new app.
    public init() {}

    /// Records the text of a view, and returns it.
    func note(_ name: String, _ text: String) -> String {
        shown[name] = text
        return text
    }

    /// Records the action of a button.
    func offer(_ label: String, _ action: @escaping @MainActor () -> Void) { actions[label] = action }

    func press(_ label: String) { actions[label]?() }

    /// Records the binding of a text field, and returns it.
    func field(_ label: String, _ text: SwiftUI.Binding<String>) -> SwiftUI.Binding<String> {
        fields[label] = text
        return text
    }

    func type(_ text: String, into label: String) { fields[label]?.wrappedValue = text }
}

/// A step of the test: an action, and the expected texts of the views.
@MainActor
public struct HostStep {
    /// The name of the step in messages.
    public let name: String
    /// Performs the action.
    public let act: @MainActor () -> Void
    /// The expected texts, by the views' names.
    public let expected: [String: String]

    /// Whether views without a wrapper follow the state, which needs Observation.
    private static var doPlainViewsFollow: Bool {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { true } else { false }
    }

    /// Returns the steps for a model, in order.
    public static func all(for model: HostModel) -> [HostStep] {
        let steps = [
            HostStep(
                name: "the first bodies and their effects", act: {},
                expected: [
                    "counter": "0", "double": "0", "observer": "0", "list": "a1 b2 c3", "total": "0", "ended": "",
                ]),
            HostStep(
                name: "state of a hook, and an effect that sets another", act: { model.press("increment") },
                expected: ["counter": "1", "double": "2"]),
            HostStep(
                name: "many events before the effects run", act: { for _ in 1...100 { model.press("increment") } },
                expected: ["counter": "101", "double": "202"]),
            HostStep(name: "an observable", act: { model.count = 5 }, expected: ["observer": "5"]),
            HostStep(
                name: "a change on another thread",
                act: {
                    let store = model.store
                    Task.detached { store.set(total, 7) }
                }, expected: ["total": "7"]),
            HostStep(
                name: "rows that move and go, and clean-ups that change what others show",
                act: { model.rows = ["c", "a"] },
                expected: ["list": "c3 a1", "ended": "b"]),
            HostStep(name: "a row that comes", act: { model.rows.append("d") }, expected: ["list": "c3 a1 d4"]),
            HostStep(
                name: "text that a field writes through a binding, and a reaction of a view",
                act: { model.type("report", into: "title") },
                expected: ["reaction": "draft -> report", "field": "report"]),
        ]
        let plain = [
            HostStep(name: "a view without a wrapper", act: {}, expected: ["plain": "report"]),
            HostStep(
                name: "a change in an animation", act: { withAnimation { model.title = "letter" } },
                expected: ["plain": "letter"]),
            HostStep(
                name: "a change on another thread that a view without a wrapper follows",
                act: {
                    let title = model.sharedTitle
                    Task.detached { title.value = "note" }
                }, expected: ["shared": "note"]),
        ]
        return doPlainViewsFollow ? steps + plain : steps
    }
}
#endif
