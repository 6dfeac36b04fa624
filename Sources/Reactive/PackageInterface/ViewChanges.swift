// The common part of the SwiftUI adapters: when a view's host may publish a change, and when changes are a loop.
//
// SwiftUI forbids publishing inside a view update, that is, while it evaluates bodies, updates dynamic properties and
// removes views. No function says whether an update is in progress. But each body that an adapter hosts runs through
// the adapter. Other bodies are tracked where Observation is available. All remaining work can wait:
//
//     a body, or after a dynamic property's update     changes made meanwhile are published by the next job
//     a view's end                                     the host's contents end in the next job
//     anything else                                    is published immediately, in the caller's transaction

#if canImport(SwiftUI)
/// The changes that affect one view.
@MainActor
package final class ViewChanges {
    /// The maximum number of consecutive updates of one view in which each has made the next one due.
    nonisolated static let limit = 25

    /// The number of bodies of the adapters that are running.
    private static var bodies = 0
    /// Whether a dynamic property was updated, and the main actor has begun no other job since.
    private static var isUpdating = false

    /// Lets plain views follow state too, from the first view that an adapter hosts: a module cannot do that by itself
    /// earlier. Does nothing if the program has already decided, or on a system without Observation.
    nonisolated package static func prepareSystem() { _ = preparation }

    nonisolated private static let preparation: Void = {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
        if Isolation.isCurrent(MainActor.shared) {
            MainActor.assumeIsolated { ObservationBridge.enableForViews() }
        } else {
            Task { @MainActor in ObservationBridge.enableForViews() }
        }
    }()

    /// Whether a view update is in progress, as far as can be determined.
    package static var isInUpdate: Bool { bodies > 0 || isUpdating || isInPlainBody }

    /// Whether the body of a view that no adapter hosts is running, which SwiftUI tracks. Code of the program that
    /// observes by itself on the main actor looks the same; a wrong answer there costs one job.
    private static var isInPlainBody: Bool {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return false }
        if probe == nil { probe = ChangeNotifier() }
        // This notifier belongs to the main actor and never notifies, so this needs no lock.
        return (probe as? ChangeNotifier)?.isTracked() == true
    }

    /// A `ChangeNotifier`, where Observation is available.
    private static var probe: AnyObject?

    private let name: String
    private let publish: () -> Void
    /// Whether a change made in an update waits for the next job.
    private var isWaiting = false
    /// Whether the last published change was made in an update.
    private var isSelfMade = false
    /// The number of consecutive changes of that kind.
    private var row = 0

    /// Creates the changes of one view.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics.
    ///   - publish: Notifies SwiftUI. It must not keep the view's host alive.
    package init(of name: String, _ publish: @escaping () -> Void) {
        self.name = name
        self.publish = publish
        ViewChanges.prepareSystem()
    }

    /// Runs the body of the view.
    package func body<Content>(_ body: () -> Content) -> Content {
        beginUpdate()
        ViewChanges.bodies += 1
        defer { ViewChanges.bodies -= 1 }
        return body()
    }

    /// Records that SwiftUI has updated a property of the view and will evaluate its body, which the adapter does not
    /// run.
    package func updateProperty() {
        beginUpdate()
        guard !ViewChanges.isUpdating else { return }
        ViewChanges.isUpdating = true
        Task { ViewChanges.isUpdating = false }
    }

    private func beginUpdate() {
        if !isSelfMade { row = 0 }
        isSelfMade = false
    }

    /// Records a change of something that the view shows.
    package func add() {
        if ViewChanges.isInUpdate {
            addInUpdate()
        } else {
            row = 0
            publish()
        }
    }

    /// Records a change, made in an update, of something that the view shows.
    package func addInUpdate() {
        guard !isWaiting else { return }
        row += 1
        if row == ViewChanges.limit {
            row = 0
            Hosting.report(
                .loop,
                """
                \(name) updates in a loop: \(ViewChanges.limit) times in a row, its body has changed state that it \
                shows. It updates again after the next change. Change state in an event instead.
                """, site: name)
            return
        }
        isWaiting = true
        Task {
            isWaiting = false
            isSelfMade = true
            publish()
        }
    }

    /// Runs `body` as the main actor's next job, after any update in progress.
    nonisolated package static func afterUpdate(_ body: @escaping @MainActor @Sendable () -> Void) {
        // Unlike `Isolation.hop`, this does not run on another thread first.
        Task { @MainActor in body() }
    }
}
#endif
