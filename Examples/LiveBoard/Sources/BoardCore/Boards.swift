// The boards of a server: in a folder of files, or in a database that other servers may use as well. Those are open that
// somebody has asked for.

import Foundation
import ReactiveSync

/// The boards in a folder or a database.
package actor Boards {
    /// Why a board cannot be had.
    package enum Problem: Error, Equatable {
        /// A name must be 1 to 40 letters, digits and hyphens.
        case name
        /// There are as many as there may be, all with pages that follow.
        case full
    }

    /// Finds the board of a name.
    private let home: @Sendable (ItemID) async throws -> BoardHome
    private let limit: Int
    private var sessions: [ItemID: Task<Session, any Error>] = [:]

    /// Locks a folder until the boards are released. Creates it if need be, readable by its owner alone, and removes
    /// temporary files that a killed server left in it.
    ///
    /// - Throws: ``FolderIsTaken``, or why the folder cannot be created or locked.
    package init(in folder: URL, limit: Int = Limits.boards) throws {
        self.limit = limit
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = try FolderLock(folder)
        removeLeftovers(in: folder)
        home = { id in withExtendedLifetime(lock) { .file(folder.appending(path: "\(id).json")) } }
    }

    /// Has the boards of a database, which other servers may have as well.
    ///
    /// - Parameters:
    ///   - limit: How many may be open.
    ///   - log: Returns the log of a board.
    package init(limit: Int = Limits.sharedBoards, log: @escaping @Sendable (String) async throws -> any ReplicaLog) {
        self.limit = limit
        home = { .log(try await log($0.description)) }
    }

    /// The board of a name, opened or made if need be.
    ///
    /// - Throws: ``Problem``, or why its file or its log cannot be read.
    package func session(named name: String) async throws -> Session {
        // Names that differ in case alone would be one file to some file systems.
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

    /// Closes a board that nobody follows: else whoever makes browsers ask for many would keep out everybody else.
    private func makeRoom() async throws {
        for (id, session) in sessions {
            if let session = try? await session.value, await session.closeIfUnused() {
                sessions[id] = nil
                return
            }
        }
        throw Problem.full
    }

    /// The boards that are open.
    package func openSessions() async -> [Session] {
        var open: [Session] = []
        for session in sessions.values {
            if let session = try? await session.value { open.append(session) }
        }
        return open
    }

    /// Saves and closes all.
    ///
    /// - Returns: What could not be saved, and why.
    package func close() async -> [String] {
        // Together: each may wait for the database.
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
