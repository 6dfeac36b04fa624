// Random programs: three threads that write, read, create and cancel at random, under random schedules.
//
// What is checked whatever they do:
//
//  - At the end, each autorun and effect that is not cancelled has the last values.
//  - The runs of an effect do not overlap, and at most one begins after its reaction was cancelled.
//  - When a write returns and no other thread is inside an operation, the autoruns have run. (A reaction that several
//    threads have made due runs on the thread that wrote last, which may be busy in an effect.)
//  - A read outside the library's closures returns a value that was written, and not rolled back.
//  - No transaction is seen in half: its two sources always have the same value.
//  - What the run of an effect owns ends before its next run and when its reaction is cancelled, exactly once.
//  - The effect of `when` runs exactly once if the condition is true in the end, and at most once otherwise.
//
// Each write has a number of its own, which is the value.

import CExplorer
import Reactive

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }
}

private enum Action: CaseIterable {
    case write, writePair, rollBack, read, createAutorun, createEffect, createOwner, createWhen, cancel, runScheduled
}

/// Whether the actions are printed, for a single schedule.
nonisolated(unsafe) var isTraced = false

private func trace(_ text: @autoclosure () -> String) {
    guard isTraced else { return }
    let thread = explorer_thread()
    print("  \(thread < 0 ? "-" : ["a", "b", "c", "d"][Int(thread)])  \(text())")
}

/// A live reaction of the program, with what it has seen.
private final class Observer {
    weak var reaction: Reaction?
    /// The sources that it reads.
    let sources: [Int]
    /// The last values of these.
    var seen: [Int] = []
    /// The thread calls an effect.
    var isRunning = false
    /// `cancel` has been called, and has returned.
    var isEnding = false
    var isCancelled = false
    var lateRuns = 0
    /// An autorun without a schedule, and whether each run has a cleanup.
    let isImmediate: Bool
    let hasCleanup: Bool

    init(_ sources: [Int], isImmediate: Bool, hasCleanup: Bool) {
        self.sources = sources
        self.isImmediate = isImmediate
        self.hasCleanup = hasCleanup
    }
}

/// A reaction whose effect creates an autorun.
private final class Owner {
    weak var reaction: Reaction?
    var hasRun = false
    var isCancelled = false
    /// The number of autoruns that have been created and not ended, and what the last one has seen.
    var live = 0
    var seen = 0
}

/// A `when` for a value above a threshold.
private final class Condition {
    weak var reaction: Reaction?
    let threshold: Int
    var fired = 0
    var isCancelled = false

    init(_ threshold: Int) { self.threshold = threshold }
}

final class RandomProgram: Program {
    /// The first two are only written together. The last one is written by an effect only.
    private let sources = (0..<5).map { _ in tracked(Observable(0)) }
    private let pairSum: Computed<Int>
    private let choice: Computed<Int>
    private var observers: [Observer] = []
    private var owners: [Owner] = []
    private var conditions: [Condition] = []
    private var scheduled: [@Sendable () -> Void] = []
    private var actions: [[(action: Action, number: Int)]] = []
    /// The number of the last write, and those that have been rolled back.
    private var lastWrite = 0
    /// The number of threads that are inside an action.
    private var busy = 0
    /// The number of actions that have begun.
    private var begun = 0
    private var rolledBack: Set<Int> = []

