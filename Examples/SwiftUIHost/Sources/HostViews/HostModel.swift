// What the views show, and what they tell of themselves: texts cannot be read back from SwiftUI.

#if canImport(SwiftUI)
import Reactive
import ReactiveAtomsHooks
import SwiftUI

let total = atom(0, named: "total")

/// The state of the app, and what its views have shown last.
@MainActor
public final class HostModel {
    @Observed var count = 0
    @Observed var title = "draft"
    @Observed var rows = ["a", "b", "c"]
    /// The rows that have disappeared, as their clean-ups say.
    @Observed var ended: [String] = []
    /// A title that other threads write.
    let sharedTitle = Reactive.Observable("")
    let store = RecoilStore()

    /// What each view has shown last, by its name.
    public private(set) var shown: [String: String] = [:]
    /// What the buttons do, by their labels: nobody presses them in a test.
    private var actions: [String: @MainActor () -> Void] = [:]
    /// What the text fields are bound to, by their labels.
    private var fields: [String: SwiftUI.Binding<String>] = [:]

    /// Creates the state of a new app.
    public init() {}

    /// Notes what a view shows, and returns it.
    func note(_ name: String, _ text: String) -> String {
        shown[name] = text
        return text
    }

    /// Notes what the button of that label does.
    func offer(_ label: String, _ action: @escaping @MainActor () -> Void) { actions[label] = action }

    func press(_ label: String) { actions[label]?() }

    /// Notes what the text field of that label is bound to, and returns it.
    func field(_ label: String, _ text: SwiftUI.Binding<String>) -> SwiftUI.Binding<String> {
        fields[label] = text
        return text
    }

    func type(_ text: String, into label: String) { fields[label]?.wrappedValue = text }
}

/// Something that happens, and what the views show after it.
@MainActor
public struct HostStep {
    /// What happens, for messages.
    public let name: String
    /// Lets it happen.
    public let act: @MainActor () -> Void
    /// What the views must show then, by their names.
    public let expected: [String: String]

    /// Whether views without a wrapper follow the state: where there is Observation.
    private static var doPlainViewsFollow: Bool {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { true } else { false }
    }

    /// What happens to the app of a model, in order.
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
