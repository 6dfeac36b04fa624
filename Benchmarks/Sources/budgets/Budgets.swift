// The file of budgets: the allowed cost of each hot path.

import ArgumentParser
import Foundation

/// The measured or allowed cost of an operation.
struct Cost: Codable, Equatable {
    /// The processor instructions; `nil` if they could not be counted.
    var instructions: Double?
    var allocations: Double

    /// The cost rounded to two decimals, as in the file.
    var rounded: Cost {
        func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
        return Cost(instructions: instructions.map(rounded), allocations: rounded(allocations))
    }
}

/// The contents of the file.
struct Budgets: Codable {
    /// The compiler and the architecture of the figures. Other compilers generate different instructions from the same
    /// source.
    var toolchain: String
    /// The tolerance in percent, for effects of unrelated changes.
    var margin: Double
    /// The measured figures by the name of the path.
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

    /// Returns a line for each exceeded budget, with the path, the budget and the figure.
    ///
    /// Instructions are compared only if the budgets were measured with `toolchain`.
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
        // The additional hundredth is for budgets of zero.
        let most = budget * (1 + margin / 100) + 0.01
        guard figure > most else { return [] }
        return ["\"\(name)\" takes \(rounded(figure)) \(what); its budget is \(rounded(most))"]
    }
}

/// Returns a figure rounded to two decimals.
func rounded(_ value: Double) -> String { String(format: "%.2f", value) }
