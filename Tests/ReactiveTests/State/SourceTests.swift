import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct SourceTests {
        // MARK: - The hooks

        @Test func theHooksFollowTheFirstAndTheLastObserver() {
            let log = Log()
            let source = Source(onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            let first = autorun { source.track() }
            #expect(log.take() == ["observed"])
            #expect(source.isObserved)
            let second = autorun { source.track() }
            first.cancel()
            #expect(log.take() == [])
            second.cancel()
            #expect(log.take() == ["unobserved"])
            #expect(!source.isObserved)
        }

        @Test func onlyAnObservedComputedObserves() {
            let log = Log()
            let source = Source(onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            let number = Computed {
                source.track()
                return 1
            }
            source.track()
            #expect(number.value == 1)
            #expect(log.take() == [])
            let reaction = autorun { _ = number.value }
            #expect(log.take() == ["observed"])
            reaction.cancel()
            #expect(log.take() == ["unobserved"])
            #expect(number.value == 1)
            #expect(log.take() == [])
        }

        @Test func withoutObserversAComputedIsEvaluatedByEachOperation() {
            let (value, follows, evaluations) = (Shared(0), Shared(false), Shared(0))
            let source = Source(onObserved: { follows.value = true }, onUnobserved: { follows.value = false })
            let number = Computed {
                source.track()
                evaluations.value += 1
                return value.value
            }
            let double = Computed { number.value * 2 }
            // Changes without an observer are not reported.
            for next in 1...3 {
                value.value = next
                #expect(double.value == 2 * next)
            }
            // Computeds whose results have not been read yet may be validated by others, and be observed meanwhile.
            let other = Computed { number.value + double.value }
            #expect(other.value == 9)
            let reaction = autorun { _ = double.value }
            #expect(follows.value)
            let count = evaluations.value
            #expect(number.value == 3)
            #expect(other.value == 9)
            #expect(evaluations.value == count)
            value.value = 4
            source.changed()
            #expect(other.value == 12)
            reaction.cancel()
            value.value = 5
            #expect(other.value == 15)
            #expect(double.value == 10)
        }

        @Test func aSourceWithoutHooksIsCachedWithoutObservers() {
            let (source, evaluations) = (Source(), Shared(0))
            let number = Computed {
                source.track()
                evaluations.value += 1
                return evaluations.value
            }
            for _ in 1...3 { #expect(number.value == 1) }
            source.changed()
            #expect(number.value == 2)
        }

        @Test func observersOfTwoGraphsFollowTwoSources() {
            let log = Log()
            let graphs = [IndependentGraph(), IndependentGraph()]
            let sources = graphs.enumerated().map { index, graph in
                graph.run {
                    Source(onObserved: { log("observed \(index)") }, onUnobserved: { log("unobserved \(index)") })
                }
            }
            let reactions = zip(graphs, sources).map { graph, source in graph.run { autorun { source.track() } } }
            #expect(log.take() == ["observed 0", "observed 1"])
            for reaction in reactions.reversed() { reaction.cancel() }
            #expect(log.take() == ["unobserved 1", "unobserved 0"])
        }

        @Test func oneReactionFollowsManySources() {
            let observed = Shared(0)
            let sources = (0..<(isUnderSanitizer ? 10_000 : 100_000)).map { _ in
                Source(onObserved: { observed.value += 1 }, onUnobserved: { observed.value -= 1 })
            }
            let reaction = autorun { for source in sources { source.track() } }
            #expect(observed.value == sources.count)
            sources[sources.count - 1].changed()
            #expect(reaction.runCount == 2)
            reaction.cancel()
            #expect(observed.value == 0)
        }

        @Test func aSourceThatChangesItsObserverInOneChangeCallsNoHook() {
            let log = Log()
            let source = Source(onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            let isFirst = Observable(true)
            let first = autorun { if isFirst.value { source.track() } }
            let second = autorun { if !isFirst.value { source.track() } }
            #expect(log.take() == ["observed"])
            isFirst.value = false
            isFirst.value = true
            inTransaction {
                isFirst.value = false
                first.cancel()
            }
            #expect(log.take() == [])
            isFirst.value = true
            #expect(log.take() == ["unobserved"])
            second.cancel()
        }

        @Test func observingAndCancellingInATransactionCallsNoHook() {
            let log = Log()
            let source = Source(onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            inTransaction {
                let reaction = autorun { source.track() }
                #expect(source.isObserved)
                reaction.cancel()
            }
            #expect(log.take() == [])
        }

        @Test func theHooksRunOutsideTheLockAndSubscribeNobody() {
            let (log, read) = (Log(), Observable(0))
            let source = Source(onObserved: {
                log("\(GraphHandle.held == nil) \(read.value)")
                read.value += 1
            })
            let reaction = autorun { source.track() }
            #expect(log.take() == ["true 0"])
            read.value = 5
            #expect(reaction.runCount == 1)
            reaction.cancel()
        }

        @Test func aHookMayChangeTheSource() {
            let (log, connected) = (Log(), Shared(false))
            let sources = Shared<[Source]>([])
            let source = Source(onObserved: {
                connected.value = true
                sources.value[0].changed()
            })
            sources.value = [source]
            let reaction = autorun {
                source.track()
                log("\(connected.value)")
            }
            #expect(log.take() == ["false", "true"])
            reaction.cancel()
            sources.value = []
        }

        @Test func inAnEffectTheHooksWaitForItsEnd() {
            let log = Log()
            let source = Source(onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            let trigger = Observable(0)
            let outer = reaction {
                trigger.value
            } onChange: { number in
                autorun { source.track() }
                log("effect \(number)")
            }
            trigger.value = 1
            #expect(log.take() == ["effect 1", "observed"])
            // The effect's next run creates its reactions again.
            trigger.value = 2
            #expect(log.take() == ["effect 2"])
            outer.cancel()
            #expect(log.take() == ["unobserved"])
        }

        @Test func theLastHookRunsBeforeTheSourceIsFreed() {
            let (log, tracker) = (Log(), LifetimeTracker())
            do {
                let token = tracker.token()
                let source = Source(onUnobserved: { log("unobserved \(token.number)") })
                let reaction = autorun { source.track() }
                reaction.cancel()
            }
            #expect(log.take() == ["unobserved 1"])
            #expect(tracker.alive == 0)
        }

        @Test(.inDefaultGraph) @MainActor func theHooksRunOnTheActorThatTheyWereCreatedOn() async {
            let log = Log()
            let source = Source(
                onObserved: {
                    MainActor.assertIsolated()
                    log("observed")
                },
                onUnobserved: {
                    MainActor.assertIsolated()
                    log("unobserved")
                })
            await Task.detached {
                let reaction = autorun { source.track() }
                reaction.cancel()
                let other = autorun { source.track() }
                other.cancel()
            }.value
            while log.count < 4 { await Task.yield() }
            #expect(log.take() == ["observed", "unobserved", "observed", "unobserved"])
        }

        // MARK: - Changes

        @Test func aChangeRunsItsDependents() {
            let (number, log) = (Shared(1), Log())
            let source = Source()
            let isEven = Computed {
                source.track()
                return number.value.isMultiple(of: 2)
            }
            let reaction = autorun { log("\(isEven.value)") }
            number.value = 3
            source.changed()
            #expect(log.take() == ["false"])
            number.value = 4
            source.changed()
            #expect(log.take() == ["true"])
            inTransaction {
                number.value = 5
                source.changed()
                number.value = 7
                source.changed()
            }
            #expect(log.take() == ["false"])
            reaction.cancel()
            number.value = 8
            source.changed()
            #expect(isEven.value)
        }

        @Test func aRollBackLeavesAChangeAsItIs() {
            struct Failure: Error {}
            let (number, log) = (Shared(1), Log())
            let source = Source()
            let double = Computed {
                source.track()
                return number.value * 2
            }
            let reaction = autorun { log("\(double.value)") }
            try? inTransaction {
                number.value = 2
                source.changed()
                throw Failure()
            }
            #expect(log.take() == ["2", "4"])
            reaction.cancel()
        }

        @Test func itHasAName() {
            let source = Source(named: "clock")
            #expect("\(source)" == "Source(clock)")
        }

        // MARK: - Observables

        struct Sensor {
            @Observable(onObserved: { Sensor.log("start") }, onUnobserved: { Sensor.log("stop") }) var temperature = 20
            static let log = Log()
        }

        @Test func anObservableHasTheSameHooks() {
            let sensor = Sensor()
            let log = Log()
            let reaction = autorun { log("\(sensor.temperature)") }
            sensor.temperature = 20
            sensor.temperature = 21
            reaction.cancel()
            #expect(Sensor.log.take() == ["start", "stop"])
            #expect(log.take() == ["20", "21"])
        }

        @Test func anObservableMayHaveOneHookAndARule() {
            let log = Log()
            let text = Observable(
                "a", equals: .init { $0.count == $1.count }, named: "text", onUnobserved: { log("stop") })
            let reaction = autorun { log(text.value) }
            text.value = "b"
            text.value = "cc"
            reaction.cancel()
            #expect(log.take() == ["a", "cc", "stop"])
            #expect(text.debugDescription.contains("text"))
        }

        // MARK: - Random programs

        /// Reactions and computeds read different sources with each change. After each operation, the hooks have
        /// alternated, and their last call agrees with the observers.
        @Test(arguments: seeds(100)) func theHooksAgreeWithTheObservers(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let counts = Shared(Array(repeating: (observed: 0, unobserved: 0), count: 4))
            let sources = (0..<4).map { index in
                Source(
                    onObserved: { counts.withLock { $0[index].observed += 1 } },
                    onUnobserved: { counts.withLock { $0[index].unobserved += 1 } })
            }
            let choices = (0..<5).map { _ in Observable(0) }
            let computeds = choices.map { choice in
                Computed {
                    let choice = choice.value
                    if choice < 4 { sources[choice].track() }
                    return choice
                }
            }
            var reactions: [Reaction] = []
            for step in 0..<60 {
                let before = counts.value
                switch Int.random(in: 0..<5, using: &random) {
                case 0:
                    let read = computeds.filter { _ in Bool.random(using: &random) }
                    reactions.append(autorun { for computed in read { _ = computed.value } })
                case 1:
                    if let index = reactions.indices.randomElement(using: &random) {
                        reactions.remove(at: index).cancel()
                    }
                case 2:
                    inTransaction {
                        for choice in choices where Bool.random(using: &random) {
                            choice.value = Int.random(in: 0..<6, using: &random)
                        }
                    }
                case 3: choices.randomElement(using: &random)?.value = Int.random(in: 0..<6, using: &random)
                default: sources.randomElement(using: &random)?.changed()
                }
                for (index, source) in sources.enumerated() {
                    let count = counts.value[index]
                    #expect(
                        count.observed - count.unobserved == (source.isObserved ? 1 : 0), "seed \(seed), step \(step)")
                    let calls = count.observed + count.unobserved - before[index].observed - before[index].unobserved
                    #expect(calls <= 1, "seed \(seed), step \(step)")
                }
            }
            for reaction in reactions { reaction.cancel() }
            for (index, source) in sources.enumerated() {
                #expect(!source.isObserved)
                #expect(counts.value[index].observed == counts.value[index].unobserved)
            }
        }

        @Test func severalThreadsMayObserveAndChange() {
            let counts = Shared((observed: 0, unobserved: 0))
            let source = Source(
                onObserved: { counts.withLock { $0.observed += 1 } },
                onUnobserved: { counts.withLock { $0.unobserved += 1 } })
            onThreads(4) { thread in
                for _ in 0..<100 {
                    let reaction = autorun { source.track() }
                    if thread == 0 { source.changed() }
                    reaction.cancel()
                }
            }
            #expect(!source.isObserved)
            #expect(counts.value.observed == counts.value.unobserved)
            #expect(counts.value.observed > 0)
        }
    }
}
