// The cost of one change of a collection, compared with the same program with a plain `@Observable` array and a
// `Computed`, and with a loop by hand.
//
//     collections                    the table at 1,000 and 1,000,000 elements
//     collections filter grouped     the rows whose names begin with these words
//     collections --sizes 1000       other sizes
//     collections --memory           bytes for each element
//
// Times are multiples of a write through one computed to one autorun, measured in turn with each sample, so that other
// work on the machine affects both.

import CLimit
import Foundation
import ReactiveCollections

@main
enum Collections {
    static func main() {
        measure_start_second_thread()
        var arguments = Array(CommandLine.arguments.dropFirst())
        var sizes = [1_000, 1_000_000]
        if let option = arguments.firstIndex(of: "--sizes"), option + 1 < arguments.count {
            sizes = arguments[option + 1].split(separator: ",").compactMap { Int($0) }
            arguments.removeSubrange(option...option + 1)
        }
        if arguments.first == "--memory" { return Memory.print(sizes) }
        guard !sizes.isEmpty, !arguments.contains(where: { $0.hasPrefix("-") }) else {
            FileHandle.standardError.write(
                Data("usage: collections [ROW] … [--sizes SIZE,SIZE] | collections --memory\n".utf8))
            exit(64)
        }
        Rows.print(sizes) { name in arguments.isEmpty || arguments.contains { name.hasPrefix($0) } }
    }
}

/// The elements of the tables.
struct Element: Identifiable {
    let id: Int
    var number: Int
}

/// An element with a flag that closures read.
final class Task: Sendable {
    let isDone = Observable(false)
}

/// A fixed sequence of pseudo-random numbers.
struct Numbers {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next(below bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}
