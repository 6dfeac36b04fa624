// The process around the spreadsheet program: its arguments, its standard streams and its exit code.

import Conversation
import Foundation
import SheetCore

let program = Program(console: .standard, sample: PackageResources.budget_csv)
exit(program.run(Array(CommandLine.arguments.dropFirst())))
