// Observers of the library follow objects of Apple's Observation.

import Foundation
import Observation
import Reactive
import TestSupport
import Testing

@Observation.Observable @MainActor
private final class Person {
    var name = "Ann"
    var age = 1
}

/// An object whose tracked key paths keep a token, so that a test can count trackings.
private final class Counted: Observation.Observable {
    private let registrar = ObservationRegistrar()
    let tracker = LifetimeTracker()

    struct Key: Hashable {
        let token: LifetimeTracker.Token
        static func == (a: Key, b: Key) -> Bool { a.token === b.token }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(token)) }
    }

    subscript(key: Key) -> Int { 0 }

    func read() { registrar.access(self, keyPath: \.[Key(token: tracker.token())]) }
}

/// An object that several threads may use. It holds its lock while it changes and reports the change.
private final class Locked: Observation.Observable, @unchecked Sendable {
    // Sendable because the number is touched under the lock only.
    private let registrar = ObservationRegistrar()
    private let lock = NSLock()
    private var stored = 0

    var number: Int {
        get {
            registrar.access(self, keyPath: \.number)
            return lock.withLock { stored }
        }
        set { lock.withLock { registrar.withMutation(of: self, keyPath: \.number) { stored = newValue } } }
    }
}

extension ReactiveTests {
    @Suite struct ObservingTests {
        @Test(.inDefaultGraph) @MainActor func aCauseNamesTheLineThatReadTheObject() async {
            let person = Person()
            let line = #line + 1
            let reaction = autorun { _ = observing { person.name } }
            person.name = "Bob"
            while reaction.runCount < 2 { await Task.yield() }
            #expect(reaction.lastCause?.description == "ObservingTests.swift:\(line)")
            reaction.cancel()
        }

        @Test(.inDefaultGraph) @MainActor func anAutorunFollowsAnObject() async {
            let (person, log) = (Person(), Log())
            let reaction = autorun { log(observing { person.name }) }
            person.name = "Bob"
            // Before the change was processed.
            #expect(log.take() == ["Ann"])
            while log.count == 0 { await Task.yield() }
            #expect(log.take() == ["Bob"])
            person.age = 2
            person.name = "Cid"
            person.name = "Dan"
            while log.count == 0 { await Task.yield() }
            #expect(log.take() == ["Dan"])
            #expect(reaction.runCount == 3)
            reaction.cancel()
        }

        @Test(.inDefaultGraph) @MainActor func aComputedWithAnEqualResultStopsPropagation() async {
            let (person, log) = (Person(), Log())
            let isAdult = Computed { observing { person.age >= 18 } }
            let reaction = autorun { log("\(isAdult.value)") }
            person.age = 17
            await Task.yield()
            person.age = 18
            while log.count < 2 { await Task.yield() }
            #expect(log.take() == ["false", "true"])
            #expect(reaction.runCount == 2)
            reaction.cancel()
            person.age = 3
            await arrival { !isAdult.value }
            #expect(!isAdult.value)
        }

        @Test(.inDefaultGraph) @MainActor func observablesReadInTheBodySubscribeToo() async {
            let (person, shout, log) = (Person(), Observable(false), Log())
            let reaction = autorun { log(observing { shout.value ? person.name.uppercased() : person.name }) }
            shout.value = true
            #expect(log.take() == ["Ann", "ANN"])
            person.name = "Bob"
            while log.count == 0 { await Task.yield() }
            #expect(log.take() == ["BOB"])
            reaction.cancel()
        }

        @Test @MainActor func outsideObserversItOnlyReads() throws {
            struct Failure: Error {}
            let person = Person()
            #expect(observing { person.name } == "Ann")
            #expect(throws: Failure.self) { try observing { throw Failure() } }
        }

        @Test(.inDefaultGraph) @MainActor func anErrorLeavesTheObserverSubscribed() async {
            struct Failure: Error {}
            let (person, log) = (Person(), Log())
            let reaction = autorun(onError: { log("\($0)") }) {
                log(try observing { () throws(Failure) in if person.age > 0 { throw Failure() } else { person.name } })
            }
            #expect(log.take() == ["Failure()"])
            person.age = 0
            while log.count == 0 { await Task.yield() }
            #expect(log.take() == ["Ann"])
            reaction.cancel()
        }

        @Test func trackingsEndWithTheRunThatBeganThem() {
            let (object, number) = (Counted(), Observable(0))
            let reaction = autorun {
                _ = number.value
                observing { object.read() }
            }
            for value in 1...10 { number.value = value }
            #expect(object.tracker.created == 11)
            #expect(object.tracker.alive == 1)
            reaction.cancel()
            #expect(object.tracker.alive == 0)
        }

        @Test func anObjectOfNoActorIsFollowed() async {
            let (object, log) = (Locked(), Log())
            let reaction = autorun(isolation: nil) { log("\(observing(isolation: nil) { object.number })") }
            await Task.detached { object.number = 1 }.value
            while log.count < 2 { await Task.yield() }
            #expect(log.take() == ["0", "1"])
            reaction.cancel()
        }

        // MARK: - Random programs

        /// Waits until a change has arrived, at most for a long time.
        @MainActor private func arrival(_ hasArrived: () -> Bool) async {
            var yields = 0
            while yields < 100_000, !hasArrived() {
                yields += 1
                await Task.yield()
            }
        }

        /// Compares computeds over both kinds of state with recomputing everything. The main actor and other threads
        /// write.
        @Test(.inDefaultGraph, arguments: seeds(30)) @MainActor func computedsOverBothKindsAreRight(seed: UInt64) async
        {
            var random = SplitMix64(seed: seed)
            let people = (0..<3).map { _ in Person() }
            let numbers = (0..<3).map { Observable($0) }
            let locked = (0..<3).map { _ in Locked() }
            let log = Shared(0)
            let choice = Observable(0)
            func sum(_ index: Int) -> Int {
                let other = choice.value
                return other == index
                    ? numbers[index].value + observing { locked[index].number }
                    : numbers[index].value + observing { people[other].age + people[index].name.count }
            }
            let sums = (0..<3).map { index in Computed { sum(index) } }
            let total = Computed { sums.reduce(0) { $0 + $1.value } }
            let reaction = autorun { log.value = total.value }
            for step in 0..<40 {
                let (index, new) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<4, using: &random))
                switch Int.random(in: 0..<7, using: &random) {
                case 0: people.randomElement(using: &random)?.age = Int.random(in: 0..<4, using: &random)
                case 1: people.randomElement(using: &random)?.name = String(repeating: "x", count: step % 5)
                case 2: numbers.randomElement(using: &random)?.value = Int.random(in: 0..<4, using: &random)
                case 3: choice.value = index
                case 4: await Task.detached { locked[index].number = new }.value
                case 5: await Task.detached { numbers[index].value = new }.value
                default:
                    inTransaction {
                        people.randomElement(using: &random)?.age += 1
                        numbers.randomElement(using: &random)?.value += 1
                    }
                }
                if Bool.random(using: &random) { continue }
                let expected = (0..<3).reduce(0) { $0 + sum($1) }
                await arrival { total.value == expected && log.value == expected }
                #expect(total.value == expected, "seed \(seed), step \(step)")
                #expect(log.value == expected, "seed \(seed), step \(step)")
            }
            reaction.cancel()
        }
    }
}
