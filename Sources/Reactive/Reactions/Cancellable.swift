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
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    // Sendable because `action` is taken out under the lock, by whoever cancels first.
    private let action: Guarded<(() -> Void)?>

    /// Creates one that runs `cancel` once: when it is cancelled, or else when it is released.
    public init(_ cancel: @escaping () -> Void) { action = Guarded(cancel) }

    /// Creates one that cancels `cancellable`.
    public convenience init<Wrapped: Cancellable>(_ cancellable: Wrapped) {
        self.init { cancellable.cancel() }
    }

    deinit { cancel() }

    /// Cancels now. Later calls do nothing.
    public func cancel() {
        action.exchange(for: nil)?()
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
