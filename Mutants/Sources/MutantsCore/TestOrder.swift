// The order in which tests try a mutant, and how many at a time.

import Foundation

/// In which order to run tests: first those that, for their time, reach most of the mutant's file, found most mutants, of
/// the same lines above all, or are in a suite with the name of the file.
final class TestOrder: @unchecked Sendable {
    // Sendable because everything is accessed under the lock.
    private let lock = NSLock()
    private let all: [TestFunction]
    /// How often a test has found a mutant: any, one of a file, or one of some lines of it.
    private var finds: [String: [String: Double]] = [:]
    /// How large a part of a file's mutants a test reaches.
    private let parts: [String: [String: Double]]

    /// - Parameter mutants: All mutants, in the order of their numbers.
    init(_ tests: [TestFunction], _ mutants: [Mutant]) {
        all = tests.sorted { Self.cost($0) < Self.cost($1) }
        let sizes = Dictionary(grouping: mutants, by: \.file).mapValues { Double($0.count) }
        var parts: [String: [String: Double]] = [:]
        for test in tests {
            for number in test.reached where number <= mutants.count {
                let file = mutants[number - 1].file
                parts[file, default: [:]][test.id, default: 0] += 1 / sizes[file]!
            }
        }
        self.parts = parts
    }

    private static func cost(_ test: TestFunction) -> Double { (test.seconds + 0.02) * Double(test.reached.count) }

    /// The tests that reach a mutant, in groups to run together. Each takes longer than the one before it.
    func groups(reaching number: Int, _ mutant: Mutant) -> [[TestFunction]] {
        let (anywhere, inFile, inLines) = lock.withLock {
            (finds[""] ?? [:], finds[mutant.file] ?? [:], finds[mutant.lines] ?? [:])
        }
        var reaching = all.filter { $0.reached.contains(number) }
        // For `Reaction+Running.swift`, the suite `ReactionTests`.
        let suite = "/" + mutant.file.split(separator: "/").last!.prefix { $0 != "+" && $0 != "." }
        func rank(_ test: TestFunction) -> Double {
            let finds = (anywhere[test.id] ?? 0) / 5 + (inFile[test.id] ?? 0) + 20 * (inLines[test.id] ?? 0)
            let part = parts[mutant.file]?[test.id] ?? 0
            let isNamed = test.id.contains(suite) ? 20.0 : 0
            return (finds + isNamed + 20 * part * part) / (test.seconds + 0.1)
        }
        // Sorting keeps the order of equal elements.
        reaching.sort { rank($0) > rank($1) }

        var groups: [[TestFunction]] = []
        var (group, seconds, limit) = ([TestFunction](), 0.0, 0.25)
        for test in reaching {
            group.append(test)
            seconds += test.seconds
            // Each test has a filter, which the program compares to the names of all tests.
            guard seconds >= limit || group.count >= 40 else { continue }
            groups.append(group)
            (group, seconds, limit) = ([], 0, limit * 4)
        }
        return group.isEmpty ? groups : groups + [group]
    }

    /// One of these tests found a mutant.
    func note(_ tests: [TestFunction], found mutant: Mutant) {
        lock.withLock {
            for place in ["", mutant.file, mutant.lines] {
                for test in tests { finds[place, default: [:]][test.id, default: 0] += 1 / Double(tests.count) }
            }
        }
    }
}

extension Mutant {
    /// The part of the file around it.
    fileprivate var lines: String { "\(file):\(line / 20)" }
}
