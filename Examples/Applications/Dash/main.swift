// The process of the program: its arguments, standard streams and exit code.

import Conversation
import DashCore
import Foundation
import TerminalHost

// The changelog of the library in its source folder.
let changelog = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../CHANGELOG.md").standardizedFileURL
let program = Program(defaultPath: changelog.path, console: .standard)
program.run(Array(CommandLine.arguments.dropFirst())).exitProcess()
