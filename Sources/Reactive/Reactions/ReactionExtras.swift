// What most reactions do without: a schedule, an isolation, an owner, an effect, parts, and what their runs own.

import CReactive

/// What a reaction may have besides its tracked part. Guarded by the graph's lock.
///
/// Exclusivity is unchecked: the lock keeps other threads out, and no access to a property lasts while a closure runs.
/// (Checked, a write to a leaf of `deepObserve` took a third more instructions.)
final class ReactionExtras {
    /// The actor that it runs on, if it was made on one.
    let isolation: ClosureIsolation?
    /// The object that it works for, if it was created with `of:`.
    let owner: OwnerReference?
    /// Whether nothing decides where and when it runs.
    let runsAnywhereImmediately: Bool
    /// A hop to that actor is under way.
    @exclusivity(unchecked) var isHopping = false
    /// What decides when a run may happen; `nil` for at once.
    @exclusivity(unchecked) var schedule: RunSchedule?
    /// The parts that its tracked part is made of, if they are observed one by one.
    @exclusivity(unchecked) var parts: ReactionParts?
    /// What follows the tracked part, outside the lock.
    @exclusivity(unchecked) var effect: ReactionEffect?
    /// What the last run of the tracked part owns, and the last run of the effect.
    @exclusivity(unchecked) var tracked = OwnedScope()
    @exclusivity(unchecked) var effectful = OwnedScope()
    /// How often it ran again while one thread was settling, and since which epoch that thread was.
    @exclusivity(unchecked) var repeats = 0
    @exclusivity(unchecked) var repeatsSince: UInt64 = 0
    /// For hosts that render themselves: the thread that does (never dereferenced), and whether another one has made a render due since.
    @exclusivity(unchecked) var host: UnsafeMutablePointer<ThreadContext>?
    @exclusivity(unchecked) var isDisturbed = false
    /// The ways from writes to changed sources that the last run no longer read, as names.
    @exclusivity(unchecked) var droppedCauses: [[String]] = []

    init(
        isolation: (any Actor)? = nil, owner: OwnerReference? = nil, schedule: Schedule = .immediate,
        effect: ReactionEffect? = nil
    ) {
        self.owner = owner
        self.isolation = isolation.map { ClosureIsolation($0) }
        self.schedule = schedule.makeRunSchedule()
        self.effect = effect
        runsAnywhereImmediately = isolation == nil && owner == nil && schedule.isImmediate
    }

    /// Whether the effect has something to do.
    @inline(__always)
    var effectIsDue: Bool { effect.map { $0.isDue } ?? false }

    /// Whether the reaction has nobody to work for, or nowhere to run, any more. Under the lock.
    var isAbandoned: Bool { owner?.isGone == true || isolation?.isGone == true }

    /// Whether the reaction is the library's own, and nobody else's business.
    var isInternal: Bool { parts?.content.isInternal == true }

    /// Extras for a reaction, or `nil` if it needs none.
    static func ifNeeded(isolation: (any Actor)?, schedule: Schedule) -> ReactionExtras? {
        isolation == nil && schedule.isImmediate ? nil : ReactionExtras(isolation: isolation, schedule: schedule)
    }
}
