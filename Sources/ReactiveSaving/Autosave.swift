// What `autosave` returns: a running autosave, to flush it, to ask it for its last error, and to end it.

public import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A file that is kept in step with an object graph; created by `autosave`.
///
/// Dropping it does **not** end it: it saves until ``cancel()``. It belongs to the isolation that created it.
public final class Autosave: Cancellable {
    /// The file.
    public let url: URL
    private let saver: FileSaver
    private let saving: [Reaction]
    private let reporting: Reaction
    private let encodeAnew: () -> Void

    /// Creates an autosave from its parts.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - saver: What writes it.
    ///   - saving: The reactions that hand over to the saver what has changed; first the one that finds changes.
    ///   - reporting: The reaction that reports errors.
    ///   - encodeAnew: Hands the whole state over to the saver.
    package init(
        _ url: URL, saver: FileSaver, saving: [Reaction], reporting: Reaction, encodeAnew: @escaping () -> Void
    ) {
        self.url = url
        self.saver = saver
        self.saving = saving
        self.reporting = reporting
        self.encodeAnew = encodeAnew
    }

    /// Saves now what has not been saved, after what is being written; returns once the file is on the disk with this
    /// content.
    ///
    /// If nothing has changed since the last save, it looks whether the file is still the one that was saved. A file
    /// that is missing, or that somebody else has replaced or changed, is written again. Before the first save, the
    /// file is written unless it has the content already. Does nothing once the autosave has ended.
    ///
    /// - Throws: What encoding throws, or ``SavingError``. What was not saved is kept, and saved by the next call or
    ///   after the next change. Also throws if another process or autosave saves to this file, and if called inside a
    ///   transaction or a tracked closure: that state is not final, and files are not written while others wait for
    ///   the graph.
    /// - Complexity: O(1) if nothing has changed and the file is there.
    public func flush() throws {
        for _ in 0..<Self.maximumAttempts {
            guard try encodeChanges(for: "flush()") else { return }
            try saver.saveNow()
            if saver.hasEnded || !saver.needsEncoding { return }
        }
        throw SavingError(path: url.path, reason: Self.isReplacedByOthers)
    }

    /// The number of times that a file is written that somebody else replaces or removes immediately.
    private static let maximumAttempts = 4
    private static let isReplacedByOthers = "something else replaces or removes it again and again"

    /// Does what ``flush()`` does without holding up the thread: encodes here, writes on another thread, and returns
    /// once it is on the disk.
    ///
    /// For actors: while the file is written, the actor continues with other work. It does not wait for what changes
    /// meanwhile.
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
        for _ in 0..<Self.maximumAttempts {
            guard try encodeChanges(for: "flushInBackground()") else { return }
            try await saver.saveInBackground()
            if saver.hasEnded || !saver.needsEncoding { return }
        }
        throw SavingError(path: url.path, reason: Self.isReplacedByOthers)
    }

    /// Returns whether there may be something to save.
    private func encodeChanges(for call: String) throws -> Bool {
        guard GraphHandle.held == nil else {
            throw SavingError(
                path: url.path,
                reason: """
                    \(call) was called inside a transaction or a tracked closure, whose state is not final. \
                    Call it when that is over
                    """)
        }
        if saver.hasEnded { return false }
        if let refusal = saver.refusal { throw refusal }
        saving.first?.catchUp()
        if saver.needsEncoding { encodeAnew() }
        return true
    }

    /// Why the last save failed, or `nil` if it did not. Reading it in an observer subscribes.
    public var lastError: (any Error)? { saver.failure.value }

    /// Ends saving. What has not been saved stays unsaved: call ``flush()`` first.
    ///
    /// If a file is being written, this returns when that is over. After it, another autosave may start to save to the
    /// file.
    public func cancel() {
        for reaction in saving { reaction.cancel() }
        reporting.cancel()
        saver.end()
        saver.waitForWriters()
    }
}
