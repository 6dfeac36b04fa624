// When a reaction that is due may run: at once, throttled, debounced, or when the user's own scheduler says so.
//
// `Schedule` is what the user writes, a value. `RunSchedule` is one reaction's use of it: it is asked for each run that is due,
// outside the lock, and calls back once the run may happen. Time comes from a clock that can be handed in, through one task per
// waiting period.

/// When a reaction that is due may run.
///
/// ```swift
/// let reaction = autorun(schedule: .debounced(for: .milliseconds(300))) { search(query.value) }
/// ```
///
/// The first run of a reaction always happens at once; a schedule is about the runs that changes cause.
public struct Schedule {
    enum Kind {
        case immediate
        case throttled(Pause)
        case debounced(Pause)
        case custom((@escaping @Sendable () -> Void) -> Void)
        case told(() -> Void)
    }

    let kind: Kind

    var isImmediate: Bool {
        if case .immediate = kind { return true }
        return false
    }

    /// Runs as soon as the write or the outermost transaction is over. The default.
    public static var immediate: Schedule { Schedule(kind: .immediate) }

    /// Runs the first change at once, and what follows at most once in each interval, with the newest values.
    ///
    /// - Parameters:
    ///   - interval: The least time between two runs.
    ///   - clock: Where time comes from; tests hand in their own.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func throttled<C: Clock>(every interval: C.Duration, clock: C) -> Schedule
    where C.Duration == Duration {
        Schedule(kind: .throttled(Pause(interval, clock)))
    }

    /// Runs the first change at once, and what follows at most once in each interval, with the newest values.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func throttled(every interval: Duration) -> Schedule {
        throttled(every: interval, clock: ContinuousClock())
    }

    /// Runs once nothing has changed for the given time.
    ///
    /// - Parameters:
    ///   - time: How long nothing may change before the run.
    ///   - clock: Where time comes from; tests hand in their own.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func debounced<C: Clock>(for time: C.Duration, clock: C) -> Schedule
    where C.Duration == Duration {
        Schedule(kind: .debounced(Pause(time, clock)))
    }

    /// Runs once nothing has changed for the given time.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public static func debounced(for time: Duration) -> Schedule {
        debounced(for: time, clock: ContinuousClock())
    }

    /// Runs when a scheduler of your own says so.
    ///
    /// ```swift
    /// let reaction = autorun(schedule: .custom { run in queue.async(execute: run) }) {
    ///     print(title.value)
    ///     shown.value = title.value
    /// }  // prints "draft"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor that `scheduler` belongs to; by default the caller's.
    ///   - scheduler: Called outside the library's lock when a run becomes due, and not again before that run. It may
    ///     call `run` immediately or later, from any thread; calling it again, or after the reaction was cancelled,
    ///     does nothing. The scheduler itself is called on its actor, after a hop if need be; without one, where the
    ///     reaction runs, or on the writing thread.
    public static func custom(
        isolation: isolated (any Actor)? = #isolation,
        _ scheduler: @escaping (_ run: @escaping @Sendable () -> Void) -> Void
    ) -> Schedule {
        guard let place = isolation.map({ ClosureIsolation($0) }) else { return Schedule(kind: .custom(scheduler)) }
        return Schedule(kind: .custom { run in place.run { scheduler(run) } })
    }

    /// Never runs by itself: tells of each change, and leaves it to the teller's owner to read the output of its scope.
    ///
    /// - Parameter tell: Called outside the library's lock, in the reaction's isolation or else on the writing thread.
    package static func told(_ tell: @escaping () -> Void) -> Schedule {
        Schedule(kind: .told(tell))
    }

    /// Whether it only tells.
    @usableFromInline
    var isTold: Bool {
        if case .told = kind { true } else { false }
    }

    func makeRunSchedule() -> RunSchedule? {
        switch kind {
        case .immediate: nil
        case .throttled(let pause): ThrottledSchedule(pause)
        case .debounced(let pause): DebouncedSchedule(pause)
        case .custom(let scheduler): CustomSchedule(scheduler)
        case .told(let tell): ToldSchedule(tell)
        }
    }
}

/// A length of time on some clock, with the clock's type erased.
struct Pause: Sendable {
    /// Starts to wait; returns how to find out what is left, negative when it is over.
    let start: @Sendable () -> Wait

    struct Wait: Sendable {
        /// Returns when the time is over; throws when the task is cancelled.
        let sleep: @Sendable () async throws -> Void
        /// Whether the time is over.
        let isOver: @Sendable () -> Bool
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    init<C: Clock>(_ duration: C.Duration, _ clock: C) where C.Duration == Duration {
        start = {
            let deadline = clock.now.advanced(by: duration)
            return Wait(
                sleep: { try await clock.sleep(until: deadline, tolerance: nil) },
                isOver: { clock.now >= deadline })
        }
    }
}

/// One reaction's use of a schedule. `request` is called outside the lock, by one thread at a time.
///
/// Always an object: an optional reference is copied without a call, which each step of a reaction does.
protocol RunSchedule: AnyObject {
    /// Whether to ask again for each change before the run, rather than once for each run.
    var wantsEveryChange: Bool { get }

    /// Calls `run` once the run may happen.
    func request(_ run: @escaping @Sendable () -> Void)

    /// The reaction was cancelled: nothing will be run any more.
    func cancel()
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

private final class ToldSchedule: RunSchedule {
    private let tell: () -> Void
    var wantsEveryChange: Bool { true }

    init(_ tell: @escaping () -> Void) { self.tell = tell }

    func request(_ run: @escaping @Sendable () -> Void) { tell() }
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
        /// The quiet time that the newest change began.
        var quiet: Pause.Wait?
        /// How many changes there were.
        var changes = 0
        var task: Task<Void, Never>?
    }

    private let pause: Pause
    private let state = Guarded(State())
    var wantsEveryChange: Bool { true }

    init(_ pause: Pause) { self.pause = pause }

    func request(_ run: @escaping @Sendable () -> Void) {
        let quiet = pause.start()
        let isWaiting = state.withLock { state in
            defer { state.quiet = quiet }
            state.changes += 1
            return state.quiet != nil
        }
        if isWaiting { return }
        let task = Task {
            // Each change moves the end of the quiet time; whoever wakes up looks whether there is a later one.
            while true {
                let (quiet, changes) = state.withLock { ($0.quiet, $0.changes) }
                guard (try? await quiet?.sleep()) != nil else { return }
                let isOver = state.withLock { state in
                    guard state.changes == changes else { return false }
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
