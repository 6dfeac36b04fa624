// The file of budgets: what each hot path may cost.

import ArgumentParser
import Foundation

/// What an operation costs, or may cost.
struct Cost: Codable, Equatable {
    /// Instructions of the processor; `nil` where they could not be counted.
    var instructions: Double?
    var allocations: Double

    /// As the file has it: to two decimals.
    var rounded: Cost {
        func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
        return Cost(instructions: instructions.map(rounded), allocations: rounded(allocations))
    }
}

/// The contents of the file.
struct Budgets: Codable {
    /// The compiler and the architecture that the figures hold for. Others compile the same source to other instructions.
    var toolchain: String
    /// How much more than its figure a path may cost, in percent: what a change elsewhere moves about.
    var margin: Double
    /// The figures as measured, by the name of the path.
    var paths: [String: Cost]

    init(toolchain: String, margin: Double = 3, paths: [String: Cost] = [:]) {
        self.toolchain = toolchain
        self.margin = margin
        self.paths = paths
    }

    /// Reads a file.
    init(contentsOf file: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw ValidationError("There is no \(file.path); --update creates it.")
        }
        self = try JSONDecoder().decode(Budgets.self, from: Data(contentsOf: file))
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: file)
    }

    /// What is over its budget: a line each, with the path, the budget and the figure.
    ///
    /// Instructions count only if the budgets were made by `toolchain`.
    func complaints(about costs: [String: Cost], toolchain: String) -> [String] {
        var complaints: [String] = []
        for name in Set(costs.keys).union(paths.keys).sorted() {
            guard let budget = paths[name] else {
                complaints.append("\"\(name)\" has no budget; --update gives it one")
                continue
            }
            guard let cost = costs[name] else {
                complaints.append("\"\(name)\" has a budget, but there is no such path; --update removes it")
                continue
            }
            if let counted = cost.instructions, let figure = budget.instructions, toolchain == self.toolchain {
                complaints += complaint(name, "instructions", counted, budget: figure)
            }
            complaints += complaint(name, "allocations", cost.allocations, budget: budget.allocations)
        }
        return complaints
    }

    private func complaint(_ name: String, _ what: String, _ figure: Double, budget: Double) -> [String] {
        // A hundredth more than the margin, for budgets of nothing at all.
        let most = budget * (1 + margin / 100) + 0.01
        guard figure > most else { return [] }
        return ["\"\(name)\" takes \(rounded(figure)) \(what); its budget is \(rounded(most))"]
    }
}

/// A figure to two decimals.
func rounded(_ value: Double) -> String { String(format: "%.2f", value) }
