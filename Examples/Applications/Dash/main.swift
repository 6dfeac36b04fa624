// The process around the program: its arguments, its standard streams and its exit code.

import Conversation
import DashCore
import Foundation
import TerminalHost

// The changelog of the library, wherever it was built.
let changelog = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../CHANGELOG.md").standardizedFileURL
let program = Program(defaultPath: changelog.path, console: .standard)
program.run(Array(CommandLine.arguments.dropFirst())).exitProcess()
