// A running autosave, as returned by `autosave`.

public import Reactive

#if canImport(Combine)
public import Combine
#endif
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A running autosave of an object graph to a file. Created by `autosave`.
///
/// Releasing it does **not** end it: it saves until ``cancel()``. It belongs to the isolation that created it. If that
/// is an actor, it keeps the actor only while a change waits to be saved: a change after the end of the actor is not
/// saved, and is an issue. An autosave that ends with its actor, as its property, leaves the file to other autosaves.
public final class Autosave: Cancellable {
    /// The file.
    public let url: URL
    let saver: FileSaver
    private let saving: [Reaction]
    private let reporting: Reaction
    private let encodeAnew: () -> Bool

    /// Creates an autosave from its parts.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - saver: The writer of the file.
    ///   - saving: The reactions that pass changes to the saver. The first one finds the changes.
    ///   - reporting: The reaction that reports errors.
    ///   - encodeAnew: Passes the whole state to the saver. Returns whether there is something to save.
    package init(
        _ url: URL, saver: FileSaver, saving: [Reaction], reporting: Reaction, encodeAnew: @escaping () -> Bool
    ) {
        self.url = url
        self.saver = saver
        self.saving = saving
        self.reporting = reporting
        self.encodeAnew = encodeAnew
    }

    deinit { saver.endIfActorIsGone() }

    /// Saves all unsaved changes now, and returns when the file with the current contents is on the disk. Waits for a
    /// save in progress.
    ///
    /// If nothing has changed since the last save, `flush` checks whether the file is still the saved one. If the file
    /// is missing, or was replaced or changed by something else, it is written again. Before the first save, the file
    /// is written unless it already has the current contents. After ``cancel()``, `flush` does nothing.
    ///
    /// If the save reports something, such as a file that is moved aside, `onError` on this actor receives it before
    /// `flush` returns.
    ///
    /// - Throws: Any error that encoding throws, or ``SavingError``. Unsaved changes are kept; the next call or the
    ///   next change saves them. Also throws if a different process or autosave saves to this file, or if you call it
    ///   inside a transaction or a tracked closure: the state is not final there, and a file must not be written while
    ///   other threads wait for the graph. Also throws if something other than ``cancel()`` has ended the autosave,
    ///   such as `cancelReactions()` of its graph: changes may be unsaved then.
    /// - Complexity: O(1) if nothing has changed and the file is intact.
    public func flush() throws {
        for _ in 0..<Self.maximumAttempts {
            guard try encodeChanges(for: "flush()") else { return }
            try saver.saveNow()
            if !saver.needsEncoding { return }
        }
        throw SavingError(path: url.path, reason: Self.isReplacedByOthers)
    }

    /// The number of attempts to write a file that something else replaces or removes immediately.
    private static let maximumAttempts = 4
    private static let isReplacedByOthers = "something else keeps replacing or removing it"

    /// Saves like ``flush()``, without blocking the thread: encodes here, writes on a different thread, and returns
    /// when the file is on the disk.
    ///
    /// This function is for actors: while the file is written, the actor can do other work. Changes made meanwhile are
    /// not awaited. If the task is cancelled meanwhile, it saves nevertheless.
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
    /// - Parameter isolation: The isolation that created the autosave; by default the caller's.
    /// - Throws: The errors of ``flush()``.
    public func flushInBackground(isolation: isolated (any Actor)? = #isolation) async throws {
        // As after `flush()`, `onError` has received what the save reports. A hop may be under way with it.
        defer { reporting.runIfDue() }
        for _ in 0..<Self.maximumAttempts {
            guard try encodeChanges(for: "flushInBackground()") else { return }
            try await saver.saveInBackground()
            if !saver.needsEncoding { return }
        }
        throw SavingError(path: url.path, reason: Self.isReplacedByOthers)
    }

    /// Encodes changes. Returns whether there may be something to save.
    private func encodeChanges(for call: String) throws -> Bool {
        guard GraphHandle.held == nil else {
            throw SavingError(
                path: url.path,
                reason: """
                    \(call) was called inside a transaction or a tracked closure, where the state is not final. \
                    Call it afterwards
                    """)
        }
        if let lossError = saver.lossError { throw lossError }
        if saver.hasEnded { return false }
        if let refusal = saver.refusal { throw refusal }
        saving.first?.catchUp()
        return saver.needsEncoding ? encodeAnew() : true
    }

    /// The error of the last save, or `nil` if it succeeded. Reading it in an observer subscribes.
    public var lastError: (any Error)? { saver.failure.value }

    /// Ends saving. Unsaved changes stay unsaved: call ``flush()`` first.
    ///
    /// Waits for a save in progress, and passes the errors that have not been reported yet to `onError`. After this
    /// call, a different autosave may save to the file.
    public func cancel() {
        saver.willCancel()
        for reaction in saving { reaction.cancel() }
        saver.end()
        saver.waitForWriters()
        reporting.cancel()
    }
}
