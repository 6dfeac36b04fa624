// The options of a reaction, which most reactions do without: a schedule, an isolation, an owner, an effect, parts, and
// the items that its runs own.

import CReactive

/// The optional properties of a reaction. Guarded by the graph's lock.
///
/// Exclusivity is unchecked: the lock excludes other threads, and no access to a property lasts while a closure runs.
/// (With checks, a write to a leaf of `deepObserve` took a third more instructions.)
final class ReactionOptions {
    /// The actor that the reaction runs on, if it was created on one.
    let isolation: ClosureIsolation?
    /// The owner, if the reaction was created with `of:`.
    let owner: OwnerReference?
    /// Runs if the reaction becomes due after its actor is gone. If there is one, a run that waits for the schedule
    /// keeps the actor.
    let onLoss: (() -> Void)?
    /// Whether the reaction may run on any thread, immediately.
    let runsAnywhereImmediately: Bool
    /// Whether a hop to that actor is in progress.
    @exclusivity(unchecked) var isHopping = false
    /// Whether another thread has made a render due since `host` was set.
    @exclusivity(unchecked) var isDisturbed = false
    /// The schedule that delays runs; `nil` if they happen immediately.
    @exclusivity(unchecked) var schedule: RunSchedule?
    /// The epoch of the last request to the schedule; 0 if none is waiting, or if the next change counts in any case.
    @exclusivity(unchecked) var requestEpoch: UInt64 = 0
    /// The parts that the reaction consists of, if any.
    @exclusivity(unchecked) var parts: ReactionParts?
    /// The effect, which runs outside the lock after the tracked closure.
    @exclusivity(unchecked) var effect: ReactionEffect?
    /// The items that the last run of the tracked closure owns.
    @exclusivity(unchecked) var tracked = OwnedScope()
    /// The items that the last run of the effect owns.
    @exclusivity(unchecked) var effectful = OwnedScope()
    /// The number of repeated runs during the flush of one thread.
    @exclusivity(unchecked) var repeats = 0
    /// The epoch at which that flush began.
    @exclusivity(unchecked) var repeatsSince: UInt64 = 0
    /// The thread that renders, for hosts that render by themselves. Never dereferenced.
    @exclusivity(unchecked) var host: UnsafeMutablePointer<ThreadContext>?
    /// The paths, as names, from writes to changed sources that the last run no longer read.
    @exclusivity(unchecked) var droppedCauses: [[String]] = []

    init(
        isolation: (any Actor)? = nil, owner: OwnerReference? = nil, schedule: Schedule = .immediate,
        effect: ReactionEffect? = nil
    ) {
        self.owner = owner
        self.isolation = isolation.map { ClosureIsolation($0) }
        onLoss = schedule.onLoss
        self.schedule = schedule.makeRunSchedule()
        self.effect = effect
        runsAnywhereImmediately = isolation == nil && owner == nil && schedule.isImmediate
    }

    /// Whether the effect is due.
    @inline(__always)
    var effectIsDue: Bool { effect.map { $0.isDue } ?? false }

    /// Whether the reaction's owner or its actor is gone. Under the lock.
    var isAbandoned: Bool { owner?.isGone == true || isolation?.isGone == true }

    /// Whether the reaction has nothing to do any more, even if it became due. Under the lock.
    var isUseless: Bool { onLoss == nil && isAbandoned }

    /// Whether a run that waits for the schedule keeps the actor.
    var keepsActor: Bool { onLoss != nil }

    /// Whether the reaction is an internal one of the library, which diagnostics omit.
    var isInternal: Bool { parts?.delegate.isInternal == true }

    /// Returns the options of a reaction, or `nil` if it needs none.
    static func ifNeeded(isolation: (any Actor)?, schedule: Schedule) -> ReactionOptions? {
        // No test sees this never hold: it only saves the options.
        isolation == nil && schedule.isImmediate ? nil : ReactionOptions(isolation: isolation, schedule: schedule)
    }
}
