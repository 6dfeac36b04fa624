// The steps, on macOS and on simulators.

#if canImport(AppKit) || canImport(UIKit)
import HostWindow
import Testing

@MainActor @Test func everyStepIsShown() async {
    let failures = await HostWindow().run()
    #expect(failures == [])
}
#endif
