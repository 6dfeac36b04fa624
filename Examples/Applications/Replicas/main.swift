// One model in several processes.
//
//     Replicas log SOCKET FILE     the log, which it keeps in a file
//     Replicas peer SOCKET         a process that shares the notes

import Foundation
import ReplicaCore

let usage = """
    usage: Replicas log SOCKET FILE     takes changes, puts them in order, keeps them in FILE, and gives them to all
           Replicas peer SOCKET         shares notes; its commands, one a line:
                                        add NAME TEXT, text NAME TEXT, done NAME, remove NAME, show, offline, online
    """

func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

let arguments = CommandLine.arguments.dropFirst()
do {
    switch (arguments.first, arguments.count) {
    case ("log", 3):
        try LocalSocket.checkPath(arguments[2])
        try Log(in: URL(fileURLWithPath: arguments[3])).serve(at: arguments[2]) {
            FileHandle.standardOutput.write(Data("ready\n".utf8))
        }
    case ("peer", 2):
        let peer = try Peer(at: arguments[2])
        while let line = readLine() {
            if !line.isEmpty, !peer.perform(line) { say("no command: \(line)") }
        }
    default:
        say(usage)
        exit(64)
    }
} catch {
    say("Replicas: \(error)")
    exit(1)
}
