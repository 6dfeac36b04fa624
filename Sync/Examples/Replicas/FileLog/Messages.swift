// The messages over the socket: lines of JSON. Each call is a connection, with one request and one answer.
//
//     client                                            log
//     {"append":{"entries":[{"replica":"…","number":1,"version":1,"content":"…"}]}}
//                                        ─────▶
//                                        ◀─────         {"done":{}}
//
// If a connection ends without a whole answer, the request may have had its effect or not.

import Foundation
import ReactiveSync

/// A call of a log's function.
enum Request: Codable, Sendable {
    case start(replica: UUID)
    case entries(after: Int, limit: Int)
    case wait(after: Int)
    case append(entries: [LogEntry])
    case save(snapshot: LogSnapshot)
}

/// The answer of a log.
enum Answer: Codable, Sendable {
    case start(LogStart)
    case entries([LogEntry])
    case done
    case pruned
    case unknownPosition
    case identityInUse
    case refused(reason: String)
}

extension Answer {
    /// Returns the answer for a request that a log refuses.
    init(_ error: LogError) {
        switch error {
        case .pruned: self = .pruned
        case .unknownPosition: self = .unknownPosition
        case .identityInUse: self = .identityInUse
        case .refused(let reason): self = .refused(reason: reason)
        }
    }

    /// The error of a refusal; `nil` for any other answer.
    var error: LogError? {
        switch self {
        case .pruned: .pruned
        case .unknownPosition: .unknownPosition
        case .identityInUse: .identityInUse
        case .refused(let reason): .refused(reason)
        case .start, .entries, .done: nil
        }
    }
}

/// The byte that ends a line.
let newline = UInt8(ascii: "\n")

/// The maximum size in bytes of a request: a snapshot of the largest document that replicas accept by default, escaped.
let requestByteLimit = 512 << 20

/// Returns a value as a line of JSON.
func line(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + [newline]
}

/// Reads a line of JSON.
func value<Value: Decodable>(_ type: Value.Type = Value.self, in line: Data) throws -> Value {
    try JSONDecoder().decode(type, from: line)
}
