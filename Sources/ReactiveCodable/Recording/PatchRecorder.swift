// Reports the patches of a graph, and writes patches from elsewhere in between: for code that keeps a second copy of a
// graph.
//
// A patch names elements of arrays by their index, so it applies to one state of the graph only. Code that writes a
// patch must know all earlier changes, and nothing may change in between. `deepObserve` cannot guarantee that: it
// reports outside the lock, when other threads may already have changed the graph. So the recorder reports under the
// lock, as the history does:
//
//     exchange:  begin a transaction      no other thread can change anything
//                catch up                 earlier changes are reported
//                make the patch           the caller now knows the state
//                write it, catch up       its changes are the result, and are not reported
//                end the transaction      reactions run once; their writes are reported like any other change

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reports the changes of an object graph as JSON Patches, complete and in order, and writes patches from elsewhere in
/// between.
///
/// ```swift
/// let recorder = PatchRecorder(board) { change in
///     if let patch = try? change.get() { outbox.append(patch) }
/// }
/// let written = try recorder.exchange { merge(incoming, with: outbox) }
/// ```
///
/// The patches lead, one after the other, from the JSON of the root at the recorder's creation to its present JSON:
/// those that were reported and those that ``exchange(_:)`` returned, in order. So a recorder can maintain a copy of
/// the graph elsewhere: a replica, a log, or a document of a different format.
///
/// There is a patch for each transaction. But transactions of different threads become one patch if they are made
/// before the recorder can report: while the effect of an older reaction runs, or until a recorder of an actor has
/// hopped to that actor. Where any thread can use the root, create the recorder with `isolation: nil`, and before the
/// other reactions.
///
/// A patch names each member of a dictionary that has changed, even if the patch would be smaller with the whole
/// dictionary. So it can be merged with changes of other members. Only a dictionary that has been emptied may be
/// replaced.
///
/// A recorder belongs to the graph of the root's state. You may use it on any thread on which you may use the root. It
/// records until ``end()``, until it is released, or until `cancelReactions()` of its graph.
public final class PatchRecorder<Root: Codable> {
    /// The root of the graph.
    public let root: Root

    private let graph: GraphHandle
    private let strategies: CodingStrategies
    private let limits: JSONLimits
    private let onChange: (Result<JSONPatch, any Error>) -> Void
    /// The changes that `exchange` found while it writes.
    private var written: [ChangeRecord]?
    private var reaction: Reaction?

