// A side of the comparison: the library, its limit, or a peer.

import CLimit

/// A side of the comparison.
package struct Side {
    /// The entry of a side for a row.
    enum Entry {
        /// A test that has been set up. The closure runs it once.
        case test(sample: () -> Double, remark: String?)
        /// A number that was measured elsewhere.
        case measured(Summary)
        /// No entry, with the reason.
        case leftOut(because: String?)
    }

    package let name: String
    let entry: (Row) throws -> Entry

    init(name: String, entry: @escaping (Row) throws -> Entry) {
        self.name = name
        self.entry = entry
    }

    /// Creates a side with its own rows.
    ///
    /// - Parameter leftOut: The reasons for missing rows, by prefixes of their names.
    package init(name: String, rows: [Row], leftOut: KeyValuePairs<String, String> = [:]) {
        self.init(name: name) { wanted in
            if let row = rows.first(where: { $0.name == wanted.name }) {
                return .test(sample: row.prepare(), remark: row.remark)
            }
            return .leftOut(because: leftOut.first { wanted.name.hasPrefix($0.key) }?.value)
        }
    }

    /// The minimal C++ engine, which has every row.
    package static let limitName = "limit"
    package static var limit: Side {
        Side(name: limitName) { row in
            guard let test = LimitRow(named: row.name) else {
                throw HarnessError("The limit has no row named \"\(row.name)\".")
            }
            return .test(sample: test.sample, remark: nil)
        }
    }
}

/// A row of the limit that has been set up.
private final class LimitRow {
    private let row: OpaquePointer

    /// Sets up a row on the limit; `nil` if the limit has no row with that name.
    init?(named name: String) {
        guard let row = limit_prepare(name) else { return nil }
        self.row = row
    }

    deinit { limit_finish(row) }

    /// Runs the test once and returns its number.
    func sample() -> Double { limit_sample(row) }
}

/// An error that the user of the benchmarks can fix.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
