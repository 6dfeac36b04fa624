// The process around the outline program: its arguments, its standard streams and its exit code.

import Foundation
import OutlineCore

@main
enum OutlineProcess {
    @MainActor
    static func main() {
        let isInteractive = isatty(STDIN_FILENO) == 1
        let console = Program.Console(
            isInteractive: isInteractive,
            readLine: {
                if isInteractive { print("> ", terminator: "") }
                // Whoever writes the next line may be waiting for the answers to the last one.
                fflush(nil)
                return readLine()
            },
            print: { print($0) },
            printError: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
        let program = Program(console: console, sample: PackageResources.moving_json)
        exit(program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
