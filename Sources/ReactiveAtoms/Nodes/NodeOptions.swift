// The options of a node: how long it is kept, and which results are cached.

/// The time for which a store keeps its instance of a node: its value, its cache, its run.
///
/// A node is observed by reads that are tracked: in an `autorun`, a `computed`, a render, or a selector that is kept
/// itself. A node that was read but has never been observed is kept until it has gained and lost an observer, or until
/// ``RecoilStore/purge()``.
@frozen
public struct Retention: Sendable {
    @frozen @usableFromInline
    enum Kind: Sendable {
        case store
        case whileObserved
        /// Waits for the time after which a node without observers is released.
        case ttl(@Sendable () async throws -> Void)
    }

    @usableFromInline let kind: Kind

    @inlinable @inline(__always)
    init(kind: Kind) { self.kind = kind }

    /// As long as the store. The default of atoms.
    @inlinable
    public static var store: Retention { Retention(kind: .store) }

    /// Until it has lost its last observer. The default of selectors.
    @inlinable
    public static var whileObserved: Retention { Retention(kind: .whileObserved) }

    /// Whether it ends with the store alone.
    var isStore: Bool { if case .store = kind { true } else { false } }

    /// Until it has had no observer for a time.
    ///
    /// - Parameter duration: The time.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func ttl(_ duration: Duration) -> Retention { ttl(duration, clock: ContinuousClock()) }

    /// Until it has had no observer for a time, measured by a given clock.
    ///
    /// - Parameters:
    ///   - duration: The time.
    ///   - clock: The clock that measures the time.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func ttl<C: Clock>(_ duration: Duration, clock: C) -> Retention where C.Duration == Duration {
        Retention(kind: .ttl { try await clock.sleep(for: duration) })
    }
}

/// The results of an asynchronous selector that are cached. A cached result is used without a run when all its inputs
/// have their old values again.
///
/// A result is removed when one of its inputs is released; give such inputs `retention: .store`.
public enum CachePolicy: Hashable, Sendable {
    /// The latest result. The default.
    case latest
    /// The given number of results that were used last; at least one.
    case lru(Int)
    /// All results.
    case all

    var capacity: Int {
        switch self {
        case .latest: 1
        case .lru(let count): max(1, count)
        case .all: .max
        }
    }
}
