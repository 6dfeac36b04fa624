// Simulated worlds: each seed is one history of machines that save and share, on disks, a network and a clock that do
// what they like.
//
//     Worlds 17                       the world of seed 17
//     Worlds 0-999                    1,000 worlds
//     Worlds --trace 17               and each event of it
//     Worlds --fault NAME 0-999       with a deliberate fault, which one of the worlds should find
//     Worlds --until-broken …         stops after the first world that breaks a promise
//
// Prints a line for each world, and a summary. Ends with 1 if a world has broken a promise.

#if DEBUG
import Foundation
import SyncTestSupport

// The order of sets and dictionaries is a part of the history.
let isHashingRandom = ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil
if isHashingRandom {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
}

/// The arguments of the command.
private struct Options {
    var isTracing = false
    var stopsWhenBroken = false
    var fault: WorldFault?
    var seeds: [UInt64] = []

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--trace": isTracing = true
            case "--until-broken": stopsWhenBroken = true
            case "--fault":
                fault = rest.popFirst().flatMap(WorldFault.init)
                if fault == nil { return nil }
            default:
                let ends = argument.split(separator: "-").map { UInt64($0) }
                guard let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else { return nil }
                seeds += first...last
            }
        }
        if seeds.isEmpty { return nil }
    }
}

private func runWorlds() -> Int32 {
    guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
        let faults = WorldFault.allCases.map(\.rawValue).joined(separator: ", ")
        print("Usage: Worlds [--trace] [--until-broken] [--fault NAME] SEED|FIRST-LAST …\nFaults: \(faults)")
        return 2
    }
    // A folder in memory: the disks of the worlds are simulated anyway.
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    let folder = "\(parent)/worlds-\(getpid())"
    mkdir(folder, 0o700)
    defer { rmdir(folder) }
    var brokenCount = 0
    for seed in options.seeds {
        let world = World(seed: seed, fault: options.fault, folder: folder, isTracing: options.isTracing)
        do {
            try world.run()
            print("seed \(seed) kept all promises")
        } catch {
            brokenCount += 1
            print("seed \(seed) broke a promise: \(error)")
        }
        world.end()
        fflush(nil)
        if options.stopsWhenBroken, brokenCount > 0 { break }
    }
    print("\(options.seeds.count) worlds, \(brokenCount) with a broken promise")
    return brokenCount == 0 ? 0 : 1
}

exit(runWorlds())
#else
print("Worlds need a debug build, because they check invariants.")
#endif
