// The process around the shop program: its arguments, its standard streams and its exit code.

import Conversation
import Foundation
import ShopCore

let program = Program(console: .standard, sample: PackageResources.catalogue_csv)
switch await program.run(Array(CommandLine.arguments.dropFirst())) {
case .success(let ending): ending.exitProcess()
case .failure(let exit): Foundation.exit(exit.code)
}
