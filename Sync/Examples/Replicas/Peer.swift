// A process that shares the notes: it carries out commands, and prints what changes, whoever has changed it.

import FileLog
import Foundation
import Reactive
import ReactiveCodable
import ReactiveSync

/// The notes of this process, and their replica.
@MainActor final class Peer {
    static let help = """
        add NAME TEXT    adds a note, or replaces the note with this name
        text NAME TEXT   changes the text of a note; concurrent changes are merged
        done NAME        marks a note as done
        remove NAME      removes a note
        show             prints all notes
        status           prints whether the log has all changes
        offline          disconnects from the log; changes are sent later
        online           connects again, and sends the changes
        quit             quits
        """

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
            for dropped in $0.dropped { console.print("! \(dropped.path): \(dropped.reason)".onOneLine) }
        }
    }

    /// Carries out a command.
    ///
    /// - Returns: Whether more commands may follow.
    func perform(_ command: String) async throws -> Bool {
        let words = command.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first, words.count) {
        case (nil, _): break
        case ("add", 3): notes.notes[words[1]] = Note(text: words[2])
        case ("text", 3): change(words[1]) { $0.text = words[2] }
        case ("done", 2): change(words[1]) { $0.isDone = true }
        case ("remove", 2): if notes.notes.removeValue(forKey: words[1]) == nil { console.print("no note \(words[1])") }
        case ("show", 1): show()
        case ("status", 1): console.print(shared.status.line)
        case ("offline", 1):
            await log.turn(on: false)
            // The replica notices it when it asks for entries.
            try await when { [shared] in shared.status.isOffline }
        case ("online", 1):
            await log.turn(on: true)
            // Ends the pause between two attempts. If nothing is found, the replica keeps trying.
            let attempt = Task { [shared] in try await shared.synchronised() }
            try? await when(timeout: .seconds(2)) { [shared] in !shared.status.isOffline }
            attempt.cancel()
        case ("help", 1): console.print(Self.help)
        case ("quit", 1): return false
        default: console.print("unknown command: \(command); help lists the commands")
        }
        return true
    }

    private func change(_ name: String, _ body: (Note) -> Void) {
        if let note = notes.notes[name] { body(note) } else { console.print("no note \(name)") }
    }

    private func show() {
        for (name, note) in notes.notes.elements.sorted(by: { $0.key < $1.key }) {
            console.print("[\(note.isDone ? "x" : " ")] \(name): \(note.text)".onOneLine)
        }
        if notes.notes.isEmpty { console.print("no notes") }
    }

    /// Ends sharing, after everything was sent, or if that is not possible at the moment.
    ///
    /// - Returns: Whether no change is lost.
    func end() async throws -> Bool {
        try await when { [shared] in
            if case .behind = shared.status { false } else { true }
        }
        let status = shared.status
        await shared.end()
        if status == .live { return true }
        console.print("\(status.line)\(hasJournal ? ", in the journal" : "")")
        return hasJournal
    }
}

/// A note as it was printed last.
struct PrintedNote: Equatable {
    let text: String
    let isDone: Bool

    init(_ note: Note) { (text, isDone) = (note.text, note.isDone) }

    /// The lines that say what has become of a note.
    static func lines(_ name: String, from old: PrintedNote?, to new: PrintedNote?) -> [String] {
        guard let new else { return old == nil ? [] : ["- \(name)".onOneLine] }
        var lines: [String] = []
        if new.text != old?.text { lines.append("\(old == nil ? "+" : "~") \(name): \(new.text)") }
        if new.isDone != old?.isDone ?? false { lines.append("~ \(name): \(new.isDone ? "done" : "not done")") }
        return lines.map(\.onOneLine)
    }
}

extension String {
    /// The text without what moves the cursor: others may have written it.
    fileprivate var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "·" : $0 }))
    }
}

extension ReplicaStatus {
    fileprivate var isOffline: Bool { if case .offline = self { true } else { false } }

    /// The status as a line for people.
    fileprivate var line: String {
        switch self {
        case .live: "live: the log has all changes"
        case .behind(let count): "behind by \(count)"
        case .offline(let since, let pending):
            "offline since \(since.formatted(date: .omitted, time: .standard)), \(pending) to be sent"
        case .refused(let refusal): "refused: \(refusal.description.prefix(200))"
        }
    }
}
