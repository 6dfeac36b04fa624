// Work that continues until it is cancelled: Combine's protocol and type where Combine exists; elsewhere types with the
// same interface. With library evolution, the compiler demands that each file whose public code uses Combine's imports
// Combine.

#if canImport(Combine)
import Combine

/// Combine's protocol.
public typealias Cancellable = Combine.Cancellable
/// Combine's type.
public typealias AnyCancellable = Combine.AnyCancellable
#else
/// An operation that continues until it is cancelled.
public protocol Cancellable {
    /// Cancels the operation. Cancelling again does nothing.
    func cancel()
}

extension Cancellable {
    /// Adds this to `cancellables`. It runs for as long as the collection contains it.
    ///
    /// - Parameters:
    ///   - cancellables: The collection that stores it.
    ///   - isolation: The actor that it belongs to and is cancelled on; by default the caller's.
    public func store(
        in cancellables: inout Set<AnyCancellable>, isolation: isolated (any Actor)? = #isolation
    ) {
        AnyCancellable(self, isolation: isolation).store(in: &cancellables)
    }

    /// Adds this to `cancellables`. It runs for as long as the collection contains it.
    ///
    /// - Parameters:
    ///   - cancellables: The collection that stores it.
    ///   - isolation: The actor that it belongs to and is cancelled on; by default the caller's.
    public func store<Cancellables>(
        in cancellables: inout Cancellables, isolation: isolated (any Actor)? = #isolation
    ) where Cancellables: RangeReplaceableCollection, Cancellables.Element == AnyCancellable {
        AnyCancellable(self, isolation: isolation).store(in: &cancellables)
    }
}

extension Cancellable where Self: Sendable {
    /// Adds this to `cancellables`. It runs for as long as the collection contains it.
    public func store(in cancellables: inout Set<AnyCancellable>) {
        AnyCancellable(self).store(in: &cancellables)
    }

    /// Adds this to `cancellables`. It runs for as long as the collection contains it.
    public func store<Cancellables>(in cancellables: inout Cancellables)
    where Cancellables: RangeReplaceableCollection, Cancellables.Element == AnyCancellable {
        AnyCancellable(self).store(in: &cancellables)
    }
}

/// An object that cancels an operation when it is released.
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
/// It may be cancelled on any thread. The cancellation runs on the actor that created the object: immediately if
/// `cancel()` is called there, otherwise after a hop.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    // Sendable because the first call of `cancel` takes `action` out under the lock, and the closure is sendable
    // itself.
    private let action: Guarded<(@isolated(any) @Sendable () -> Void)?>

    /// Creates an object that runs `cancel` once: when it is cancelled or released.
    ///
    /// - Parameter cancel: Runs on the actor that it was created on. Without an actor, it runs on the cancelling
    ///   thread. Released afterwards.
    public init(@_inheritActorContext _ cancel: @escaping @isolated(any) @Sendable () -> Void) {
        action = Guarded(cancel)
    }

    /// Creates an object that cancels `cancellable`.
    public convenience init<Wrapped: Cancellable & Sendable>(_ cancellable: Wrapped) {
        self.init { cancellable.cancel() }
    }

    /// Creates an object that cancels `cancellable` in its isolation.
    ///
    /// - Parameters:
    ///   - cancellable: The object to cancel.
    ///   - isolation: The actor that it belongs to; by default the caller's. Without an actor it is cancelled on any
    ///     thread.
    public convenience init<Wrapped: Cancellable>(
        _ cancellable: Wrapped, isolation: isolated (any Actor)? = #isolation
    ) {
        let closureIsolation = isolation.map { ClosureIsolation($0) }
        // It is cancelled in the isolation that passed it here. Without isolation, the caller guarantees that any
        // thread may cancel it.
        nonisolated(unsafe) let cancellable = cancellable
        self.init { ClosureIsolation.run({ cancellable.cancel() }, in: closureIsolation) }
    }

    deinit { cancel() }

    /// Cancels now. Later calls do nothing.
    public func cancel() {
        runAction()
        DeferredReleases.releaseAllIfUnlocked()
    }

    /// Runs the action, and defers the release of its captures. They may own cancellables that end with them,
    /// recursively.
    private func runAction() {
        guard let action = action.exchange(for: nil) else { return }
        Isolation.run(action)
        DeferredReleases.add(closure: .init(call: Isolation.plain(action)))
    }

    /// Adds this to `cancellables`, which keeps it alive.
    public func store(in cancellables: inout Set<AnyCancellable>) {
        cancellables.insert(self)
    }

    /// Adds this to `cancellables`, which keeps it alive.
    public func store<Cancellables>(in cancellables: inout Cancellables)
    where Cancellables: RangeReplaceableCollection, Cancellables.Element == AnyCancellable {
        cancellables.append(self)
    }

    /// Whether both are the same object.
    public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { a === b }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
