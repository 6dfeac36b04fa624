// Explores the protocol of the graphs' lock: unchanged, where no violation may exist, and without each part, where one
// must exist.
//
//     swiftc -O Tests/LockModel/*.swift -o lock-model && ./lock-model

import Foundation

setvbuf(stdout, nil, _IOLBF, 0)
var isAsExpected = true

func report(_ scenario: Scenario, mustFail: Bool) {
    let start = Date()
    let result = scenario.explore()
    let seconds = String(format: "%.1f s", Date().timeIntervalSince(start))
    let name = scenario.name + (scenario.mutation.map { ", \($0.rawValue)" } ?? "")
    let outcome = result.failure.map { "fails: \($0.claim)" } ?? "holds"
    print("\(name): \(outcome) (\(result.states) states, \(seconds))")
    if (result.failure != nil) != mustFail {
        isAsExpected = false
        if let failure = result.failure { failure.steps.forEach { print("    \($0)") } }
    }
}

// Two threads in weak memory, three in strong memory.
let bias = Scenario(name: "a regular thread and another", rounds: [3, 2], regular: 0)
let waiting = Scenario(name: "two threads that wait", rounds: [2, 2])
let reading = Scenario(name: "an optimistic reader", rounds: [2], regular: 0, optimisticReads: 1)
let readingUnbiased = Scenario(name: "an optimistic reader without bias", rounds: [2], optimisticReads: 1)
let ending = Scenario(name: "the end of barriers", rounds: [2], regular: 0, endsBarriers: true)
let threeWaiting = Scenario(name: "three threads that wait", rounds: [1, 1, 1], beginsInside: true, isStrong: true)
let threeBiased = Scenario(
    name: "a regular thread and two others", rounds: [1, 1, 1], regular: 0, beginsBiased: true, isStrong: true)
let ended = Scenario(name: "after the end of barriers", rounds: [2, 2], beginsWithoutBarriers: true)
let endingWhileWaiting = Scenario(
    name: "the end of barriers beside two threads", rounds: [1, 1], beginsInside: true, endsBarriers: true,
    isStrong: true)

let mutations: [(Scenario, [Mutation])] = [
    (bias, [.noBarrierAtWithdrawal, .noPresence, .noRecheck, .noLookAtPresence]),
    (waiting, [.noBarrierBeforeSleep]),
    (threeWaiting, [.markStays, .noLookAfterMark]),
    (reading, [.noFenceAfterLocking, .noFenceBeforeValidation, .followsBeforeValidation]),
    (readingUnbiased, [.noFenceAfterLocking, .noFenceBeforeValidation, .followsBeforeValidation]),
    (ending, [.noWaitForBarrierCalls]),
    (ended, [.noBitWhenBarriersEnd]),
]
for (scenario, left) in mutations {
    for mutation in left {
        var mutated = scenario
        mutated.mutation = mutation
        report(mutated, mustFail: true)
    }
}
for mutation in Mutation.allCases where !mutations.contains(where: { $0.1.contains(mutation) }) {
    print("no scenario lacks \(mutation.rawValue)")
    isAsExpected = false
}
for scenario in [
    bias, waiting, reading, readingUnbiased, ending, ended, threeWaiting, threeBiased, endingWhileWaiting,
] {
    report(scenario, mustFail: false)
}
exit(isAsExpected ? 0 : 1)
