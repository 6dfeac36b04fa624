// A program that shares a board, and that tests kill: it changes the board randomly, and prints acknowledged changes.
//
//     SyncPeer CONNECTION DOCUMENT NAME JOURNAL SEED
//
//     ack NAME 17        the change that added the tag "NAME 17" was acknowledged
//     board {…}          the board, after a line of input and once all changes are acknowledged

import Foundation
import Reactive
import ReactiveCodable
import ReactivePostgres
import ReactiveSync
import SyncTestSupport

let arguments = CommandLine.arguments
let (connection, document, name, journal) = (arguments[1], arguments[2], arguments[3], arguments[4])
var random = SplitMix64(seed: UInt64(arguments[5]) ?? 0)

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Whether the test requests the board.
let isEnding = Locked(false)
Thread.detachNewThread {
    // Without a line, the test has ended.
    if readLine() == nil { exit(1) }
    isEnding.withLock { $0 = true }
}

let options = PostgresLog.Options(
    pollInterval: .milliseconds(500), connectTimeout: .seconds(2), responseTimeout: .seconds(2))
var settings = ReplicaSettings()
settings.texts = SharedBoard.texts
settings.firstPause = .milliseconds(10)
settings.longestPause = .milliseconds(100)
settings.entriesPerSnapshot = 50

let board = SharedBoard()
let log = try await PostgresLog(connection, document: document, options: options)
var opened: Replica<SharedBoard>?
while opened == nil {
    do {
        opened = try await Replica(
            of: board, log: log, journal: URL(fileURLWithPath: journal), settings: settings, isolation: nil,
            onConflict: { _ in })
    } catch is PostgresError {
        // The server is restarting, and there is no journal yet.
        try await Task.sleep(for: .milliseconds(20))
    }
}
guard let replica = opened else { exit(1) }

let tags = board.tags.filter { $0.hasPrefix(name + " ") }
var number = tags.compactMap { Int($0.dropFirst(name.count + 1)) }.max() ?? 0
while !isEnding.withLock({ $0 }) {
    number += 1
    inTransaction {
        board.changeAtRandom(using: &random)
        board.tags.append("\(name) \(number)")
    }
    try await replica.synchronised()
    say("ack \(name) \(number)")
}
try await replica.synchronised()
say("synchronised")
// The others end as well; then nothing changes any more.
if readLine() == nil { exit(1) }
try await replica.synchronised()
say("board \(try JSONValue(encoding: board))")
await replica.end()
