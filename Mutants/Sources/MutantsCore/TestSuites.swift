// The tests of the copy, as suites, and which mutants each of them reaches.

import Foundation

/// A suite, or a test outside of suites.
struct TestSuite {
    /// What selects it.
    let filter: String
    /// How long it takes without a mutant.
    var seconds = 0.0
    /// The numbers of the mutants whose places it reaches.
    var reached: Set<Int> = []
}

struct TestProgram {
    let folder: URL
    let scratch: URL

    private var path: String { folder.appendingPathComponent(".build/debug/ReactivePackageTests.xctest").path }

    /// The suites of the modules whose names begin with a text, without what they reach.
    func suites(of modules: String) throws -> [TestSuite] {
        var filters: Set<String> = []
        _ = try Command(arguments: [path, "--testing-library", "swift-testing", "--list-tests"], folder: folder).run {
            // Module.Suite/Inner/test(): a nested suite counts by itself.
            guard let dot = $0.firstIndex(of: "."), !$0.contains(" "), $0.hasPrefix(modules) else { return false }
            let parts = $0[$0.index(after: dot)...].split(separator: "/")
            let names = parts.count == 1 ? [String(parts[0].prefix { $0 != "(" })] : parts.dropLast().map(String.init)
            filters.insert("^\($0[..<dot])\\.\(names.joined(separator: "/"))[/(]")
            return false
        }
        return filters.sorted().map { TestSuite(filter: $0) }
    }

    /// Runs suites against a mutant until one fails, or against none.
    ///
    /// - Returns: Whether all passed; `nil` if time ran out.
    func passes(_ suites: some Collection<TestSuite>, mutant: Int?, reachedFolder: URL? = nil, seconds: Int) throws
        -> Bool?
    {
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        if let mutant { environment["REACTIVE_MUTANT"] = String(mutant) }
        if let reachedFolder { environment["REACTIVE_REACHED_MUTANTS"] = reachedFolder.path }
        let filters = suites.flatMap { ["--filter", $0.filter] }
        let end = try Command(
            arguments: [path, "--testing-library", "swift-testing"] + filters, folder: folder,
            environment: environment, seconds: seconds, gigabytes: 16
        ).run { mutant != nil && ($0.contains("✘") || $0.contains("recorded an issue")) }
        switch end {
        case .exited(0): return true
        case .timedOut: return nil
        case .exited, .stopped: return false
        }
    }

    /// Runs each suite alone, and notes what it reaches and how long it takes.
    ///
    /// - Throws: If a suite fails without a mutant.
    func measure(_ suites: [TestSuite], jobs: Int, log: @escaping (String) -> Void) throws -> [TestSuite] {
        try concurrentMap(suites, jobs: jobs) { suite in
            var suite = suite
            let folder = scratch.appendingPathComponent("reached-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let clock = ContinuousClock()
            let begin = clock.now
            guard try passes([suite], mutant: nil, reachedFolder: folder, seconds: 600) == true else {
                log("\(suite.filter) fails without a mutant, and is left out")
                return suite
            }
            suite.seconds = (clock.now - begin) / .seconds(1)
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
                let numbers = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                suite.reached.formUnion(numbers.compactMap { Int($0) })
            }
            return suite
        }
    }
}

/// Applies a function that waits for processes to each element, on some threads.
func concurrentMap<T, R>(_ elements: [T], jobs: Int, _ body: @escaping (T) throws -> R) throws -> [R] {
    let state = ConcurrentResults<R>(count: elements.count)
    nonisolated(unsafe) let elements = elements
    nonisolated(unsafe) let body = body
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
        while let index = state.next() {
            state.set(Result { try body(elements[index]) }, at: index)
        }
    }
    return try state.results.map { try $0!.get() }
}

/// Results that several threads fill.
private final class ConcurrentResults<R>: @unchecked Sendable {
    // Sendable because everything is accessed under the lock.
    private let lock = NSLock()
    private var index = 0
    private(set) var results: [Result<R, any Error>?]

    init(count: Int) { results = Array(repeating: nil, count: count) }

    func next() -> Int? {
        lock.withLock {
            guard index < results.count else { return nil }
            defer { index += 1 }
            return index
        }
    }

    func set(_ result: Result<R, any Error>, at index: Int) { lock.withLock { results[index] = result } }
}
