// A machine of a world. It lives several times: a life ends when the program quits, when it is killed, or with a power
// failure, and the next one begins with the files that are left.
//
// A killed program is cut off from its disk and its network, and its tasks run on without effect: that is the same, for
// the rest of the world, as if they had ended.

#if DEBUG
import Foundation
import ReactiveCodable
import SyncTestSupport

/// A machine with a disk, a connection to the log, and two programs.
final class Machine: @unchecked Sendable {
    // Sendable because a world has one thread.
    unowned let world: World
    let name: String
    /// The form of the desk's file.
    let form: SavingForm
    let savesImmediately: Bool
    let hasDesk: Bool
    let hasBoard: Bool

    var desk = DeskRecord()
    var board = BoardRecord()
    private(set) var lifeCount = 0
    /// The files at the beginning of the life. A lock that a crash has left stays if nothing asks for it again.
    private var foundNames: [String] = []
    private(set) var disk: Disk
    private(set) var connection: Connection
    private(set) var deskProgram: DeskProgram?
    private(set) var boardProgram: BoardProgram?

    init(named name: String, in world: World) {
        (self.world, self.name) = (world, name)
        form = world.oneIn(3) ? .document : .journal
        savesImmediately = world.oneIn(3)
        hasDesk = world.below(5) > 0
        hasBoard = !hasDesk || world.below(3) > 0
        disk = world.newDisk(Disk.Books())
        connection = Connection(to: world.server, of: world, named: name)
    }

    /// Begins the next life.
    func start(with books: Disk.Books = Disk.Books()) throws {
        lifeCount += 1
        disk = world.newDisk(books)
        connection = Connection(to: world.server, of: world, named: name)
        world.note("\(name): life \(lifeCount) begins with \(disk.names)")
        foundNames = disk.names
        try checkFiles()
        if world.hasCrashes, world.oneIn(2) { disk.lastOperation = 1 + world.below(60) }
        deskProgram = hasDesk ? try DeskProgram(on: self, disk) : nil
        boardProgram = hasBoard ? BoardProgram(on: self, disk, connection) : nil
    }

    /// Ends the life without warning.
    func crash(withPower isPowerKept: Bool) throws {
        world.note("\(name): life \(lifeCount) ends by a \(isPowerKept ? "kill" : "power failure")")
        disk.die()
        connection.isDead = true
        board.hasLostReports = true
        var chance = world.chance
        let books =
            isPowerKept
            ? disk.books : disk.books.afterPowerFailure(isOrdered: world.fault != .writesOvertake, &chance)
        try deskProgram?.end()
        if let boardProgram { world.start { await boardProgram.end() } }
        try start(with: books)
    }

    /// Ends the life in order.
    func quit() throws {
        world.note("\(name): quits")
        try deskProgram?.end()
        if let boardProgram {
            let isDone = world.start { await boardProgram.end() }
            try world.run("end() of the replica of \(name)", until: isDone)
        }
        if disk.isDead { return try crash(withPower: world.oneIn(2)) }
        let left = disk.names.filter { $0.hasSuffix(".lock") && !foundNames.contains($0) }
        if !left.isEmpty, !disk.hasFailed { try world.breakPromise(.files, "\(left) are left") }
        connection.isDead = true
        try start(with: disk.books)
    }

    /// Checks the names of the files.
    private func checkFiles() throws {
        let known = [DeskProgram.fileName, BoardProgram.fileName].flatMap { [$0, "\($0).journal"] }
        for name in disk.names where !known.contains(name) {
            let isTemporary = name.hasPrefix(".") && (name.hasSuffix(".saving") || name.hasSuffix(".lock"))
            if !isTemporary { try world.breakPromise(.files, "there is a file \(name)") }
        }
    }

    /// Ends all disturbances of this machine.
    func heal() {
        (disk.isFull, disk.isFailing, disk.lastOperation) = (false, false, .max)
        connection.isCut = false
    }
}
#endif
