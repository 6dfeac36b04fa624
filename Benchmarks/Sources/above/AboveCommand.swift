// `above`: operations of the modules above the core, compared with the core by hand.

import ArgumentParser
import Harness
import Workloads

@main
struct AboveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "above",
        abstract: "Measures scopes, hooks, atoms, sessions, streams and deep observation beside the core by hand.",
        discussion: """
            Each row is an operation that all sides perform, sample by sample in turn. "1.50 / 1.60" means: one and a \
            half times the core by hand in the least of the samples, 1.6 times in the median.
            """)

    @OptionGroup var table: TableOptions

    func validate() throws { try table.requireRows(of: Row.above) }

    func run() throws { try table.print(Row.above) { try [.byHand, .ours] + table.measuring.peers(with: Row.above) } }
}
