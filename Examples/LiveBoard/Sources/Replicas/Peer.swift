// A process that shares the notes: commands from its input, everybody's changes from the log, and the notes as they are to its output.

import Foundation
import Reactive
import ReactiveCodable
import Replica

/// A copy of the notes, and its connection to the log.
final class Peer: @unchecked Sendable {
    // Sendable because the lock guards everything: the thread that reads the log and the one that reads commands take turns.
    private let lock = NSLock()
    private let path: String
    private let connection = Connection()
    private let replica: Replica<Notes>
    private var showing: Reaction?

    /// What is connected at the moment.
    private final class Connection {
        var socket: LocalSocket?
    }

    init(at path: String, named name: String) throws {
        self.path = path
        let connection = connection
        replica = try Replica(Notes(), author: name) { entry in
            if let line = try? JSONEncoder().encode(entry) { connection.socket?.send(line) }
        }
        let notes = replica.root
        showing = encodeOnChange(notes, encoder: Peer.encoder) { result in
            if case .success(let json) = result { FileHandle.standardOutput.write(json + [UInt8(ascii: "\n")]) }
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// Connects, gets what was missed, and sends what has not been agreed to.
    func connect() -> Bool {
        guard let socket = LocalSocket.connect(to: path) else { return false }
        lock.withLock {
            connection.socket = socket
            socket.send(Data("\(replica.agreedCount)".utf8))
            replica.sendPending()
        }
        Thread.detachNewThread { [self] in
            while let line = socket.readLine() {
                lock.withLock {
                    // A connection that has been given up says nothing any more: the next one begins where this one was.
                    guard connection.socket === socket, let entry = try? JSONDecoder().decode(Entry.self, from: line)
                    else { return }
                    try? replica.receive(entry)
                }
            }
        }
        return true
    }

    /// Carries out a command.
    ///
    /// - Returns: Whether it is one.
    func perform(_ command: String) -> Bool {
        let words = command.split(separator: " ", maxSplits: 2).map(String.init)
        return lock.withLock {
            let notes = replica.root
            switch (words.first, words.count) {
            case ("add", 3): notes.notes[words[1]] = Note(text: words[2])
            case ("text", 3): notes.notes[words[1]]?.text = words[2]
            case ("done", 2): notes.notes[words[1]]?.isDone = true
            case ("remove", 2): notes.notes[words[1]] = nil
            case ("offline", 1):
                connection.socket?.end()
                connection.socket = nil
            default: return false
            }
            return true
        }
    }
}
