// The app: runs the steps, prints failures, and exits with 1 if there were any.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import HostWindow

@main @MainActor
enum SwiftUIHost {
    static func main() {
        Task { finish(await HostWindow().run()) }
        NSApplication.shared.run()
    }
}
#elseif canImport(UIKit) && !os(watchOS)
import Foundation
import HostViews
import HostWindow
import Reactive
import SwiftUI

@main
struct SwiftUIHost: App {
    @State private var model = HostModel()

    init() {
        if #available(iOS 17, tvOS 17, *) { ObservationBridge.isEnabledOnMainThread = true }
    }

    var body: some Scene {
        WindowGroup {
            HostView(model).task { finish(await model.run()) }
        }
    }
}
#else
@main
enum SwiftUIHost {
    static func main() { print("SwiftUIHost runs on macOS, iOS, tvOS and visionOS.") }
}
#endif

#if (canImport(AppKit) && !targetEnvironment(macCatalyst)) || (canImport(UIKit) && !os(watchOS))
/// Prints the outcome and ends the app.
private func finish(_ failures: [String]) -> Never {
    for failure in failures { print("✘ \(failure)") }
    print(failures.isEmpty ? "✔ all steps" : "✘ \(failures.count) steps failed")
    exit(failures.isEmpty ? 0 : 1)
}
#endif
