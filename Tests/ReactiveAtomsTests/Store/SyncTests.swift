// Sync atoms and selectors: evaluation, propagation, errors and observers.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct SyncTests {
    let store = RecoilStore()

    @Test func readingInAnObserverSubscribes() {
        let count = atom(1)
        let double = selector { accessor in try accessor.get(count) * 2 }
        var seen: [Int] = []
        let reaction = autorun { seen.append(store.getOrNil(double) ?? -1) }
        store.set(count, 4)
        #expect(seen == [2, 8])
        reaction.cancel()
    }

    @Test func readingInAComputedSubscribes() {
        let count = atom(1)
        let text = Computed { "\(store.getOrNil(count) ?? -1)" }
        #expect(text.value == "1")
        store.set(count, 2)
        #expect(text.value == "2")
    }

    @Test func readingInARenderSubscribes() {
        let count = atom(1)
        let scope = ObserverScope { store.getOrNil(count) ?? -1 }
        store.set(count, 2)
        #expect(scope.output == 2)
        #expect(scope.renderCount == 2)
    }

    @Test func defaultsAreComputedOnceInEachStore() throws {
        var runs = 0
        let node = atom { () -> Int in
            runs += 1
            return runs
        }
        #expect(runs == 0)
        #expect(try store.value(node) == 1)
        #expect(try store.value(node) == 1)
        #expect(try RecoilStore().value(node) == 2)
    }

    //   a
    //  / \
    // b   c
    //  \ /
    //   d
    @Test func aDiamondComputesEachNodeOncePerChange() {
        let log = Log()
        let a = atom(1)
        let b = selector { accessor in
            log("b")
            return try accessor.get(a) + 1
        }
        let c = selector { accessor in
            log("c")
            return try accessor.get(a) * 10
        }
        let d = selector { accessor in
            log("d")
            return try accessor.get(b) + accessor.get(c)
        }
        let reaction = autorun { log("\(store.getOrNil(d) ?? -1)") }
        #expect(log.take() == ["d", "b", "c", "12"])
        store.set(a, 2)
        #expect(log.take() == ["b", "d", "c", "23"])
        reaction.cancel()
    }

    @Test func resultsAreKeptWhileUnobserved() throws {
        var runs = 0
        let a = atom(1)
        let b = selector { accessor in
            runs += 1
            return try accessor.get(a)
        }
        #expect(try store.value(b) == 1)
        #expect(try store.value(b) == 1)
        #expect(runs == 1)
        store.set(a, 2)
        #expect(runs == 1)
        #expect(try store.value(b) == 2)
        #expect(runs == 2)
    }

    @Test func equalResultsStopPropagation() {
        let log = Log()
        let a = atom(1)
        let isOdd = selector { accessor in try accessor.get(a) % 2 == 1 }
        let text = selector { accessor in
            log("text")
            return try accessor.get(isOdd) ? "odd" : "even"
        }
        let reaction = autorun { log(store.getOrNil(text) ?? "?") }
        _ = log.take()
        store.set(a, 3)
        #expect(log.take().isEmpty)
        store.set(a, 4)
        #expect(log.take() == ["text", "even"])
        reaction.cancel()
    }

    @Test func settingTheSameChangesNothing() {
        let a = atom(Double.nan)
        var runs = 0
        let reaction = autorun {
            _ = store.getOrNil(a)
            runs += 1
        }
        store.set(a, .nan)
        #expect(runs == 1)
        reaction.cancel()
    }

    @Test func conditionalDependenciesAreAddedAndRemoved() {
        let log = Log()
        let usesA = atom(true)
        let a = atom("a")
        let b = atom("b")
        let chosen = selector { accessor in
            log("chosen")
            return try accessor.get(accessor.get(usesA) ? a : b)
        }
        let reaction = autorun { log(store.getOrNil(chosen) ?? "?") }
        _ = log.take()
        store.set(b, "b2")
        #expect(log.take().isEmpty)
        store.set(usesA, false)
        #expect(log.take() == ["chosen", "b2"])
        store.set(a, "a2")
        #expect(log.take().isEmpty)
        store.set(b, "b3")
        #expect(log.take() == ["chosen", "b3"])
        reaction.cancel()
    }

    @Test func aTransactionNotifiesOnceAndReadsItsOwnWrites() throws {
        let (a, b) = (atom(1), atom(2))
        let sum = selector { accessor in try accessor.get(a) + accessor.get(b) }
        var seen: [Int] = []
        let reaction = autorun { seen.append(store.getOrNil(sum) ?? -1) }
        store.transaction {
            store.set(a, 10)
            #expect(store.getOrNil(sum) == 12)
            store.set(b, 20)
        }
        #expect(seen == [3, 30])
        store.transaction { accessor in accessor.update(a) { $0 += 1 } }
        #expect(seen == [3, 30, 31])
        reaction.cancel()
    }

    @Test func aTransactionThatThrowsRollsEverythingBack() throws {
        let a = atom(1)
        let list = atom(["x"])
        var runs = 0
        let reaction = autorun {
            _ = store.getOrNil(a)
            _ = store.getOrNil(list)
            runs += 1
        }
        #expect(throws: Refused.once) {
            try store.transaction {
                store.set(a, 2)
                store.update(list) { $0.append("y") }
                throw Refused.once
            }
        }
        #expect(try store.value(a) == 1)
        #expect(try store.value(list) == ["x"])
        #expect(runs == 1)
        reaction.cancel()
    }

    @Test func updatingMutatesInPlace() throws {
        let list = atom([Int]())
        var notified = 0
        let reaction = store.observe(list) { _ in notified += 1 }
        store.update(list) { $0.append(1) }
        store.update(list) { $0.append(2) }
        #expect(try store.value(list) == [1, 2])
        #expect(notified == 2)
        #expect(throws: Refused.once) { try store.update(list) { _ in throw Refused.once } }
        #expect(try store.value(list) == [1, 2])
        #expect(notified == 2)
        reaction.cancel()
    }

    @Test func updatingCopiesNoBuffer() throws {
        let list = atom(Array(0..<1000))
        _ = try store.value(list)
        var before: UnsafeRawPointer?
        var after: UnsafeRawPointer?
        store.update(list) { $0.reserveCapacity(4000) }
        store.update(list) { values in
            before = values.withUnsafeBytes { $0.baseAddress }
            values.append(1)
            after = values.withUnsafeBytes { $0.baseAddress }
        }
        var later: UnsafeRawPointer?
        store.update(list) { values in
            values.append(1)
            later = values.withUnsafeBytes { $0.baseAddress }
        }
        #expect(before == after && after == later)
    }

    @Test func updatingANodeWithoutAValueIsReported() {
        let failing = atom { () -> Int in throw Refused.once }
        let issues = issues { store.update(failing) { $0 += 1 } }
        #expect(issues.count == 1)
        #expect(issues.first?.message.contains("has no value to update") == true)
    }

    // MARK: - Errors

    @Test func anErrorIsCachedPropagatedUnchangedAndClearedByAChange() throws {
        var runs = 0
        let input = atom("x")
        let number = selector { accessor -> Int in
            runs += 1
            guard let number = Int(try accessor.get(input)) else { throw Refused.code(7) }
            return number
        }
        let double = selector { accessor in try accessor.get(number) * 2 }
        #expect(throws: Refused.code(7)) { try store.value(double) }
        #expect(throws: Refused.code(7)) { try store.value(double) }
        #expect(throws: Refused.code(7)) { try store.value(number) }
        #expect(runs == 1)
        store.set(input, "21")
        #expect(try store.value(double) == 42)
        #expect(runs == 2)
    }

    @Test func aSelectorCanCatchAndRecover() throws {
        let input = atom("x")
        let number = selector { accessor -> Int in
            guard let number = Int(try accessor.get(input)) else { throw Refused.once }
            return number
        }
        let safe = selector { accessor in (try? accessor.get(number)) ?? 0 }
        let orNil = selector { accessor in accessor.getOrNil(number) ?? -1 }
        #expect(try store.value(safe) == 0)
        #expect(try store.value(orNil) == -1)
        store.set(input, "5")
        #expect(try store.value(safe) == 5)
        #expect(try store.value(orNil) == 5)
    }

    @Test func aFailedDefaultIsKeptAndCanBeSet() throws {
        var runs = 0
        let failing = atom { () -> Int in
            runs += 1
            throw Refused.once
        }
        #expect(throws: Refused.once) { try store.value(failing) }
        #expect(throws: Refused.once) { try store.value(failing) }
        #expect(runs == 1)
        store.set(failing, 3)
        #expect(try store.value(failing) == 3)
    }

    // MARK: - Writing through selectors, and resetting

    private func makeTemperature() -> (fahrenheit: Atom<Int>, celsius: MutableSelector<Int>) {
        let fahrenheit = atom(32)
        let celsius = selector(
            get: { accessor in (try accessor.get(fahrenheit) - 32) * 5 / 9 },
            set: { context, newValue in context.accessor.set(fahrenheit, newValue * 9 / 5 + 32) })
        return (fahrenheit, celsius)
    }

    @Test func aSelectorCanBeWrittenThrough() throws {
        let (fahrenheit, celsius) = makeTemperature()
        #expect(try store.value(celsius) == 0)
        store.set(celsius, 30)
        #expect(try store.value(fahrenheit) == 86)
        #expect(try store.value(celsius) == 30)
        store.update(celsius) { $0 += 10 }
        #expect(try store.value(fahrenheit) == 104)
    }

    @Test func resettingRestoresTheDefault() throws {
        let a = atom(1)
        store.set(a, 5)
        store.reset(a)
        #expect(try store.value(a) == 1)
    }

    @Test func resettingWorksThroughWritableSelectors() throws {
        let (fahrenheit, celsius) = makeTemperature()
        let kelvin = selector(
            get: { accessor in try accessor.get(celsius) + 273 },
            set: { context, newValue in context.set(celsius, newValue - 273) })
        store.set(kelvin, 300)
        #expect(try store.value(fahrenheit) == 80)
        var notified = 0
        let reaction = store.observe(kelvin) { _ in notified += 1 }
        store.reset(kelvin)
        #expect(try store.value(fahrenheit) == 32)
        #expect(notified == 1)
        reaction.cancel()
    }

    @Test func resettingASelectorThatFailsResetsItsAtoms() throws {
        let text = atom("1")
        let number = selector(
            get: { accessor -> Int in
                guard let number = Int(try accessor.get(text)) else { throw Refused.once }
                return number
            }, set: { context, newValue in context.set(text, "\(newValue)") })
        store.set(text, "x")
        #expect(throws: Refused.once) { try store.value(number) }
        store.reset(number)
        #expect(try store.value(number) == 1)
    }

    // MARK: - Observing

    @Test func observingReportsNewValues() {
        let a = atom(1)
        var seen: [String] = []
        let first = store.observe(a) { seen.append("\($0)") }
        let second = store.observe(a, fireImmediately: true) { new, old in
            seen.append("\(old.map(String.init) ?? "-")→\(new)")
        }
        #expect(seen == ["-→1"])
        store.set(a, 2)
        #expect(seen == ["-→1", "2", "1→2"])
        first.cancel()
        second.cancel()
        store.set(a, 3)
        #expect(seen.count == 3)
    }

    // MARK: - Cycles

    private enum Loop {
        static var a: Selector<Int> { selector { accessor in try accessor.get(b) } }
        static var b: Selector<Int> { selector { accessor in try accessor.get(a) } }
        static var itself: Selector<Int> { selector { accessor in try accessor.get(Loop.itself) } }
        static let isOpen = atom(false)
        static var c: Selector<Int> { selector { accessor in try accessor.get(isOpen) ? 1 : accessor.get(d) } }
        static var d: Selector<Int> { selector { accessor in try accessor.get(c) + 1 } }
        static var start: Atom<Int> { atom { try RecoilStore.shared.value(Loop.start) } }
    }

    @Test func aCycleIsAnErrorWithItsPath() {
        #expect(throws: RecoilError.circular(.init(path: ["a", "b", "a"]))) { try store.value(Loop.a) }
        #expect(throws: RecoilError.circular(.init(path: ["itself", "itself"]))) { try store.value(Loop.itself) }
        do {
            _ = try store.value(Loop.b)
        } catch {
            #expect("\(error)" == "RecoilError.circular: b -> a -> b" || "\(error)".contains("a -> b -> a"))
        }
    }

    @Test func aBrokenCycleIsNoErrorAnyMore() throws {
        #expect(throws: RecoilError.circular(.init(path: ["d", "c", "d"]))) { try store.value(Loop.d) }
        store.set(Loop.isOpen, true)
        #expect(try store.value(Loop.d) == 2)
        store.set(Loop.isOpen, false)
        #expect(throws: RecoilError.self) { try store.value(Loop.d) }
    }

    @Test(.inDefaultGraph) func aDefaultThatReadsItselfIsACycle() {
        defer { RecoilStore.shared.release(Loop.start) }
        #expect(throws: RecoilError.circular(.init(path: ["start", "start"]))) {
            try RecoilStore.shared.value(Loop.start)
        }
    }

    @Test func aSelectorDependsOnTheNodesItHasRead() throws {
        let (usesB, a, b) = (atom(true, named: "usesB"), atom(1, named: "a"), atom(2, named: "b"))
        let log = Log()
        func logDependencies() {
            let sum = store.table.instances.first { $0.key.name == "sum" }
            log((sum?.dependencies ?? []).map(\.key.name).joined(separator: " "))
        }
        let sum = selector(named: "sum", isolation: nil) { accessor in
            logDependencies()
            guard try accessor.get(usesB) else { return try accessor.get(a) }
            let second = try accessor.get(b)
            logDependencies()
            return try accessor.get(a) + second
        }
        #expect(try store.value(sum) == 3)
        logDependencies()
        #expect(log.take() == ["", "usesB b", "usesB b a"])
        store.set(b, 5)
        #expect(try store.value(sum) == 6)
        #expect(log.take() == ["", "usesB b"])
        store.set(usesB, false)
        #expect(try store.value(sum) == 1)
        logDependencies()
        #expect(log.take() == ["", "usesB a"])
    }

    @Test func anUntrackedReadOfASelectorIsNoDependency() throws {
        let (a, b) = (atom(1, named: "a"), atom(2, named: "b"))
        let sum = selector(named: "sum") { accessor in
            try accessor.get(a) + untracked { try accessor.get(b) }
        }
        #expect(try store.value(sum) == 3)
        #expect(store.table.instance(for: sum.key)?.dependencies.map(\.key.name) == ["a"])
        store.set(b, 7)
        #expect(try store.value(sum) == 3)
    }
}
