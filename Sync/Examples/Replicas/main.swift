// One model in several processes.
//
//     Replicas log SOCKET FILE                  the log, which it keeps in a file
//     Replicas peer SOCKET [--journal FILE]     a process that shares the notes

import FileLog
import Foundation

let usage = """
    usage: Replicas log SOCKET FILE                 orders the changes of all peers, and keeps them in FILE
           Replicas peer SOCKET [--journal FILE]    shares notes with all other peers
    Start the log first. With a journal, unsent changes survive the process, and a peer can start without the log.
    """

func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

@MainActor func share(at path: String, journal: String? = nil) async throws {
    let console = Console()
    let peer = try await Peer(at: path, journal: journal.map { URL(fileURLWithPath: $0) }, console: console)
    console.ask()
    for await line in console.lines {
        console.wasAnswered()
        guard try await peer.perform(line) else { break }
        console.ask()
    }
    console.end()
    exit(try await peer.end() ? 0 : 1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("log", 3):
        let server = LogServer(try LogFile(at: URL(fileURLWithPath: arguments[2])))
        try server.serve(at: arguments[1]) {
            say("ready: peers can connect to \(arguments[1]). Control-C ends the log; it keeps its entries.")
        }
    case ("peer", 2): try await share(at: arguments[1])
    case ("peer", 4) where arguments[2] == "--journal": try await share(at: arguments[1], journal: arguments[3])
    case ("--help", 1): print(usage)
    default:
        say(usage)
        exit(64)
    }
} catch {
    say("Replicas: \(error is POSIXError ? error.localizedDescription : "\(error)")")
    exit(1)
}
