// The process around the spreadsheet program: its arguments, its standard streams and its exit code.

import Conversation
import Foundation
import SheetCore

@main
enum SheetProcess {
    static func main() {
        let program = Program(console: .standard, sample: PackageResources.budget_csv)
        exit(program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
