// Ownership of any depth. Ending it is a loop, in an order that does not depend on the depth. Creating it too deep
// stops the program with a message.

import Foundation
import Reactive
import Testing
import TestSupport

private let smallStack = 512 << 10
private let depth = isUnderSanitizer ? 5_000 : 20_000

/// Creates reactions each of which owns the next, without nesting: in effects that run one after the other.
///
/// - Parameter inside: Runs in each of the effects.
private func makeOwners(_ count: Int = depth, inside: @escaping (Int) -> Void = { _ in }) -> Reaction {
    func make(_ number: Int) -> Reaction {
        reaction(fireImmediately: true) {
        } _: {
            inside(number)
            if number + 1 < count { _ = make(number + 1) }
        }
    }
    return make(0)
}

extension ReactiveTests {
    @Suite struct DeepOwnershipTests {
        let tracker = LifetimeTracker()

        // MARK: - Ending

        @Test func cancellingNestedOwnersIsALoop() {
            onOtherThread(stackSize: smallStack) { [tracker] in
                let depth = 5 * depth
                var cleanups: [Int] = []
                let owner = makeOwners(depth) { number in
                    let token = tracker.token()
                    onCleanup { withExtendedLifetime(token) { cleanups.append(number) } }
                }
                #expect(tracker.alive == depth)
                owner.cancel()
                // Reactions that an effect created later are newer than its clean-up.
                #expect(cleanups == Array((0..<depth).reversed()))
                #expect(tracker.alive == 0)
            }
        }

        @Test func cancellingNestedOwnersInATransactionIsALoop() {
            onOtherThread(stackSize: smallStack) {
                var cleanups = 0
                let owner = makeOwners { _ in onCleanup { cleanups += 1 } }
                inTransaction { owner.cancel() }
                #expect(cleanups == depth)
            }
        }

        @Test func aRunThatEndsNestedOwnersIsALoop() {
            onOtherThread(stackSize: smallStack) {
                let x = Observable(0)
                var cleanups = 0
                let tracked = autorun { if x.value == 0 { _ = makeOwners { _ in onCleanup { cleanups += 1 } } } }
                let effectful = reaction {
                    x.value
                } onChange: { value in
                    if value == 1 { _ = makeOwners { _ in onCleanup { cleanups += 1 } } }
                }
                x.value = 1
                #expect(cleanups == depth)
                x.value = 2
                #expect(cleanups == 2 * depth)
                tracked.cancel()
                effectful.cancel()
            }
        }

        @Test func cancellingTheReactionsOfAGraphIsALoop() {
            onOtherThread(stackSize: smallStack) {
                let graph = IndependentGraph()
                var cleanups = 0
                graph.run { _ = makeOwners { _ in onCleanup { cleanups += 1 } } }
                graph.cancelReactions()
                #expect(cleanups == depth)
            }
        }

        @Test func cancellingOwnersOfTwoGraphsInTurnIsALoop() {
            onOtherThread(stackSize: smallStack) {
                let graphs = [IndependentGraph(), IndependentGraph()]
                var cleanups = 0
                func make(_ number: Int) -> Reaction {
                    graphs[number % 2].run {
                        reaction(fireImmediately: true) {
                        } _: {
                            onCleanup { cleanups += 1 }
                            if number + 1 < 1_000 { _ = make(number + 1) }
                        }
                    }
                }
                let owner = make(0)
                owner.cancel()
                #expect(cleanups == 1_000)
            }
        }

        @Test func cleanupsThatCancelOneAnotherDoNotOverflowTheStack() {
            onOtherThread(stackSize: smallStack) {
                var (cleanups, cleanupsUnderLock) = (0, 0)
                var last = autorun {}
                for _ in 0..<depth {
                    let before = last
                    last = autorun {
                        onCleanup {
                            cleanups += 1
                            before.cancel()
                            if GraphHandle.held != nil { cleanupsUnderLock += 1 }
                        }
                    }
                }
                last.cancel()
                #expect((cleanups, cleanupsUnderLock) == (depth, 0))
            }
        }

        @Test func cancellingInACleanupRunsAllOtherCleanupsBeforeItReturns() {
            var log: [String] = []
            let other = autorun {
                autorun { onCleanup { log.append("owned by the other") } }
                onCleanup { log.append("other") }
            }
            let owner = autorun {
                onCleanup { log.append("older") }
                onCleanup {
                    other.cancel()
                    log.append("newer")
                }
            }
            owner.cancel()
            #expect(log == ["other", "owned by the other", "newer", "older"])
        }

        /// A child of a reaction, besides its clean-ups.
        private indirect enum Owned {
            case cleanup(Int)
            case owner(Int, inTracked: [Owned], inEffect: [Owned])

            static func random(_ depth: Int, _ count: inout Int, using random: inout SplitMix64) -> Owned {
                count += 1
                let number = count
                if depth == 0 || Int.random(in: 0..<3, using: &random) == 0 { return .cleanup(number) }
                func some() -> [Owned] {
                    (0..<Int.random(in: 0..<4, using: &random)).map { _ in .random(depth - 1, &count, using: &random) }
                }
                return .owner(number, inTracked: some(), inEffect: some())
            }

            /// Creates the tree. Each reaction logs its end in its oldest clean-up.
            func create(_ log: Log) {
                switch self {
                case .cleanup(let number): onCleanup { log("\(number)") }
                case .owner(let number, let inTracked, let inEffect):
                    reaction(fireImmediately: true) {
                        onCleanup { log("\(number)") }
                        inTracked.forEach { $0.create(log) }
                    } _: {
                        inEffect.forEach { $0.create(log) }
                    }
                }
            }

            /// Ends the tree recursively: the expected order.
            func end(_ log: Log) {
                switch self {
                case .cleanup(let number): log("\(number)")
                case .owner(let number, let inTracked, let inEffect):
                    inEffect.reversed().forEach { $0.end(log) }
                    inTracked.reversed().forEach { $0.end(log) }
                    log("\(number)")
                }
            }
        }

