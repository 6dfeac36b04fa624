// `encodeOnChange`: encodes an object graph after each change.

public import Reactive
public import ReactiveSaving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes an object after each change of a value that encoding it reads, and passes the result to `onEncoded`.
///
/// ```swift
/// let observer = encodeOnChange(document, encoder: JSONEncoder()) { result in
///     if case .success(let data) = result { connection.send(data) }
/// }
/// ```
///
/// - `onEncoded` runs once for each transaction, not on creation. Under contention, it skips to the newest state.
/// - Encoding sees one state: no transaction can interrupt it. It runs with the graph locked, and determines which
///   values are observed. So values that `encode(to:)` reads because of the encoder's strategies or user info are
///   observed too.
/// - An error of the encoder is passed on as a failure. The next change is encoded again.
/// - The reaction belongs to the graph of the first observable that encoding reaches. Encoding fails if it reaches
///   state of a different graph.
///
/// - Parameters:
///   - object: The object to encode. Kept until the reaction is cancelled.
///   - encoder: Any encoder that produces data.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of encoding; by default immediate.
///   - isolation: The actor that encodes and runs `onEncoded`; by default the caller's.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onEncoded: Receives the data or the error. Runs outside the library's lock, untracked. Its runs never overlap.
///     Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it. Releasing it does not stop it.
/// - Complexity: O(what encoding visits), on creation and after each change.
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
