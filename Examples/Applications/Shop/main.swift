// The process of the shop program: its arguments, standard streams and exit code.

import Conversation
import ShopCore
import TerminalHost

let program = Program(console: .standard, sample: PackageResources.catalogue_csv)
await program.run(Array(CommandLine.arguments.dropFirst())).exitProcess()
