// A run: finds mutants, builds them, and runs the tests that reach each until one fails.

import Foundation

package struct Trial {
    package var root: URL
    /// Folders or files of the sources.
    package var paths: [String]
    /// Only tests whose names begin with it, such as `ReactiveTests.` or `ReactiveTests.FlushTests/`.
    package var tests: String
    /// Only mutants whose description contains it.
    package var match: String?
    /// How many mutants to choose at random; all of them if `nil`.
    package var sample: Int?
    package var seed: UInt64
    package var jobs: Int
    /// The seconds of tests after which a mutant counts as survived; all tests if `nil`.
    package var limit: Double?
    /// Whether mutants that a sentence explains count as survived without a run.
    package var skipsExplained: Bool
    package var log: @Sendable (String) -> Void

    package init(
        root: URL, paths: [String], tests: String = "", match: String? = nil, sample: Int? = nil, seed: UInt64 = 0,
        jobs: Int = 2, limit: Double? = nil, skipsExplained: Bool = false, log: @escaping @Sendable (String) -> Void
    ) {
        self.root = root
        self.paths = paths
        self.tests = tests
        self.match = match
        self.sample = sample
        self.seed = seed
        self.jobs = jobs
        self.limit = limit
        self.skipsExplained = skipsExplained
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
        let tests = try measuredTests(of: program, continuing: continues)
        log("\(tests.count) tests; they take \(Int(tests.map(\.seconds).reduce(0, +))) s")

        let explorer = LockPrograms(folder: copy.folder, scratch: scratch)
        let isLocking = copy.mutants.contains { $0.file.hasPrefix("Sources/CReactive/") }
        let lockPrograms = isLocking ? try explorer.measured(jobs: jobs) : []

        let sentences = try Dictionary(
            uniqueKeysWithValues: Set(copy.mutants.map(\.file)).map { ($0, Sentences(in: try text(of: $0))) })
        @Sendable func isExplained(_ mutant: Mutant) -> Bool { sentences[mutant.file]?.explain(mutant) == true }

        let record = OutcomeRecord(at: scratch.appendingPathComponent("outcomes.txt"), isKept: continues)
        let order = TestOrder(tests, copy.mutants)
        let numbered = copy.mutants.enumerated().map { (number: $0.offset + 1, mutant: $0.element) }
        let results = try concurrentMap(numbered, jobs: jobs) { number, mutant in
            if let known = record.outcome(of: mutant) { return (mutant, known) }
            if skipsExplained, isExplained(mutant) { return (mutant, .survived) }
            var outcome = try tested(number, mutant, program, order)
            if outcome != .found { outcome = try explored(number, outcome, explorer, lockPrograms) }
            record.add(outcome, of: mutant)
            if outcome != .found { log("\(outcome.rawValue): \(mutant.description)") }
            return (mutant, outcome)
        }

        var outcomes = Outcomes()
        for (mutant, outcome) in results { outcomes.add(mutant, outcome, isExplained: isExplained(mutant)) }
        return outcomes
    }

    /// The tests and what they reach. An earlier run's measurement holds as long as the program is the same.
    private func measuredTests(of program: TestProgram, continuing continues: Bool) throws -> [TestFunction] {
        let file = scratch.appendingPathComponent("tests.json")
        func date(of url: URL) throws -> Date {
            try url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate ?? .distantPast
        }
        if continues, let measured = try? date(of: file), try measured > date(of: program.file) {
            return try JSONDecoder().decode([TestFunction].self, from: Data(contentsOf: file))
                .filter { $0.id.hasPrefix(tests) }
        }
        log("running each test alone")
        let measured = try program.measure(program.tests(of: tests), jobs: jobs, log: log)
        try JSONEncoder().encode(measured).write(to: file)
        return measured
    }

    private func tested(_ number: Int, _ mutant: Mutant, _ program: TestProgram, _ order: TestOrder) throws
        -> Outcome
    {
        let groups = order.groups(reaching: number, mutant)
        if groups.isEmpty { return .unreached }
        var spent = 0.0
        for group in groups {
            if let limit, spent >= limit { return .survived }
            let expected = group.map(\.seconds).reduce(0, +)
            spent += expected
            if try program.passes(group, mutant: number, seconds: Int(expected * 4) + 4) != true {
                order.note(group, found: mutant)
                return .found
            }
        }
        return .survived
    }

    /// Explores the programs that reach a mutant which no test has found.
    private func explored(_ number: Int, _ soFar: Outcome, _ explorer: LockPrograms, _ programs: [TestFunction]) throws
        -> Outcome
    {
        let reaching = programs.filter { $0.reached.contains(number) }
        for program in reaching {
            let seconds = Int(program.seconds * 10) + 10
            if try explorer.holds(program, mutant: number, seconds: seconds) != true { return .found }
        }
        return reaching.isEmpty ? soFar : .survived
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