    /// Creates a recorder that reports changes from now on.
    ///
    /// - Parameters:
    ///   - root: The root of the graph. Kept as long as the recorder.
    ///   - encoder: The encoder whose strategies and user info the patches follow.
    ///   - decoder: The counterpart of `encoder`.
    ///   - limits: The limits for what a patch adds to the graph.
    ///   - name: The name in diagnostics. Without one, the file and line of the call.
    ///   - isolation: The actor of the root, on which changes are encoded and reported; by default the caller's. What
    ///     is changed elsewhere is reported after a hop. With `nil`, any thread must be able to use the root and
    ///     `onChange`.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    ///   - onChange: Receives each patch that changes something. If encoding a value failed, it receives the error; the
    ///     patches before and after it then do not fit together. Runs with the graph locked, untracked, so it must not
    ///     wait for a different thread. Without `isolation`, it runs on the thread that made the change, unless that
    ///     change is reported by a later call. Kept until the recorder has ended.
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
                Reaction.started(
                    of: observer, named: name, schedule: .immediate, isolation: isolation, fileID: fileID, line: line)
            }
        }
    }

    deinit { reaction?.cancel() }

    private func found(_ record: ChangeRecord) {
        if written == nil { report(record) } else { written?.append(record) }
    }

    private func report(_ record: ChangeRecord) {
        let change = Result { try DeepChanges(record).jsonPatch(strategies, namesMembers: true) }
        if let patch = try? change.get(), patch.isEmpty { return }
        onChange(change)
    }

    /// Writes a patch that `makePatch` creates after all earlier changes have been reported.
    ///
    /// This is one transaction: reactions run once, after it, and their writes are reported. The changes of the patch
    /// itself are returned instead of reported.
    ///
    /// - Parameter makePatch: Returns the patch to write, or `nil` for none. Runs with the graph locked, untracked.
    /// - Returns: The changes of the root's JSON, or `nil` if nothing changed. They may be fewer than in the patch, or
    ///   different, if values were equal already or a type does not encode what it decoded.
    /// - Throws: Any error that `makePatch` throws. `JSONPatchError` if the patch does not apply, or the call is part
    ///   of a transaction that can be rolled back or belongs to a different graph. In these cases nothing has changed.
    ///   Any error that encoding the changed values throws; then the patch has been written.
    /// - Complexity: That of `apply`.
    public func exchange(_ makePatch: () throws -> JSONPatch?) throws -> JSONPatch? {
        try requireNoRollback()
        return try graph.withUntrackedLock {
            var result: JSONPatch?
            for record in try records(ofWriting: makePatch) {
                let patch = try DeepChanges(record).jsonPatch(strategies, namesMembers: true)
                if !patch.isEmpty { result = result?.appending(patch) ?? patch }
            }
            return result
        }
    }

    /// Writes a patch that `makePatch` creates after all earlier changes have been reported. Does not determine its
    /// changes. Use it for large patches, if you encode the root afterwards anyway.
    ///
    /// - Parameter makePatch: Returns the patch to write, or `nil` for none. Runs with the graph locked, untracked.
    /// - Throws: Any error that `makePatch` throws. `JSONPatchError` as ``exchange(_:)``. In both cases nothing has
    ///   changed.
    /// - Complexity: That of `apply`.
    public func write(_ makePatch: () throws -> JSONPatch?) throws { _ = try records(ofWriting: makePatch) }

    /// Throws inside a transaction in which no patch can be written. Before the graph is locked.
    private func requireNoRollback() throws {
        if graph.isOutOfReach {
            throw JSONPatchError(
                reason: """
                    A patch cannot be written inside a transaction of a different graph. Write it after the transaction.
                    """)
        }
        if graph.mayRollBack {
            throw JSONPatchError(
                reason: """
                    A patch cannot be written inside a transaction that can be rolled back, such as one whose closure \
                    can throw. Write it after the transaction.
                    """)
        }
    }

    private func records(ofWriting makePatch: () throws -> JSONPatch?) throws -> [ChangeRecord] {
        try requireNoRollback()
        return try graph.withUntrackedLock {
            try inTransaction(onError: .commit) {
                reaction?.catchUp()
                // No test sees this always hold: it only saves a walk of an empty patch.
                guard let patch = try makePatch(), !patch.isEmpty else { return [] }
                written = []
                defer { written = nil }
                try apply(patch, to: root, strategies, limits: limits)
                reaction?.catchUp()
                return written ?? []
            }
        }
    }

    /// Runs `body` with the graph locked, without reporting changes first. Use it to read what `onChange` writes.
    ///
    /// The root may be ahead of what was reported. To read both as of one moment, use ``exchange(_:)`` with a closure
    /// that reads them and returns `nil`.
    ///
    /// - Parameter body: Runs synchronously on the calling thread, untracked.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try graph.withUntrackedLock(body) }

    /// Runs `body` in the graph of the root: state and reactions created in `body` belong to that graph.
    ///
    /// - Parameter body: Runs synchronously on the calling thread.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    public func run<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result { try graph.run(body) }

    /// Stops recording. Earlier changes are reported first.
    public func end() {
        graph.withUntrackedLock {
            reaction?.catchUp()
            reaction?.cancel()
        }
    }
}

// Sendable because the graph's lock guards all state, and the root may be used on any thread.
extension PatchRecorder: @unchecked Sendable where Root: Sendable {}
