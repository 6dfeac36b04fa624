// A key of UserDefaults as state.
//
//     swift run --package-path Examples Setting

import Foundation
import Reactive

/// A text in the user defaults. While it is observed, it listens for external changes. (On Linux, Foundation does not
/// report these.)
@MainActor final class Setting {
    private let defaults: UserDefaults
    private let key: String
    private var listener: (any NSObjectProtocol)?
    private lazy var source = Source(
        named: key, onObserved: { @MainActor [weak self] in self?.listen() },
        onUnobserved: { @MainActor [weak self] in self?.stop() })

    init(_ key: String, in defaults: UserDefaults = .standard) {
        self.key = key
        self.defaults = defaults
    }

    var text: String? {
        get {
            source.track()
            return defaults.string(forKey: key)
        }
        set {
            defaults.set(newValue, forKey: key)
            source.changed()
        }
    }

    private func listen() {
        listener = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: nil, queue: nil
        ) { [source] _ in source.changed() }
        source.changed()  // It may have changed before the start.
    }

    private func stop() {
        listener.map { NotificationCenter.default.removeObserver($0) }
    }
}

let defaults = UserDefaults.standard
defaults.removeObject(forKey: "theme")
let theme = Setting("theme", in: defaults)
let title = Computed { "Theme: \(theme.text ?? "system")" }

let display = autorun { print(title.value) }  // prints "Theme: system"
theme.text = "dark"  // prints "Theme: dark"
theme.text = "dark"  // An equal value runs no observer.
print("runs:", display.runCount)  // prints "runs: 2"
display.cancel()

// Without observers it does not listen. So each read gets the current value.
defaults.set("light", forKey: "theme")
print(title.value)  // prints "Theme: light"
defaults.removeObject(forKey: "theme")
