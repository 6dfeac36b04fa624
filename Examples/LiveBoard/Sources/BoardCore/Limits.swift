// The limits of boards. Users who only type do not reach them. They stop clients that send artificial commands.

/// The limits of a server.
package enum Limits {
    /// The characters of a title. The limit in bytes is eight times this number, because a character may have any
    /// number of bytes.
    package static let title = 200
    /// The characters of a note. The limit in bytes is eight times this number.
    package static let note = 4_000
    /// The columns of a board.
    package static let columns = 24
    /// The cards of a board.
    package static let cards = 2_000
    /// The open boards of a server.
    package static let boards = 200
    /// The open boards of a server with a database. Each board takes two connections, and a database accepts 100 by
    /// default.
    package static let sharedBoards = 20
    /// The maximum time that a command waits for the database.
    package static let patience = Duration.seconds(5)
    /// The maximum number of times that a command is carried out again because of changes by other servers.
    package static let attempts = 4
    /// The number of missing changes from other servers at which pages show a notice.
    package static let behind = 1_000
    /// The bytes of a command.
    package static let command = 64 * 1024
    /// The pages that follow one board.
    package static let pages = 2_000
    /// The minimum interval between updates of a page. The first change after a pause is sent immediately.
    package static let beat = Duration.milliseconds(100)
    /// The number of pages whose last command a board stores, so that no command is carried out twice.
    package static let rememberedPages = 256
    /// The number of removed cards and columns that a board keeps for restoring.
    package static let removals = 20
    /// The recent steps that a board keeps for the inspector.
    package static let steps = 100
    /// The bytes of these steps.
    package static let stepBytes = 1024 * 1024
    /// The copies of boards that pages inspect at the same time.
    package static let copies = 20
    /// The bytes of updates that a board keeps for pages that reconnect.
    package static let log = 512 * 1024
}
