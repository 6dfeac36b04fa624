// Explores the engine: programs that use the library on explored threads.
//
//     engine-programs [FAULT=NAME]                     prints the names of the programs
//     engine-programs [FAULT=NAME] PROGRAM …           as lock-programs; see LockPrograms.c
//
// Memory is sequentially consistent here; the programs for the lock explore it with delayed stores. A thread is
// interrupted where it uses the lock or a small lock, sleeps or wakes, and where a program pauses: all else happens
// under the lock, or concerns one thread. The graphs are never biased. The runtime holds a lock while a task is
// cancelled, which the explorer does not know, so programs do not cancel tasks.

import CExplorer
import CReactive
import Foundation
import Reactive

struct Entry {
    var name: String
    var type: Program.Type
    var threads: Int32 = 2
    var mode = EXPLORER_BOUNDED
    /// The number of pre-emptions, or of random schedules.
    var bound: UInt64
}

let entries = [
    Entry(name: "two-writers", type: TwoWriters.self, bound: 4),
    Entry(name: "no-glitches", type: NoGlitches.self, bound: 4),
    Entry(name: "taking-over", type: TakingOver.self, bound: 4),
    Entry(name: "handing-back", type: HandingBack.self, bound: 3),
    Entry(name: "order-of-runs", type: OrderOfRuns.self, bound: 3),
    Entry(name: "cancelling", type: Cancelling.self, bound: 3),
    Entry(name: "waiting", type: Waiting.self, bound: 4),
    Entry(name: "owning", type: Owning.self, bound: 3),
    Entry(name: "scheduling", type: Scheduling.self, threads: 3, bound: 2),
    Entry(name: "hopping", type: Hopping.self, threads: 3, bound: 2),
    Entry(name: "hopping-to-two", type: Hopping.self, threads: 4, mode: EXPLORER_RANDOM, bound: 5000),
    Entry(name: "values", type: Values.self, threads: 3, bound: 2),
    Entry(name: "waiting-task", type: WaitingTask.self, threads: 3, bound: 2),
    Entry(name: "outside-reads", type: OutsideReads.self, bound: 4),
    Entry(name: "outside-reads-of-live", type: OutsideReadsOfLive.self, bound: 4),
    Entry(name: "two-graphs", type: TwoGraphs.self, bound: 4),
    Entry(name: "recording", type: Recording.self, bound: 2),
    Entry(name: "three-writers", type: ThreeWriters.self, threads: 3, mode: EXPLORER_RANDOM, bound: 20000),
    Entry(name: "random", type: RandomProgram.self, threads: 3, mode: EXPLORER_RANDOM, bound: 20000),
]

var arguments = CommandLine.arguments.dropFirst()
if let first = arguments.first, first.hasPrefix("FAULT=") {
    explorer_set_fault(strdup(String(first.dropFirst("FAULT=".count))))
    arguments = arguments.dropFirst()
}

guard let name = arguments.first, let entry = entries.first(where: { $0.name == name }) else {
    for entry in entries { print(entry.name) }
    exit(2)
}

var options = explorer_options()
options.skips_unnamed = true
options.mode = entry.mode
options.bound = Int32(entry.bound)
options.seed = 1
if entry.mode == EXPLORER_RANDOM { options.limit = entry.bound }
let rest = Array(arguments.dropFirst())
switch (rest.first, rest.count) {
case ("replay", 2):
    options.mode = EXPLORER_REPLAY
    options.schedule = UnsafePointer(strdup(rest[1]))
case ("bounded", 2):
    options.mode = EXPLORER_BOUNDED
    options.bound = Int32(rest[1]) ?? 0
    options.limit = 0
case ("random", 3):
    options.mode = EXPLORER_RANDOM
    options.seed = UInt64(rest[1]) ?? 0
    options.limit = UInt64(rest[2]) ?? 0
    isTraced = options.limit == 1
default: break
}

let start = ContinuousClock.now
let result = explore(entry.type, named: entry.name, threads: entry.threads, options)
let seconds = Double((ContinuousClock.now - start).components.seconds)
let range =
    switch options.mode {
    case EXPLORER_BOUNDED: "all with at most \(options.bound) pre-emptions, "
    case EXPLORER_RANDOM: "random ones from seed \(options.seed), "
    default: ""
    }
print(
    "\(entry.name): holds in \(range)\(result.schedules) schedules of at most \(result.longest) steps",
    "(\(Int(seconds)) s)")
