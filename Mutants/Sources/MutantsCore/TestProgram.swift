// The tests of the copy, and which mutants each of them reaches.

import Foundation

/// A test function.
struct TestFunction: Codable {
    /// What the list of tests says: `Module.Suite/Inner/test(parameter:)`.
    let id: String
    /// How long it takes alone and without a mutant, in addition to the start of the program.
    var seconds = 0.0
    /// The numbers of the mutants whose places it reaches.
    var reached: Set<Int> = []

    /// The pattern that selects it, for which the function stands before its parameters.
    var filter: String { pattern(id.prefix { $0 != "(" }) + "\\(" }

    /// The pattern that selects its suite; the test itself, if it is in none.
    var suiteFilter: String {
        guard let end = id.lastIndex(of: "/") else { return filter }
        return pattern(id[...end])
    }

    private func pattern(_ name: some StringProtocol) -> String {
        "^" + name.replacingOccurrences(of: ".", with: "\\.")
    }
}

extension TestFunction {
    /// The test with its time and what it reaches; `nil` if it fails.
    ///
    /// - Parameter run: Runs the test without a mutant, and lets it write what it reaches into a folder.
    func measured(in scratch: URL, _ run: (URL) throws -> Bool?) throws -> TestFunction? {
        let folder = scratch.appendingPathComponent("reached-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let clock = ContinuousClock()
        let begin = clock.now
        guard try run(folder) == true else { return nil }
        var test = self
        test.seconds = (clock.now - begin) / .seconds(1)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let bytes = try Data(contentsOf: file)
            test.reached.formUnion(bytes.indices.filter { bytes[$0] != 0 })
        }
        return test
    }
}

struct TestProgram {
    let folder: URL
    let scratch: URL

    var file: URL { folder.appendingPathComponent(".build/debug/ReactivePackageTests.xctest") }
    private var path: String { file.path }

    /// The tests whose names begin with a text, without what they reach.
    func tests(of beginning: String) throws -> [TestFunction] {
        var tests: [TestFunction] = []
        _ = try Command(arguments: [path, "--testing-library", "swift-testing", "--list-tests"], folder: folder).run {
            guard $0.contains("."), !$0.contains(" "), $0.hasPrefix(beginning) else { return false }
            tests.append(TestFunction(id: String($0)))
            return false
        }
        return tests
    }

    /// Runs tests against a mutant until one fails, or against none.
    ///
    /// Runs the suites of many tests as a whole, because the program compares each filter to each of its tests.
    ///
    /// - Returns: Whether all passed; `nil` if time ran out.
    func passes(_ tests: some Collection<TestFunction>, mutant: Int?, reachedFolder: URL? = nil, seconds: Int) throws
        -> Bool?
    {
        // The first seeds of a random test find most of what all find.
        let seeds = ProcessInfo.processInfo.environment["REACTIVE_TEST_SEEDS"] ?? "0.1"
        var environment = ["SWIFT_BACKTRACE": "enable=no", "REACTIVE_TEST_SEEDS": seeds]
        if let mutant { environment["REACTIVE_MUTANT"] = String(mutant) }
        if let reachedFolder { environment["REACTIVE_REACHED_MUTANTS"] = reachedFolder.path }
        let filters = tests.count > 400 ? Array(Set(tests.map(\.suiteFilter))) : tests.map(\.filter)
        let end = try Command(
            arguments: [path, "--testing-library", "swift-testing"] + filters.flatMap { ["--filter", $0] },
            folder: folder, environment: environment, seconds: seconds, gigabytes: 16
        ).run { mutant != nil && ($0.contains("✘") || $0.contains("recorded an issue")) }
        switch end {
        case .exited(0): return true
        case .timedOut: return nil
        case .exited, .stopped: return false
        }
    }

    /// Runs each test alone, and notes what it reaches and how long it takes. Leaves out those that fail.
    func measure(_ tests: [TestFunction], jobs: Int, log: @escaping (String) -> Void) throws -> [TestFunction] {
        var measured = try concurrentMap(tests, jobs: jobs) { test -> TestFunction? in
            let measured = try test.measured(in: scratch) { reachedFolder in
                try passes([test], mutant: nil, reachedFolder: reachedFolder, seconds: 600)
            }
            if measured == nil { log("\(test.id) fails without a mutant, and is left out") }
            return measured
        }.compactMap { $0 }
        let start = measured.map(\.seconds).min() ?? 0
        for index in measured.indices { measured[index].seconds -= start }
        return measured
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
