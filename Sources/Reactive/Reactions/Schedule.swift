// The time at which a due reaction may run: immediately, throttled, debounced, or by a custom scheduler.
//
// A `Schedule` is a value that the user passes. A `RunSchedule` is the state of a schedule for one reaction. For each
// due run, the reaction sends it a request outside the lock, and it calls back when the run may happen. Time is
// measured by a clock that can be passed in, through one task per waiting period.

/// The time at which a due reaction may run.
///
/// ```swift
/// let observer = autorun(schedule: .debounced(for: .milliseconds(300))) { search(query.value) }
/// ```
///
/// The first run of a reaction always happens immediately; a schedule applies to the runs that changes cause.
public struct Schedule {
    enum Kind {
        case immediate
        case throttled(Pause)
        case debounced(Pause)
        case custom((@escaping @Sendable () -> Void) -> Void)
        case notifyOnly(() -> Void)
    }

    let kind: Kind
    /// Runs if the reaction becomes due after its actor is gone; see `keepingActor(onLoss:)`.
    private(set) var onLoss: (() -> Void)?

    fileprivate init(kind: Kind) { self.kind = kind }

    /// Returns the schedule with runs that are not lost if the reaction's actor is released while they wait: until the
    /// run, the reaction keeps the actor.
    ///
    /// - Parameter onLoss: Runs if the reaction becomes due after the actor is gone, as soon as the lock is released.
    ///   Until then, the reaction waits for that, although it can never run again.
    package func keepingActor(onLoss: @escaping () -> Void) -> Schedule {
        var schedule = self
        schedule.onLoss = onLoss
        return schedule
    }

    var isImmediate: Bool {
        // No test sees this: it only saves options and checks.
        if case .immediate = kind { return true }
        return false
    }

    /// A schedule that runs as soon as the write or the outermost transaction is over. The default.
    public static var immediate: Schedule { Schedule(kind: .immediate) }

    /// Returns a schedule that runs after the first change immediately, and then at most once per interval, with the
    /// newest values.
    ///
    /// If the reaction is cancelled first, a run that is waiting is dropped. No call runs it earlier.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two runs.
    ///   - clock: The clock that measures the time; tests pass their own.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func throttled<C: Clock>(every interval: C.Duration, clock: C) -> Schedule
    where C.Duration == Duration {
        Schedule(kind: .throttled(Pause(interval, clock)))
    }

