// A process that shares the notes: it carries out commands, and prints what changes, whoever has changed it.

import FileLog
import Foundation
import Reactive
import ReactiveCodable
import ReactiveSync

/// The notes of this process, and their replica.
@MainActor final class Peer {
    /// The commands, and what each of them does.
    private static let commands = [
        ("add NAME TEXT", "adds a note, or replaces the one of this name"),
        ("text NAME TEXT", "changes the text of a note; changes of several people are merged"),
        ("done NAME", "marks a note as done"),
        ("remove NAME", "removes a note"),
        ("show", "prints all notes"),
        ("status", "prints whether the log has all changes"),
        ("offline", "disconnects from the log; changes wait"),
        ("online", "connects again"),
        ("help", "prints this list"),
        ("quit", "ends, as does the end of the input"),
    ]

    private let notes = Notes()
    private let console: Console
    private let log: SwitchedLog
    private let shared: Replica<Notes>
    private let hasJournal: Bool
    private let showing: Reaction

    /// Shares the notes of the log that listens at a path, and prints them.
    ///
    /// - Throws: What the replica throws, in particular if there is neither a log nor a journal to begin with.
    init(at path: String, journal: URL?, console: Console) async throws {
        self.console = console
        hasJournal = journal != nil
        log = SwitchedLog(try LogClient(at: path))
        let notes = notes
        var printed: [String: PrintedNote] = [:]
        showing = deepObserve(notes, named: "output") { changes in
            // The first token of a path is "notes", the second is the name.
            let paths = (try? changes.jsonPatch().operations.map(\.path.tokens)) ?? [[]]
            let isEverything = paths.contains { $0.count < 2 }
            let names = isEverything ? Array(notes.notes.keys) + printed.keys : paths.map { $0[1] }
            for name in Set(names).sorted() {
                let note = notes.notes[name].map(PrintedNote.init)
                PrintedNote.lines(name, from: printed[name], to: note).forEach(console.print)
                printed[name] = note
            }
        }
        var settings = ReplicaSettings()
        settings.texts = ["/notes/*/text"]
        // A socket of the same machine may be tried often.
        settings.longestPause = .seconds(1)
        shared = try await Replica(of: notes, log: log, journal: journal, settings: settings, named: "notes") {
            $0.lines(in: notes).forEach(console.print)
        }
        console.greet(
            """
            You share \(notes.notes.isEmpty ? "notes" : notes.count) at \(path). What others change appears here.
            Type "add milk Buy milk" to add a note. "help" lists the commands, "quit" ends.
            """)
    }

    /// Carries out a command.
    ///
    /// - Returns: Whether more commands may follow.
    func perform(_ command: String) async throws -> Bool {
        let words = command.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first?.lowercased(), words.count) {
        case (nil, _): break
        case ("add", 3): notes.notes[words[1]] = Note(text: words[2])
        case ("text", 3): change(words[1]) { $0.text = words[2] }
        case ("done", 2): change(words[1]) { $0.isDone = true }
        case ("remove", 2): if notes.notes.removeValue(forKey: words[1]) == nil { refuse(words[1]) }
        case ("show", 1): notes.lines.forEach(console.print)
        case ("status", 1): console.print(shared.status.line)
        case ("offline", 1):
            await log.turn(on: false)
            // The replica notices it when it asks for entries.
            try await when { [shared] in shared.status.isOffline }
            console.print(shared.status.line)
        case ("online", 1):
            await log.turn(on: true)
            // Ends the pause between two attempts. If nothing is found, the replica keeps trying.
            let attempt = Task { [shared] in try await shared.synchronised() }
            try? await when(timeout: .seconds(2)) { [shared] in !shared.status.isOffline }
            attempt.cancel()
            console.print(shared.status.line)
        case ("help", 1):
            for (form, meaning) in Self.commands { console.print("\(form.padded(to: 14))  \(meaning)") }
        case ("quit", 1): return false
        case (let word?, _):
            let form = Self.commands.lazy.map(\.0).first { $0.split(separator: " ")[0] == word }
            let unknown = "there is no command \(words[0]); help lists the commands"
            console.print(form.map { "write it as: \($0)" } ?? unknown)
        }
        return true
    }

    private func change(_ name: String, _ body: (Note) -> Void) {
        if let note = notes.notes[name] { body(note) } else { refuse(name) }
    }

    private func refuse(_ name: String) { console.print("there is no note \(name); show prints all notes") }

    /// Ends sharing, after everything was sent, or if that is not possible at the moment.
    ///
    /// - Returns: Whether no change is lost.
    func end() async throws -> Bool {
        try await when { [shared] in
            if case .behind = shared.status { false } else { true }
        }
        let status = shared.status
        await shared.end()
        switch status {
        case .live, .offline(_, pending: 0): return true
        case .behind, .offline, .refused:
            console.print(status.line)
            console.print(
                hasJournal
                    ? "The journal keeps unsent changes. The next peer with this journal sends them."
                    : "Unsent changes are lost. With --journal FILE, a peer keeps them.")
            return hasJournal
        }
    }
}
