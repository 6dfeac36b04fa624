// One model in several processes.
//
//     Replicas log PATH           the log, at a path that does not exist yet
//     Replicas peer PATH NAME     a process that shares the notes: add NAME TEXT, text NAME TEXT, done NAME, remove NAME, offline, online

import Foundation
import Replica

func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

let arguments = CommandLine.arguments.dropFirst()
do {
    switch (arguments.first, arguments.count) {
    case ("log", 2):
        try Log().serve(at: arguments[2]) {
            print("ready"); fflush(nil)
        }
    case ("peer", 3):
        let peer = try Peer(at: arguments[2], named: arguments[3])
        guard peer.connect() else {
            say("Replicas: nobody listens at \(arguments[2]); start Replicas log \(arguments[2]) first")
            exit(1)
        }
        while let line = readLine() {
            if line == "online" {
                if !peer.connect() { say("the log cannot be reached") }
            } else if !line.isEmpty, !peer.perform(line) {
                say("no command: \(line)")
            }
        }
    default:
        say("usage: Replicas log PATH | Replicas peer PATH NAME")
        exit(64)
    }
} catch {
    say("Replicas: \(error)")
    exit(1)
}
