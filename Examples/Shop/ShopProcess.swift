// The process around the shop program: its arguments, its standard streams and its exit code.

import Foundation
import ShopCore

@main
enum ShopProcess {
    @MainActor
    static func main() async {
        let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
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
        let program = Program(console: console, sample: PackageResources.catalogue_csv)
        switch await program.run(Array(CommandLine.arguments.dropFirst())) {
        case .success(let ending): ending.exitProcess()
        case .failure(let exit): Foundation.exit(exit.code)
        }
    }
}
