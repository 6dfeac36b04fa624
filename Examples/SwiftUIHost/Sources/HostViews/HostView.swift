// One view of each kind that the library has.

#if canImport(SwiftUI)
import Reactive
import ReactiveAtomsHooks
import ReactiveSwiftUI
import SwiftUI

/// The content of the window.
public struct HostView: View {
    let model: HostModel

    /// Creates the content.
    ///
    /// - Parameter model: The state of the app.
    public init(_ model: HostModel) { self.model = model }

    /// One view of each kind.
    public var body: some View {
        RecoilRoot(store: model.store) {
            VStack {
                CounterView(model: model)
                ObserverView { Text(model.note("observer", "\(model.count)")) }
                RowsView(model: model)
                TotalView(model: model)
                PlainView(model: model)
                SharedView(model: model)
                FieldView(model: model)
                ObserverView { Text(model.note("ended", model.ended.joined(separator: " "))) }
            }
        }
    }
}

/// State, and an effect that sets other state.
struct CounterView: HookView {
    let model: HostModel

    var hookBody: some View {
        let count = useState(0)
        let double = useState(0)
        let _ = useEffect(.preserved(by: count.wrappedValue)) {
            double.wrappedValue = 2 * count.wrappedValue
            return nil
        }
        let _ = model.offer("increment") { count.wrappedValue += 1 }
        Text(model.note("counter", "\(count.wrappedValue)"))
        Text(model.note("double", "\(double.wrappedValue)"))
        Button("increment") { model.press("increment") }
    }
}

/// Rows with state of their own and clean-ups.
struct RowsView: View {
    let model: HostModel

    var body: some View {
        HookScope {
            let numbers = useRef([String: Int]())
            ObserverView {
                let _ = model.note("list", list(numbers.current))
                ForEach(model.rows, id: \.self) { row in
                    HookScope(id: row) {
                        let number = useState {
                            numbers.current[row] = numbers.current.count + 1
                            return numbers.current[row] ?? 0
                        }
                        let _ = useEffect(.once) {
                            _ = model.note("list", list(numbers.current))
                            return { model.ended.append(row) }
                        }
                        Text("\(row)\(number.wrappedValue)")
                    }
                }
            }
        }
    }

    private func list(_ numbers: [String: Int]) -> String {
        model.rows.map { "\($0)\(numbers[$0] ?? 0)" }.joined(separator: " ")
    }
}

/// A view without a wrapper.
struct PlainView: View {
    let model: HostModel

    var body: some View { Text(model.note("plain", model.title)) }
}

/// A view without a wrapper, of state that another thread writes.
struct SharedView: View {
    let model: HostModel

    var body: some View { Text(model.note("shared", model.sharedTitle.value)) }
}

/// A binding to a property of the model, and a reaction that lives as long as the view.
struct FieldView: View {
    @ReactiveBindable var model: HostModel

    var body: some View {
        ObserverView {
            TextField("title", text: model.field("title", $model.title))
            Text(model.note("field", model.title))
        }
        .onReaction(of: { model.title }) { old, new in _ = model.note("reaction", "\(old) -> \(new)") }
    }
}

/// An atom of the nearest root.
struct TotalView: View {
    @RecoilScope var recoil
    let model: HostModel

    init(model: HostModel) { self.model = model }

    var body: some View { Text(model.note("total", "\(recoil.useValue(total) ?? -1)")) }
}
#endif