        @Test(arguments: 0..<100) func cleanupsRunInTheOrderOfTheRecursion(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var count = 0
            let log = Log(), expected = Log()
            let owned = (0..<5).map { _ in Owned.random(5, &count, using: &random) }
            let owner = autorun { owned.forEach { $0.create(log) } }
            #expect(log.take() == [])
            owned.reversed().forEach { $0.end(expected) }
            owner.cancel()
            #expect(log.take() == expected.take(), "seed \(seed)")
        }

        // MARK: - Deinitialisers that cancel

        /// Cancels its reaction when it is freed.
        private final class Holder {
            var bag: Set<AnyCancellable> = []
        }

        @Test func objectsHeldByReactionsThatTheyEndAreFreedWithoutRecursion() {
            onOtherThread(stackSize: smallStack) { [tracker] in
                var last = Holder()
                for _ in 0..<depth {
                    let (below, next, token) = (last, Holder(), tracker.token())
                    autorun { withExtendedLifetime((below, token)) {} }.store(in: &next.bag)
                    last = next
                }
                last = Holder()
                #expect((tracker.created, tracker.alive) == (depth, 0))
            }
        }

        @Test func objectsHeldByCleanupsOfReactionsThatTheyEndAreFreedWithoutRecursion() {
            onOtherThread(stackSize: smallStack) { [tracker] in
                var last = Holder()
                for _ in 0..<depth {
                    let (below, next, token) = (last, Holder(), tracker.token())
                    autorun { onCleanup { withExtendedLifetime((below, token)) {} } }.store(in: &next.bag)
                    last = next
                }
                last = Holder()
                #expect((tracker.created, tracker.alive) == (depth, 0))
            }
        }

        #if !canImport(Combine)
        @Test func objectsHeldByCancellablesThatTheyHoldAreFreedWithoutRecursion() {
            onOtherThread(stackSize: smallStack) { [tracker] in
                var last = Holder()
                for _ in 0..<depth {
                    // The closure does not read it, and only one thread uses it.
                    nonisolated(unsafe) let below = last
                    let (next, token) = (Holder(), tracker.token())
                    AnyCancellable { withExtendedLifetime((below, token)) {} }.store(in: &next.bag)
                    last = next
                }
                last = Holder()
                #expect((tracker.created, tracker.alive) == (depth, 0))
            }
        }
        #endif

        @Test func scopesHeldByOutputsOfScopesAreFreedWithoutRecursion() {
            onOtherThread(stackSize: smallStack) { [tracker] in
                struct Output {
                    var below: ObserverScope<Output>?
                    var token: LifetimeTracker.Token
                }
                for isCancelled in [false, true] {
                    var last: ObserverScope<Output>?
                    for _ in 0..<depth {
                        var below = last
                        last = ObserverScope {
                            defer { below = nil }
                            return Output(below: below, token: tracker.token())
                        }
                        if isCancelled { last?.cancel() }
                    }
                    last = nil
                    #expect(tracker.alive == 0)
                }
            }
        }

        // MARK: - Creating

        private static func nest(_ levels: Int) -> Reaction {
            autorun(named: "level \(levels)") { if levels > 1 { _ = nest(levels - 1) } }
        }

        @Test(arguments: [(1_200, smallStack), (20_000, 8 << 20)])
        func asManyReactionsMayBeNestedAsFirstPulls(levels: Int, stackSize: Int) {
            onOtherThread(stackSize: stackSize) {
                let graph = IndependentGraph()
                let owner = graph.run { Self.nest(levels) }
                #expect(graph.run { Diagnostics.liveReactions.count } == levels)
                owner.cancel()
                #expect(graph.run { Diagnostics.liveReactions.isEmpty })
            }
        }

        /// This many levels do not fit into 512 kB; optimised, one level takes much less.
        #if DEBUG
        private static let tooMany = 5_000
        #else
        private static let tooMany = 100_000
        #endif

        #if os(Linux) || os(macOS) || os(Windows)
        @Test func nestingThatWouldOverflowTheStackIsRefused() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                onOtherThread(stackSize: 512 << 10) { _ = DeepOwnershipTests.nest(DeepOwnershipTests.tooMany) }
            }
            expectMessage(
                result, "the stack is almost exhausted", "level \(Self.tooMany) → level \(Self.tooMany - 1)", "more …",
                "effect")
        }

        @Test func scopesThatRenderOneAnotherAndWouldOverflowTheStackAreRefused() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                onOtherThread(stackSize: 512 << 10) {
                    let x = Observable(0)
                    var last = ObserverScope(named: "innermost") { x.value }
                    for number in 1..<DeepOwnershipTests.tooMany {
                        let below = last
                        last = ObserverScope(named: "scope \(number)") { below.output + x.value }
                    }
                    inTransaction {
                        x.value = 1
                        _ = last.output
                    }
                }
            }
            expectMessage(
                result, "the stack is almost exhausted", "scope \(Self.tooMany - 1) → scope \(Self.tooMany - 2)",
                "more …")
        }
        #endif
    }
}
