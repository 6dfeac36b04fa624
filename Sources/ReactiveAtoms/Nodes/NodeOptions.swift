// What can be chosen for a node: how long it is kept, and which results are.

/// How long a store keeps what it holds of a node: its value, its cache, its run.
///
/// To be observed is to be read where reading subscribes: in an `autorun`, a `computed`, a render, or a selector that is kept itself. A node that nobody
/// has observed yet, but that was read, is kept until somebody has, or until ``RecoilStore/purge()``.
@frozen
public struct Retention: Sendable {
    @frozen @usableFromInline
    enum Kind: Sendable {
        case store
        case whileObserved
        /// Waits for the time during which nobody must observe.
        case ttl(@Sendable () async throws -> Void)
    }

    @usableFromInline let kind: Kind

    @inlinable @inline(__always)
    init(kind: Kind) { self.kind = kind }

    /// As long as the store. The default of atoms.
    @inlinable
    public static var store: Retention { Retention(kind: .store) }

    /// Until the last observer has gone. The default of selectors.
    @inlinable
    public static var whileObserved: Retention { Retention(kind: .whileObserved) }

    /// Whether it ends with the store alone.
    var isStore: Bool { if case .store = kind { true } else { false } }

    /// Until nobody has observed it for a time.
    ///
    /// - Parameter duration: The time.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func ttl(_ duration: Duration) -> Retention { ttl(duration, clock: ContinuousClock()) }

    /// Until nobody has observed it for a time, by a clock that is handed in.
    ///
    /// - Parameters:
    ///   - duration: The time.
    ///   - clock: Where time comes from.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func ttl<C: Clock>(_ duration: Duration, clock: C) -> Retention where C.Duration == Duration {
        Retention(kind: .ttl { try await clock.sleep(for: duration) })
    }
}

/// Which results of an asynchronous selector are kept, and used again without a run when all that it read is once more what it was.
///
/// A result is forgotten when something that it read is let go; give such inputs `retention: .store`.
public enum CachePolicy: Hashable, Sendable {
    /// The latest one. The default.
    case latest
    /// The given number of those that were used last; at least one.
    case lru(Int)
    /// All of them.
    case all

    var capacity: Int {
        switch self {
        case .latest: 1
        case .lru(let count): max(1, count)
        case .all: .max
        }
    }
}
