// The programs of Tests/Schedules that explore the lock, as tests of mutants of the C part.
//
// What only an interleaving of threads shows, no test of the library sees. The explorer sees it, and so finds mutants
// of barriers, marks and second looks.

import Foundation

struct LockPrograms {
    let folder: URL
    let scratch: URL

    private var path: String { folder.appendingPathComponent(".build-schedules/lock-intact/lock-programs").path }

    /// Builds the programs from the copy. Returns each with the mutants that it reaches, the fast ones first.
    func measured(jobs: Int) throws -> [TestFunction] {
        let end = try Command(arguments: ["bash", ".ci/schedules", "programs"], folder: folder).run()
        guard end == .exited(0) else {
            throw Copy.BuildError(description: "The programs that explore the lock do not compile.")
        }
        var names: [TestFunction] = []
        _ = try Command(arguments: [path], folder: folder).run {
            names.append(TestFunction(id: String($0)))
            return false
        }
        return try concurrentMap(names, jobs: jobs) { program in
            try program.measured(in: scratch) { reachedFolder in
                try holds(program, mutant: nil, reachedFolder: reachedFolder, seconds: 600)
            }
        }.compactMap { $0 }.sorted { $0.seconds < $1.seconds }
    }

    /// Explores a program with a mutant, or without one.
    ///
    /// - Returns: Whether it holds; `nil` if time ran out.
    func holds(_ program: TestFunction, mutant: Int?, reachedFolder: URL? = nil, seconds: Int) throws -> Bool? {
        var environment: [String: String] = [:]
        if let mutant { environment["REACTIVE_MUTANT"] = String(mutant) }
        if let reachedFolder { environment["REACTIVE_REACHED_MUTANTS"] = reachedFolder.path }
        let end = try Command(
            arguments: [path, program.id], folder: folder, environment: environment, seconds: seconds
        ).run()
        return end == .timedOut ? nil : end == .exited(0)
    }
}
