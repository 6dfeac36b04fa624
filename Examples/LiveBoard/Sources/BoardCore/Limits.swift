// How much a board may hold. Nobody who only types reaches these; who sends made-up commands is stopped by them.

/// The most that a server keeps and takes.
package enum Limits {
    /// Characters of a title. Bytes: eight times as many, since one character may have any number of them.
    package static let title = 200
    /// Characters of a note. Bytes: eight times as many.
    package static let note = 4_000
    /// Columns of a board.
    package static let columns = 24
    /// Cards of a board.
    package static let cards = 2_000
    /// Boards of a server.
    package static let boards = 200
    /// Boards of a server with a database, where each board takes two connections. A database takes 100 by default.
    package static let sharedBoards = 20
    /// How long a command waits for the database.
    package static let patience = Duration.seconds(5)
    /// How often a command is carried out again because other servers were faster.
    package static let attempts = 4
    /// Changes of other servers of which the pages are told that they are missing.
    package static let behind = 1_000
    /// Bytes of a command.
    package static let command = 64 * 1024
    /// Pages that follow one board.
    package static let pages = 2_000
    /// How often pages are told of changes, at most. The first change after a pause is told at once.
    package static let beat = Duration.milliseconds(100)
    /// Pages of which a board remembers the last command, so that none is carried out twice.
    package static let rememberedPages = 256
    /// Removed cards and columns that a board keeps, so that they can be restored.
    package static let removals = 20
    /// Bytes of updates that a board keeps for pages that come back.
    package static let log = 512 * 1024
}