    /// Returns a schedule that runs after the first change immediately, and then at most once per interval, with the
    /// newest values.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func throttled(every interval: Duration) -> Schedule {
        throttled(every: interval, clock: ContinuousClock())
    }

    /// Returns a schedule that runs once nothing has changed for the given time.
    ///
    /// A change counts if it reaches the reaction, and not if it ends at a computed with an equal value. To find that
    /// out, changes while a run waits evaluate the computeds that the reaction reads, as for an immediate reaction. A
    /// computed that the next run may not read, because an earlier source has changed, is not evaluated: a change of
    /// anything that it depends on counts.
    ///
    /// There is no maximum: while changes follow each other faster than the given time, the reaction does not run. If
    /// the reaction is cancelled first, a run that is waiting is dropped. No call runs it earlier: to save before a
    /// program ends, use `autosave` of `ReactiveCodable`, which has `flush()`.
    ///
    /// - Parameters:
    ///   - time: The time without changes that must pass before a run.
    ///   - clock: The clock that measures the time; tests pass their own.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func debounced<C: Clock>(for time: C.Duration, clock: C) -> Schedule
    where C.Duration == Duration {
        Schedule(kind: .debounced(Pause(time, clock)))
    }

    /// Returns a schedule that runs once nothing has changed for the given time.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func debounced(for time: Duration) -> Schedule {
        debounced(for: time, clock: ContinuousClock())
    }

    /// Returns a debounced schedule with a maximum delay: it runs once nothing has changed for the given time, and at
    /// the latest when the maximum has passed since the first change.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    package static func debounced<C: Clock>(
        for time: C.Duration, atLatestAfter maximum: C.Duration, clock: C
    ) -> Schedule where C.Duration == Duration {
        Schedule(kind: .debounced(Pause(time, atMost: maximum, clock)))
    }

    /// Returns a schedule that runs when a custom scheduler calls the run.
    ///
    /// ```swift
    /// let observer = autorun(schedule: .custom { run in queue.async(execute: run) }) {
    ///     print(title.value)
    ///     shown.value = title.value
    /// }  // prints "draft"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor that `scheduler` belongs to; by default the caller's.
    ///   - scheduler: Called outside the library's lock when a run becomes due, and not again before that run. It may
    ///     call `run` immediately or later, from any thread. Calling `run` again, or after the reaction was cancelled,
    ///     does nothing. The scheduler itself is called on its actor, after a hop if necessary. If it has no actor, it
    ///     is called where the reaction runs, or on the writing thread.
    public static func custom(
        isolation: isolated (any Actor)? = #isolation,
        _ scheduler: @escaping (_ run: @escaping @Sendable () -> Void) -> Void
    ) -> Schedule {
        guard let actor = isolation.map({ ClosureIsolation($0) }) else { return Schedule(kind: .custom(scheduler)) }
        return Schedule(kind: .custom { run in actor.run { scheduler(run) } })
    }

    /// Returns a schedule that never runs the reaction and only notifies of each change. The owner of `notify` decides
    /// when to read the output of the scope.
    ///
    /// - Parameter notify: Called outside the library's lock, in the reaction's isolation or else on the writing
    ///   thread.
    package static func notifyOnly(_ notify: @escaping () -> Void) -> Schedule {
        Schedule(kind: .notifyOnly(notify))
    }

    /// Whether the schedule only notifies.
    @usableFromInline
    var isNotifyOnly: Bool {
        if case .notifyOnly = kind { true } else { false }
    }

    func makeRunSchedule() -> RunSchedule? {
        switch kind {
        case .immediate: nil
        case .throttled(let pause): ThrottledSchedule(pause)
        case .debounced(let pause): DebouncedSchedule(pause)
        case .custom(let scheduler): CustomSchedule(scheduler)
        case .notifyOnly(let notify): NotifyOnlySchedule(notify)
        }
    }
}

/// A duration on some clock, with the clock's type erased.
struct Pause: Sendable {
    /// Starts to wait. Returns closures that wait for the end and check for it.
    let start: @Sendable () -> Wait

    struct Wait: Sendable {
        /// Returns when the time is over; throws if the task is cancelled.
        let sleep: @Sendable () async throws -> Void
        /// Whether the time is over.
        let isOver: @Sendable () -> Bool
        /// Starts to wait again, for a pause with a maximum: the new end is not later than that of the maximum since
        /// the first start.
        var startAgain: (@Sendable () -> Wait)?
        /// Whether starting again would not move the end.
        var endsAtMaximum = false
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    init<C: Clock>(_ duration: C.Duration, _ clock: C) where C.Duration == Duration {
        start = { Pause.wait(until: clock.now.advanced(by: duration), on: clock) }
    }

    /// Creates a pause that starts again after each change, but has a maximum.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    init<C: Clock>(_ duration: C.Duration, atMost maximum: C.Duration, _ clock: C) where C.Duration == Duration {
        start = { Pause.wait(for: duration, until: clock.now.advanced(by: maximum), on: clock) }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private static func wait<C: Clock>(
        for duration: C.Duration, until latest: C.Instant, on clock: C
    ) -> Wait where C.Duration == Duration {
        let end = clock.now.advanced(by: duration)
        var wait = Pause.wait(until: min(end, latest), on: clock)
        wait.startAgain = { Pause.wait(for: duration, until: latest, on: clock) }
        // No test sees this: only changes without any pause would delay the run.
        wait.endsAtMaximum = latest <= end
        return wait
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private static func wait<C: Clock>(until deadline: C.Instant, on clock: C) -> Wait where C.Duration == Duration {
        Wait(
            sleep: { try await clock.sleep(until: deadline, tolerance: nil) },
            isOver: { clock.now >= deadline })
    }
}

/// The use of a schedule by one reaction. `request` is called outside the lock, by one thread at a time.
///
/// Always an object: copying an optional reference takes no call, and each run of a reaction copies it.
protocol RunSchedule: AnyObject {
    /// Whether the reaction sends a request for each change before a run, instead of one per run.
    var wantsEveryChange: Bool { get }