    required init() {
        pairSum = tracked(Computed(isolation: nil) { [sources] in sources[0].value + sources[1].value })
        // Reads different sources, depending on the first one.
        choice = tracked(
            Computed(isolation: nil) { [sources] in sources[2].value % 2 == 0 ? sources[3].value : sources[4].value })
        super.init()
        var generator = Generator(state: explorer_seed())
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            create(isEffect: Bool.random(using: &generator), number: Int.random(in: 0..<1000, using: &generator))
        }
        actions = (0..<3).map { _ in
            (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                (Action.allCases.randomElement(using: &generator)!, Int.random(in: 0..<1000, using: &generator))
            }
        }
    }

    override func run(_ thread: Int) {
        for (action, number) in actions[thread] {
            trace("begins: \(action) \(number)")
            busy += 1
            begun += 1
            perform(action, number)
            busy -= 1
            trace("ends: \(action) \(number)")
        }
    }

    private func perform(_ action: Action, _ number: Int) {
        switch action {
        case .write: write { sources[2 + number % 2].value = $0 }
        case .writePair:
            write { value in
                graph.run {
                    inTransaction {
                        sources[0].value = value
                        sources[1].value = value
                        if number % 3 == 0 { sources[2].value = value }
                    }
                }
            }
        case .rollBack:
            lastWrite += 1
            let value = lastWrite
            rolledBack.insert(value)
            try? graph.run {
                try inTransaction {
                    sources[number % 4].value = value
                    if number % 2 == 0 { expect(choice.value >= 0, "a computed is negative") }
                    throw HandingBack.Undone()
                }
            }
        case .read:
            let value = number % 3 == 0 ? choice.value : sources[number % 5].value
            expect(!rolledBack.contains(value), "a read outside sees a value that has been rolled back")
            expect(value <= lastWrite, "a read outside sees a value that has not been written")
            expect(pairSum.value % 2 == 0, "a computed that is read outside sees half of a transaction")
        case .createAutorun: create(isEffect: false, number: number)
        case .createEffect: create(isEffect: true, number: number)
        case .createOwner: createOwner()
        case .createWhen: createWhen(number)
        case .cancel:
            if number % 4 == 1, let owner = owners.randomElement(by: number) {
                owner.reaction?.cancel()
                owner.isCancelled = true
                expect(!owner.hasRun || owner.live <= 1, "items end more than once")
            } else if number % 4 == 2, let condition = conditions.randomElement(by: number) {
                condition.reaction?.cancel()
                condition.isCancelled = true
            }
            guard !observers.isEmpty else { return }
            let observer = observers[number % observers.count]
            observer.isEnding = true
            observer.reaction?.cancel()
            observer.isCancelled = true
        case .runScheduled:
            if !scheduled.isEmpty { scheduled.removeFirst()() }
        }
    }

    /// Performs a write, and checks what autoruns have seen when it returns.
    private func write(_ body: (Int) -> Void) {
        lastWrite += 1
        let value = lastWrite
        let present = observers.filter { $0.isImmediate && !$0.isEnding && !$0.seen.isEmpty }
        body(value)
        let others = begun
        guard busy == 1 else { return }
        for observer in present where !observer.isEnding {
            let values = observer.sources.map { sources[$0].value }
            // Other threads may have continued during these reads.
            guard begun == others else { return }
            expect(observer.seen == values, "a write returns before an autorun has run")
        }
    }

    private func create(isEffect: Bool, number: Int) {
        trace("creates \(observers.count): \(isEffect ? "effect" : "autorun") \(number)")
        let ids = number % 4 == 0 ? [0, 1] : [0, 1, 2 + number % 3]
        let observer = Observer(ids, isImmediate: !isEffect && number % 5 != 0, hasCleanup: number % 3 == 1)
        let read = { [sources, pairSum, choice] in
            let values = ids.map { sources[$0].value }
            expect(values[0] == values[1], "half of a transaction is seen")
            expect(pairSum.value == values[0] + values[1], "a computed is outdated")
            if number % 3 == 0 { _ = choice.value }
            trace("reads \(values)")
            return values
        }
        graph.run {
            if isEffect {
                observer.reaction = tracked(
                    reaction(isolation: nil, read) { [unowned self, unowned observer] values in
                        runEffect(of: observer, values, number)
                    })
            } else if observer.isImmediate {
                observer.reaction = tracked(
                    autorun(isolation: nil) { [unowned observer] in
                        observer.seen = read()
                        // The cleanup runs outside the lock, so that other threads do not wait for the autorun.
                        if observer.hasCleanup { onCleanup { pause() } }
                    })
            } else {
                let schedule = Schedule.custom(isolation: nil) { [unowned self] in scheduled.append($0) }
                observer.reaction = tracked(
                    autorun(schedule: schedule, isolation: nil) { [unowned observer] in observer.seen = read() })
            }
        }
        // Not earlier, so that whoever cancels it finds the reaction.
        observers.append(observer)
    }

    private func createOwner() {
        let owner = Owner()
        let created = graph.run {
            tracked(
                reaction(isolation: nil, { [sources] in sources[2].value }) { [unowned self, unowned owner] _ in
                    owner.hasRun = true
                    owner.live += 1
                    expect(owner.live == 1, "items of an earlier run have not ended")
                    onCleanup { [unowned owner] in owner.live -= 1 }
                    pause()
                    _ = tracked(
                        autorun(isolation: nil) { [unowned self, unowned owner] in owner.seen = sources[3].value })
                })
        }
        owner.reaction = created
        owners.append(owner)
    }

    private func createWhen(_ number: Int) {
        let condition = Condition(number % 6)
        let created = graph.run {
            tracked(
                when(isolation: nil, { [sources] in sources[2].value > condition.threshold }) {
                    condition.fired += 1
                    pause()
                })
        }
        condition.reaction = created
        conditions.append(condition)
    }

    private func runEffect(of observer: Observer, _ values: [Int], _ number: Int) {
        expect(!observer.isRunning, "two runs of an effect overlap")
        trace("effect \(number) of \(values)")
        if observer.isCancelled { observer.lateRuns += 1 }
        expect(observer.lateRuns <= 1, "effects begin after their reaction was cancelled")
        observer.isRunning = true
        pause()
        observer.seen = values
        if number % 2 == 0 { sources[4].value = values[0] }
        if number % 7 == 0 { onCleanup { pause() } }
        if number % 11 == 0, let other = observers.randomElement(by: number), other !== observer {
            other.isEnding = true
            other.reaction?.cancel()
            other.isCancelled = true
        }
        observer.isRunning = false
        trace("effect \(number) ends")
    }

    override func check() {
        while !scheduled.isEmpty { scheduled.removeFirst()() }
        for observer in observers where !observer.isCancelled {
            let values = observer.sources.map { sources[$0].value }
            // An effect does not run before the first change.
            expect(observer.seen.isEmpty || observer.seen == values, "an observer does not see the last values")
            if observer.seen.isEmpty { expect(!observer.isImmediate, "an autorun has not run") }
        }
        for owner in owners {
            expect(owner.live == (owner.hasRun && !owner.isCancelled ? 1 : 0), "owned items do not end once")
            if owner.live == 1 { expect(owner.seen == sources[3].value, "an owned autorun misses the last value") }
        }
        for condition in conditions {
            expect(condition.fired <= 1, "the effect of `when` runs twice")
            if !condition.isCancelled, sources[2].value > condition.threshold {
                expect(condition.fired == 1, "the effect of `when` does not run")
            }
        }
        expect(pairSum.value == sources[0].value * 2, "a computed is outdated")
    }
}

extension Array {
    /// An element that a random number chooses.
    fileprivate func randomElement(by number: Int) -> Element? { isEmpty ? nil : self[number / 12 % count] }
}
