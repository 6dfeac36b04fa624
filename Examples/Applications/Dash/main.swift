// The process around the program: its arguments, its standard streams and its exit code.

import Conversation
import DashCore
import Foundation

// The changelog of the library, wherever it was built.
let changelog = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../CHANGELOG.md").standardizedFileURL
let program = Program(defaultPath: changelog.path, console: .standard)
switch program.run(Array(CommandLine.arguments.dropFirst())) {
case .success(let ending): ending.exitProcess()
case .failure(let exit): Foundation.exit(exit.code)
}