    /// Whether only changes count that reach the reaction: those of which a computed result is a different value. They
    /// are found by evaluating computeds at the time of the change.
    var ignoresEqualResults: Bool { get }

    /// Calls `run` once the run may happen.
    func request(_ run: @escaping @Sendable () -> Void)

    /// Ends the use: the reaction was cancelled, and will not run again.
    func cancel()
}

extension RunSchedule {
    var ignoresEqualResults: Bool { false }
}

private final class CustomSchedule: RunSchedule {
    private let scheduler: (@escaping @Sendable () -> Void) -> Void
    var wantsEveryChange: Bool { false }

    init(_ scheduler: @escaping (@escaping @Sendable () -> Void) -> Void) { self.scheduler = scheduler }

    func request(_ run: @escaping @Sendable () -> Void) {
        let once = Guarded<(@Sendable () -> Void)?>(run)
        scheduler { once.exchange(for: nil)?() }
    }

    func cancel() {}
}

private final class NotifyOnlySchedule: RunSchedule {
    private let notify: () -> Void
    var wantsEveryChange: Bool { true }

    init(_ notify: @escaping () -> Void) { self.notify = notify }

    func request(_ run: @escaping @Sendable () -> Void) { notify() }
    func cancel() {}
}

private final class ThrottledSchedule: RunSchedule, Sendable {
    private struct State {
        /// The interval that began with the last run.
        var interval: Pause.Wait?
        var task: Task<Void, Never>?
    }

    private let pause: Pause
    private let state = Guarded(State())
    var wantsEveryChange: Bool { false }

    init(_ pause: Pause) { self.pause = pause }

    func request(_ run: @escaping @Sendable () -> Void) {
        guard let interval = state.withLock({ $0.interval }), !interval.isOver() else {
            begin(run)
            return
        }
        let task = Task {
            guard (try? await interval.sleep()) != nil else { return }
            begin(run)
        }
        state.withLock { $0.task = task }
    }

    private func begin(_ run: () -> Void) {
        let interval = pause.start()
        state.withLock { $0.interval = interval }
        run()
    }

    func cancel() {
        state.withLock { $0.task }?.cancel()
    }
}

private final class DebouncedSchedule: RunSchedule, Sendable {
    private struct State {
        /// The quiet period that the newest change began.
        var quiet: Pause.Wait?
        /// The number of changes.
        var changes = 0
        var task: Task<Void, Never>?
    }

    private let pause: Pause
    private let state = Guarded(State())
    var wantsEveryChange: Bool { true }
    var ignoresEqualResults: Bool { true }

    init(_ pause: Pause) { self.pause = pause }

    func request(_ run: @escaping @Sendable () -> Void) {
        // Outside the lock of the state, because clocks are user code. Only this function begins a quiet period.
        let quiet = pause.start()
        let later = state.withLock { $0.quiet?.startAgain }?()
        let isWaiting = state.withLock { state in
            let isWaiting = state.quiet != nil
            // No test sees this always hold: only if the last pause ends in between, its end would count.
            state.quiet = isWaiting ? later ?? quiet : quiet
            state.changes += 1
            return isWaiting
        }
        if isWaiting { return }
        let task = Task {
            // Each change moves the end of the quiet period. A task that wakes up checks whether there is a later end.
            while true {
                let (quiet, changes) = state.withLock { ($0.quiet, $0.changes) }
                guard (try? await quiet?.sleep()) != nil else { return }
                let isOver = state.withLock { state in
                    // No test sees this never hold: as for `endsAtMaximum`.
                    guard state.changes == changes || quiet?.endsAtMaximum == true else { return false }
                    state.quiet = nil
                    return true
                }
                if isOver {
                    run()
                    return
                }
            }
        }
        state.withLock { $0.task = task }
    }

    func cancel() {
        state.withLock { $0.task }?.cancel()
    }
}
