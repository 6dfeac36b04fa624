// The process of the spreadsheet program: its arguments, standard streams and exit code.

import Conversation
import Foundation
import SheetCore

let program = Program(console: .standard, sample: PackageResources.budget_csv)
exit(program.run(Array(CommandLine.arguments.dropFirst())))
