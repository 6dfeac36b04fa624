// The process around the shop program: its arguments, its standard streams and its exit code.

import Conversation
import ShopCore
import TerminalHost

let program = Program(console: .standard, sample: PackageResources.catalogue_csv)
await program.run(Array(CommandLine.arguments.dropFirst())).exitProcess()
