// The bridge out: observers that use Apple's Observation follow this library's state.
//
// No public function says whether code runs inside `withObservationTracking`. But while code does, a registrar looks up
// each access in a set of key paths; otherwise it does not. So a key path whose argument notices that it is hashed
// answers the question:
//
//     read outside ──▶ slow path ──▶ registrar.access ──▶ hashed: an observer is tracking, and now registered
//
// Graph/OutsideReads.swift has how reads arrive here. GraphBridge.swift follows the tracked nodes. ChangeNotifier.swift
// has the registrars and the key paths. This file has the switch.

#if canImport(Observation)
import CReactive

/// A switch that lets code with Apple's Observation observe this library's state.
///
/// ```swift
/// ObservationBridge.isEnabled = true
/// withObservationTracking {
///     print("price:", price.value)  // prints "price: 5"
/// } onChange: {
///     print("changed to", price.value)
/// }
/// price.value = 6  // prints "changed to 6"
/// ```
///
/// While it is on, a read of an ``Observable``, a ``Computed``, a ``Source``, a collection or an atom inside
/// `withObservationTracking`, `Observations` or the `body` of a SwiftUI view registers there:
///
/// - `onChange` is called once, *after* the change: the new value can be read. Apple's own objects call it before.
/// - A transaction is one change; a transaction that is rolled back is none. Writing an equal value is no change, and
///   neither is a computed whose new result equals the previous one.
/// - `onChange` is called outside the library's lock, on the thread of the write. There is one exception: a computed
///   that was read on the main actor, and whose closure belongs to an actor. For it, `onChange` is called on the main
///   actor, after a hop if necessary.
/// - Reads in this library's tracked closures and in ``untracked(_:)`` do not register.
/// - A collection registers as a whole, whichever element is read.
///
/// Tracking keeps neither the value nor its observers alive. The page *State from elsewhere* has the details.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public enum ObservationBridge {
    /// Whether reads on every thread register. False by default.
    ///
    /// Set it at the start of the program. Reads outside of this library's closures then take the lock and check
    /// whether an observer is tracking. All other reads cost the same as without it. Existing trackings are notified
    /// even after it is set to false. May be used from any thread.
    public static var isEnabled: Bool {
        get { settings.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    /// Whether reads on the main thread register. False by default.
    ///
    /// For programs whose only observers are views. Reads on other threads cost the same as without the bridge. It has
    /// no effect while ``isEnabled`` is true. Setting it again to the same value does nothing. On Linux, the main actor
    /// may leave the main thread: use ``isEnabled`` there.
    ///
    /// In SwiftUI, the first view of this package sets it to true, unless the program has already set it.
    @MainActor
    public static var isEnabledOnMainThread: Bool {
        get { settings.withLock { $0.isEnabledOnMainThread } }
        set {
            change {
                $0.isEnabledOnMainThread = newValue
                $0.isChosen = true
            }
        }
    }

    /// Turns the bridge on for the main thread, unless the program has set it itself.
    @MainActor
    package static func enableForViews() {
        change { if !$0.isChosen { $0.isEnabledOnMainThread = true } }
    }

    private struct Settings: Equatable {
        var isEnabled = false
        var isEnabledOnMainThread = false
        /// Whether the program has set `isEnabledOnMainThread`.
        var isChosen = false

        var threads: NotedThreads { isEnabled ? .all : isEnabledOnMainThread ? .main : .none }
    }

    private static let settings = Guarded(Settings())

    private static func change(_ body: (inout Settings) -> Void) {
        settings.withLock { settings in
            let before = settings
            body(&settings)
            if settings != before { reactive_note_reads(settings.threads, GraphBridge.maker) }
        }
    }
}
#endif
