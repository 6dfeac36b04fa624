// The process of the outline program: its arguments, standard streams and exit code.

import Conversation
import Foundation
import OutlineCore

let program = Program(console: .standard, sample: PackageResources.moving_json)
exit(await program.run(Array(CommandLine.arguments.dropFirst())))
