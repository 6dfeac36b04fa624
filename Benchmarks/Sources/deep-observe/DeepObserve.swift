// The cost of observing, recording, replaying and encoding whole graphs with 1,000 to 1,000,000 leaves or elements.
//
//     deep-observe                          all tables
//     deep-observe steps elements           some of them
//     deep-observe steps --largest 100000   up to a size
//     deep-observe 1000 write               one line of `leaves`: for a profiler that counts instructions

import CLimit
import Foundation

@main
enum DeepObserve {
    private static let tables: [(name: String, print: @Sendable ([Int]) -> Void)] = [
        ("leaves", Leaves.print), ("elements", Elements.print), ("steps", Steps.print), ("coding", Coding.print),
        ("journal", Journal.print), ("collections", CollectionEdits.print),
    ]

    static func main() {
        measure_start_second_thread()
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 2, let leaves = Int(arguments[0]) { return Leaves.profile(leaves, arguments[1]) }
        var largest = 1_000_000
        if let option = arguments.firstIndex(of: "--largest"), option + 1 < arguments.count {
            guard let size = Int(arguments[option + 1]) else { return usage() }
            largest = size
            arguments.removeSubrange(option...option + 1)
        }
        guard arguments.allSatisfy({ name in tables.contains { $0.name == name } }) else { return usage() }
        let sizes = [1_000, 10_000, 100_000, 1_000_000].filter { $0 <= largest }
        for table in tables where arguments.isEmpty || arguments.contains(table.name) { table.print(sizes) }
    }

    private static func usage() {
        let names = tables.map(\.name).joined(separator: " | ")
        FileHandle.standardError.write(Data("usage: deep-observe [\(names)] … [--largest SIZE]\n".utf8))
        exit(64)
    }
}
