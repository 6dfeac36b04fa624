// The command: parses its arguments and starts the server.

import BoardServer
import Foundation

let usage = """
    usage: LiveBoard [--port NUMBER] [--host ADDRESS] [--folder FOLDER | --database URI] [--name NAME]...

      --port NUMBER      the port to listen on (8080); 0 for a free one
      --host ADDRESS     the address to listen on (127.0.0.1: this machine only)
      --folder FOLDER    where the boards are saved (boards)
      --database URI     the PostgreSQL database where the boards are saved instead; several servers can share it:
                         postgresql://USER@HOST/DATABASE
      --name NAME        another name that browsers may use for the server

    """

/// Ends the program with a message about its arguments.
func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("LiveBoard: \(message)\n\n\(usage)".utf8))
    exit(64)
}

var options = ServerOptions()
var folder: String?
var arguments = CommandLine.arguments.dropFirst()
while let option = arguments.popFirst() {
    if option == "--help" {
        print(usage, terminator: "")
        exit(0)
    }
    guard ["--port", "--host", "--folder", "--database", "--name"].contains(option) else {
        stop("unknown option \(option)")
    }
    guard let value = arguments.popFirst(), !value.isEmpty else { stop("\(option) needs a value") }
    switch option {
    case "--port":
        guard let port = UInt16(value) else { stop("\(value) is not a port: a port is a number from 0 to 65535") }
        options.port = Int(port)
    case "--host": options.host = value
    case "--folder": folder = value
    case "--database": options.database = value
    default:
        guard let name = HostName(option: value) else {
            stop("\(value) is not a name: a name is the part of an address between // and /")
        }
        options.names.insert(name)
    }
}

if folder != nil, options.database != nil {
    stop("--folder and --database exclude each other: choose where the boards are saved")
}
if let folder { options.folder = URL(fileURLWithPath: folder) }

do {
    // The address of a database may contain a password.
    let home = options.database == nil ? "in \(options.folder.path)" : "of the database"
    try await serveBoards(options) { address in
        let line = "LiveBoard: the boards \(home) are at \(address)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
} catch {
    FileHandle.standardError.write(Data("LiveBoard: \(error)\n".utf8))
    exit(1)
}
