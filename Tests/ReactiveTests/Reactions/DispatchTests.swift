// How a due reaction runs: what happens if its cleanups, its tracked closure, its effect or other threads cancel it,
// run it or change its sources meanwhile.

#if DEBUG
import Foundation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct DispatchTests {
        private let x = Observable(0, named: "x")
        private let y = Observable(0, named: "y")

        // MARK: - References

        /// Expects that a reaction, which `body` cancels, is not freed while it is kept, and is freed then.
        private func expectOneRelease(of make: () -> Reaction, after body: (Reaction) -> Void) {
            weak var freed: Reaction?
            do {
                let reaction = make()
                freed = reaction
                body(reaction)
                withExtendedLifetime(reaction) { #expect(freed != nil) }
            }
            #expect(freed == nil)
        }

        @Test func aReactionThatIsCancelledInTheQueueIsFreed() {
            let victim = Shared<Reaction?>(nil)
            let killer = autorun { if x.value > 0 { victim.value?.cancel() } }
            expectOneRelease(of: { autorun { _ = x.value } }) { reaction in
                victim.value = reaction
                x.value = 1
                victim.value = nil
            }
            killer.cancel()
        }

        @Test func aReactionThatIsCancelledInItsEffectOrItsCleanupIsFreed() {
            let own = Shared<Reaction?>(nil)
            expectOneRelease(of: { reaction({ x.value }) { _ in own.value?.cancel() } }) { reaction in
                own.value = reaction
                x.value += 1
                own.value = nil
            }
            var runs = 0
            let make = {
                autorun {
                    _ = x.value
                    runs += 1
                    onCleanup { own.value?.cancel() }
                }
            }
            expectOneRelease(of: make) { reaction in
                own.value = reaction
                x.value += 1
                own.value = nil
            }
            #expect(runs == 1)
        }

        /// A scope that is due behind the effect of an older reaction, which reads its output.
        private final class ReadAhead: @unchecked Sendable {
            // Sendable because one thread at a time uses it: the others wait.
            var scope: ObserverScope<Int>?
            var onCleanup: () -> Void = {}
            private(set) var log: [String] = []
            private var older: Reaction?

            init(_ x: Observable<Int>) {
                older = reaction({ x.value }) { [unowned self] _ in _ = scope?.output }
                scope = ObserverScope { [unowned self] in
                    let value = x.value
                    if value == 0 { Reactive.onCleanup { [unowned self] in onCleanup() } }
                    return value
                } onRender: { [unowned self] in
                    log.append("rendered \($0)")
                }
            }

            func end() {
                older?.cancel()
                (older, scope) = (nil, nil)
            }
        }

        @Test func aReactionThatIsCancelledInItsCleanupWhileItIsQueuedIsFreed() {
            let ahead = ReadAhead(x)
            ahead.onCleanup = { [unowned ahead] in ahead.scope?.cancel() }
            expectOneRelease(of: { ahead.scope!.reaction }) { _ in
                x.value = 1
                ahead.end()
            }
            #expect(ahead.log == ["rendered 0"])
        }

        @Test func aReactionThatIsCancelledWhileItsCleanupRunsOnADifferentThreadIsFreed() {
            let ahead = ReadAhead(x)
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            ahead.onCleanup = {
                entered.signal()
                mayEnd.wait()
            }
            expectOneRelease(of: { ahead.scope!.reaction }) { _ in
                let end = inBackground { [x] in x.value = 1 }
                entered.wait()
                inTransaction {
                    x.value = 2
                    ahead.scope?.cancel()
                }
                mayEnd.signal()
                end()
                ahead.end()
            }
            #expect(ahead.log == ["rendered 0"])
        }

        /// A flight does not change whose queue a reaction is in. Alone, because recordings cover all graphs.
        @Test(.alone, arguments: [false, true]) func aQueuedReactionWhoseOutputIsReadStaysInItsQueue(isRecorded: Bool) {
            let (trigger, (entered, mayEnd)) = (
                Observable(0), (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            )
            let recording = isRecorded ? Diagnostics.record() : nil
            let rendered = Shared<[Int]>([])
            let blocking = reaction({ trigger.value }) { _ in
                entered.signal()
                mayEnd.wait()
            }
            let scope = ObserverScope {
                onCleanup {}
                return trigger.value + x.value
            } onRender: { value in
                rendered.withLock { $0.append(value) }
            }
            let end = inBackground { trigger.value = 1 }
            entered.wait()
            #expect(scope.output == 1)
            mayEnd.signal()
            end()
            x.value = 5
            #expect(rendered.value == [0, 1, 6] && scope.renderCount == 3)
            scope.cancel()
            blocking.cancel()
            recording?.stop()
        }

        @Test(.alone, arguments: [false, true])
        func aSuspendedReactionWhoseOutputIsReadResumes(isRecorded: Bool) {
            let (trigger, isLooping) = (Observable(0), Shared(false))
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let rendered = Shared<[Int]>([])
            let (x, y) = (x, y)
            let recording = isRecorded ? Diagnostics.record() : nil
            _ = issues {
                let scope = ObserverScope {
                    onCleanup {}
                    _ = trigger.value
                    if isLooping.value { x.value += 1 }
                    return y.value
                } onRender: { value in
                    rendered.withLock { $0.append(value) }
                }
                let blocking = reaction({ trigger.value }) { _ in
                    entered.signal()
                    mayEnd.wait()
                }
                isLooping.value = true
                let end = inBackground { trigger.value = 1 }
                entered.wait()
                isLooping.value = false
                _ = scope.output
                mayEnd.signal()
                end()
                y.value = 5
                #expect(rendered.value.last == 5)
                scope.cancel()
                blocking.cancel()
            }
            recording?.stop()
        }

        /// The thread of a flight is known although the reaction was not queued before.
        @Test(.alone, arguments: [false, true])
        func aChangeByADifferentThreadInTheFirstEffectRestartsTheCountOfRuns(isRecorded: Bool) {
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let x = x
            let recording = isRecorded ? Diagnostics.record() : nil
            let runs = Shared(0)
            _ = issues {
                let loop = reaction({ x.value }) { value in
                    if value == 1 {
                        entered.signal()
                        mayEnd.wait()
                    } else {
                        x.value = value + 1
                    }
                }
                let end = inBackground { x.value = 1 }
                entered.wait()
                x.value = 2
                mayEnd.signal()
                end()
                runs.value = loop.runCount
                loop.cancel()
            }
            recording?.stop()
            #expect(runs.value == 102)
        }

        @Test(.alone) func aRecordedEffectEndsNothing() {
            let recording = Diagnostics.record()
            var log: [Int] = []
            let r = reaction({ x.value }) { log.append($0) }
            for value in 1...3 { x.value = value }
            recording.stop()
            x.value = 4
            #expect(log == [1, 2, 3, 4])
            r.cancel()
        }

        // MARK: - Cleanups

        @Test func aLoopWithCleanupsIsSuspendedAfterAHundredRuns() {
            let reported = issues {
                let loop = autorun {
                    onCleanup {}
                    if y.value > 0 { x.value += 1 }
                }
                y.value = 1
                #expect(loop.runCount == 101)
                loop.cancel()
            }
            #expect(reported.map(\.kind) == [.loop])
        }

        @Test func aRunThatItsCleanupHasCausedIsNotRepeated() {
            var scope: ObserverScope<Int>?
            var rendered: [Int] = []
            scope = ObserverScope {
                onCleanup { _ = scope?.output }
                return x.value
            } onRender: {
                rendered.append($0)
            }
            x.value = 1
            #expect(scope?.renderCount == 2 && rendered == [0, 1])
            x.value = 2
            #expect(scope?.renderCount == 3 && rendered == [0, 1, 2])
            scope?.cancel()
        }

        // MARK: - The tracked closure

        @Test func aReactionThatIsCancelledInItsRunHasNoEffect() {
            let own = Shared<Reaction?>(nil)
            var log: [Int] = []
            own.value = reaction {
                if x.value == 2 { own.value?.cancel() }
                return x.value
            } onChange: {
                log.append($0)
            }
            x.value = 1
            x.value = 2
            #expect(log == [1])
        }

        @Test func aReactionThatIsCancelledInItsRunReleasesWhatItHolds() {
            let own = Shared<Reaction?>(nil)
            let tracker = LifetimeTracker()
            var log: [Int] = []
            func start() {
                let token = tracker.token()
                own.value = autorun {
                    _ = token
                    autorun { log.append(y.value) }
                    if x.value == 1 { own.value?.cancel() }
                }
            }
            start()
            #expect(tracker.alive == 1)
            x.value = 1
            #expect(tracker.alive == 0 && own.value?.isCancelled == true)
            y.value = 1
            #expect(log == [0, 0])
        }

        @Test func changesThatWereForgottenNeedNoRun() {
            let double = Computed { 2 * x.value }
            let scope = ObserverScope(schedule: .notifyOnly {}) { double.value }
            scope.reaction.setHost()
            // The second change is forgotten before the computed is evaluated.
            for value in 1...2 { x.value = value }
            #expect(scope.reaction.forgetChanges())
            y.value = 1
            #expect(!scope.isStale && scope.output == 0)
            x.value = 3
            #expect(scope.isStale && scope.output == 6)
            scope.cancel()
        }

        @Test func aCauseThatARunNoLongerReadsIsNamedOnce() {
            var readsY = true
            let reader = autorun { _ = (x.value, readsY ? y.value : 0) }
            readsY = false
            y.value = 1
            #expect(reader.lastCause?.writes == ["y"])
            x.value = 1
            #expect(reader.lastCause?.writes == ["x"])
            reader.cancel()
        }

        @Test func aCancelledScopeIsNotStale() {
            let scope = ObserverScope(schedule: .notifyOnly {}) { x.value }
            scope.cancel()
            scope.invalidate()
            x.value = 1
            #expect(!scope.isStale && scope.output == 0)
        }

        @Test func aRunThatAHostAsksForReadsKeysOfAViewThatHasChanged() {
            let list = ToyList([1, 2, 3])
            let groups = ToyGroups(list) { _, value in value % 2 }
            let sum = Computed { groups[1] ?? 0 }
            var log: [Int] = []
            let reader = autorun { log.append(sum.value + x.value) }
            inTransaction {
                list.set(0, to: 7)
                x.value = 100
                reader.catchUp()
            }
            #expect(log == [4, 110])
            reader.cancel()
        }

        /// Otherwise the end of the effect, which restores what it has written, would undo the run.
        @Test func aRunThatAHostAsksForIsNoPartOfTheEffectOfADifferentThread() {
            let (trigger, written) = (Observable(0), Observable(0))
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let tens = Computed { [x] in x.value / 10 }
            var reports = 0
            let scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) { tens.value }
            let reactions = [
                reaction({ trigger.value }) { [x] _ in
                    written.value = 1
                    entered.signal()
                    mayEnd.wait()
                    x.value += 1
                    written.value = 0
                },
                autorun { _ = written.value },
            ]
            let end = inBackground { trigger.value = 1 }
            entered.wait()
            scope.render()
            mayEnd.signal()
            end()
            #expect(reports == 0 && scope.renderCount == 2)
            reactions.forEach { $0.cancel() }
            scope.cancel()
        }

        // MARK: - Effects

        @Test func anInvalidationInOnRenderRendersOnceMore() {
            var scope: ObserverScope<Int>?
            var renders = 0
            scope = ObserverScope {
                x.value
            } onRender: { _ in
                renders += 1
                if renders == 2 { scope?.invalidate() }
            }
            x.value = 1
            #expect(renders == 3)
            scope?.cancel()
        }

        @Test func aLoopOfInvalidationsIsSuspendedUntilTheNextChange() {
            var scope: ObserverScope<Int>?
            var isEndless = true
            let reported = issues {
                scope = ObserverScope {
                    x.value
                } onRender: { _ in
                    if x.value > 0, isEndless { scope?.invalidate() }
                }
                x.value = 1
                let renders = scope?.renderCount ?? 0
                #expect(GraphHandle.current.brokenInvariants == [])
                #expect(scope?.output == 1 && scope?.renderCount == renders)
                isEndless = false
                x.value = 2
                #expect(scope?.output == 2 && scope?.renderCount == renders + 1)
            }
            #expect(reported.map(\.kind) == [.loop])
            scope?.cancel()
        }

        /// A run that owns nothing is over, too, when the next one begins.
        @Test func whatAnEarlierRunOfAnEffectCreatedLateEndsImmediately() {
            let other = IndependentGraph(named: "other")
            let trigger = other.run { Observable(0) }
            var log: [String] = []
            let inner = reaction({ x.value }) { value in
                if value == 1 {
                    other.run { inTransaction { onCleanup { log.append("cleanup of 1") } } }
                }
                log.append("effect \(value)")
            }
            let outer = other.run {
                reaction({ trigger.value }) { _ in
                    x.value = 1
                    x.value = 2
                    log.append("end")
                }
            }
            trigger.value = 1
            #expect(log == ["effect 1", "effect 2", "end", "cleanup of 1"])
            outer.cancel()
            inner.cancel()
            #expect(log.count == 4)
        }

        // MARK: - Reads of an output

        @Test func anOutputThatIsReadInATransactionIsRenderedAfterItsCleanups() {
            var log: [String] = []
            let scope = ObserverScope {
                let value = x.value
                onCleanup { log.append("cleanup \(value), \(GraphHandle.held == nil ? "unlocked" : "locked")") }
                log.append("render \(value)")
                return value
            }
            inTransaction {
                x.value = 1
                #expect(scope.output == 1)
            }
            #expect(log == ["render 0", "cleanup 0, locked", "render 1"])
            scope.render()
            #expect(log.suffix(2) == ["cleanup 1, unlocked", "render 1"])
            scope.cancel()
        }

        @Test func anOutputWhoseComputedsAreUnchangedIsNotRendered() {
            let tens = Computed { x.value / 10 }
            let scope = ObserverScope { tens.value }
            inTransaction {
                x.value = 1
                #expect(scope.output == 0 && scope.renderCount == 1)
                x.value = 10
                #expect(scope.output == 1 && scope.renderCount == 2)
            }
            scope.cancel()
        }

        @Test func anOutputOfKeysOfAViewIsNotStale() {
            let list = ToyList([1, 2, 3])
            let groups = ToyGroups(list) { _, value in value % 2 }
            let scope = ObserverScope { groups[1] ?? 0 }
            let onDemand = ObserverScope(schedule: .notifyOnly {}) { groups[1] ?? 0 }
            inTransaction {
                list.set(0, to: 7)
                #expect(scope.output == 10)
                #expect(onDemand.isStale)
                onDemand.reaction.catchUp()
                #expect(onDemand.renderCount == 2)
            }
            [scope, onDemand].forEach { $0.cancel() }
        }

        @Test func anOutputThatIsReadInItsOwnRenderIsNotRenderedRecursively() {
            var scope: ObserverScope<Int>?
            var depth = 0
            scope = ObserverScope {
                depth += 1
                defer { depth -= 1 }
                #expect(depth == 1)
                let value = x.value
                if value % 4 != 0, depth < 10 {
                    x.value = value + 1
                    _ = scope?.output
                }
                return value
            }
            x.value = 1
            #expect(scope?.output == 4)
            scope?.cancel()
        }

        @Test func anOutputIsNotRenderedOnceItsScopeWasCancelledInOnRender() {
            var scope: ObserverScope<Int>?
            var output: Int?
            scope = ObserverScope {
                x.value
            } onRender: {
                guard $0 == 1 else { return }
                scope?.cancel()
                x.value = 2
                output = scope?.output
            }
            x.value = 1
            #expect(output == 1 && scope?.output == 1 && scope?.renderCount == 2)
        }

        @Test func aRenderThatAHostAsksForIsPassedOn() {
            var rendered: [Int] = []
            let scope = ObserverScope {
                x.value
            } onRender: {
                rendered.append($0)
            }
            scope.render()
            #expect(rendered == [0, 0])
            scope.cancel()
        }

        @Test func aRenderInTheCleanupBeforeARenderIsPassedOn() {
            var scope: ObserverScope<Int>?
            var rendered: [Int] = []
            scope = ObserverScope {
                onCleanup { _ = scope?.output }
                return x.value
            } onRender: {
                rendered.append($0)
            }
            scope?.render()
            #expect(scope?.renderCount == 2 && rendered == [0, 0])
            scope?.cancel()
        }

        @Test func aChangeInTheCleanupAfterItsRenderIsReported() {
            var scope: ObserverScope<Int>?
            var reports = 0
            scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) {
                if x.value == 0 {
                    onCleanup {
                        _ = scope?.output
                        x.value = 1
                    }
                }
                return x.value
            }
            scope?.render()
            #expect(reports == 1 && scope?.output == 1 && scope?.renderCount == 3)
            scope?.cancel()
        }

        @Test func aCleanupBeforeARenderMayCancelTheScope() {
            var scope: ObserverScope<Int>?
            scope = ObserverScope {
                onCleanup { scope?.cancel() }
                return x.value
            }
            scope?.render()
            #expect(scope?.renderCount == 1 && scope?.output == 0)
        }

        /// The thread whose `onRender` runs keeps the scope, though a different one renders meanwhile.
        @Test func anOutputThatIsReadDuringOnRenderLeavesItToItsThread() {
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let log = Shared<[String]>([])
            let x = x
            let scope = ObserverScope {
                let value = x.value
                onCleanup { log.withLock { $0.append("cleanup \(value)") } }
                return value
            } onRender: { value in
                if value == 1 {
                    entered.signal()
                    mayEnd.wait()
                }
                log.withLock { $0.append("rendered \(value)") }
            }
            let end = inBackground { x.value = 1 }
            entered.wait()
            x.value = 2
            #expect(scope.output == 2)
            x.value = 3
            #expect(log.value == ["rendered 0", "cleanup 0", "cleanup 1"])
            mayEnd.signal()
            end()
            #expect(log.value.suffix(3) == ["rendered 1", "cleanup 2", "rendered 3"])
            scope.cancel()
        }

        // MARK: - Owners and actors

        @Test func aReactionWhoseOwnerIsGoneAsksNoSchedule() {
            var requests = 0
            func start() -> Reaction {
                let owner = LifetimeTracker()
                return autorun(of: owner, schedule: .custom { _ in requests += 1 }) { [x] _ in _ = x.value }
            }
            let reaction = start()
            x.value = 1
            #expect(requests == 0 && reaction.isCancelled)
        }

        private actor Room {
            func perform(_ body: @Sendable () -> Void) { body() }
        }

        private func started(
            on actor: any Actor, named name: String? = nil, _ schedule: Schedule = .immediate,
            _ body: @escaping () -> Void
        ) -> Reaction {
            let options = ReactionOptions(isolation: actor, schedule: schedule)
            let reaction = Reaction(named: name, fileID: #fileID, line: #line, options: options, body: body)
            reaction.start()
            return reaction
        }

        @Test func theLossOfARunIsReportedOnce() {
            let losses = Shared<[Bool]>([])
            func start() -> Reaction {
                let schedule = Schedule.custom(isolation: nil) { _ in }
                    .keepingActor { losses.withLock { $0.append(GraphHandle.held == nil) } }
                return started(on: Room(), schedule) { [x] in _ = x.value }
            }
            let reaction = start()
            x.value = 1
            #expect(losses.value == [true] && reaction.isCancelled)
            x.value = 2
            #expect(losses.value.count == 1)
        }

        @Test(arguments: [false, true]) func aWaitingRunKeepsItsActorIfTheScheduleSaysSo(isKept: Bool) async {
            let pending = Shared<[@Sendable () -> Void]>([])
            weak var freed: Room?
            let (x, runs) = (x, Shared(0))
            var reaction: Reaction?
            do {
                let room = Room()
                freed = room
                let custom = Schedule.custom(isolation: nil) { run in pending.withLock { $0.append(run) } }
                reaction = started(on: room, isKept ? custom.keepingActor {} : custom) {
                    _ = x.value
                    runs.withLock { $0 += 1 }
                }
                await room.perform { x.value = 1 }
            }
            if isKept { await letOthersRun() } else { await eventually { freed == nil } }
            #expect(pending.value.count == 1 && (freed != nil) == isKept)
            pending.value.forEach { $0() }
            pending.value = []
            await eventually { freed == nil }
            #expect(runs.value == (isKept ? 2 : 1))
            reaction?.cancel()
        }

        @Test(.alone) func oneHopServesAllChanges() async {
            let recording = Diagnostics.record(limit: .max)
            let (x, room) = (x, Room())
            let reaction = started(on: room, named: "dispatch test of hops") { _ = x.value }
            for step in 1...2 {
                await room.perform { for _ in 0..<3 { onOtherThread { x.value += 1 } } }
                await eventually { reaction.runCount == step + 1 }
            }
            recording.stop()
            let events = recording.events.filter { $0.node?.name == "dispatch test of hops" }
            #expect(events.count { $0.kind == .hop } == 2)
            reaction.cancel()
        }

        @Test(.alone) func aDelayIsRecorded() {
            let recording = Diagnostics.record(limit: .max)
            let reaction = autorun(named: "dispatch test of delays", schedule: .custom { $0() }) { _ = x.value }
            x.value = 1
            recording.stop()
            let kinds = recording.events.filter { $0.node?.name == "dispatch test of delays" }.map(\.kind)
            #expect(kinds.filter { [.delay, .run].contains($0) } == [.run, .delay, .run])
            reaction.cancel()
        }
    }
}
#endif
