// One hot path, repeated: a program for counting tools.
//
//     hot-path                      a line for each path: how often to repeat it, what to count of it, and its name
//     hot-path "untracked read" 1000
//
// It prints the number of its allocations. The cost of one operation, in instructions or allocations, is the difference
// between runs with N and 2N repetitions, divided by N. The costs of start and end are the same in both and cancel out.

import CAllocations
import CLimit
import Foundation

@main
enum HotPathCommand {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first else {
            for path in HotPath.all {
                print("\(path.repetitions) \(path.hasInstructions ? "instructions" : "allocations") \(path.name)")
            }
            return
        }
        guard let path = HotPath.all.first(where: { $0.name == name }) else {
            fatal("no hot path is named \"\(name)\"; without arguments, this lists them")
        }
        guard let count = arguments.dropFirst().first.flatMap({ Int($0) }), count > 0 else {
            fatal("say how often: hot-path \"\(name)\" 1000")
        }
        // A second thread, as in the benchmarks.
        measure_start_second_thread()
        path.run(count)
        print(allocations_count())
    }

    private static func fatal(_ message: String) -> Never {
        print("hot-path: \(message)")
        exit(2)
    }
}
