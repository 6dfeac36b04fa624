// The process around the outline program: its arguments, its standard streams and its exit code.

import Conversation
import Foundation
import OutlineCore

let program = Program(console: .standard, sample: PackageResources.moving_json)
exit(program.run(Array(CommandLine.arguments.dropFirst())))
