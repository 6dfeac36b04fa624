// The samples of the documentation of shared models. They need a server with a name, so they are only compiled.

import Foundation
import ReactiveCodable
import ReactiveCollections
import ReactivePostgres
import ReactiveSync

private struct Board: Codable, Sendable {
    @Observable var title: String
    let cards: ObservableArray<Card>
    let lostEdits: ObservableArray<String>

    init(title: String) {
        _title = Observable(wrappedValue: title)
        (cards, lostEdits) = ([], [])
    }
}

private struct Card: Codable, Sendable, Identifiable {
    let id: UUID
    @Observable var title = ""
}

private func theCatalogue(card: Card) async throws {
    let board = Board(title: "New")
    let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
    let shared = try await Replica(of: board, log: log)

    inTransaction {
        board.title = "Plans"
        board.cards.append(card)
    }
    try await shared.synchronised()
}

private func theReadMe(board: Board, card: Card) async throws {
    let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
    let shared = try await Replica(of: board, log: log)  // loads, follows, sends
    inTransaction {
        board.title = "New"  // here immediately, elsewhere soon
        board.cards.append(card)
    }
    try await shared.synchronised()  // the log has it, and the model has all entries
}

private func theReadMeOfTheLibrary(board: Board, card: Card) async throws {
    let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
    let shared = try await Replica(of: board, log: log)
    inTransaction {
        board.title = "New"  // here immediately, elsewhere soon
        board.cards.append(card)
    }
    try await shared.synchronised()
}

private func conflicts(board: Board, log: PostgresLog) async throws {
    let shared = try await Replica(of: board, log: log) { conflict in
        for edit in conflict.dropped {
            board.lostEdits.append("\(edit.path): \(edit.reason)")
        }
    }
    withExtendedLifetime(shared) {}
}

private func offline(board: Board, log: PostgresLog, folder: URL) async throws {
    let shared = try await Replica(of: board, log: log, journal: folder.appending(path: "board-7.replica"))
    withExtendedLifetime(shared) {}
}

private func versions() {
    var settings = ReplicaSettings()
    settings.versions = 1...2  // writes version 2, still reads version 1
    _ = settings
}

private func texts() {
    let merged = TextMerge.merged(base: "Buy milk", current: "Buy oat milk", edited: "Buy milk today")
    print(merged ?? "a conflict")  // prints "Buy oat milk today"
}
