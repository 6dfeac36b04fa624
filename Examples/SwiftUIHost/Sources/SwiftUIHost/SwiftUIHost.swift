// The app: goes through the steps, says what went wrong, and ends with status 1 if anything did.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import HostWindow

@main @MainActor
enum SwiftUIHost {
    static func main() {
        Task {
            let failures = await HostWindow().run()
            for failure in failures { print("✘ \(failure)") }
            print(failures.isEmpty ? "✔ all steps" : "✘ \(failures.count) steps failed")
            exit(failures.isEmpty ? 0 : 1)
        }
        NSApplication.shared.run()
    }
}
#else
@main
enum SwiftUIHost {
    static func main() { print("SwiftUIHost runs on macOS. On other systems of Apple's, run its tests.") }
}
#endif
