// `benchmark`, `benchmark compare`: the table of the tests.

import ArgumentParser
import Harness

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Prints the table: the library, and each side as a multiple of the limit.",
        discussion: """
            Each row is a test that all sides run, sample by sample in turn. Times are processor time of the measuring \
            thread. "1.50 / 1.60" means: one and a half times the limit in the least of the samples, 1.6 times in the \
            median.
            """)

    @OptionGroup var table: TableOptions
    @OptionGroup var sides: SideOptions

    func validate() throws { try table.requireRows(of: Row.all) }

    func run() throws { try table.print(Row.all) { try sides.sides(table.measuring) } }
}
