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
/// - Saves once nothing has changed for a while. Only the newest state is written. Before the first change, only
///   ``Autosave/flush()`` writes.
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
/// - One autosave at a time saves to a file, in all processes. A second one is refused: ``Autosave/flush()`` throws a
///   ``SavingError`` with the name of the other process, which also goes to `onError` and ``Autosave/lastError``.
/// - A file that `load` failed to load, or that nobody has loaded and that does not decode as `Object`, is not
///   overwritten: the first save moves it aside, as `NAME.damaged-1`, and reports that to `onError`.
/// - Each save encodes and writes the whole object. For large graphs see `autosave(_:to:as:version:…)`.
///
/// - Parameters:
///   - object: What to save. Kept until the autosave is cancelled.
///   - url: Where. The folder must exist; the file need not.
///   - encoder: Any encoder that makes data.
///   - newFileAccess: Who may read the file if this creates it. A file that exists keeps its permissions.
///   - debounce: How long nothing may change before it is saved; zero for immediately.
///   - clock: The clock; tests pass their own.
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

/// Saves an object in a form, after changes of anything that encoding it reads.
///
/// ```swift
/// let saving = autosave(document, to: url, as: .journal)
/// ```
///
/// As `autosave(_:to:encoder:newFileAccess:debounce:)` does, and besides:
///
/// - As `.journal`, each transaction becomes a line of `NAME.journal`, which is written and brought to the disk when
///   the change is saved. What is written follows the size of the change, not that of the object. The first save writes
///   a whole document. When the journal has outgrown the document, a background thread merges it into the document.
/// - A journal observes the object as `deepObserve` does: what `encode(to:)` reads outside of observables is not
///   followed. The value of each changed observable is encoded by the thread that changed it, with the graph locked,
///   unless `autosave` was called in an actor's isolation.
/// - With a `version`, the file has it beside the document, for `load(_:from:migrating:decoder:)`.
///
/// - Parameters:
///   - object: What to save. Kept until the autosave is cancelled.
///   - url: Where. The folder must exist; the file need not.
///   - form: The form of the files.
///   - version: The version of the document's schema, at least 0. Without one, none is written.
///   - encoder: Creates the JSON.
///   - newFileAccess: Who may read the file if this creates it. A file that exists keeps its permissions.
///   - debounce: How long nothing may change before it is saved; zero for immediately.
///   - clock: The clock; tests pass their own.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - isolation: The actor that encodes and that `onError` belongs to; by default the caller's.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - onError: Gets what `flush` does not throw.
/// - Returns: The autosave, to flush and to cancel it; dropping it does not end it.
/// - Complexity: As `.document`, O(what encoding visits), at first and for each save. As `.journal`, O(what encoding
///   visits) at first and for the first save, then O(what changed) for each change and save.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
@discardableResult
@_disfavoredOverload
public func autosave<Object: Encodable, C: Clock>(
    _ object: Object, to url: URL, as form: SavingForm = .document, version: Int? = nil,
    encoder: JSONEncoder = JSONEncoder(), newFileAccess: NewFileAccess = .umask,
    debounce: Duration = .milliseconds(250), clock: C = ContinuousClock(), named name: String? = nil,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    onError: ((any Error) -> Void)? = nil
) -> Autosave where C.Duration == Duration {
    autosave(
        object, to: AtomicFile(path: url.path, newFileAccess: newFileAccess), as: form, version: version,
        encoder: encoder, schedule: debounce > .zero ? .debounced(for: debounce, clock: clock) : .immediate,
        named: name, isolation: isolation, fileID: fileID, line: line, onError: onError)
}

/// Saves an object in a form, at times that a schedule says.
///
/// See `autosave(_:to:as:version:encoder:newFileAccess:debounce:)`.
///
/// - Parameters:
///   - object: What to save. Kept until the autosave is cancelled.
///   - url: Where. The folder must exist; the file need not.
///   - form: The form of the files.
///   - version: The version of the document's schema, at least 0. Without one, none is written.
///   - encoder: Creates the JSON.
///   - newFileAccess: Who may read the file if this creates it. A file that exists keeps its permissions.
///   - schedule: When what has changed is saved: `.immediate`, `.throttled`, `.debounced` or `.custom`.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - isolation: The actor that encodes and that `onError` belongs to; by default the caller's.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - onError: Gets what `flush` does not throw.
/// - Returns: The autosave, to flush and to cancel it; dropping it does not end it.
@discardableResult
@_disfavoredOverload
public func autosave<Object: Encodable>(
    _ object: Object, to url: URL, as form: SavingForm = .document, version: Int? = nil,
    encoder: JSONEncoder = JSONEncoder(), newFileAccess: NewFileAccess = .umask, schedule: Schedule,
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, onError: ((any Error) -> Void)? = nil
) -> Autosave {
    autosave(
        object, to: AtomicFile(path: url.path, newFileAccess: newFileAccess), as: form, version: version,
        encoder: encoder, schedule: schedule, named: name, isolation: isolation, fileID: fileID, line: line,
        onError: onError)
}

// MARK: - With files that tests may make fail

/// Saves an object to a file that tests may make fail.
package func autosave<Encoder: DataEncoder>(
    _ object: some Encodable, to file: AtomicFile, encoder: Encoder = JSONEncoder(),
    schedule: Schedule = .immediate, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, onError: ((any Error) -> Void)? = nil
) -> Autosave {
    savingDocument(
        object, to: file, version: nil, encoder, schedule, named: name, isolation: isolation, fileID: fileID,
        line: line, onError: onError)
}

/// Saves an object in a form, to a file that tests may make fail.
package func autosave(
    _ object: some Encodable, to file: AtomicFile, as form: SavingForm, version: Int? = nil,
    encoder: JSONEncoder = JSONEncoder(), minimumJournalSize: Int = 1 << 16, schedule: Schedule = .immediate,
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, onError: ((any Error) -> Void)? = nil
) -> Autosave {
    guard form.isJournal else {
        return savingDocument(
            object, to: file, version: version, encoder, schedule, named: name, isolation: isolation,
            fileID: fileID, line: line, onError: onError)
    }
    return GraphHandle(ofStateIn: object).run {
        JournalSaving(object, version: version, encoder, file, minimumJournalSize: minimumJournalSize)
            .start(schedule, named: name, isolation: isolation, fileID: fileID, line: line, onError: onError)
    }
}

private func savingDocument<Object: Encodable, Encoder: DataEncoder>(
    _ object: Object, to file: AtomicFile, version: Int?, _ encoder: Encoder, _ schedule: Schedule,
    named name: String?, isolation: isolated (any Actor)?, fileID: StaticString, line: UInt,
    onError: ((any Error) -> Void)?
) -> Autosave {
    let checks = PredecessorChecks<Object, Encoder>(encoder: encoder, version: version)
    let format = DocumentFormat(of: Encoder.self)
    return GraphHandle(ofStateIn: object).run {
        Autosave.started(
            to: file, schedule: schedule, named: name, isolation: isolation, fileID: fileID, line: line,
            onError: onError, judge: checks.decodes,
            loads: { format.isWellFormed($0, $1) }
        ) { VersionedDocument.text(of: try encoder.encode(object), version: version) }
    }
}
