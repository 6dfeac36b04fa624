// The boards of a server: a folder of files, of which those are open that somebody has asked for.

import Foundation

/// The boards in a folder.
package actor Boards {
    /// Why a board cannot be had.
    package enum Problem: Error, Equatable {
        /// A name must be 1 to 40 letters, digits and hyphens.
        case name
        /// There are as many as there may be, all with pages that follow.
        case full
    }

    private let folder: URL
    private let lock: FolderLock
    private let limit: Int
    private var sessions: [ItemID: Task<Session, any Error>] = [:]

    /// Locks a folder until the boards are released. Creates it if need be, readable by its owner alone, and removes
    /// temporary files that a killed server left in it.
    ///
    /// - Throws: ``FolderIsTaken``, or why the folder cannot be created or locked.
    package init(in folder: URL, limit: Int = Limits.boards) throws {
        self.folder = folder
        self.limit = limit
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        lock = try FolderLock(folder)
        removeLeftovers(in: folder)
    }

    /// The board of a name, opened or made if need be.
    ///
    /// - Throws: ``Problem``, or why its file cannot be read.
    package func session(named name: String) async throws -> Session {
        // Names that differ in case alone would be one file to some file systems.
        guard let id = ItemID(name.lowercased()) else { throw Problem.name }
        while sessions[id] == nil, sessions.count >= limit { try await makeRoom() }
        if let session = sessions[id] { return try await session.value }
        let file = folder.appending(path: "\(id).json")
        let opening = Task { try await Session(named: id.description, file: file) }
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
        var problems: [String] = []
        for session in await openSessions() {
            do {
                try await session.close()
            } catch {
                problems.append("\(session.name): \(error)")
            }
        }
        sessions = [:]
        return problems
    }
}
