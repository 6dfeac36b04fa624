// The latency from a command on one server to a page on another: an editor that edits a card on one server and follows
// it on the other.

import Foundation

/// An editor on one server with a page on another. A page gets at most ten updates a second. So the pauses between
/// edits are random: otherwise all edits would wait for the same part of the interval.
final class Probe: @unchecked Sendable {
    // `Sendable` because only its thread uses it until the thread has ended.
    private let editor: Editor
    private let page: Connection
    private let card = "probe-0"
    private(set) var delays: [Double] = []
    private(set) var problem: String?

    init(on board: String, from port: Int, to otherPort: Int) throws {
        editor = try Editor("probe", on: board, port: port)
        page = try Connection(port: otherPort)
        try page.send("GET /boards/\(board)/events HTTP/1.1\r\nHost: 127.0.0.1:\(otherPort)\r\n\r\n")
    }

    /// Edits and follows until the time is over.
    func run(until end: ContinuousClock.Instant) {
        do {
            var base = ""
            for number in 1... {
                let note = "probe \(number)!"
                let start = ContinuousClock.now
                try editor.send(
                    #"{"editCard": {"card": "\#(card)", "note": {"base": "\#(base)", "text": "\#(note)"}}}"#)
                try wait(for: note)
                delays.append(seconds(from: start))
                base = note
                Thread.sleep(forTimeInterval: .random(in: 0.1...0.2))
                if ContinuousClock.now >= end { break }
            }
        } catch {
            problem = "\(error)"
        }
    }

    /// Reads the page's updates until they contain a text.
    private func wait(for text: String) throws {
        let wanted = Data(text.utf8)
        var read = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = buffer.withUnsafeMutableBytes(page.read)
            guard count > 0 else { throw Failure("\(text) did not reach the other server's page") }
            read = read.suffix(wanted.count) + buffer[..<count]
            if read.range(of: wanted) != nil { return }
        }
    }
}
