// The model of the benchmarks: cards with three leaves each, in an array with identities.

import Foundation
import Reactive
import ReactiveCollections
import ReactiveSync

struct Model: Codable, Sendable {
    @Observable var title = ""
    let cards: ObservableArray<Card>

    struct Card: Codable, Sendable, Identifiable {
        let id: Int
        @Observable var title: String
        @Observable var isDone: Bool

        init(id: Int) {
            self.id = id
            _title = Observable(wrappedValue: "Card \(id)")
            _isDone = Observable(wrappedValue: false)
        }
    }

    /// Creates a model with about the given number of leaves.
    init(leafCount: Int) { cards = ObservableArray((0..<leafCount / 3).map(Card.init)) }

    /// The model's JSON text, as a replica would save it.
    var json: String { get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) } }
}

/// Returns the entry that sets the title of a card.
func entry(_ number: Int, of replica: UUID, card: Int) -> LogEntry {
    let content = #"{"edits":[{"set":["cards",{"id":\#(card)},"title"],"value":"Title \#(number)"}]}"#
    return LogEntry(replica: replica, number: number, version: 1, content: content)
}

/// Durations, in microseconds.
struct Samples {
    private var values: [Double] = []

    mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try body()
        add(ContinuousClock.now - start)
        return result
    }

    mutating func measure<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let start = ContinuousClock.now
        let result = try await body()
        add(ContinuousClock.now - start)
        return result
    }

    mutating func add(_ duration: Duration) { values.append(duration / .microseconds(1)) }

    /// Returns the value below which the given fraction of the samples is.
    func percentile(_ part: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    var description: String {
        let parts = [("least", 0), ("p50", 0.5), ("p99", 0.99)]
        return parts.map { "\($0) \(formatted(percentile($1))) µs" }.joined(separator: ", ")
    }
}

func formatted(_ value: Double) -> String { String(format: value < 100 ? "%.1f" : "%.0f", value) }

/// Prints a line immediately, even into a pipe, because the next figure may take minutes.
func show(_ line: String) {
    print(line)
    fflush(nil)
}
