// The command: finds mutants that no test notices.

import ArgumentParser
import Foundation
import MutantsCore

@main struct Mutants: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Changes the library in one small place at a time, and lists the changes that no test notices.",
        discussion: """
            A copy of the package in .build-mutants has all changes built in, and the environment chooses one. Each \
            runs the tests that reach it until one fails.
            """)

    @Argument(help: "Folders or files of the sources.") var paths = Mutants.defaultPaths
    @Option(help: "Only mutants whose description contains this text, such as Validation.swift:183.")
    var match: String?
    @Option(help: "Only tests whose names begin with this text, such as ReactiveTests.FlushTests/.") var tests = ""
    @Option(help: "Gives up after tests of so many seconds, and calls the mutant survived.") var limit: Double?
    @Flag(help: "Does not try the mutants that a sentence explains.") var skipExplained = false
    @Option(help: "How many mutants to choose at random.") var sample: Int?
    @Option(help: "Determines the choice.") var seed: UInt64 = 1
    @Option(help: "How many programs run at the same time.") var jobs = 2
    @Option(help: "The score in per cent below which the command fails.") var least = 100.0
    @Flag(help: "Lists the mutants, and runs nothing.") var list = false
    @Flag(help: "Takes the outcomes that an interrupted run has recorded.") var `continue` = false

    /// The engine, the lock, and what is built on them with state of its own.
    static let defaultPaths = [
        "Sources/CReactive", "Sources/Reactive/Graph", "Sources/Reactive/Reactions", "Sources/ReactiveCollections",
        "Sources/ReactiveCodable/History", "Sources/ReactiveSaving", "Sources/ReactiveAtoms/Instances",
        "Sources/ReactiveHooks/Runtime",
    ]

    func run() throws {
        let trial = Trial(
            root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath), paths: paths, tests: tests,
            match: match, sample: sample, seed: seed, jobs: jobs, limit: limit, skipsExplained: skipExplained,
            log: { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) })
        if list {
            for mutant in try trial.mutants() { print(mutant.description) }
            return
        }
        let outcomes = try trial.run(continuing: `continue`)
        print(outcomes.table)
        guard !outcomes.survivors.isEmpty else { return }
        print("no test notices:")
        for mutant in outcomes.survivors { print("  \(mutant.description)") }
        if outcomes.score < least { throw ExitCode.failure }
    }
}
