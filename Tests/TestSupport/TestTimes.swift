// The duration of each test. The times that Swift Testing prints include the wait for admission.

import Foundation
import Testing

/// The times of the tests that have run, which the process prints at its end.
enum TestTimes {
    /// The time after which a test counts as hanging, and the process stops, because other tests may wait for it.
    private static let limit: TimeInterval = isUnderThreadSanitizer ? 900 : 300

    private static let times: Shared<[String: TimeInterval]> = {
        atexit { TestTimes.printSlowest() }
        return Shared([:])
    }()

    /// Runs a test, or a case of it, and records its duration.
    static func measuring(_ test: Test, _ body: () async throws -> Void) async rethrows {
        let name = test.name
        let watchdog = DispatchWorkItem { fatalError("\(name) has not ended within \(Int(limit)) seconds") }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watchdog)
        let start = DispatchTime.now().uptimeNanoseconds
        defer {
            watchdog.cancel()
            let time = TimeInterval(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            times.withLock { $0[name, default: 0] += time }
        }
        try await body()
    }

    private static func printSlowest() {
        let slowest = times.value.filter { $0.value >= 1 }.sorted { $0.value > $1.value }
        guard !slowest.isEmpty else { return }
        print("Tests that took a second or more by themselves:")
        for (name, time) in slowest { print(String(format: "%8.1f s  ", time) + name) }
    }
}
