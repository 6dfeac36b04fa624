// The command line: count what the hot paths cost, and compare it with the file of budgets or write that anew.

import ArgumentParser
import Foundation

@main
struct BudgetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "budgets",
        abstract: "Checks that no hot path takes more instructions or allocations than its budget.",
        discussion: """
            It counts and does not time, so it says the same on a busy machine. Instructions are counted by valgrind; without it, \
            and with another toolchain than that of the budgets, only allocations are checked.
            """)

    @Argument(help: "The file of budgets.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(help: "Write what was counted into the file.")
    var update = false

    @Option(help: "How often a path is repeated in the shorter of its two runs.")
    var repetitions = 10_000

    func run() throws {
        guard repetitions > 0 else { throw ValidationError("--repetitions must be at least 1, not \(repetitions).") }
        let counting = try Counting()
        let toolchain = try currentToolchain()
        let url = URL(fileURLWithPath: file)
        let budgets = update ? nil : try Budgets(contentsOf: url)
        if counting.valgrind == nil { print("There is no valgrind here: allocations only.") }
        if let budgets, budgets.toolchain != toolchain {
            print("The budgets are those of \(budgets.toolchain). This is \(toolchain): only allocations are checked.")
        }
        if update && counting.valgrind == nil {
            throw ValidationError("--update needs valgrind: without it the budgets of instructions would be lost.")
        }

        var costs: [String: Cost] = [:]
        print(line(["hot path", "instructions", "budget", "allocations", "budget"]))
        for name in try counting.names() {
            let cost = try counting.cost(of: name, repetitions: repetitions)
            let budget = budgets?.paths[name]
            costs[name] = cost
            let figures = [cost.instructions, budget?.instructions, cost.allocations, budget?.allocations]
            print(line([name] + figures.map { $0.map(rounded) ?? "-" }))
        }

        guard let budgets else {
            let paths = costs.mapValues { cost in
                Cost(
                    instructions: cost.instructions.map { ($0 * 100).rounded() / 100 },
                    allocations: (cost.allocations * 100).rounded() / 100)
            }
            try Budgets(toolchain: toolchain, margin: 3, paths: paths).write(to: url)
            return
        }
        let complaints = budgets.complaints(about: costs, toolchain: toolchain)
        guard complaints.isEmpty else {
            for complaint in complaints { print("error: \(complaint)") }
            throw ExitCode.failure
        }
        print("every path is within its budget (\(rounded(budgets.margin)) % above the figure)")
    }

    private func line(_ cells: [String]) -> String {
        let widths = [42, 14, 12, 14, 12]
        return zip(cells, widths).enumerated().map { index, cell in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + padding : padding + cell.0
        }.joined()
    }
}
