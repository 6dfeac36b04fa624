// A computed that was created on an actor is evaluated there, or the program stops with a message.

import Foundation
import Reactive
import Testing
import TestSupport

private actor Account {
    let balance = Observable(1)
    private var fee = 1
    func net() -> Computed<Int> { Computed(named: "net") { self.balance.value - self.fee } }
    func read(_ computed: Computed<Int>) -> Int { computed.value }
}

extension ReactiveTests {
    @Suite(.inDefaultGraph) struct ComputedIsolationTests {
        @Test func aComputedOfTheMainActorIsEvaluatedThereOrStops() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let total = await MainActor.run { Computed(named: "total") { 1 } }
                onOtherThread { _ = total.value }
            }
            expectMessage(
                result,
                """
                Reactive: computed total was created on the main actor and cannot be evaluated elsewhere. Read it \
                on that actor, or create it with `isolation: nil` if its closure may run anywhere.
                """)
        }

        @Test func aThrowingComputedIsEvaluatedOnItsActorOrStops() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let total = await MainActor.run { ThrowingComputed(named: "total") { 1 } }
                onOtherThread { _ = try? total.value }
            }
            expectMessage(result, "computed total was created on the main actor")
        }

        @Test func aComputedOfACustomActorIsEvaluatedThereOrStops() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let account = Account()
                let net = await account.net()
                await MainActor.run { _ = net.value }
            }
            expectMessage(result, "Account and cannot be evaluated elsewhere")
        }

        @Test func aComputedOfAnOwnerIsEvaluatedOnItsActorOrStops() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let price = Observable(1)
                let total = await MainActor.run { Computed(of: price, named: "total") { $0.value } }
                onOtherThread { _ = total.value }
            }
            expectMessage(result, "computed total was created on the main actor")
        }

        @Test func aThrowingComputedOfAnOwnerIsEvaluatedOnItsActorOrStops() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let price = Observable(1)
                let total = await MainActor.run { ThrowingComputed(of: price, named: "total") { $0.value } }
                onOtherThread { _ = try? total.value }
            }
            expectMessage(result, "computed total was created on the main actor")
        }

        @Test func aReactionOfNoIsolationStopsWhenItWouldHaveToEvaluateIt() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let x = Observable(0)
                let double = await MainActor.run { Computed(named: "double") { x.value * 2 } }
                _ = await MainActor.run { follow(double) }
                onOtherThread { x.value = 1 }
            }
            expectMessage(result, "computed double was created on the main actor")
        }

        @Test func aCurrentValueCanBeReadAnywhere() async {
            let x = Observable(1)
            let (double, text) = await MainActor.run {
                let (double, text) = (Computed { x.value * 2 }, ThrowingComputed { "\(x.value)" })
                _ = (double.value, try? text.value)
                return (double, text)
            }
            onOtherThread {
                #expect(double.value == 2)
                #expect((try? text.value) == "1")
            }
        }

        @Test func isolationNilAllowsItToRunAnywhere() async {
            let (sum, text) = await MainActor.run {
                (Computed(isolation: nil) { 1 + 1 }, computed(isolation: nil) { "text" })
            }
            onOtherThread { #expect((sum.value, text.value) == (2, "text")) }
        }

        @MainActor @Test func aReactionOfTheMainActorEvaluatesItThereAfterAWriteElsewhere() async {
            let x = Observable(0)
            let double = Computed {
                MainActor.assertIsolated()
                return x.value * 2
            }
            let (runs, continuation) = AsyncStream.makeStream(of: Int.self)
            let reaction = autorun { continuation.yield(double.value) }
            onOtherThread { x.value = 1 }
            var iterator = runs.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            #expect(await iterator.next() == 2)
            reaction.cancel()
        }

        @Test func anActorEvaluatesItsOwnComputed() async {
            let account = Account()
            let net = await account.net()
            #expect(await account.read(net) == 0)
            account.balance.value = 5
            #expect(await account.read(net) == 4)
        }
    }
}

private func follow(_ double: Computed<Int>) -> Reaction { autorun { _ = double.value } }
