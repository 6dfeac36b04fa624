// The command line: counts the costs of the hot paths, and compares them with the file of budgets or writes the file.

import ArgumentParser
import Foundation

@main
struct BudgetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "budgets",
        abstract: "Checks that no hot path takes more instructions or allocations than its budget.",
        discussion: """
            It counts and does not time, so it says the same on a busy machine. Instructions are counted by valgrind; \
            without it, and with another toolchain than that of the budgets, only allocations are checked.
            """)

    @Argument(help: "The file of budgets.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(help: "Write what was counted into the file.")
    var update = false

    @Option(help: "Only paths whose name contains this.")
    var only: String?

    func run() throws {
        let counting = try Counting()
        let toolchain = try currentToolchain()
        let url = URL(fileURLWithPath: file)
        let isFirst = update && !FileManager.default.fileExists(atPath: url.path)
        let budgets = try isFirst ? Budgets(toolchain: toolchain) : Budgets(contentsOf: url)
        if counting.valgrind == nil {
            if update { throw ValidationError("--update needs valgrind: without it the budgets would be lost.") }
            print("There is no valgrind here: allocations only.")
        }
        if budgets.toolchain != toolchain {
            if update && only != nil {
                throw ValidationError("The other budgets are those of \(budgets.toolchain): update all of them.")
            }
            print("The budgets are those of \(budgets.toolchain). This is \(toolchain).")
        }
        let costs = try count(counting, beside: budgets)
        if update {
            let others = budgets.paths.filter { !isCounted($0.key) }
            try Budgets(toolchain: toolchain, paths: others.merging(costs.mapValues(\.rounded)) { $1 }).write(to: url)
        } else {
            try compare(costs, with: budgets, toolchain: toolchain)
        }
    }

    /// Counts and prints the costs of the paths.
    private func count(_ counting: Counting, beside budgets: Budgets) throws -> [String: Cost] {
        print(line(["hot path", "instructions", "budget", "allocations", "budget"]))
        var costs: [String: Cost] = [:]
        for path in try counting.paths() where isCounted(path.name) {
            let cost = try counting.cost(of: path)
            let budget = budgets.paths[path.name]
            costs[path.name] = cost
            let figures = [cost.instructions, budget?.instructions, cost.allocations, budget?.allocations]
            print(line([path.name] + figures.map { $0.map(rounded) ?? "-" }))
            fflush(nil)
        }
        return costs
    }

    /// Prints exceeded budgets, and fails if there are any.
    private func compare(_ costs: [String: Cost], with budgets: Budgets, toolchain: String) throws {
        if budgets.toolchain != toolchain { print("With another toolchain, only allocations are checked.") }
        var budgets = budgets
        budgets.paths = budgets.paths.filter { isCounted($0.key) }
        let complaints = budgets.complaints(about: costs, toolchain: toolchain)
        guard complaints.isEmpty else {
            for complaint in complaints { print("error: \(complaint)") }
            throw ExitCode.failure
        }
        print("every path is within its budget (\(rounded(budgets.margin)) % above the figure)")
    }

    private func isCounted(_ name: String) -> Bool { only.map(name.contains) ?? true }

    private func line(_ cells: [String]) -> String {
        let widths = [54, 14, 12, 14, 12]
        return zip(cells, widths).enumerated().map { index, cell in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + padding : padding + cell.0
        }.joined()
    }
}
