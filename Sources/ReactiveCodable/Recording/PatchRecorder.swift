// Following a graph by patches, and writing patches from elsewhere in between: for whoever keeps a second copy of a graph.
//
// A patch names elements of arrays by their index, so it is true for one state of the graph only. Whoever writes one must
// know all that was changed before it, and nothing may change in between. `deepObserve` cannot promise that: it reports
// outside the lock, when other threads may have gone ahead. So the recorder reports under the lock, as the history does:
//
//     exchange:  begin a transaction      no other thread can change anything
//                catch up                 what was changed before is reported
//                make the patch           the caller knows the state now
//                write it, catch up       what it has changed is the result, and is not reported
//                end the transaction      reactions run once; what they write is reported as any other change

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reports what each transaction changes in an object graph as a JSON Patch, complete and in order, and writes patches
/// from elsewhere in between.
///
/// ```swift
/// let recorder = PatchRecorder(board) { change in
///     if let patch = try? change.get() { outbox.append(patch) }
/// }
/// let written = try recorder.exchange { merge(incoming, with: outbox) }
/// ```
///
/// The patches, one after the other, lead from the JSON of the root when the recorder was created to its present JSON:
/// those that were reported and those that ``exchange(_:)`` returned, in the order of these events. That makes the
/// recorder the base for a copy of the graph elsewhere: a replica, a log, a document of a different format.
///
/// A recorder belongs to the graph that the root's state belongs to. It may be used from any thread that may use the
/// root. It records until ``end()``, or until it is released.
public final class PatchRecorder<Root: Codable> {
    /// The root.
    public let root: Root

    private let graph: GraphHandle
    private let strategies: CodingStrategies
    private let limits: JSONLimits
    private let onChange: (Result<JSONPatch, any Error>) -> Void
    /// The changes that a call of `exchange` found, while it writes.
    private var written: [ChangeRecord]?
    private var reaction: Reaction?

    /// Creates a recorder, which reports the changes from now on.
    ///
    /// - Parameters:
    ///   - root: The root of the graph. Kept as long as the recorder.
    ///   - encoder: The encoder whose strategies and user info the patches follow.
    ///   - decoder: The counterpart of `encoder`.
    ///   - limits: The limits for what a patch from elsewhere adds.
    ///   - name: The name in diagnostics. Without one, the file and line of the call.
    ///   - isolation: The actor that the root belongs to; by default the caller's.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    ///   - onChange: Gets the patch of each transaction that changed something, or the error that encoding a value threw:
    ///     the patches before and after it then do not fit together. Runs with the graph locked, untracked, on the thread
    ///     that made the change, so it must not wait for a different thread. Kept until the recorder has ended.
    /// - Complexity: O(what encoding visits); then O(what changed) for each transaction.
    public init(
        _ root: Root, encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(),
        limits: JSONLimits = .default, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        onChange: @escaping (Result<JSONPatch, any Error>) -> Void
    ) {
        self.root = root
        self.limits = limits
        self.onChange = onChange
        strategies = CodingStrategies(encoder: encoder, decoder: decoder)
        graph = GraphHandle(ofStateIn: root)
        let observer = DeepObserver(
            in: graph, ValueCell.maker(for: root), .underLock { [weak self] in self?.found($0) })
        reaction = graph.run {
            detached {
                Reaction.made(
                    of: observer, named: name, schedule: .immediate, isolation: isolation, fileID: fileID, line: line)
            }
        }
    }

    deinit { reaction?.cancel() }

    private func found(_ record: ChangeRecord) {
        if written == nil { report(record) } else { written?.append(record) }
    }

    private func report(_ record: ChangeRecord) {
        let change = Result { try DeepChanges(record).jsonPatch(strategies) }
        if let patch = try? change.get(), patch.isEmpty { return }
        onChange(change)
    }

    /// Writes a patch that is made when everything that was changed before has been reported.
    ///
    /// It is one transaction: reactions run once, after it, and what they write is reported. What the patch itself
    /// changes is returned instead of reported.
    ///
    /// - Parameter makePatch: Returns the patch to write, or `nil` for none. Runs with the graph locked, untracked.
    /// - Returns: What the root's JSON changed by. That may be less than the patch or different from it, where values are
    ///   equal already or a type does not encode what it decoded. `nil` if nothing changed.
    /// - Throws: Any error that `makePatch` throws. `JSONPatchError` if the patch does not fit, or the call is part of a
    ///   transaction that can be rolled back or belongs to a different graph: nothing has changed then. What encoding
    ///   the changed values throws: the patch has been written then.
    /// - Complexity: As that of `apply`.
    public func exchange(_ makePatch: () throws -> JSONPatch?) throws -> JSONPatch? {
        try graph.withUntrackedLock {
            var result: JSONPatch?
            for record in try records(ofWriting: makePatch) {
                let patch = try DeepChanges(record).jsonPatch(strategies)
                if !patch.isEmpty { result = result?.appending(patch) ?? patch }
            }
            return result
        }
    }

    /// Writes a patch that is made when everything that was changed before has been reported, without finding out what it
    /// changes: for large patches, where encoding the root afterwards says as much.
    ///
    /// - Parameter makePatch: Returns the patch to write, or `nil` for none. Runs with the graph locked, untracked.
    /// - Throws: Any error that `makePatch` throws. `JSONPatchError` as ``exchange(_:)``: nothing has changed then.
    /// - Complexity: As that of `apply`.
    public func write(_ makePatch: () throws -> JSONPatch?) throws { _ = try records(ofWriting: makePatch) }

    private func records(ofWriting makePatch: () throws -> JSONPatch?) throws -> [ChangeRecord] {
        if graph.mayRollBack || graph.isOutOfReach {
            throw JSONPatchError(
                reason: "A patch was to be written inside a transaction. Write it when the transaction is over.")
        }
        return try graph.withUntrackedLock {
            try inTransaction(onError: .commit) {
                reaction?.catchUp()
                guard let patch = try makePatch(), !patch.isEmpty else { return [] }
                written = []
                defer { written = nil }
                try apply(patch, to: root, strategies, limits: limits)
                reaction?.catchUp()
                return written ?? []
            }
        }
    }

    /// Runs `body` with the graph locked, without reporting anything first: for reading what `onChange` writes.
    ///
    /// - Parameter body: Runs immediately on the calling thread, untracked.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try graph.withUntrackedLock(body) }

    /// Runs `body` in the graph of the root: state and reactions that it creates belong to that graph.
    ///
    /// - Parameter body: Runs immediately on the calling thread.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    public func run<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result { try graph.run(body) }

    /// Stops recording. What was changed before is reported first.
    public func end() {
        graph.withUntrackedLock {
            reaction?.catchUp()
            reaction?.cancel()
        }
    }
}

// Sendable because all state is guarded by the graph's lock, and the root may be used from any thread.
extension PatchRecorder: @unchecked Sendable where Root: Sendable {}
