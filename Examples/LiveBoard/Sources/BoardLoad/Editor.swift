// A user who edits without a pause: a thread that sends a command, waits until it is saved, and sends the next one.

import Foundation

/// An editor with cards that no other editor changes, so that their final state is known.
final class Editor: @unchecked Sendable {
    // `Sendable` because only its thread uses it until the thread has ended.
    private let board: String
    private let name: String
    private let port: Int
    private let connection: Connection
    private(set) var latencies: [Double] = []
    private(set) var problem: String?
    /// The last answered number of each card.
    private var notes = [0, 0, 0, 0]
    private let columns = ["to-do", "doing", "done"]

    init(_ name: String, on board: String, port: Int) throws {
        self.name = name
        self.board = board
        self.port = port
        connection = try Connection(port: port)
        for card in notes.indices {
            try send(
                #"{"addCard": {"card": "\#(name)-\#(card)", "column": "to-do", "title": "\#(name), card \#(card)"}}"#)
        }
        latencies = []
    }

    /// Edits until the time is over.
    func run(until end: ContinuousClock.Instant) {
        var number = 0
        do {
            while ContinuousClock.now < end {
                number += 1
                let index = number % notes.count
                let card = "\(name)-\(index)"
                switch number % 3 {
                case 0:
                    try send(#"{"moveCard": {"card": "\#(card)", "column": "\#(columns[number / 3 % 3])"}}"#)
                case 1:
                    try send(#"{"setDone": {"card": "\#(card)", "isDone": \#(number % 2 == 0)}}"#)
                default:
                    let base = notes[index] == 0 ? "" : "note \(notes[index])"
                    try send(
                        #"{"editCard": {"card": "\#(card)", "note": {"base": "\#(base)", "text": "note \#(number)"}}}"#)
                    notes[index] = number
                }
            }
        } catch {
            problem = "\(error)"
        }
    }

    /// Sends a command and waits for the answer.
    func send(_ command: String) throws {
        let start = ContinuousClock.now
        try connection.send(
            """
            POST /boards/\(board)/commands HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nOrigin: http://127.0.0.1:\(port)\r\n\
            Content-Type: application/json\r\nContent-Length: \(command.utf8.count)\r\n\r\n\(command)
            """)
        let answer = try connection.readAnswer()
        guard answer.status == 200 else { throw Failure("\(command): \(answer.status) \(answer.body)") }
        latencies.append(seconds(from: start))
    }

    /// Returns the answered edits that are missing on a page.
    func losses(on page: String) -> [String] {
        notes.indices.compactMap { index in
            let rest = page.components(separatedBy: "id=\"card-\(name)-\(index)\"").dropFirst().first
            let card = rest?.components(separatedBy: "</li>").first ?? ""
            let note = notes[index] == 0 ? "" : "<span class=\"note\">note \(notes[index])</span>"
            return !card.isEmpty && card.contains(note) ? nil : "\(name)-\(index)"
        }
    }
}
