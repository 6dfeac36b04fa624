// The boards of a server: in a folder of files, or in a database that other servers may share. A board is opened when
// it is first requested.

import Foundation
import ReactiveSync

/// The boards in a folder or a database.
package actor Boards {
    /// The reason why a board is not available.
    package enum Problem: Error, Equatable {
        /// A name must be 1 to 40 letters, digits and hyphens.
        case name
        /// The maximum number of boards is open, and pages follow all of them.
        case full
    }

    /// Returns the storage location of a board by its name.
    private let home: @Sendable (ItemID) async throws -> BoardHome
    private let limit: Int
    private var sessions: [ItemID: Task<Session, any Error>] = [:]

    /// Locks a folder until the boards are released. If the folder does not exist, creates it, readable by its owner
    /// only. Removes temporary files of a killed server.
    ///
    /// - Throws: ``FolderIsTaken``, or an error if the folder cannot be created or locked.
    package init(in folder: URL, limit: Int = Limits.boards) throws {
        self.limit = limit
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = try FolderLock(folder)
        removeLeftovers(in: folder)
        home = { id in withExtendedLifetime(lock) { .file(folder.appending(path: "\(id).json")) } }
    }

    /// Creates the boards of a database, which other servers may share.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of open boards.
    ///   - patience: The maximum time that a command, or the end of a board, waits for its log.
    ///   - log: Returns the log of a board.
    package init(
        limit: Int = Limits.sharedBoards, patience: Duration = Limits.patience,
        log: @escaping @Sendable (String) async throws -> any ReplicaLog
    ) {
        self.limit = limit
        home = { .log(try await log($0.description), patience: patience) }
    }

    /// Returns the session of a board. Opens or creates the board if necessary.
    ///
    /// - Throws: ``Problem``, or an error if its file or log cannot be read.
    package func session(named name: String) async throws -> Session {
        // On some file systems, names that differ only in case are the same file.
        guard let id = ItemID(name.lowercased()) else { throw Problem.name }
        while sessions[id] == nil, sessions.count >= limit { try await makeRoom() }
        if let session = sessions[id] { return try await session.value }
        let home = home
        let opening = Task { try await Session(named: id.description, in: home(id)) }
        sessions[id] = opening
        do {
            return try await opening.value
        } catch {
            sessions[id] = nil
            throw error
        }
    }

    /// Closes a board that no page follows. Otherwise requests for many boards could block all other users.
    private func makeRoom() async throws {
        for (id, session) in sessions {
            if let session = try? await session.value, await session.closeIfUnused() {
                sessions[id] = nil
                return
            }
        }
        throw Problem.full
    }

    /// The sessions of all open boards.
    package func openSessions() async -> [Session] {
        var open: [Session] = []
        for session in sessions.values {
            if let session = try? await session.value { open.append(session) }
        }
        return open
    }

    /// Saves and closes all boards.
    ///
    /// - Returns: The boards that could not be saved, with the reasons.
    package func close() async -> [String] {
        // In parallel, because each may wait for the database.
        let problems = await withTaskGroup(of: String?.self) { group in
            for session in await openSessions() {
                group.addTask {
                    do {
                        try await session.close()
                        return nil
                    } catch {
                        return "\(session.name): \(error)"
                    }
                }
            }
            var problems: [String] = []
            for await problem in group { problems += problem.map { [$0] } ?? [] }
            return problems
        }
        sessions = [:]
        return problems.sorted()
    }
}
