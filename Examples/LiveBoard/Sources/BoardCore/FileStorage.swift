// A board in a file with a journal. `FolderLock` ensures that only this server uses it.

import Foundation
import Reactive
import ReactiveCodable

/// A file that is kept in sync with a board.
final class FileStorage: BoardStorage {
    private let graph: IndependentGraph
    private let autosave: Autosave
    private var transactionCount = 0

    /// Starts to save a board.
    init(of board: Board, to file: URL, in graph: IndependentGraph, isolation: isolated any Actor) {
        self.graph = graph
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // `flush` throws errors to the sender of the command.
        autosave = graph.run {
            ReactiveCodable.autosave(
                board, to: file, as: .journal, encoder: encoder, newFileAccess: .ownerOnly, named: "autosave",
                onError: { _ in })
        }
    }

    /// Reads a board.
    ///
    /// - Returns: The board, or `nil` if there is no file.
    /// - Throws: `LoadingError` if the file cannot be read. The file is not changed.
    static func load(_ file: URL) throws -> Board? {
        do throws(LoadingError) {
            return try ReactiveCodable.load(from: file)
        } catch {
            guard error.kind == .noFile else { throw error }
            return nil
        }
    }

    var isShared: Bool { false }

    var trouble: Trouble? { nil }

    func noteTransaction() -> Int {
        transactionCount += 1
        return transactionCount
    }

    func flush(isolation: isolated any Actor) async throws { try await autosave.flushInBackground() }

    func hasDropped(_ transaction: Int) -> Bool { false }

    func flushWithoutWaiting() -> Bool { (try? graph.run { try autosave.flush() }) != nil }

    func close(isolation: isolated any Actor) async throws {
        defer { autosave.cancel() }
        try graph.run { try autosave.flush() }
    }
}
