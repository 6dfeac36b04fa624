// A process that shares the notes: commands from its input, everybody's changes from the log, and the notes that have
// changed to its output.

import Foundation
import Reactive
import ReactiveCodable
import ReplicaCore

/// A copy of the notes, and its connection to the log.
final class Peer: @unchecked Sendable {
    // Sendable because the lock guards everything: the thread that reads the log and the one that reads commands take
    // turns.
    private let lock = NSCondition()
    private var isOnline = true
    private let path: String
    private let connection = Connection()
    private let replica: Replica<Notes>
    private var showing: Reaction?

    /// What is connected at the moment.
    private final class Connection {
        var socket: LocalSocket?
    }

    init(at path: String) throws {
        try LocalSocket.checkPath(path)
        self.path = path
        let connection = connection
        replica = try Replica(Notes(), onError: { say("a change cannot be shared: \($0)") }) { entry in
            // What cannot be sent now is sent again after connecting.
            if let line = try? JSONEncoder().encode(entry) { connection.socket?.send(line) }
        }
        let notes = replica.root
        showing = deepObserve(notes, named: "output") { Peer.show($0, of: notes) }
        Thread.detachNewThread { [self] in follow() }
    }

    /// Prints the notes that have changed, each as a line: `{"milk":{"isDone":false,"text":"Buy milk"}}`, or
    /// `{"milk":null}`.
    private static func show(_ changes: DeepChanges, of notes: Notes) {
        do {
            // The first token of a path is "notes", the second is the name.
            let paths = try changes.jsonPatch().operations.map(\.path.tokens)
            guard paths.allSatisfy({ $0.count > 1 }) else { return show(notes) }
            for name in Set(paths.map { $0[1] }).sorted() { show([name: notes.notes[name]]) }
        } catch {
            say("the change cannot be shown: \(error)")
        }
    }

    private static func show(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(value) else { return say("a note cannot be shown") }
        FileHandle.standardOutput.write(json + [UInt8(ascii: "\n")])
    }

    /// Reads the log; connects again, for ever.
    private func follow() {
        while true {
            waitUntilOnline()
            if let socket = LocalSocket.connect(to: path) { follow(socket) }
            // Whoever refuses connections, or ends them at once, is not asked without a pause.
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    private func follow(_ socket: LocalSocket) {
        let isWanted = lock.withLock {
            guard isOnline else { return false }
            connection.socket = socket
            // What was missed comes, and what has not been agreed to goes.
            socket.send(Data("\(replica.agreedCount)".utf8))
            replica.sendPending()
            return true
        }
        guard isWanted else { return }
        while let line = socket.readLine() { lock.withLock { take(line) } }
        lock.withLock {
            if connection.socket === socket { connection.socket = nil }
        }
    }

    private func take(_ line: Data) {
        guard let entry = try? JSONDecoder().decode(Entry.self, from: line) else {
            // All skip it, and so all stay together.
            say("a line of the log is no entry")
            return replica.skip()
        }
        do {
            try replica.receive(entry)
        } catch {
            say("an entry cannot be taken: \(error)")
        }
    }

    private func waitUntilOnline() {
        lock.lock()
        while !isOnline { lock.wait() }
        lock.unlock()
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
            case ("show", 1): Peer.show(notes)
            case ("offline", 1):
                isOnline = false
                connection.socket?.end()
                connection.socket = nil
            case ("online", 1):
                isOnline = true
                lock.signal()
            default: return false
            }
            return true
        }
    }
}
