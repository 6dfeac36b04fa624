// Shows the views in a window and runs the steps.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
#elseif canImport(UIKit)
import UIKit
#endif
#if canImport(AppKit) || canImport(UIKit)
import Foundation
public import HostViews
import SwiftUI

/// A window that shows a ``HostView``.
@MainActor
public final class HostWindow {
    private let model = HostModel()
    #if canImport(AppKit) && !targetEnvironment(macCatalyst)
    private let window = NSWindow(
        contentRect: NSRect(x: 0, y: 0, width: 320, height: 320), styleMask: [.titled], backing: .buffered, defer: false
    )
    #else
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 320))
    #endif

    /// Shows the window.
    public init() {
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        NSApplication.shared.setActivationPolicy(.accessory)
        window.isReleasedWhenClosed = false
        window.contentView = NSHostingView(rootView: HostView(model))
        window.orderFrontRegardless()
        #else
        window.rootViewController = UIHostingController(rootView: HostView(model))
        window.isHidden = false
        #endif
    }

    /// Runs all steps; see ``HostModel/run(limit:)``.
    public func run() async -> [String] { await model.run() }
}

extension HostModel {
    /// Runs all steps while views of the model are shown.
    ///
    /// - Parameter limit: The maximum time of a step, in seconds.
    /// - Returns: The expected texts that were not shown in time; empty after success.
    public func run(limit: Double = 10) async -> [String] {
        var failures: [String] = []
        for step in HostStep.all(for: self) {
            step.act()
            let deadline = Date(timeIntervalSinceNow: limit)
            while !isReached(step), Date() < deadline { try? await Task.sleep(nanoseconds: 10_000_000) }
            if !isReached(step) { failures.append("\(step.name): \(shown), not \(step.expected)") }
        }
        return failures
    }

    private func isReached(_ step: HostStep) -> Bool { step.expected.allSatisfy { shown[$0.key] == $0.value } }
}
#endif
