// deepObserve on actors and with several threads.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

private struct Counters: Encodable, Sendable {
    @Observable var all = (0..<8).map { _ in Observable(0) }
    @Observable var extra: [Observable<Int>] = []
}

/// A value that several threads share.
private final class Guarded<Value>: @unchecked Sendable {
    // Sendable because the value is touched under the lock only.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}

extension ReactiveCodableTests {
    @Suite struct DeepObserveIsolationTests {
        @MainActor @Test(.inDefaultGraph) func onTheMainActorItRunsThere() async {
            let counters = Counters()
            var calls = 0
            var values: [Int] = []
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            let r = deepObserve(counters) { (changes: DeepChanges) in
                MainActor.assertIsolated()
                calls += 1
                values = counters.all.map(\.value)
                continuation.yield()
            }
            defer { r.cancel() }
            counters.all[0].value = 1
            #expect(calls == 1)
            await Task.detached { counters.all[1].value = 2 }.value
            for await _ in stream.prefix(2) {}
            #expect(calls == 2)
            #expect(values.prefix(2) == [1, 2])
        }

        @Test func writesOfSeveralThreadsAreAllSeen() {
            let counters = Counters()
            // The observer's state, computed only from the changes, and whether two calls ever overlapped.
            let seen = Guarded((sums: [String: String](), isRunning: false, overlaps: 0))
            let r = deepObserve(counters) { (changes: DeepChanges) in
                seen.withLock {
                    if $0.isRunning { $0.overlaps += 1 }
                    $0.isRunning = true
                }
                let news = changes.map { change in
                    (change.pointer, (try? JSONEncoder().encode(change.newValue)) ?? Data())
                }
                seen.withLock {
                    for (pointer, data) in news { $0.sums[pointer] = String(decoding: data, as: UTF8.self) }
                    $0.isRunning = false
                }
            }
            defer { r.cancel() }
            onThreads(4) { thread in
                for step in 0..<500 {
                    inTransaction {
                        counters.all[(thread + step) % 8].value += 1
                        if step % 10 == 0 { counters.extra.append(Observable(step)) }
                        if step % 25 == 0 { counters.extra.removeAll() }
                    }
                }
            }
            // One more write, so that a last call follows all pending ones.
            for counter in counters.all { counter.value += 1 }
            #expect(seen.withLock { $0.overlaps } == 0)
            for (index, counter) in counters.all.enumerated() {
                #expect(seen.withLock { $0.sums["/all/\(index)"] } == "\(counter.value)")
            }
            #expect(counters.all.reduce(0) { $0 + $1.value } == 4 * 500 + 8)
        }
    }
}
