// What the adapters for SwiftUI have in common: when a view's host may publish a change, and when changes are a loop.
//
// SwiftUI forbids to publish inside a view update, that is while it asks for bodies, updates dynamic properties and
// removes views. Nothing says whether an update is in progress. But each body that an adapter hosts runs through it,
// other bodies are tracked where there is Observation, and whatever else is due can wait:
//
//     a body, and what follows a dynamic property's update     what changes meanwhile is published by the next job
//     a view's end                                             the host's contents end in the next job
//     anything else                                            is published immediately, in the caller's transaction

#if canImport(SwiftUI)
/// The changes that concern one view.
@MainActor
package final class ViewChanges {
    /// How many updates of one view may follow one another because each has made the next one due.
    nonisolated static let limit = 25

    /// How many bodies of the adapters run now.
    private static var bodies = 0
    /// A dynamic property was updated, and the main actor has begun no other job since.
    private static var isUpdating = false

    /// Lets plain views follow state, too, from the first view on that an adapter hosts: there is no earlier moment at
    /// which a module could do that by itself. Does nothing if the program has decided before, or on a system without
    /// Observation.
    nonisolated package static func prepareSystem() { _ = preparation }

    nonisolated private static let preparation: Void = {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
        if Isolation.isCurrent(MainActor.shared) {
            MainActor.assumeIsolated { ObservationBridge.enableForViews() }
        } else {
            Task { @MainActor in ObservationBridge.enableForViews() }
        }
    }()

    /// Whether a view update is in progress, as far as that can be known.
    package static var isInUpdate: Bool { bodies > 0 || isUpdating || isInPlainBody }

    /// Whether the body of a view that no adapter hosts is running: SwiftUI tracks it. Nothing else on the main actor
    /// does so, but for code of the program that observes by itself; to be wrong there costs a job.
    private static var isInPlainBody: Bool {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return false }
        if probe == nil { probe = Bell() }
        // The bell belongs to the main actor and never rings, so this needs no lock.
        return (probe as? Bell)?.isTracked() == true
    }

    /// A `Bell`, where there is Observation.
    private static var probe: AnyObject?

    private let name: String
    private let publish: () -> Void
    /// A change made in an update waits for the next job.
    private var isWaiting = false
    /// The last published change was made in an update.
    private var isSelfMade = false
    /// How many in a row were.
    private var row = 0

    /// Creates the changes of one view.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the view.
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

    /// Notes that SwiftUI has updated a property of the view and will ask for the body, which the adapter does not run.
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

    /// Something that the view shows has changed.
    package func add() {
        if ViewChanges.isInUpdate {
            addInUpdate()
        } else {
            row = 0
            publish()
        }
    }

    /// Something that the view shows has changed in an update.
    package func addInUpdate() {
        guard !isWaiting else { return }
        row += 1
        if row == ViewChanges.limit {
            row = 0
            Hosting.report(
                .loop,
                """
                \(name) does not settle: its body changes what it shows each time, \(ViewChanges.limit) times in a row. It waits for the \
                next change. Change state in an event instead.
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

    /// Runs `body` as the main actor's next job, after the update that may be in progress.
    nonisolated package static func afterUpdate(_ body: @escaping @MainActor @Sendable () -> Void) {
        // Unlike `Isolation.hop`, this does not run on another thread first.
        Task { @MainActor in body() }
    }
}
#endif
