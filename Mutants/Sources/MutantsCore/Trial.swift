// A run: finds mutants, builds them, and runs the tests that reach each until one fails.

import Foundation

package struct Trial {
    package var root: URL
    /// Folders or files of the sources.
    package var paths: [String]
    /// Only suites of modules whose names begin with it.
    package var tests: String
    /// Only mutants whose description contains it.
    package var match: String?
    /// How many mutants to choose at random; all of them if `nil`.
    package var sample: Int?
    package var seed: UInt64
    package var jobs: Int
    package var log: @Sendable (String) -> Void

    package init(
        root: URL, paths: [String], tests: String = "", match: String? = nil, sample: Int? = nil, seed: UInt64 = 0,
        jobs: Int = 2,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.root = root
        self.paths = paths
        self.tests = tests
        self.match = match
        self.sample = sample
        self.seed = seed
        self.jobs = jobs
        self.log = log
    }

    private var scratch: URL { root.appendingPathComponent(".build-mutants") }

    /// The mutants to try.
    package func mutants() throws -> [Mutant] {
        let files = try trackedFiles().filter { file in
            paths.contains { file == $0 || file.hasPrefix($0 + "/") } && isCode(file)
        }
        let texts = try files.map { (name: $0, text: try text(of: $0)) }
        var mutants = Copy.mutants(in: texts).filter { match.map($0.description.contains) ?? true }
        if let sample {
            var random = SplitMix64(seed: seed)
            let chosen = mutants.indices.shuffled(using: &random).prefix(sample).sorted()
            mutants = chosen.map { mutants[$0] }
        }
        return mutants
    }

    /// Tries all mutants. Outcomes of earlier runs are taken from a file if `continues`.
    package func run(continuing continues: Bool) throws -> Outcomes {
        let wanted = try mutants()
        var copy = Copy(of: root, in: scratch, tests: tests)
        try copy.build(trackedFiles(), choosing: Set(wanted.map(\.description)), log: log)
        let program = TestProgram(folder: copy.folder, scratch: scratch)
        log("running each suite alone")
        let suites = try program.measure(program.suites(of: tests), jobs: jobs, log: log)
        log("\(suites.count) suites; they take \(Int(suites.map(\.seconds).reduce(0, +))) s")

        let record = OutcomeRecord(at: scratch.appendingPathComponent("outcomes.txt"), isKept: continues)
        let order = SuiteOrder(suites)
        let numbered = copy.mutants.enumerated().map { (number: $0.offset + 1, mutant: $0.element) }
        let results = try concurrentMap(numbered, jobs: jobs) { number, mutant in
            if let known = record.outcome(of: mutant) { return (mutant, known) }
            let outcome = try outcome(of: number, mutant, program, order)
            record.add(outcome, of: mutant)
            if outcome != .found { log("\(outcome.rawValue): \(mutant.description)") }
            return (mutant, outcome)
        }

        var outcomes = Outcomes()
        var sentences: [String: Sentences] = [:]
        for (mutant, outcome) in results {
            let known = try sentences[mutant.file] ?? Sentences(in: text(of: mutant.file))
            sentences[mutant.file] = known
            outcomes.add(mutant, outcome, isExplained: known.explain(mutant))
        }
        return outcomes
    }

    private func outcome(of number: Int, _ mutant: Mutant, _ program: TestProgram, _ order: SuiteOrder) throws
        -> Outcome
    {
        let suites = order.suites(reaching: number, in: mutant.file)
        if suites.isEmpty { return .unreached }
        var start = 0
        var size = 6
        while start < suites.count {
            let chunk = suites[start..<min(start + size, suites.count)]
            let seconds = Int(chunk.map(\.seconds).reduce(0, +) * 4) + 20
            let passes = try program.passes(chunk, mutant: number, seconds: seconds)
            if passes != true {
                order.note(chunk.map(\.filter), found: mutant.file)
                return .found
            }
            start += size
            size *= 3
        }
        return .survived
    }

    // MARK: - Files

    private func isCode(_ file: String) -> Bool { ["swift", "c", "h"].contains { file.hasSuffix(".\($0)") } }

    private func text(of file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    private func trackedFiles() throws -> [String] {
        var files: [String] = []
        let nested = ["Benchmarks/", "Examples/", "Fuzz/", "Macros/", "Mutants/", "Sync/"]
        _ = try Command(arguments: ["git", "ls-files"], folder: root).run { line in
            if !nested.contains(where: line.hasPrefix) { files.append(String(line)) }
            return false
        }
        return files
    }
}

/// Random numbers that a seed determines (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014).
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
