// `autosave`: saves an object graph to a file after each change.

public import Reactive
public import ReactiveSaving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Saves an object to a file after changes of values that encoding it reads.
///
/// ```swift
/// let saving = autosave(document, to: url)
/// document.title = "Essay"    // saved a moment later
/// try saving.flush()          // saved now, for instance before the program exits
/// ```
///
/// - `autosave` saves when nothing has changed for a while, and also if changes never pause: at the latest 20 such
///   pauses after the first change, which is 5 s by default. It writes only the newest state. Before the first change,
///   only ``Autosave/flush()`` writes.
/// - The file is replaced as a whole: after any failure, it has the last complete contents or the ones before. The new
///   contents are on the disk before they replace the old ones.
/// - If saving fails, nothing is lost: the file keeps its contents, and `onError` and ``Autosave/lastError`` receive
///   the error. The next change or ``Autosave/flush()`` saves the newest state.
/// - Encoding sees one state: it runs with the graph locked, in the isolation in which you called `autosave`, or on a
///   separate thread if there is none. A separate thread writes the file. Only `flush` and `cancel` wait for it.
/// - The reactions of the autosave belong to the graph of the first observable that encoding reaches. Encoding fails if
///   it reaches state of a different graph.
/// - An existing file keeps its permissions; `newFileAccess` sets those of a new file. Symbolic links are followed. A
///   file without write permission is not replaced.
/// - Only one autosave at a time saves to a file, in all processes. A second one is refused: ``Autosave/flush()``
///   throws a ``SavingError`` with the name of the other process. `onError` and ``Autosave/lastError`` receive the same
///   error.
/// - A file that the last `load` of it failed to load is not overwritten. Neither is a file for which `load` was not
///   called and that does not decode as `Object` or has a newer version. The first save moves such a file aside, as
///   `NAME.damaged-1`, and reports that to `onError`.
/// - Each save encodes and writes the whole object. For large graphs see `autosave(_:to:as:version:…)`.
///
/// - Parameters:
///   - object: The object to save. Kept until the autosave is cancelled.
///   - url: The URL of the file. Its folder must exist; the file need not.
///   - encoder: Any encoder that produces data.
///   - newFileAccess: The permissions of a newly created file. An existing file keeps its permissions.
///   - debounce: The time without changes after which the object is saved; zero to save immediately. While changes
///     never pause, the object is saved once in 20 times this time.
///   - clock: The clock. Tests pass their own.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - isolation: The actor that encodes and runs `onError`; by default the caller's.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onError: Receives the errors of saves in the background, each file that is moved aside, and the refusal of a
///     second autosave, which `flush` throws too. Runs outside the library's lock; in no isolation, on the thread on
///     which the error occurs. Without it, `Diagnostics.onIssue` receives them.
/// - Returns: The autosave, to flush and cancel it. Releasing it does not end it.
/// - Complexity: O(what encoding visits) on creation and for each save; O(1) for a change.
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
        schedule: .afterPause(of: debounce, clock: clock), named: name,
        isolation: isolation, fileID: fileID, line: line, onError: onError)
}

/// Saves an object to a file after changes of values that encoding it reads, at the times of a schedule.
///
/// See `autosave(_:to:encoder:newFileAccess:debounce:)`.
///
/// - Parameters:
///   - object: The object to save. Kept until the autosave is cancelled.
///   - url: The URL of the file. Its folder must exist; the file need not.
///   - encoder: Any encoder that produces data.
///   - newFileAccess: The permissions of a newly created file. An existing file keeps its permissions.
///   - schedule: The schedule of the saves: `.immediate`, `.throttled`, `.debounced` or `.custom`. While changes never
///     pause, `.debounced` saves nothing.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - isolation: The actor that encodes and runs `onError`; by default the caller's.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onError: Receives the errors of saves in the background; see the first form.
/// - Returns: The autosave, to flush and cancel it. Releasing it does not end it.
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

