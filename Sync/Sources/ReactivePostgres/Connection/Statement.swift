// The statements that a connection executes, their parameters, and their results.

import CPostgres
import Foundation

/// An SQL statement.
struct Statement: Hashable, Sendable {
    /// The name under which a session prepares the statement; `nil` for a script, which may have several statements and
    /// has no parameters.
    let name: String?

    /// The SQL text, with `$1` and so on for the parameters.
    let sql: String

    /// Creates a statement that each session prepares once.
    init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }

    /// Creates a script: statements without parameters, executed in one transaction.
    init(script sql: String) {
        name = nil
        self.sql = sql
    }
}

/// A value bound to a statement.
enum Parameter: Sendable {
    case integer(Int)
    case text(String)
    case integers([Int])
    case texts([String])

    /// Whether `bytes` have PostgreSQL's binary form. Arrays do, so that their elements need no escaping.
    var isBinary: Bool {
        switch self {
        case .integer, .text: false
        case .integers, .texts: true
        }
    }

    /// The bytes that are sent. Texts end with NUL, as libpq requires.
    var bytes: [UInt8] {
        switch self {
        case .integer(let value): Array("\(value)".utf8) + [0]
        case .text(let value): Array(value.utf8) + [0]
        case .integers(let values):
            Self.array(of: values.count, type: 20, size: values.count * 12) { bytes in
                for value in values {
                    bytes.append(bigEndian: Int32(8))
                    bytes.append(bigEndian: Int64(value))
                }
            }
        case .texts(let values):
            Self.array(of: values.count, type: 25, size: values.reduce(0) { $0 + 4 + $1.utf8.count }) { bytes in
                for value in values {
                    bytes.append(bigEndian: Int32(value.utf8.count))
                    bytes.append(contentsOf: value.utf8)
                }
            }
        }
    }

    /// Returns an array of one dimension: a header, then each element after its length.
    private static func array(of count: Int, type: Int32, size: Int, elements: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + size)
        for number in [1, 0, type, Int32(count), 1] { bytes.append(bigEndian: number) }
        elements(&bytes)
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

/// The rows that a statement has returned, and the moment when it was sent.
///
/// Any thread may read it, because libpq never changes a result.
final class PostgresResult: @unchecked Sendable {
    private let pointer: OpaquePointer?

    /// The notifications that had arrived when the statement was sent.
    let ticket: NotificationTicket

    init(_ pointer: OpaquePointer?, ticket: NotificationTicket) {
        self.pointer = pointer
        self.ticket = ticket
    }

    deinit {
        PQclear(pointer)
    }

    /// The number of rows.
    var count: Int { Int(PQntuples(pointer)) }

    /// Returns the text of a field; `nil` if it is null.
    func text(_ row: Int, _ column: Int) -> String? {
        guard PQgetisnull(pointer, Int32(row), Int32(column)) == 0,
            let start = PQgetvalue(pointer, Int32(row), Int32(column))
        else { return nil }
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        return start.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }

    /// Returns the integer of a field; `nil` if it is null.
    func integer(_ row: Int, _ column: Int) -> Int? {
        text(row, column).flatMap { Int($0) }
    }
}

/// A moment in the life of a connection, to wait for the notifications after it.
struct NotificationTicket: Hashable, Sendable {
    /// The session, counted from the connection's first.
    let session: Int

    /// The number of notifications that have arrived in it.
    let count: Int
}
