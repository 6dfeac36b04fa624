// What `autosave` returns: a running autosave, to flush it, to ask it for its last error, and to end it.

public import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A file that is kept in step with an object graph; made by `autosave`.
///
/// Dropping it does **not** end it: it saves until ``cancel()``. It belongs to the isolation that made it.
public final class Autosave: Cancellable {
    /// The file.
    public let url: URL
    private let saver: FileSaver
    private let saving: Reaction
    private let reporting: Reaction

    init(_ url: URL, saver: FileSaver, saving: Reaction, reporting: Reaction) {
        self.url = url
        self.saver = saver
        self.saving = saving
        self.reporting = reporting
    }

    /// Saves now what has not been saved, after what is being written; returns once it is on the disk.
    ///
    /// Does nothing if nothing has changed since the last save, or since the autosave began.
    ///
    /// - Throws: What encoding throws, or ``SavingError``. What was not saved is kept, and saved by the next call or
    ///   after the next change. Also throws if called inside a transaction or a tracked closure: that state is not
    ///   final, and files are not written while others wait for the graph.
    public func flush() throws {
        try encodeChanges(for: "flush()")
        try saver.saveNow()
    }

    /// Does what ``flush()`` does without holding up the thread: encodes here, writes on another thread, and returns
    /// once it is on the disk.
    ///
    /// For actors: while the file is written, the actor goes on with other work. What changes meanwhile is not waited
    /// for.
    ///
    /// ```swift
    /// actor Ledger {
    ///     func book(_ entry: Entry) async throws {
    ///         entries.append(entry)
    ///         try await autosave.flushInBackground()
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter isolation: The isolation that made it; by default the caller's.
    /// - Throws: As ``flush()`` does.
    public func flushInBackground(isolation: isolated (any Actor)? = #isolation) async throws {
        try encodeChanges(for: "flushInBackground()")
        try await saver.saveInBackground()
    }

    private func encodeChanges(for call: String) throws {
        guard GraphHandle.held == nil else {
            throw SavingError(
                path: url.path,
                reason: """
                    \(call) was called inside a transaction or a tracked closure, whose state is not final. \
                    Call it when that is over
                    """)
        }
        saving.catchUp()
    }

    /// Why the last save failed, or `nil` if it did not. Reading it in an observer subscribes.
    public var lastError: (any Error)? { saver.failure.value?.error }

    /// Ends saving. What has not been saved stays unsaved: call ``flush()`` first.
    public func cancel() {
        saving.cancel()
        reporting.cancel()
    }
}
