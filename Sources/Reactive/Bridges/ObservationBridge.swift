// Out: whoever observes with Apple's Observation follows our state.
//
// Nothing public says whether code runs inside `withObservationTracking`. But a registrar looks up each access in a set
// of key paths while somebody tracks, and does nothing else. So a key path whose argument notes that it is hashed
// answers the question:
//
//     read outside ──▶ slow path ──▶ registrar.access ──▶ hashed: somebody tracks, and the registrar has it from now on
//
// How reads come here is in Graph/OutsideReads.swift; what follows a node that is tracked, in GraphBridge.swift; the
// registrars and the key paths, in Bell.swift. This file has the switch.

#if canImport(Observation)
import CReactive

/// Lets code that observes with Apple's Observation follow this library's state.
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
/// - A transaction is one change; one that is rolled back is none. Writing an equal value is none, and neither is a
///   computed whose new result equals the last one.
/// - It is called outside the library's lock, on the thread of the write. For a computed that was read on the main
///   actor, and whose closure belongs to an actor, it is called on the main actor, after a hop if need be.
/// - Reads in this library's tracked closures and in ``untracked(_:)`` do not register.
/// - A collection registers as a whole, whichever element is read.
///
/// A tracked value is not kept alive, and neither is what observes it. The page *State from elsewhere* says more.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public enum ObservationBridge {
    /// Whether reads on every thread register. False by default.
    ///
    /// Set it at the start of the program. Reads outside of this library's closures then take the lock and ask whether
    /// somebody tracks; all other reads cost what they cost without it. Trackings that exist are notified also after it
    /// is set to false. May be used from any thread.
    public static var isEnabled: Bool {
        get { settings.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    /// Whether reads on the main thread register. False by default.
    ///
    /// For programs whose views are all that observes. Reads on other threads cost what they cost without the bridge.
    /// It makes no difference while ``isEnabled`` is true. Setting it again to the same value does nothing.
    ///
    /// In SwiftUI, the first view of this package sets it to true, unless the program has set it before.
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

    /// Switches it on for the main thread, unless the program has chosen itself.
    @MainActor
    package static func enableForViews() {
        change { if !$0.isChosen { $0.isEnabledOnMainThread = true } }
    }

    private struct Settings: Equatable {
        var isEnabled = false
        var isEnabledOnMainThread = false
        /// The program has set `isEnabledOnMainThread`.
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
