// Ending what goes on by itself: Combine's protocol and type where Combine exists, else ours with the same face.

#if canImport(Combine)
import Combine

/// Combine's protocol.
public typealias Cancellable = Combine.Cancellable
/// Combine's type.
public typealias AnyCancellable = Combine.AnyCancellable
#else
/// Something that goes on until it is cancelled.
public protocol Cancellable {
    /// Ends it. Cancelling twice is the same as once.
    func cancel()
}

extension Cancellable {
    /// Keeps this running for as long as `cancellables` keeps it.
    ///
    /// - Parameters:
    ///   - cancellables: What to keep it in.
    ///   - isolation: The actor that it belongs to and is cancelled on; by default the caller's.
    public func store(
        in cancellables: inout Set<AnyCancellable>, isolation: isolated (any Actor)? = #isolation
    ) {
        AnyCancellable(self, isolation: isolation).store(in: &cancellables)
    }

    /// Keeps this running for as long as `cancellables` keeps it.
    ///
    /// - Parameters:
    ///   - cancellables: What to keep it in.
    ///   - isolation: The actor that it belongs to and is cancelled on; by default the caller's.
    public func store<Cancellables>(
        in cancellables: inout Cancellables, isolation: isolated (any Actor)? = #isolation
    ) where Cancellables: RangeReplaceableCollection, Cancellables.Element == AnyCancellable {
        AnyCancellable(self, isolation: isolation).store(in: &cancellables)
    }
}

extension Cancellable where Self: Sendable {
    /// Keeps this running for as long as `cancellables` keeps it.
    public func store(in cancellables: inout Set<AnyCancellable>) {
        AnyCancellable(self).store(in: &cancellables)
    }

    /// Keeps this running for as long as `cancellables` keeps it.
    public func store<Cancellables>(in cancellables: inout Cancellables)
    where Cancellables: RangeReplaceableCollection, Cancellables.Element == AnyCancellable {
        AnyCancellable(self).store(in: &cancellables)
    }
}

/// Ties something cancellable to its own lifetime: it cancels when it is released.
///
/// ```swift
/// final class Screen {
///     private var bag: Set<AnyCancellable> = []
///     init(state: AppState) {
///         autorun { print(state.title) }.store(in: &bag)    // ends with the screen
///     }
/// }
/// ```
///
/// Cancelling may happen on any thread; what it does happens where it was created: immediately there, else after a hop.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    // Sendable because `action` is taken out under the lock, by whoever cancels first, and is sendable itself.
    private let action: Guarded<(@isolated(any) @Sendable () -> Void)?>

    /// Creates one that runs `cancel` once: when it is cancelled, or else when it is released.
    ///
    /// - Parameter cancel: Runs on the actor that it was created on, or on the thread that cancels if it was created on
    ///   none. Released afterwards.
    public init(@_inheritActorContext _ cancel: @escaping @isolated(any) @Sendable () -> Void) {
        action = Guarded(cancel)
    }

    /// Creates one that cancels `cancellable`.
    public convenience init<Wrapped: Cancellable & Sendable>(_ cancellable: Wrapped) {
        self.init { cancellable.cancel() }
    }

    /// Creates one that cancels `cancellable` where it belongs.
    ///
    /// - Parameters:
    ///   - cancellable: What to cancel.
    ///   - isolation: The actor that it belongs to; by default the caller's. Without one it is cancelled on any thread.
    public convenience init<Wrapped: Cancellable>(
        _ cancellable: Wrapped, isolation: isolated (any Actor)? = #isolation
    ) {
        let place = isolation.map { ClosureIsolation($0) }
        // It goes back to where it is now. In no isolation, that it may be cancelled anywhere is the caller's part.
        nonisolated(unsafe) let cancellable = cancellable
        self.init { ClosureIsolation.run({ cancellable.cancel() }, in: place) }
    }

    deinit { cancel() }

    /// Cancels now. Later calls do nothing.
    public func cancel() {
        runAction()
        Trash.emptyIfUnlocked()
    }

    /// Runs the action, and leaves what it captured to the trash: that may own cancellables which end with it, and so on.
    private func runAction() {
        guard let action = action.exchange(for: nil) else { return }
        Isolation.run(action)
        Trash.add(closure: .init(call: Isolation.plain(action)))
    }

    /// Keeps this for as long as `cancellables` keeps it.
    public func store(in cancellables: inout Set<AnyCancellable>) {
        cancellables.insert(self)
    }

    /// Keeps this for as long as `cancellables` keeps it.
    public func store<Cancellables>(in cancellables: inout Cancellables)
    where Cancellables: RangeReplaceableCollection, Cancellables.Element == AnyCancellable {
        cancellables.append(self)
    }

    /// Whether both are the same object.
    public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { a === b }

    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
