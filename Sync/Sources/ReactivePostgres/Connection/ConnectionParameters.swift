// The parameters with which libpq connects: the application's connection string, and defaults for its missing parts.

import CPostgres
import Dispatch
import Foundation
import ReactiveSync

/// A connection string that libpq understands, and the timeouts of the connection.
struct ConnectionParameters: Sendable {
    /// The keywords and values for libpq.
    let values: [(keyword: String, value: String)]

    /// The maximum time to connect.
    let connectTimeout: Duration

    /// The maximum time without progress.
    let responseTimeout: Duration

    /// Reads a connection string: a URI, or keywords and values.
    ///
    /// - Throws: `LogError.refused` if libpq does not understand the string. The error does not quote the string, which
    ///   may contain a password.
    init(_ string: String, connectTimeout: Duration, responseTimeout: Duration) throws(LogError) {
        guard !string.utf8.contains(0) else {
            throw .refused("the connection string is malformed: it contains a NUL character")
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(string, &message) else {
            let reason = message.map { String(cString: $0) } ?? "out of memory"
            PQfreemem(message)
            throw .refused("the connection string is malformed: \(Self.withoutQuotations(reason))")
        }
        defer { PQconninfoFree(options) }

        var values: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        // Without these, a connection whose other end has vanished would seem to be alive for hours.
        let seconds = max(1, Int(responseTimeout.components.seconds))
        let defaults = [
            ("fallback_application_name", "Reactive"),
            ("keepalives_idle", "\(seconds)"),
            ("keepalives_interval", "\(max(1, seconds / 3))"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "\(seconds * 1000)"),
        ]
        for (keyword, value) in defaults where !values.contains(where: { $0.keyword == keyword }) {
            values.append((keyword, value))
        }
        // Entries are sent as UTF-8, even if the database has a different encoding.
        values.removeAll { $0.keyword == "client_encoding" }
        values.append(("client_encoding", "UTF8"))

        self.values = values
        self.connectTimeout = connectTimeout
        self.responseTimeout = responseTimeout
    }

    /// Returns the part of a message that libpq has not copied from the connection string.
    private static func withoutQuotations(_ message: String) -> String {
        guard let quotation = message.firstIndex(of: "\"") else {
            return message.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return message[..<quotation].trimmingCharacters(in: .whitespacesAndNewlines) + " …"
    }

    /// Begins to connect. May block to resolve a host's name.
    ///
    /// - Returns: A connection to be polled; `nil` if memory is short.
    func begin() -> OpaquePointer? {
        // The strings live until libpq has copied them.
        let keywords = values.map { strdup($0.keyword) }
        let texts = values.map { strdup($0.value) }
        defer { for text in keywords + texts { free(text) } }
        let terminated = { (strings: [UnsafeMutablePointer<CChar>?]) in strings.map { UnsafePointer($0) } + [nil] }
        return PQconnectStartParams(terminated(keywords), terminated(texts), 0)
    }
}

extension Duration {
    /// The duration in whole milliseconds, at most some thousand years.
    var milliseconds: Int {
        Int(min(components.seconds, 100_000_000_000)) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }

    /// The duration for timers of Dispatch, at most some dozen years.
    var dispatchInterval: DispatchTimeInterval {
        guard components.seconds < 1_000_000_000 else { return .seconds(1_000_000_000) }
        return .nanoseconds(Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000))
    }
}
