// A side of the comparison: the library, its limit, or a peer.

import CLimit

/// One of those that are compared.
package struct Side {
    /// What a side has for a row.
    enum Entry {
        /// A test that is set up; the closure runs it once.
        case test(sample: () -> Double, remark: String?)
        /// A number that was measured elsewhere.
        case measured(Summary)
        /// Nothing, and why.
        case leftOut(because: String?)
    }

    package let name: String
    let entry: (Row) throws -> Entry

    init(name: String, entry: @escaping (Row) throws -> Entry) {
        self.name = name
        self.entry = entry
    }

    /// A side with rows of its own.
    ///
    /// - Parameter leftOut: Why it has no rows of some names, by how the names begin.
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

/// The limit's side of a row, set up.
private final class LimitRow {
    private let row: OpaquePointer

    /// Sets a row up on the limit; `nil` if the limit has none of that name.
    init?(named name: String) {
        guard let row = limit_prepare(name) else { return nil }
        self.row = row
    }

    deinit { limit_finish(row) }

    /// Runs the test once and returns its number.
    func sample() -> Double { limit_sample(row) }
}

/// Something that the user of the benchmarks can mend.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
