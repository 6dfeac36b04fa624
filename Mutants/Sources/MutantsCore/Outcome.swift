// What became of the mutants, in lists and as a score for each folder.

/// What became of a mutant.
package enum Outcome: String, Sendable {
    /// A test failed, crashed or did not end.
    case found
    /// All tests that reach it passed.
    case survived
    /// No test reaches it.
    case unreached
}

/// The outcomes of a run.
package struct Outcomes {
    package private(set) var all: [(mutant: Mutant, outcome: Outcome, isExplained: Bool)] = []

    mutating func add(_ mutant: Mutant, _ outcome: Outcome, isExplained: Bool) {
        all.append((mutant, outcome, isExplained))
    }

    /// The mutants that no test notices, and no sentence explains.
    package var survivors: [Mutant] { all.filter { $0.outcome != .found && !$0.isExplained }.map(\.mutant) }

    /// How many of the mutants that no sentence explains were found, in per cent.
    package var score: Double { Self.score(of: all) }

    private static func score(of group: [(mutant: Mutant, outcome: Outcome, isExplained: Bool)]) -> Double {
        // Explained mutants are like the original for everyone who uses it.
        let relevant = group.count { $0.outcome == .found || !$0.isExplained }
        return relevant == 0 ? 100 : 100 * Double(group.count { $0.outcome == .found }) / Double(relevant)
    }

    /// A table with a row for each folder.
    package var table: String {
        var lines = ["| Folder | Mutants | Found | Explained | Left | Score |", "|---|---|---|---|---|---|"]
        for (folder, group) in Dictionary(grouping: all, by: \.mutant.folder).sorted(by: { $0.key < $1.key }) {
            lines.append(row(of: group, named: "`\(folder)`"))
        }
        if !all.isEmpty { lines.append(row(of: all, named: "all")) }
        return lines.joined(separator: "\n")
    }

    private func row(of group: [(mutant: Mutant, outcome: Outcome, isExplained: Bool)], named name: String) -> String {
        let found = group.count { $0.outcome == .found }
        let explained = group.count { $0.outcome != .found && $0.isExplained }
        let left = group.count - found - explained
        let rounded = Double(Int(Self.score(of: group) * 10)) / 10
        return "| \(name) | \(group.count) | \(found) | \(explained) | \(left) | \(rounded) % |"
    }
}
