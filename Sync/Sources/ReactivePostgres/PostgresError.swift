// The errors of a server or a connection, and the ones among them that are final answers.

import CPostgres
import Foundation
import ReactiveSync

/// The server cannot be reached at the moment, or could not finish a command.
///
/// It is not a final answer: the replica is offline, and tries again. Final answers are of the type `LogError`.
public struct PostgresError: Error, Hashable, Sendable {
    /// The server's code of five letters and digits (SQLSTATE); `nil` for an error of the connection.
    public let sqlState: String?

    /// The reason, in one line. It never contains the password.
    public let message: String

    /// Creates an error.
    init(sqlState: String?, message: String) {
        self.sqlState = sqlState
        self.message = message
    }
}

extension PostgresError: CustomStringConvertible {
    /// The reason, and the server's code.
    public var description: String {
        sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message
    }
}

extension PostgresError {
    /// The error of a connection that was lost before it was used.
    static let connectionLost = PostgresError(sqlState: nil, message: "the connection to the server is lost")

    /// The error of a process that has no descriptor left for a socket.
    static let tooManyOpenFiles = PostgresError(sqlState: nil, message: "the process has too many open files")

    /// Creates the error of a connection that has failed.
    init(of connection: OpaquePointer?) {
        self.init(sqlState: nil, message: Self.text(of: connection))
    }

    /// Creates the error of an attempt to connect. The message contains the server's code if the server has answered.
    init(connecting connection: OpaquePointer?) {
        var message = Self.text(of: connection)
        // The server requires a password, and there is none.
        var sqlState = PQconnectionNeedsPassword(connection) == 1 ? "28P01" : nil
        if let match = message.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) {
            sqlState = String(match.output.1)
            message.replaceSubrange(match.range, with: ": ")
        }
        if let location = message.firstRange(of: #/; LOCATION: .*/#) { message.removeSubrange(location) }
        self.init(sqlState: sqlState, message: message)
    }

    /// Creates the error that a result reports.
    init(result: OpaquePointer?, of connection: OpaquePointer?) {
        func field(_ code: Unicode.Scalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        let message = field("M") ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
        self.init(sqlState: field("C"), message: Self.line(message, without: PQpass(connection)))
    }

    private static func text(of connection: OpaquePointer?) -> String {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return line(message.isEmpty ? connectionLost.message : message, without: PQpass(connection))
    }

    /// Returns the message in one line, without a password.
    private static func line(_ message: String, without password: UnsafePointer<CChar>?) -> String {
        let lines = message.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let line = lines.joined(separator: "; ")
        guard let password = password.map({ String(cString: $0) }), !password.isEmpty else { return line }
        return line.replacingOccurrences(of: password, with: "***")
    }
}

extension PostgresError {
    /// Whether the server says that the same transaction may succeed if it runs again.
    var isWorthRepeating: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// Whether a table, a function or the schema is missing.
    var isAboutMissingTables: Bool { ["42P01", "42883", "3F000"].contains(sqlState) }

    /// Whether the server was reached, but does not accept the database, the role or the password.
    var isAboutIdentity: Bool { sqlState.map { $0.hasPrefix("28") || $0 == "3D000" } ?? false }

    /// The error as a final answer; `nil` if it is none.
    var finalAnswer: LogError? {
        guard let sqlState else { return nil }
        switch sqlState {
        case SQL.State.missingNumber: return .refused(message)
        case SQL.State.unknownPosition: return .unknownPosition
        case SQL.State.identityInUse: return .identityInUse
        default: break
        }
        // Data, constraints, rights and names, checks of views, limits of the server.
        return ["22", "23", "42", "44", "54", "3F"].contains(sqlState.prefix(2)) ? .refused(description) : nil
    }
}
