// `encodeOnChange`: the encoded form of an object graph after each change.

public import Reactive
public import ReactiveSaving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes an object after each change of anything that encoding it reads, and hands the result over.
///
/// ```swift
/// let reaction = encodeOnChange(document, encoder: JSONEncoder()) { result in
///     if case .success(let data) = result { connection.send(data) }
/// }
/// ```
///
/// - Calls once for each transaction, not on creation. Under contention it skips to the newest state.
/// - Encoding sees one state: no transaction comes between. It runs with the graph locked, and is what finds out what
///   to follow, so that what the encoder's strategies and user info make `encode(to:)` read counts too.
/// - An error of the encoder is handed over as a failure. The next change is encoded again.
/// - The reaction belongs to the graph of the first observable that encoding meets. State of a different graph makes
///   encoding fail.
///
/// - Parameters:
///   - object: What to encode. Kept until the reaction is cancelled.
///   - encoder: Any encoder that makes data.
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - schedule: When changes are encoded; by default at once.
///   - isolation: The actor that encodes and that `onEncoded` belongs to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - onEncoded: Gets the data or the error. Runs outside the library's lock, untracked; its runs never overlap. Kept
///     until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; dropping it does not stop it.
/// - Complexity: O(what encoding visits), at first and after each change.
@discardableResult
public func encodeOnChange<Object: Encodable, Encoder: DataEncoder>(
    _ object: Object, encoder: Encoder, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onEncoded: @escaping (Result<Data, any Error>) -> Void
) -> Reaction {
    GraphHandle(ofStateIn: object).run {
        reaction(
            named: name, equals: .never, schedule: schedule, isolation: isolation, fileID: fileID, line: line,
            { Result { try encoder.encode(object) } }, onChange: onEncoded)
    }
}
