// `autosave`: a file that is kept in step with an object graph.

public import Reactive
public import ReactiveSaving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Saves an object to a file after changes of anything that encoding it reads.
///
/// ```swift
/// let autosave = autosave(document, to: url)
/// document.title = "Essay"    // saved a moment later
/// try autosave.flush()        // saved now, for instance before the program exits
/// ```
///
/// - Saves once nothing has changed for a while. Only the newest state is written. Nothing is written before the first
///   change.
/// - The file is replaced as a whole: whatever happens, it has the last complete contents that were saved, or the ones
///   before. The new contents are on the disk before they take the old ones' place.
/// - If saving fails, nothing is lost: the file is as it was, the error goes to `onError` and to
///   ``Autosave/lastError``, and the newest state is saved after the next change, or by ``Autosave/flush()``.
/// - Encoding sees one state: it runs with the graph locked, in the isolation that `autosave` was called in, or on a
///   thread of its own if there is none. The file is written on a thread of its own, and nobody waits for it but
///   `flush`.
/// - Its reactions belong to the graph of the first observable that encoding meets. State of a different graph makes
///   encoding fail.
/// - A file that exists keeps its permissions; `newFileAccess` says who may read one that is created. Symbolic links
///   are followed. A file that is not to be written is left alone.
///
/// - Parameters:
///   - object: What to save. Kept until the autosave is cancelled.
///   - url: Where. The folder must exist; the file need not.
///   - encoder: Any encoder that makes data.
///   - newFileAccess: Who may read the file if this creates it. A file that exists keeps its permissions.
///   - debounce: How long nothing may change before it is saved; zero for at once.
///   - clock: Where time comes from; tests hand in their own.
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that encodes and that `onError` belongs to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - onError: Gets what `flush` does not throw: errors of the encoder and ``SavingError``s. Runs outside the
///     library's lock. Without one, they go to `Diagnostics.onIssue`.
/// - Returns: The autosave, to flush and to cancel it; dropping it does not end it.
/// - Complexity: O(what encoding visits), at first and for each save; O(1) for a change.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
@discardableResult
public func autosave<Object: Encodable, Encoder: DataEncoder, C: Clock>(
    _ object: Object, to url: URL, encoder: Encoder = JSONEncoder(), newFileAccess: NewFileAccess = .umask,
    debounce: Duration = .milliseconds(250), clock: C = ContinuousClock(), named name: String? = nil,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    onError: ((any Error) -> Void)? = nil
) -> Autosave where C.Duration == Duration {
    autosave(
        object, to: AtomicFile(path: url.path, newFileAccess: newFileAccess), encoder: encoder,
        schedule: debounce > .zero ? .debounced(for: debounce, clock: clock) : .immediate, named: name,
        isolation: isolation, fileID: fileID, line: line, onError: onError)
}

/// Saves an object to a file after changes of anything that encoding it reads, at times that a schedule says.
///
/// See `autosave(_:to:encoder:newFileAccess:debounce:)`.
///
/// - Parameters:
///   - object: What to save. Kept until the autosave is cancelled.
///   - url: Where. The folder must exist; the file need not.
///   - encoder: Any encoder that makes data.
///   - newFileAccess: Who may read the file if this creates it. A file that exists keeps its permissions.
///   - schedule: When what has changed is saved: `.immediate`, `.throttled`, `.debounced` or `.custom`.
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that encodes and that `onError` belongs to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - onError: Gets what `flush` does not throw.
/// - Returns: The autosave, to flush and to cancel it; dropping it does not end it.
@discardableResult
public func autosave<Object: Encodable, Encoder: DataEncoder>(
    _ object: Object, to url: URL, encoder: Encoder = JSONEncoder(), newFileAccess: NewFileAccess = .umask,
    schedule: Schedule, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, onError: ((any Error) -> Void)? = nil
) -> Autosave {
    autosave(
        object, to: AtomicFile(path: url.path, newFileAccess: newFileAccess), encoder: encoder, schedule: schedule,
        named: name,
        isolation: isolation, fileID: fileID, line: line, onError: onError)
}

/// Saves an object to a file that tests may make fail.
package func autosave(
    _ object: some Encodable, to file: AtomicFile, encoder: some DataEncoder = JSONEncoder(),
    schedule: Schedule = .immediate, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, onError: ((any Error) -> Void)? = nil
) -> Autosave {
    GraphHandle(ofStateIn: object).run {
        Autosave.started(
            to: file, schedule: schedule, named: name, isolation: isolation, fileID: fileID, line: line,
            onError: onError
        ) { try encoder.encode(object) }
    }
}