/// Saves an object in a given form, after changes of values that encoding it reads.
///
/// ```swift
/// let saving = autosave(document, to: url, as: .journal)
/// ```
///
/// Behaves like `autosave(_:to:encoder:newFileAccess:debounce:)`, and in addition:
///
/// - As `.journal`, each transaction becomes a line of `NAME.journal`, which is written and synced when the change is
///   saved. The written size depends on the size of the change, not of the object. The first save writes a whole
///   document. When the journal has become larger than the document and 64 kB, a background thread merges it into the
///   document.
/// - A journal observes the object like `deepObserve`: it does not follow state outside observables that `encode(to:)`
///   reads. The thread that changed an observable encodes its value, with the graph locked, unless you called
///   `autosave` in an actor's isolation.
/// - With a `version`, the file contains it beside the document, for `load(_:from:migrating:decoder:)`.
///
/// - Parameters:
///   - object: The object to save. Kept until the autosave is cancelled.
///   - url: The URL of the file. Its folder must exist; the file need not.
///   - form: The form of the files.
///   - version: The version of the document's schema, at least 0. Without one, none is written.
///   - encoder: The encoder of the JSON.
///   - newFileAccess: The permissions of a newly created file. An existing file keeps its permissions.
///   - debounce: The time without changes after which the object is saved; zero to save immediately. While changes
///     never pause, the object is saved once in 20 times this time.
///   - clock: The clock. Tests pass their own.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - isolation: The actor that encodes and runs `onError`; by default the caller's.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onError: Receives the errors of saves in the background; see the first form.
/// - Returns: The autosave, to flush and cancel it. Releasing it does not end it.
/// - Complexity: As `.document`, O(what encoding visits) on creation and for each save. As `.journal`, O(what encoding
///   visits) on creation and for the first save, then O(what changed) for each change and save.
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
        encoder: encoder, schedule: .afterPause(of: debounce, clock: clock), named: name, isolation: isolation,
        fileID: fileID, line: line, onError: onError)
}

/// Saves an object in a given form, at the times of a schedule.
///
/// See `autosave(_:to:as:version:encoder:newFileAccess:debounce:)`.
///
/// - Parameters:
///   - object: The object to save. Kept until the autosave is cancelled.
///   - url: The URL of the file. Its folder must exist; the file need not.
///   - form: The form of the files.
///   - version: The version of the document's schema, at least 0. Without one, none is written.
///   - encoder: The encoder of the JSON.
///   - newFileAccess: The permissions of a newly created file. An existing file keeps its permissions.
///   - schedule: The schedule of the saves: `.immediate`, `.throttled`, `.debounced` or `.custom`. While changes never
///     pause, `.debounced` saves nothing.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - isolation: The actor that encodes and runs `onError`; by default the caller's.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onError: Receives the errors of saves in the background; see the first form.
/// - Returns: The autosave, to flush and cancel it. Releasing it does not end it.
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

extension Schedule {
    /// Returns the schedule of `debounce:`. It has a maximum, because changes that never pause must be saved, too.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    fileprivate static func afterPause<C: Clock>(of time: Duration, clock: C) -> Schedule
    where C.Duration == Duration {
        // No test sees this always hold: a pause of no length is over at once.
        // No test sees this boundary: as above.
        time > .zero ? .debounced(for: time, atLatestAfter: time * 20, clock: clock) : .immediate
    }
}

// MARK: - With simulated failures

/// Saves an object to a file for which tests can simulate failures.
package func autosave<Encoder: DataEncoder>(
    _ object: some Encodable, to file: AtomicFile, encoder: Encoder = JSONEncoder(),
    schedule: Schedule = .immediate, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, onError: ((any Error) -> Void)? = nil
) -> Autosave {
    savingDocument(
        object, to: file, version: nil, encoder, schedule, named: name, isolation: isolation, fileID: fileID,
        line: line, onError: onError)
}

/// Saves an object in a given form, to a file for which tests can simulate failures.
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
    let loads = DocumentFormat(of: Encoder.self).check(upTo: version)
    return GraphHandle(ofStateIn: object).run {
        Autosave.started(
            to: file, schedule: schedule, named: name, isolation: isolation, fileID: fileID, line: line,
            onError: onError, judge: checks.decodes, loads: loads
        ) { VersionedDocument.text(of: try encoder.encode(object), version: version) }
    }
}
