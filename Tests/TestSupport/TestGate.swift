// The gate that decides which tests run at the same time.

import Foundation

/// Admits tests in the order of their requests, as many at a time as there are processors.
///
/// So no test's threads and clocks are starved by other tests.
actor TestGate {
    /// The tests that a test may run beside.
    enum Pass {
        /// All except those that run alone.
        case any
        /// Those with a graph of their own.
        case defaultGraph
        /// None.
        case alone
    }

    /// The gate of the process.
    static let shared = TestGate(width: max(2, ProcessInfo.processInfo.activeProcessorCount))

    private let width: Int
    private var inside: [Pass] = []
    private var waiting: [(pass: Pass, continuation: CheckedContinuation<Void, Never>)] = []

    init(width: Int) { self.width = width }

    /// Runs `body` when the test with this pass is admitted.
    nonisolated func run(_ pass: Pass, _ body: @Sendable () async throws -> Void) async throws {
        await enter(pass)
        do {
            try await body()
        } catch {
            await leave(pass)
            throw error
        }
        await leave(pass)
    }

    private func enter(_ pass: Pass) async {
        await withCheckedContinuation {
            waiting.append((pass, $0))
            admit()
        }
    }

    private func leave(_ pass: Pass) {
        inside.remove(at: inside.firstIndex(of: pass)!)
        admit()
    }

    private func admits(_ pass: Pass) -> Bool {
        switch pass {
        case .any: inside.count < width && !inside.contains(.alone)
        case .defaultGraph: inside.count < width && !inside.contains(.alone) && !inside.contains(.defaultGraph)
        case .alone: inside.isEmpty
        }
    }

    /// Admits all tests that may enter. While a test runs, a test for the default graph may be overtaken; a test that
    /// runs alone may not.
    private func admit() {
        var index = 0
        while index < waiting.count {
            let pass = waiting[index].pass
            if admits(pass) {
                inside.append(pass)
                waiting.remove(at: index).continuation.resume()
            } else if pass == .alone || inside.count >= width {
                return
            } else {
                index += 1
            }
        }
    }
}
