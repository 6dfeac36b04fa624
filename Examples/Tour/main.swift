// `swift run --package-path Examples Tour`: shows each function of the library in a few lines with their output.

import Foundation
import TourCore

do {
    switch try TourArguments(Array(CommandLine.arguments.dropFirst())) {
    case .chapters(let names): try await Tour.run(chapters: names)
    case .list: Tour.list.forEach { print($0) }
    case .help: print(TourArguments.usage)
    }
} catch let misuse as TourArguments.Misuse {
    FileHandle.standardError.write(Data("\(misuse)\n".utf8))
    exit(64)
}
